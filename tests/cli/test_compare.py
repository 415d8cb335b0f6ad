"""`advisor compare` as people run it: documents and kept plans, three forms of output, one message for wrong files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from advisor.cli.exits import Exit
from advisor.cli.main import advisor
from advisor.errors import AdvisorError
from advisor.library import Library

DAY = "2026-11-30"


def run(*arguments: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(advisor, ["compare", *arguments, "--today", DAY], input=given)


@pytest.fixture(scope="module")
def files(root: Path, library: Library) -> tuple[str, str]:
    return str(root / "examples" / "assistant.yaml"), str(root / "examples" / "assistant-8b.yaml")


@pytest.fixture(scope="module")
def kept(files: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("kept") / "plan.json"
    assert CliRunner().invoke(advisor, ["plan", files[0], "--json", "--today", DAY, "-o", str(path)]).exit_code == Exit.done
    return str(path)


def test_as_text_markdown_and_json(files: tuple[str, str], tmp_path: Path) -> None:
    text = run(*files)
    assert text.exit_code == Exit.done
    for words in ("TTFT", "TPOT", "memory left", "80 % ranges", "What made the difference", "llama-3.1-70b", "add --facts"):
        assert words in text.stdout
    assert "add --facts" not in run(*files, "--facts").stdout
    body = json.loads(run(*files, "--json").stdout)
    assert [each["name"] for each in body["workloads"][0]["quantities"]][:3] == ["accelerators", "replicas", "rent"]
    page = tmp_path / "compared.md"
    assert run(*files, "--markdown", "-o", str(page)).stdout == ""
    assert page.read_text().startswith("# A Staff assistant")


def test_a_kept_plan_beside_its_document(files: tuple[str, str], kept: str) -> None:
    assert "Nothing differs." in run(kept, files[0]).stdout
    assert "Nothing differs." in run("-", kept, given=Path(kept).read_bytes()).stdout
    assert "Nothing differs." in run("-", kept, given=Path(files[0]).read_bytes()).stdout
    assert run(kept, files[1], "--json").stdout == run(*files, "--json").stdout


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"workloads: [{kind: rag, model: lama-3.1-8b}]", "did you mean"),
        (b'{"schema_version": "1.0", "workloads": [', "not whole JSON"),
        (b"", "empty"),
        (b"\x00\x01", "wrong"),
    ],
)
def test_a_wrong_file_is_one_message(files: tuple[str, str], tmp_path: Path, content: bytes, says: str) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_bytes(content)
    for pair in ((str(wrong), files[0]), (files[0], str(wrong))):
        done = run(*pair)
        assert done.stdout == ""
        assert isinstance(done.exception, AdvisorError)
        assert says in str(done.exception)
        assert len(str(done.exception).splitlines()) <= 2


def test_what_is_no_file(files: tuple[str, str], tmp_path: Path) -> None:
    for path, says in ((str(tmp_path / "none.yaml"), "no such file"), (str(tmp_path), "folder")):
        assert says in str(run(files[0], path).exception)
    assert "standard input" in str(run("-", "-", given=b"").exception)
