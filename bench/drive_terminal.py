"""The real program in tmux, driven by keys and read from the screen: from the first question to a saved plan and its report.

    python bench/drive_terminal.py

Needs tmux. Prints the screens it stopped at; exit code 1 where one does not show what it should.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60.0
# What is typed, then the words that must appear before the next.
SCRIPT: tuple[tuple[tuple[str, ...], str], ...] = (
    ((), "What is it to do?"),
    (("realt", "Enter"), "Which model"),
    (("llama-3.1-70b", "Enter"), "How many people"),
    (("C-d",), "in progress at once"),
    (("50", "Enter"), "50 requests"),
    (("F3",), "known as"),
    (("Enter",), "How a figure was made"),
    (("Escape",), "Next page"),
    (("C-n",), "weights on one accelerator"),
    (("F4",), "What they give"),
    (("Right",), "60 requests"),
    (("F6",), "words to look for"),
    (("F2",), "Answers so far"),
    (("C-s",), "Save the answers"),
    (("Enter",), "Saved. Next: advisor plan"),
    (("C-q",), ""),
)


class Tmux:
    """One program in a tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "tmux")
        environment = f"PYTHONPATH={ROOT}{os.pathsep}{ROOT / 'tui'}"
        program = f"{environment} {sys.executable} -c 'from advisor.cli.main import main; main()'"
        self._run("-f", os.devnull, "new-session", "-d", "-x", "120", "-y", "40", "-c", str(folder), program)

    def _run(self, *arguments: str) -> str:
        command = ["tmux", "-S", self.socket, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30).stdout

    def press(self, *keys: str) -> None:
        """Type words and press named keys."""
        for key in keys:
            self._run("send-keys", "-t", "0", key)

    def screen(self) -> str:
        """What the screen shows now."""
        return self._run("capture-pane", "-p", "-t", "0")

    def wait_for(self, words: str) -> bool:
        """Whether the screen came to show the words."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if words in self.screen():
                return True
            time.sleep(0.1)
        return False

    def close(self) -> None:
        """End the server, and the program with it where it still runs."""
        self._run("kill-server")


def main() -> int:
    if shutil.which("tmux") is None:
        sys.stderr.write("this needs tmux\n")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tmux = Tmux(folder)
        try:
            for keys, words in SCRIPT:
                tmux.press(*keys)
                if words and not tmux.wait_for(words):
                    sys.stdout.write(f'{tmux.screen()}\nafter {" ".join(keys)}: "{words}" did not appear\n')
                    return 1
                sys.stdout.write(f"{' '.join(keys) or 'start':24} {words}\n")
        finally:
            tmux.close()
        saved = folder / "workload.yaml"
        command = [sys.executable, "-c", "from advisor.cli.main import main; main()", "plan", str(saved)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tui")))}
        planned = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)
        sys.stdout.write(planned.stdout[:600])
        return planned.returncode


if __name__ == "__main__":
    sys.exit(main())
