"""A real process under hostile and ordinary load: slow bodies, several workers, keys made while it runs, and its end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from advisor.api.examples import ASSISTANT
from advisor.api.keeping import Keeping
from advisor.cli.keys import keys

COMMAND = [sys.executable, "-c", "from advisor.cli.main import main; main()", "serve", "--port", "0"]
Serve = Callable[..., tuple[str, subprocess.Popen[str]]]


@pytest.fixture
def serve(own_folders: None, root: Path, tmp_path: Path) -> Iterator[Serve]:
    started: list[subprocess.Popen[str]] = []

    def serving(*options: str, **settings: str) -> tuple[str, subprocess.Popen[str]]:
        variables = {f"ADVISOR_API_{name.upper()}": value for name, value in settings.items()}
        environment = {**os.environ, "ADVISOR_API_DATABASE": str(tmp_path / "api.sqlite"), **variables}
        log = tmp_path / f"log{len(started)}"
        with log.open("w") as writing:
            process = subprocess.Popen([*COMMAND, *options], cwd=root, env=environment, stderr=writing, text=True)
        started.append(process)
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
                return found[0], process
            time.sleep(0.05)
        raise TimeoutError(log.read_text())

    yield serving
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def test_a_body_that_drips_is_given_up(serve: Serve) -> None:
    address, _ = serve(body_seconds="0.5")
    for length in ("content-length: 500", "transfer-encoding: chunked"):
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=10) as connection:
            head = f"POST /v1/plans HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{length}\r\n\r\n"
            connection.sendall(head.encode())
            answered = b""
            while b"}" not in answered and (received := connection.recv(65_536)):
                answered += received
        assert answered.startswith(b"HTTP/1.1 408")
        assert b"/problems/body-too-slow" in answered
    assert httpx.get(f"{address}/healthz").status_code == 200


def test_several_workers_share_what_is_kept(serve: Serve, tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "api.sqlite")
    key = keeping.add_key("portal", frozenset({"plan", "keep", "metrics"}), None)
    address, process = serve("--workers", "2")
    headers = {"Authorization": f"Bearer {key}"}
    assert httpx.get(f"{address}/v1/plans", timeout=60).status_code == 401
    kept = httpx.post(f"{address}/v1/plans?keep=true", json=ASSISTANT, headers=headers, timeout=60)
    for _ in range(6):
        read = httpx.get(f"{address}{kept.headers['location']}", headers=headers, timeout=60)
        assert read.content == kept.content
    assert "advisor_requests_total" in httpx.get(f"{address}/metrics", headers=headers).text
    keeping.revoke(key.split("_")[1])
    assert httpx.get(f"{address}/v1/plans", headers=headers).status_code == 401
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=30)
    assert [row.status for row in keeping.audited("portal")] == [201, *[200] * 6]
    keeping.close()


def test_a_request_under_way_is_answered_before_the_end(serve: Serve) -> None:
    address, process = serve()
    content = json.dumps(ASSISTANT).encode()
    with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=20) as connection:
        head = "POST /v1/plans HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        connection.sendall(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content[:-1])
        httpx.get(f"{address}/healthz")
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        connection.sendall(content[-1:])
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
    assert process.wait(timeout=30) in (0, -signal.SIGTERM)


def test_keys_are_made_listed_and_revoked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADVISOR_API_DATABASE", str(tmp_path / "api.sqlite"))
    made = CliRunner().invoke(keys, ["create", "--owner", "portal", "--scope", "plan", "--expires", "12h"])
    id = made.output.split("_")[1]
    listed = json.loads(CliRunner().invoke(keys, ["list", "--json"]).output)
    assert [(each["id"], each["owner"], each["scopes"], each["state"]) for each in listed] == [(id, "portal", ["plan"], "valid")]
    assert CliRunner().invoke(keys, ["revoke", id]).exit_code == 0
    assert "revoked" in CliRunner().invoke(keys, ["list"]).output
    for wrong in (["revoke", "nothing"], ["create", "--owner", "a b"], ["create", "--owner", "a", "--expires", "soon"]):
        assert CliRunner().invoke(keys, wrong).exception is not None
    unknown = CliRunner().invoke(keys, ["create", "--owner", "a", "--scope", "plans"])
    assert 'did you mean "plan"' in str(unknown.exception)
