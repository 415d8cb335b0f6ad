"""`advisor plan` of several workloads, and again from a plan that was kept."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from advisor.cli.exits import Exit
from advisor.cli.main import advisor
from advisor.errors import AdvisorError
from advisor.library import Library

TWO = """
today: 2026-11-30
workloads:
  - {name: chat, kind: realtime-inference, model: llama-3.1-8b, accelerators: {only: [h100-sxm]}}
  - {name: code, kind: realtime-inference, model: qwen2.5-7b, accelerators: {only: [h100-sxm]}}
estate: {servers: [{name: hall, count: 1, accelerator: h100-sxm, accelerators: 8}]}
"""
THIRD = "  - {name: more, kind: realtime-inference, model: qwen2.5-14b, accelerators: {only: [h100-sxm]}}\nestate"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(advisor, ["plan", *arguments])


@pytest.fixture(scope="module")
def kept(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("estate")
    (folder / "two.yaml").write_text(TWO)
    (folder / "three.yaml").write_text(TWO.replace("estate", THIRD))
    assert run(str(folder / "two.yaml"), "--json", "-o", str(folder / "plan.json")).exit_code == Exit.done
    return folder


def test_the_estate_stands_first_in_the_text(kept: Path) -> None:
    text = run(str(kept / "two.yaml")).stdout
    assert text.index("Bill of materials") < text.index("chat · realtime inference")
    assert "owned hall #1" in text


def test_planned_again_only_what_is_new_is_placed(kept: Path) -> None:
    body = json.loads(run(str(kept / "three.yaml"), "--json", "--previous", str(kept / "plan.json")).stdout)
    assert [change["workload"] for change in body["estate"]["changes"]] == ["more"]
    same = run(str(kept / "two.yaml"), "--previous", str(kept / "plan.json"))
    assert "0 differ" in same.stdout


@pytest.mark.parametrize(("content", "says"), [("{", "not whole JSON"), ("[1]", "no plan of several"), (None, "cannot be read")])
def test_a_wrong_plan_before_is_told_in_one_message(kept: Path, tmp_path: Path, content: str | None, says: str) -> None:
    before = tmp_path / "before.json"
    if content is not None:
        before.write_text(content)
    result = run(str(kept / "two.yaml"), "--previous", str(before))
    assert isinstance(result.exception, AdvisorError)
    assert says in str(result.exception)
