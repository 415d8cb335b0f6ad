"""Whatever is sent, a refusal is one problem that says what to do, and a failure tells nothing of the inside."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.api.app import create_app
from advisor.api.errors import PROBLEM_KINDS, Problem
from advisor.api.examples import ASSISTANT
from advisor.errors import KnowledgeError
from advisor.library import Library
from advisor.workload.reading import LARGEST

JSON = {"content-type": "application/json"}
WHOLE = json.dumps(ASSISTANT)


def post(client: TestClient, content: bytes | str | Iterator[bytes], headers: dict[str, str] = JSON) -> dict[str, Any]:
    answered = client.post("/v1/plans", content=content, headers=headers)
    assert answered.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answered.json()
    Problem.model_validate(problem)
    assert answered.status_code == problem["status"]
    assert "Traceback" not in answered.text
    return problem


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("{", "expecting property name enclosed in double quotes"),
        ("workloads: []", "expecting value"),
        (WHOLE + WHOLE, "extra data"),
        ('{"a": 1,}', ""),
        ('{"kind": 1, "kind": 1}', 'the key "kind" stands twice in one object'),
        ('[{"a": {"b": 1, "b": 2}}]', 'the key "b" stands twice in one object'),
        ("[NaN]", "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
        ("[1e999]", "1e999 is larger than any number that can be counted with"),
        ("[" + "1" * 5000 + "]", "it holds a number of 5,000 digits"),
        ('["\\ud800"]', "it holds half of a character (a \\ud… without its other half)"),
        ('{"\\uDFFF": 1}', "it holds half of a character (a \\ud… without its other half)"),
        (b'["\xff"]', "it is not UTF-8 text: byte 2 cannot be read"),
        (WHOLE.encode("utf-16"), "it is not UTF-8 text: byte 0 cannot be read"),
        ("[" * 21 + "]" * 21, "it is nested more than 20 levels deep"),
        ("[" * 900_000, "it is nested more than 20 levels deep"),
        ('{"a":' * 150_000, "it is nested more than 20 levels deep"),
    ],
)
def test_a_malformed_body(client: TestClient, content: bytes | str, said: str) -> None:
    problem = post(client, content)
    assert (problem["type"], problem["status"]) == ("/problems/malformed-body", 400)
    assert problem["where"].startswith("body")
    assert said in problem["detail"]


def test_brackets_in_text_are_no_nesting(client: TestClient) -> None:
    problem = post(client, json.dumps({"name": '["[' * 50, "workloads": []}))
    assert problem["where"] == "workloads"


def test_a_place_is_given_in_lines(client: TestClient) -> None:
    assert post(client, '{\n "a": 1\n "b": 2}')["where"] == "body, line 3, column 2"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "text/plain"},
        {"content-type": "application/yaml"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/json", "content-encoding": "gzip"},
    ],
)
def test_a_body_that_is_not_sent_as_json(client: TestClient, headers: dict[str, str]) -> None:
    problem = post(client, WHOLE.encode(), headers)
    assert (problem["type"], problem["status"]) == ("/problems/unsupported-media-type", 415)


@pytest.mark.parametrize("media_type", ["application/json; charset=UTF-8", "Application/JSON", "application/plan+json"])
def test_other_spellings_of_json(client: TestClient, media_type: str) -> None:
    assert client.post("/v1/plans", content=WHOLE, headers={"content-type": media_type}).status_code == 200


def test_a_byte_order_mark_is_passed_over(client: TestClient) -> None:
    assert client.post("/v1/plans", content=b"\xef\xbb\xbf" + WHOLE.encode(), headers=JSON).status_code == 200


def test_a_body_of_the_largest_size_and_one_byte_more(client: TestClient) -> None:
    fitting = WHOLE + " " * (LARGEST - len(WHOLE.encode()))
    assert client.post("/v1/plans", content=fitting, headers=JSON).status_code == 200
    problem = post(client, fitting + " ")
    assert (problem["type"], problem["status"]) == ("/problems/body-too-large", 413)


def test_a_chunked_body_is_counted_as_it_comes(client: TestClient) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(LARGEST // 50_000 + 1):
            yield b" " * 50_000

    assert post(client, chunks())["status"] == 413


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\0123eE+-.ntfua ', max_size=60).map(str.encode))
def test_any_bytes_are_answered_with_a_problem(client: TestClient, content: bytes) -> None:
    assert post(client, content)["status"] in (400, 422)


@pytest.mark.parametrize("today", ["30.11.2026", "2026-13-01", "1999-01-01", "0", "tomorrow", ""])
def test_a_day_is_a_day(client: TestClient, today: str) -> None:
    answered = client.post("/v1/plans", params={"today": today}, json=ASSISTANT)
    assert (answered.status_code, answered.json()["where"]) == (422, "query, today")
    assert answered.json()["hint"] == "write year, month and day as in 2026-11-30"


def test_paths_and_methods(client: TestClient) -> None:
    nowhere = client.get("/v2/plans")
    assert (nowhere.status_code, nowhere.json()["type"]) == (404, "/problems/no-such-path")
    wrong = client.put("/v1/plans")
    assert (wrong.status_code, wrong.json()["type"]) == (405, "/problems/method-not-allowed")
    assert set(wrong.headers["allow"].split(", ")) <= {"GET", "POST"}
    assert wrong.headers["content-type"] == "application/problem+json"


def test_every_type_of_problem_is_explained_at_its_path(client: TestClient) -> None:
    listed = client.get("/problems").json()["items"]
    assert [item["type"] for item in listed] == [kind.type for kind in PROBLEM_KINDS.values()]
    for item in listed:
        assert client.get(item["type"]).json() == item
    assert client.get("/problems/unknown").json()["nearest"] == ["unknown-name"]


@pytest.mark.parametrize("error", [RuntimeError("secret"), KnowledgeError("secret", where="/secret/folder")])
def test_a_failure_tells_nothing_of_the_inside(library: Library, error: Exception) -> None:
    def fail() -> None:
        raise error

    app: FastAPI = create_app(library)
    app.add_api_route("/fail", fail)
    answered = TestClient(app, raise_server_exceptions=False).get("/fail")
    assert (answered.status_code, answered.json()["type"]) == (500, "/problems/internal")
    assert answered.headers["content-type"] == "application/problem+json"
    assert "secret" not in answered.text
