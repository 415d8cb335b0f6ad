"""Limits, headers and hostile bodies: each gets its own status, and the service goes on."""

import gzip
import io
import json
import logging
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from advisor.api.app import create_app
from advisor.api.computing import Answers
from advisor.api.examples import ASSISTANT
from advisor.api.limits import Rate
from advisor.api.settings import Settings, read_settings
from advisor.errors import AdvisorError
from advisor.library import Library

JSON = {"Content-Type": "application/json"}
WORKBOOK = {"Content-Type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
QUOTE = "4x NVIDIA H100 PCIe 80GB; 32,000 USD each"


@pytest.fixture
def made(library: Library) -> Iterator[Callable[..., FastAPI]]:
    apps: list[FastAPI] = []

    def make(**settings: object) -> FastAPI:
        apps.append(create_app(library, Settings.model_validate(settings)))
        return apps[-1]

    yield make
    for app in apps:
        app.state.running.close()


def bomb() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 200_000_000)
    return content.getvalue()


@pytest.mark.parametrize(
    ("path", "content", "headers", "status"),
    [
        ("/v1/plans", b" " * 1_000_001, JSON, 413),
        ("/v1/checks", b" " * 5_000_001, {"Content-Type": "text/plain"}, 413),
        ("/v1/plans", b"[" * 100_000, JSON, 400),
        ("/v1/checks", b'{"quote": ' + b"[" * 100_000, JSON, 400),
        ("/v1/checks", b"[" * 100_000, {"Content-Type": "application/yaml"}, 422),
        ("/v1/compare", b"{", JSON, 400),
        ("/v1/plans", "{}".encode("utf-16"), JSON, 400),
        ("/v1/plans", gzip.compress(b" " * 50_000_000), {**JSON, "Content-Encoding": "gzip"}, 415),
        ("/v1/checks", gzip.compress(b" " * 50_000_000), {"Content-Type": "text/csv", "Content-Encoding": "gzip"}, 415),
        ("/v1/checks", QUOTE.encode(), {"Content-Type": "image/png"}, 415),
        ("/v1/checks", b"", {"Content-Type": "text/plain"}, 422),
        ("/v1/checks", b"\x00\xff\xfe\x01" * 100, {"Content-Type": "application/octet-stream"}, 422),
        ("/v1/checks", b'{"text": "x"}', JSON, 422),
    ],
)
def test_hostile_bodies(client: TestClient, path: str, content: bytes, headers: dict[str, str], status: int) -> None:
    answered = client.post(path, content=content, headers=headers)
    assert (answered.status_code, answered.headers["content-type"]) == (status, "application/problem+json")
    assert client.get("/healthz").status_code == 200


def test_a_workbook_that_unpacks_without_end(client: TestClient) -> None:
    answered = client.post("/v1/checks", content=bomb(), headers=WORKBOOK)
    assert answered.status_code == 422
    assert client.post("/v1/checks", content=QUOTE, headers={"Content-Type": "text/plain"}).status_code == 200


def test_a_quote_in_its_forms(client: TestClient) -> None:
    plain = client.post("/v1/checks", content=QUOTE, headers={"Content-Type": "text/plain"}).json()
    as_json = client.post("/v1/checks", json={"quote": QUOTE}).json()
    assert plain["findings"] == as_json["findings"]
    assert plain["verdict"] in ("ok", "caution", "do-not-buy")
    lines = {"quote": {"lines": [{"what": "NVIDIA H100 PCIe 80GB", "quantity": 4}]}, "workload": ASSISTANT}
    assert client.post("/v1/checks", json=lines).status_code == 200
    report = client.post("/v1/checks", json={"quote": QUOTE}, headers={"Accept": "text/markdown"})
    assert report.headers["content-type"].startswith("text/markdown")


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "application/json"),
        ("text/markdown", "text/markdown; charset=utf-8"),
        ("text/plain;q=0.9, text/markdown;q=0.2", "text/plain; charset=utf-8"),
        ("text/*", "text/markdown; charset=utf-8"),
        ("application/json;q=0, */*", "text/markdown; charset=utf-8"),
        ("image/png", "application/problem+json"),
    ],
)
def test_the_form_that_is_accepted(client: TestClient, accept: str, media_type: str) -> None:
    assert client.post("/v1/plans", json=ASSISTANT, headers={"Accept": accept}).headers["content-type"] == media_type


def test_every_answer_is_guarded_and_named(client: TestClient) -> None:
    for answered in (client.get("/v1/rules"), client.get("/nowhere"), client.post("/v1/plans", json={}), client.get("/docs")):
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answered.headers["content-security-policy"]
        assert len(answered.headers["x-request-id"]) == 32
        assert "access-control-allow-origin" not in answered.headers
    assert client.get("/healthz", headers={"X-Request-Id": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert client.get("/healthz", headers={"X-Request-Id": "no good"}).headers["x-request-id"] != "no good"


def test_unchanged_knowledge_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/v1/rules", params={"q": "memory"})
    again = client.get("/v1/rules", params={"q": "memory"}, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/v1/rules").headers["etag"] != first.headers["etag"]
    assert "etag" not in client.get("/v1/rules/NONE-1").headers


def test_a_key_that_calls_too_often_waits(made: Callable[..., FastAPI]) -> None:
    app = made(keys_required=True, requests_per_minute=6, burst=2)
    key = app.state.running.keeping.add_key("ada", frozenset({"knowledge"}), None)
    client = TestClient(app)
    answers = [client.get("/v1/schema/plan", headers={"X-API-Key": key}) for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 10


def test_guessing_keys_is_slowed(made: Callable[..., FastAPI]) -> None:
    client = TestClient(made(keys_required=True, failed_logins_per_minute=3))
    assert [client.get("/v1/rules", headers={"X-API-Key": f"adv_a_{n}"}).status_code for n in range(4)] == [401, 401, 401, 429]


def test_another_host_and_another_origin(made: Callable[..., FastAPI]) -> None:
    client = TestClient(made(hosts=("testserver", "[::1]"), cors_origins=("https://portal.example.org",)))
    assert client.get("/healthz").status_code == 200
    assert client.get("/healthz", headers={"Host": "[::1]:8000"}).status_code == 200
    assert client.get("/healthz", headers={"Host": "evil.example.org"}).status_code == 421
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    allowed = client.options("/v1/plans", headers={"Origin": "https://portal.example.org", **asked})
    assert allowed.headers["access-control-allow-origin"] == "https://portal.example.org"
    assert client.options("/v1/plans", headers={"Origin": "https://evil.example.org", **asked}).status_code == 400


def test_calculations_are_bounded(made: Callable[..., FastAPI]) -> None:
    app = made(compute_seconds=0.2, computing=1, waiting=0)
    client, ended = TestClient(app), Event()
    try:
        with ThreadPoolExecutor(1) as pool:
            app.state.running.compute._pool.submit(ended.wait)
            slow = pool.submit(client.post, "/v1/plans", json=ASSISTANT).result()
        assert (slow.status_code, slow.json()["type"]) == (503, "/problems/took-too-long")
        assert slow.headers["retry-after"] == "1"
        app.state.running.compute.under_way = 1
        busy = client.post("/v1/plans", json={**ASSISTANT, "name": "b"})
        assert (busy.status_code, busy.json()["type"]) == (503, "/problems/busy")
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
    finally:
        ended.set()


def test_nothing_is_answered_that_the_audit_does_not_know(made: Callable[..., FastAPI]) -> None:
    app = made()
    app.state.running.keeping.write(lambda to: to.execute("drop table audit")).result()
    answered = TestClient(app).post("/v1/plans", json=ASSISTANT)
    assert (answered.status_code, answered.json()["type"]) == (503, "/problems/busy")


def test_the_log_holds_no_words_of_callers(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        client.post("/v1/plans", json={**ASSISTANT, "name": "Secret project"})
        client.get("/v1/models", params={"q": "secretword"})
        client.get("/v1/rules/SECRETPATH")
    told = [each.message for each in caplog.records if not each.name.startswith("http")]
    lines = [json.loads(each) for each in told if each.startswith("{")]
    assert [line["route"] for line in lines] == ["/v1/plans", "/v1/models", "/v1/rules/{id:path}"]
    assert "secret" not in " ".join(told).lower()


def test_a_plan_asked_for_again_is_the_same_answer(made: Callable[..., FastAPI]) -> None:
    client = TestClient(made())
    first, second = (client.post("/v1/plans", json=ASSISTANT) for _ in range(2))
    assert (second.content, second.headers["content-type"]) == (first.content, first.headers["content-type"])
    assert client.post("/v1/plans", json=ASSISTANT, headers={"Accept": "text/plain"}).content != first.content
    assert 'advisor_plan_answers_total{source="remembered"} 1.0' in client.get("/metrics").text
    for headers in ({"Content-Encoding": "gzip"}, {"Content-Type": "text/plain"}):
        assert client.post("/v1/plans", content=first.request.content, headers={**JSON, **headers}).status_code == 415
    kept = client.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT)
    assert client.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT).headers["plan-id"] == kept.headers["plan-id"]


def test_figures(client: TestClient) -> None:
    client.post("/v1/plans", json=ASSISTANT)
    text = client.get("/metrics").text
    assert 'advisor_requests_total{method="POST",route="/v1/plans",status="200"}' in text
    assert "advisor_calculations 0.0" in text


def test_buckets_fill_evenly() -> None:
    rate = Rate(60, 1)
    assert rate.take("a") == 0
    assert 0 < rate.take("a") <= 1
    assert rate.take("b") == 0


def test_answers_are_forgotten_oldest_first() -> None:
    answers = Answers(10)
    for name in (b"a", b"b", b"a", b"c"):
        answers.put(name, (b"text/plain", b"12345"))
    assert (answers.get(b"a"), answers.get(b"b")) == ((b"text/plain", b"12345"), None)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"ADVISOR_API_WORKER": "2"}, 'did you mean "workers"'),
        ({"ADVISOR_API_WORKERS": "none"}, "setting workers"),
        ({"ADVISOR_API_TOKEN_ISSUER": "https://a"}, "ADVISOR_API_TOKEN_AUDIENCE"),
        ({"ADVISOR_API_SETTINGS": "/nowhere/at-all.yaml"}, "cannot be opened"),
    ],
)
def test_settings_that_do_not_fit(variables: dict[str, str], said: str) -> None:
    with pytest.raises(AdvisorError) as caught:
        read_settings(variables)
    assert said in str(caught.value)


def test_settings_as_variables_are_the_same_settings() -> None:
    settings = read_settings({"ADVISOR_API_CORS_ORIGINS": "https://a, https://b", "ADVISOR_API_LOG_REQUESTS": "no"}, workers=3)
    assert (settings.cors_origins, settings.log_requests, settings.workers) == (("https://a", "https://b"), False, 3)
    assert read_settings(settings.as_environment()) == settings
