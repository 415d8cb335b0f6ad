"""POST /v1/plans and /v1/plans/explain answer as the command line does."""

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from advisor.api.examples import ASSISTANT
from advisor.cli.main import advisor
from advisor.workload.reading import read_document, to_document

DAY = "2026-11-30"


def assistant(**changes: Any) -> dict[str, Any]:
    document = copy.deepcopy(ASSISTANT)
    document["workloads"][0].update(changes)
    return document


def test_the_example_is_the_one_in_the_examples_folder(root: Path) -> None:
    assert to_document(ASSISTANT) == read_document(root / "examples" / "assistant.yaml")


def test_the_plan_is_the_one_that_the_command_prints(client: TestClient, root: Path) -> None:
    printed = CliRunner().invoke(advisor, ["plan", str(root / "examples" / "assistant.yaml"), "--json", "--today", DAY])
    answered = client.post("/v1/plans", params={"today": DAY}, json=ASSISTANT)
    assert answered.status_code == 200
    assert answered.headers["content-type"] == "application/json"
    assert json.dumps(answered.json()) == json.dumps(json.loads(printed.stdout))


def test_the_day_of_the_document_wins(client: TestClient) -> None:
    document = {**ASSISTANT, "today": "2026-10-01"}
    assert client.post("/v1/plans", params={"today": DAY}, json=document).json()["today"] == "2026-10-01"


def test_nothing_fits_is_an_answer(client: TestClient) -> None:
    answered = client.post("/v1/plans", json=assistant(accelerators={"only": ["h100-sxm"], "max_count": 1}))
    workload = answered.json()["workloads"][0]
    assert answered.status_code == 200
    assert "recommended" not in workload
    assert [limit["name"] for limit in workload["limits"] if limit["binding"]]


@pytest.mark.parametrize("path", ["./config.json", "/tmp/model", "~/model", "model/config.json"])
def test_a_path_of_the_server_is_refused(client: TestClient, path: str) -> None:
    problem = client.post("/v1/plans", json=assistant(model=path)).json()
    assert (problem["type"], problem["status"], problem["where"]) == ("/problems/document", 422, "workloads[0].model")
    assert problem["detail"] == "a path cannot be given here"


def test_names_are_answered_with_the_nearest_and_with_meanings(client: TestClient) -> None:
    unknown = client.post("/v1/plans", json=assistant(model="lama-3.1-70b"))
    assert (unknown.status_code, unknown.json()["type"]) == (422, "/problems/unknown-name")
    assert "llama-3.1-70b" in unknown.json()["nearest"]
    ambiguous = client.post("/v1/plans", json=assistant(accelerators={"only": ["H100"]}))
    assert (ambiguous.status_code, ambiguous.json()["type"]) == (422, "/problems/ambiguous-name")
    assert "h100-sxm" in ambiguous.json()["meanings"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"acelerators": {}}, "workloads[0].acelerators"),
        ({"input_tokens": "4 GB"}, "workloads[0].input_tokens"),
        ({"kind": "inference"}, "workloads[0].kind"),
        ({"kind": "fine-tuning", "engine": "nothing-of-this-name"}, "workloads[0].engine"),
        ({"model": None}, "workloads[0].model"),
    ],
)
def test_a_field_is_named(client: TestClient, change: dict[str, Any], where: str) -> None:
    answered = client.post("/v1/plans", json=assistant(**change))
    assert (answered.status_code, answered.json()["where"]) == (422, where)


@pytest.mark.parametrize("body", ["[]", "null", "1", '"text"', "{}"])
def test_what_is_no_document_is_refused(client: TestClient, body: str) -> None:
    answered = client.post("/v1/plans", content=body, headers={"content-type": "application/json"})
    assert answered.json()["type"] == "/problems/document"


def test_an_explanation_is_the_one_that_the_command_prints(client: TestClient, root: Path) -> None:
    file = str(root / "examples" / "assistant.yaml")
    printed = CliRunner().invoke(advisor, ["explain", file, "KV cache", "--json"])
    answered = client.post("/v1/plans/explain", params={"quantity": "KV cache", "workload": "chat"}, json=ASSISTANT)
    assert answered.json() == json.loads(printed.stdout)
    assert answered.json()["quantity"] == "kv_cache"


def test_a_quantity_nobody_has_and_one_not_given(client: TestClient) -> None:
    unknown = client.post("/v1/plans/explain", params={"quantity": "kv cach"}, json=ASSISTANT)
    assert (unknown.status_code, unknown.json()["nearest"][0]) == (422, "kv cache")
    missing = client.post("/v1/plans/explain", json=ASSISTANT).json()
    assert (missing["type"], missing["where"], missing["detail"]) == ("/problems/parameter", "query, quantity", "it is missing")


def test_several_workloads_need_a_name(client: TestClient) -> None:
    document = assistant()
    document["workloads"].append({**document["workloads"][0], "name": "search"})
    problem = client.post("/v1/plans/explain", params={"quantity": "weights"}, json=document).json()
    assert problem["meanings"] == ["chat", "search"]


def test_plans_made_together_are_the_plans_made_alone(client: TestClient) -> None:
    documents = [assistant(traffic={"concurrent_requests": count}) for count in (1, 20, 50, 400)] * 3

    def made(document: dict[str, Any]) -> Any:
        return client.post("/v1/plans", params={"today": DAY}, json=document).json()

    alone = [made(document) for document in documents]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(made, documents)) == alone
