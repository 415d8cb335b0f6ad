"""`advisor serve` as a person starts it: a real process on a free port."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from advisor.api.examples import ASSISTANT
from advisor.cli.serve import serve
from advisor.errors import InputError, MissingExtraError

COMMAND = [sys.executable, "-c", "from advisor.cli.main import main; main()", "serve"]


@pytest.fixture(scope="module")
def server(own_folders: None, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    environment = {**os.environ, "ADVISOR_API_DATABASE": str(tmp_path_factory.mktemp("served") / "api.sqlite")}
    process = subprocess.Popen(
        [*COMMAND, "--port", "0"],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stderr is not None
    found = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
    try:
        assert found is not None
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=20)
    assert printed == ""


def test_a_plan_over_the_wire(server: str) -> None:
    with httpx.Client(base_url=server, timeout=30) as client:
        made = client.post("/v1/plans", json=ASSISTANT)
        assert made.status_code == 200
        assert made.json()["workloads"][0]["recommended"]["accelerator"] == "h100-sxm"
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/openapi.json").json()["openapi"].startswith("3.1")


def test_a_large_chunked_body_over_the_wire(server: str) -> None:
    with httpx.Client(base_url=server, timeout=30) as client:
        chunks = (b" " * 60_000 for _ in range(20))
        answered = client.post("/v1/plans", content=chunks, headers={"content-type": "application/json"})
        assert (answered.status_code, answered.json()["type"]) == (413, "/problems/body-too-large")
        assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "example.org"])
def test_an_address_that_others_reach_is_refused(host: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADVISOR_API_DATABASE", str(tmp_path / "none.sqlite"))
    result = CliRunner().invoke(serve, ["--host", host])
    assert isinstance(result.exception, InputError)
    assert "--without-keys" in str(result.exception)


def test_a_port_in_use_is_one_clear_message(own_folders: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(serve, ["--port", str(taken.getsockname()[1])])
    assert isinstance(result.exception, InputError)
    assert "name another with --port" in str(result.exception)


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "prometheus_client"])
def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    result = CliRunner().invoke(serve)
    assert isinstance(result.exception, MissingExtraError)
    assert "ai-infra-advisor[api]" in str(result.exception)
