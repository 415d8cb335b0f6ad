"""POST /v1/compare answers as the command line does, and says which of the two documents is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from advisor.api.examples import ASSISTANT
from advisor.cli.main import advisor

DAY = "2026-11-30"
SMALLER = {**ASSISTANT, "workloads": [{**ASSISTANT["workloads"][0], "model": "meta-llama/Llama-3.1-8B-Instruct"}]}


def test_it_is_what_the_command_prints(client: TestClient, root: Path) -> None:
    files = [str(root / "examples" / f"{name}.yaml") for name in ("assistant", "assistant-8b")]
    printed = CliRunner().invoke(advisor, ["compare", *files, "--json", "--today", DAY])
    answered = client.post("/v1/compare", params={"today": DAY}, json={"a": ASSISTANT, "b": SMALLER})
    assert answered.status_code == 200
    assert answered.json() == json.loads(printed.stdout)


@pytest.mark.parametrize(
    ("body", "kind", "where"),
    [
        ({"a": ASSISTANT}, "document", "body"),
        ({"a": ASSISTANT, "b": ASSISTANT, "c": 1}, "document", "body"),
        ([], "document", "body"),
        ({"a": ASSISTANT, "b": {"workloads": [{"kind": "rag"}]}}, "document", "b, workloads[0].model"),
        (
            {"a": {"workloads": [{"kind": "rag", "model": "lama-3.1-8b"}]}, "b": ASSISTANT},
            "unknown-name",
            "a, workloads[0].model",
        ),
        ({"a": ASSISTANT, "b": {"workloads": [{"kind": "rag", "model": "./config.json"}]}}, "document", "b, workloads[0].model"),
    ],
)
def test_a_refusal_names_the_document(client: TestClient, body: Any, kind: str, where: str) -> None:
    problem = client.post("/v1/compare", json=body).json()
    assert (problem["type"], problem["status"], problem["where"]) == (f"/problems/{kind}", 422, where)
