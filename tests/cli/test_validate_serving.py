"""`advisor validate serving` as people run it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from advisor.cli.exits import Exit

DATA = Path(__file__).parents[1] / "evidence" / "data" / "serving.csv"


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from advisor.cli.main import main; main()", "validate", "serving", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ},
        check=False,
    )


def test_as_json() -> None:
    done = _run(str(DATA), "--json")
    assert (done.returncode, done.stderr) == (Exit.done, "")
    body = json.loads(done.stdout)
    assert set(body["metrics"]) == {"tpot", "ttft", "latency", "output_throughput"}
    assert set(body["metrics"]["tpot"]) == {"n", "mape", "median", "p90", "bias", "coverage_80"}
    assert set(body["by"]) == {"engine", "accelerator", "model_family", "metric_kind"}
    assert set(body["by"]["engine"]["vllm"]["tpot"]) == set(body["metrics"]["tpot"])
    assert set(body["worst"][0]) == {"row", "metric", "estimated", "measured", "error"}
    assert body["rows"] == body["evaluated"] + sum(body["left_out"].values())


def test_as_text() -> None:
    lines = _run(str(DATA)).stdout.splitlines()
    assert lines[0] == "serving: 73 of 73 rows evaluated"
    for heading in ("by engine:", "by accelerator:", "by model family:", "by metric kind:", "worst rows:"):
        assert heading in lines


def test_a_wrong_file_gets_one_clear_message(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n1,2\n")
    for path, message in ((file, 'the column "id" is missing'), (tmp_path / "none.csv", "there is no such file")):
        done = _run(str(path))
        assert (done.returncode, done.stdout) == (Exit.bad_input, "")
        assert message in done.stderr
        assert "Traceback" not in done.stderr
