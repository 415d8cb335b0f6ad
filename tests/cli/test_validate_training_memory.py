"""`advisor validate training-memory` as people run it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from advisor.cli.exits import Exit


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from advisor.cli.main import main; main()", "validate", "training-memory", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ},
        check=False,
    )


def test_as_json(root: Path) -> None:
    done = _run(str(root / "knowledge" / "measurements" / "training_memory.csv"), "--json")
    assert (done.returncode, done.stderr) == (Exit.done, "")
    body = json.loads(done.stdout)
    assert set(body["metrics"]) == {"peak_memory", "out_of_memory", "worked"}
    assert set(body["metrics"]["peak_memory"]) == {"n", "mape", "median", "p90", "bias", "coverage_80"}
    assert set(body["metrics"]["out_of_memory"]) == {"n", "right"}
    assert set(body["metrics"]["worked"]) == {"n", "refused"}
    assert set(body["by"]) == {"method", "training_stack", "recomputation", "peak_kind", "model_family"}
    assert body["rows"] == body["evaluated"] + sum(body["left_out"].values())


def test_as_text(root: Path) -> None:
    lines = _run(str(root / "knowledge" / "measurements" / "training_memory.csv")).stdout.splitlines()
    assert lines[0] == "training-memory: 292 of 632 rows evaluated"
    assert any(line.startswith("out_of_memory") and "called" in line for line in lines)
    assert any(line.startswith("worked") and "refused" in line for line in lines)
    assert any("spread" in line for line in lines)


def test_a_missing_file() -> None:
    done = _run("nothing.csv")
    assert done.returncode == Exit.bad_input
    assert "there is no such file" in done.stderr
    assert "Traceback" not in done.stderr
