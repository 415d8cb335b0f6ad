"""The committed OpenAPI document: what portals were built on stays, and the file is the document as it is served."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from advisor.api.contract import breaking, contract


@pytest.fixture(scope="module")
def committed(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "docs" / "openapi.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def served(client: TestClient) -> dict[str, Any]:
    return contract(client.get("/openapi.json").json())


def test_nothing_breaks_what_was_promised(committed: dict[str, Any], served: dict[str, Any]) -> None:
    assert list(breaking(committed, served)) == []


def test_every_served_operation_is_in_the_file(committed: dict[str, Any], served: dict[str, Any]) -> None:
    """make openapi writes the file anew."""
    assert set(committed["paths"]) == set(served["paths"])


def changed(described: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    def copy() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(json.dumps(described))
        return found

    without = copy()
    del without["paths"]["/v1/compare"]
    yield "/v1/compare: it is gone", without
    method = copy()
    del method["paths"]["/v1/plans/{id}"]["delete"]
    yield "DELETE /v1/plans/{id}: it is gone", method
    needed = copy()
    needed["paths"]["/v1/rules"]["get"]["parameters"].append({"name": "now", "in": "query", "required": True, "schema": {}})
    yield "GET /v1/rules: parameter now is needed", needed
    field = copy()
    del field["components"]["schemas"]["Problem"]["properties"]["hint"]
    yield "schema Problem: hint is gone", field
    kind = copy()
    kind["components"]["schemas"]["Problem"]["properties"]["status"]["type"] = "string"
    yield "schema Problem: status is string, was integer", kind
    stricter = copy()
    stricter["components"]["schemas"]["Document"].setdefault("required", []).append("name")
    yield "schema Document: name is needed", stricter
    answer = copy()
    del answer["paths"]["/v1/plans"]["post"]["responses"]["201"]
    yield "POST /v1/plans: answer 201 is gone", answer


def test_what_would_break_is_found(served: dict[str, Any]) -> None:
    for said, other in changed(served):
        assert said in list(breaking(served, other))
    assert list(breaking(served, served)) == []
