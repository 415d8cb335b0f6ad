"""`advisor` without a command: the terminal where there is one, else what to do instead."""

import os
import pty
import select
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

RUN = [sys.executable, "-c", "from advisor.cli.main import main; main()"]


def environment(root: Path) -> dict[str, str]:
    return {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join((str(root), str(root / "tui")))}


def test_without_a_terminal_it_names_the_command_to_use(root: Path) -> None:
    finished = subprocess.run(RUN, capture_output=True, text=True, env=environment(root), stdin=subprocess.DEVNULL, check=False)
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert "advisor plan FILE" in finished.stderr
    assert "Traceback" not in finished.stderr


@pytest.mark.usefixtures("library")
def test_in_a_terminal_it_asks_and_leaves_with_nothing_wrong(root: Path) -> None:
    terminal, inside = pty.openpty()
    process = subprocess.Popen(RUN, stdin=inside, stdout=inside, stderr=inside, env=environment(root), start_new_session=True)
    os.close(inside)
    seen = b""
    try:
        while b"What is it to do?" not in seen:
            assert select.select([terminal], [], [], 20)[0], seen[-2000:]
            seen += os.read(terminal, 65536)
        os.write(terminal, b"\x11")
        assert left_with(process, terminal) == 0
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def left_with(process: subprocess.Popen[bytes], terminal: int) -> int | None:
    """The exit code, with what the program still writes read away."""
    end = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            with suppress(OSError):
                os.read(terminal, 65536)
    return process.poll()
