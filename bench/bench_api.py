"""Requests a second of the API beside a bare FastAPI route that reads the same body and gives as many bytes.

A real server in a process of its own, a few connections that ask as fast as they are answered.
"""

import argparse
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from advisor.api.examples import ASSISTANT

ROOT = Path(__file__).resolve().parents[1]
ADVISOR = "from advisor.cli.main import main; main()"
YARDSTICK = """
import sys, uvicorn
from fastapi import FastAPI, Request, Response
app = FastAPI()
answer = b"x" * int(sys.argv[1])
@app.post("/v1/plans")
async def plans(request: Request) -> Response:
    await request.body()
    return Response(answer, media_type="application/json")
uvicorn.run(app, port=int(sys.argv[2]), access_log=False, log_level="error")
"""


def main() -> None:
    """Print both rates and times, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, _advisor(Path(folder)) as served:
        first = httpx.post(f"{served}/v1/plans", json=ASSISTANT, timeout=60)
        size = len(first.content)
        new = [_new_plan(served, number) for number in range(20)]
        with _yardstick(size) as bare:
            rates: dict[str, list[float]] = {"bare route": [], "repeated plan": []}
            # In turns, so that whatever else the machine does meets both.
            for _ in range(chosen.rounds):
                rates["bare route"].append(_rate(bare, chosen.connections, chosen.seconds))
                rates["repeated plan"].append(_rate(served, chosen.connections, chosen.seconds))
    sys.stdout.write(f"answer                {size:,} bytes, {chosen.connections} connections\n")
    for name, found in rates.items():
        sys.stdout.write(
            f"{name:22}{statistics.median(found):8.0f} requests/s  (rounds: {', '.join(f'{r:.0f}' for r in found)})\n"
        )
    ratio = statistics.median(rates["repeated plan"]) / statistics.median(rates["bare route"])
    sys.stdout.write(f"ratio                 {ratio:8.2f}\n")
    sys.stdout.write(f"new plan              {statistics.median(new) * 1000:8.1f} ms (median of {len(new)})\n")


def _new_plan(address: str, number: int) -> float:
    started = time.perf_counter()
    httpx.post(f"{address}/v1/plans", json={**ASSISTANT, "name": f"plan {number}"}, timeout=60).raise_for_status()
    return time.perf_counter() - started


def _rate(address: str, connections: int, seconds: float) -> float:
    body = httpx.Request("POST", address, json=ASSISTANT).content
    port = int(address.rpartition(":")[2])
    head = f"POST /v1/plans HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    request, counts, until = head.encode() + body, [0] * connections, time.perf_counter() + seconds

    def ask(index: int) -> None:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            while time.perf_counter() < until:
                connection.sendall(request)
                _read_answer(connection)
                counts[index] += 1

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


def _read_answer(connection: socket.socket) -> None:
    """Read one answer and throw it away; the asking side must cost less than the answering one."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(1 << 18)
    status, _, body = head.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", status)
    assert status.startswith(b"HTTP/1.1 200"), status
    assert length is not None
    rest = int(length[1]) - len(body)
    while rest > 0:
        rest -= len(connection.recv(min(rest, 1 << 18)))


@contextmanager
def _advisor(folder: Path) -> Iterator[str]:
    environment = {**os.environ, "ADVISOR_API_DATABASE": str(folder / "api.sqlite")}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", ADVISOR, "serve", "--port", "0"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
        try:
            yield _told_address(folder / "log")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)


def _told_address(log: Path) -> str:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
            return found[0]
        time.sleep(0.1)
    raise TimeoutError(log.read_text())


@contextmanager
def _yardstick(size: int) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", YARDSTICK, str(size), str(port)], cwd=ROOT)
    try:
        for _ in range(100):
            try:
                httpx.post(f"http://127.0.0.1:{port}/v1/plans", json={})
                break
            except httpx.ConnectError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


if __name__ == "__main__":
    main()
