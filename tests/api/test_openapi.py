"""The OpenAPI document is complete and true: every operation described, every example and answer as declared."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator

from advisor.api.description import operations
from advisor.api.examples import ASSISTANT
from advisor.library.kinds import KINDS


@pytest.fixture(scope="module")
def described(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def validator(described: dict[str, Any], schema: dict[str, Any]) -> Draft202012Validator:
    whole = {**schema, "components": described["components"]}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(whole)


def test_version_and_references(described: dict[str, Any]) -> None:
    assert described["openapi"].startswith("3.1")
    schemas = described["components"]["schemas"]
    assert not {"HTTPValidationError", "ValidationError"} & set(schemas)

    def references(part: Any) -> set[str]:
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        own = {part["$ref"]} if isinstance(part, dict) and isinstance(part.get("$ref"), str) else set()
        return own.union(*(references(each) for each in inner))

    assert {each.removeprefix("#/components/schemas/") for each in references(described)} <= set(schemas)


def test_every_operation_is_described_with_an_example_and_its_errors(described: dict[str, Any]) -> None:
    found = list(operations(described))
    named = {operation["operationId"] for operation in found}
    assert len(named) == len(found)
    assert {"make_plan", "explain_quantity", "get_formula", *(f"list_{kind.name}" for kind in KINDS)} <= named
    for operation in found:
        assert operation["summary"]
        assert len(operation["description"]) > 10, operation["operationId"]
        assert operation["tags"][0] in {tag["name"] for tag in described["tags"]}
        assert all(parameter["schema"] and parameter["description"] for parameter in operation.get("parameters", ()))
        assert "500" in operation["responses"]
        for status, response in operation["responses"].items():
            assert response["description"]
            if not status.startswith(("2", "3")):
                content = response["content"]["application/problem+json"]
                assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
                assert content["examples"]


def test_every_example_is_as_declared(described: dict[str, Any]) -> None:
    for operation in operations(described):
        contents = [content for response in operation["responses"].values() for content in response.get("content", {}).values()]
        contents += operation.get("requestBody", {"content": {}})["content"].values()
        for content in contents:
            shown = [each["value"] for each in content.get("examples", {}).values()]
            shown += [content["example"]] if "example" in content else []
            assert shown, operation["operationId"]
            for example in shown:
                validator(described, content["schema"]).validate(example)


def test_every_entry_is_as_declared(client: TestClient, described: dict[str, Any]) -> None:
    for path in (*(f"/v1/{kind.name}" for kind in KINDS), "/v1/formulas", "/problems"):
        content = described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
        query = {} if path == "/problems" else {"limit": "60"}
        validator(described, content["schema"]).validate(client.get(path, params=query).json())


def test_a_whole_plan_is_as_declared(client: TestClient, described: dict[str, Any]) -> None:
    operation = described["paths"]["/v1/plans"]["post"]
    assert "200 also when nothing keeps every limit" in operation["description"]
    content = operation["responses"]["200"]["content"]["application/json"]
    validator(described, content["schema"]).validate(client.post("/v1/plans", json=ASSISTANT).json())


def test_the_body_is_the_document(described: dict[str, Any]) -> None:
    for path in ("/v1/plans", "/v1/plans/explain"):
        content = described["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        assert content["examples"]["assistant"]["value"] == ASSISTANT
        problems = validator(described, content["schema"]).iter_errors({"workloads": [{"kind": "rag"}], "site": {"x": 1}})
        assert len(list(problems)) == 2


def test_the_page_for_reading_needs_nothing_from_outside(client: TestClient, described: dict[str, Any]) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    for outside in ("<script", "src=", "@import", "<link"):
        assert outside not in page.text
    for operation in operations(described):
        assert f'id="{operation["operationId"]}"' in page.text
