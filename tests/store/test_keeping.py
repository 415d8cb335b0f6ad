"""The commands over what is kept, as people run them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from advisor.cli.main import advisor
from advisor.errors import InputError


def run(*arguments: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(advisor, arguments, input=given)


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STORE", str(tmp_path / "store"))


@pytest.fixture
def planned(root: Path) -> Result:
    file = root / "examples" / "assistant.yaml"
    return run("plan", str(file), "--today", "2026-11-01", "--keep", "staff")


def test_a_plan_is_kept_shown_and_gone_on_with(planned: Result, tmp_path: Path) -> None:
    assert 'kept as "staff", version 1' in planned.stderr
    assert [each["name"] for each in json.loads(run("list", "--json").stdout)] == ["staff"]
    assert "Use   4 × NVIDIA H100" in run("show", "staff").stdout
    document = tmp_path / "again.yaml"
    assert run("resume", "staff", "-o", str(document)).exit_code == 0
    again = run("plan", str(document), "--today", "2026-11-01", "--keep", "staff")
    assert "version 2" in again.stderr
    assert run("show", "staff", "--version", "1", "--json").stdout == run("show", "staff", "--json").stdout
    assert isinstance(run("show", "staff", "--version", "3").exception, InputError)


def test_refresh_tells_what_changed(planned: Result) -> None:
    compared = json.loads(run("refresh", "staff", "--today", "2026-11-30", "--json").stdout)
    assert (compared["a"]["today"], compared["b"]["today"]) == ("2026-11-01", "2026-11-30")
    assert "Nothing differs." in run("refresh", "staff", "--today", "2026-11-01", "--keep").stdout
    assert json.loads(run("list", "--json").stdout)[0]["versions"] == 2


def test_shared_forked_renamed_and_deleted(planned: Result, tmp_path: Path) -> None:
    shared = tmp_path / "shared.json"
    assert run("fork", "staff", "b").exit_code == 0
    assert run("rename", "b", "c").exit_code == 0
    assert run("export", "c", "-o", str(shared)).exit_code == 0
    assert run("delete", "c").exit_code == 0
    assert 'kept as "c"' in run("import", "-", given=shared.read_bytes()).stdout
    assert run("delete", "c", "staff").exit_code == 0
    assert run("list").stdout == "Nothing is kept.\n"


def test_nothing_is_kept_where_it_is_off(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_KEEP", "off")
    done = run("plan", str(root / "examples" / "assistant.yaml"), "--today", "2026-11-01", "--keep", "staff")
    assert (done.exit_code, "not kept" in done.stderr) == (0, True)
    assert not (tmp_path / "store").exists()
