"""`advisor ask`: one question, a conversation over a pipe, a case."""

import json
from pathlib import Path

from click.testing import CliRunner

from advisor.cli.ask import ask

CASES = Path(__file__).parents[1] / "chat" / "data" / "cases"


def test_one_question_as_json() -> None:
    result = CliRunner().invoke(ask, ["--json", "does", "llama 3.1 8b in bf16 fit on one L4?"])
    reply = json.loads(result.stdout)
    assert {"facts", "intent", "verdict", "numbers", "asks", "text", "evidence"} <= set(reply)
    assert reply["intent"] == "fits"


def test_a_conversation_over_a_pipe() -> None:
    turns = "my pc reboots when both gpus train, 2x titan x 250 w each\n850 W\n\nnot read any more\n"
    result = CliRunner().invoke(ask, ["--json"], input=turns)
    replies = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(replies) == 2
    assert replies[1]["verdict"] == "does-not-fit"


def test_a_case_is_judged() -> None:
    path = str(CASES / "40-reboots-under-load.yaml")
    result = CliRunner().invoke(ask, ["--case", path])
    assert result.exit_code == 0
    assert "1 pass whole" in result.stdout
    data = json.loads(CliRunner().invoke(ask, ["--case", path, "--json"]).stdout)
    assert data["failed"] == []
    assert data["passed"]
