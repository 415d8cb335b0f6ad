"""docs/api.md and the image's files say what is so."""

import re
from pathlib import Path

import pytest
import yaml
from fastapi.testclient import TestClient

from advisor.api.description import settings_table
from advisor.api.errors import PROBLEM_KINDS
from advisor.api.scopes import SCOPES, scope_of


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "api.md").read_text(encoding="utf-8")


def test_every_setting_is_in_the_table(page: str) -> None:
    assert settings_table() in page


def test_every_status_and_scope_is_told(page: str) -> None:
    assert {str(kind.status) for kind in PROBLEM_KINDS.values()} - {"405", "500"} <= set(re.findall(r"\b[45]\d\d\b", page))
    assert all(f"`{scope}`" in page for scope in SCOPES)


def test_the_scopes_of_the_table_are_those_of_the_gate(page: str) -> None:
    for method, path, scope in re.findall(r"\| `(GET|POST) (/\S+?)` \| `(\w+)` \|", page):
        assert scope_of(method, path) == scope


def test_the_first_call_of_the_page_is_answered(page: str, client: TestClient) -> None:
    found = re.search(r"-d '(\{.*?\})'", page, re.DOTALL)
    assert found is not None
    answered = client.post("/v1/plans", content=found[1], headers={"Content-Type": "application/json"})
    assert answered.status_code == 200


def test_the_form_reads_fields_that_questions_have(page: str, client: TestClient) -> None:
    items = client.get("/v1/questions", params={"limit": 200}).json()["items"]
    for field in re.findall(r"question\.(\w+)", page):
        assert any(field in item for item in items)


def test_the_container_runs_without_rights(root: Path) -> None:
    image = (root / "Dockerfile").read_text(encoding="utf-8")
    build, _, run = image.partition("\nFROM python:3.11-slim\n")
    assert "gcc" in build
    assert "gcc" not in run
    assert "\nUSER 10001\n" in run
    assert "HEALTHCHECK" in run
    service = yaml.safe_load((root / "compose.yaml").read_text(encoding="utf-8"))["services"]["advisor"]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
