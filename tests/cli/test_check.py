"""`advisor check`: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from advisor.cli.main import advisor
from advisor.errors import DocumentError

SOUND = "items:\n- {what: server, model: 2U server, quantity: 1}\n- {what: gpu, model: L40S 48 GB, quantity: 2}\n"
SHORT = "items:\n- {what: gpu, model: RTX 4090 24 GB, quantity: 4}\n- {what: psu, model: 850 W Gold, quantity: 1}\n"


def run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(advisor, ["check", *arguments], input=given)


def test_no_error_found(tmp_path: Path) -> None:
    path = tmp_path / "quote.yaml"
    path.write_text(SOUND, encoding="utf-8")
    result = run(str(path))
    assert result.exit_code == 0
    assert "nothing speaks against it" in result.output


def test_an_error_found_on_standard_input() -> None:
    result = run("-", given=SHORT)
    assert result.exit_code == 1
    assert "PSU_SHORT" in result.output
    assert "do not buy" in result.output


def test_the_reading_is_shown_and_saved(tmp_path: Path) -> None:
    kept = tmp_path / "reading.yaml"
    shown = run("-", "--show-reading", "--save-reading", str(kept), given=SHORT)
    assert "rtx-4090" in shown.output
    assert run(str(kept)).exit_code == 1
    kept.write_text(kept.read_text("utf-8").replace("power: 850.0", "power: 3200.0"), encoding="utf-8")
    assert run(str(kept)).exit_code == 0


def test_json_and_markdown() -> None:
    review = json.loads(run("-", "--json", given=SHORT).output)
    assert review["verdict"] == "do-not-buy"
    assert review["findings"][0]["severity"] == "error"
    assert run("-", "--markdown", given=SHORT).output.startswith("# Quote")


def test_sarif_names_rule_level_and_place(tmp_path: Path) -> None:
    path = tmp_path / "a quote.csv"
    path.write_text("Qty,Description\n4,RTX 4090 24 GB\n1,PSU 850 W Gold\n1,2U server\n", encoding="utf-8")
    log = json.loads(run(str(path), "--sarif").output)
    review = json.loads(run(str(path), "--json").output)
    assert log["version"] == "2.1.0"
    (ran,) = log["runs"]
    rules = [rule["id"] for rule in ran["tool"]["driver"]["rules"]]
    assert len(ran["results"]) == len(review["findings"])
    for result, finding in zip(ran["results"], review["findings"], strict=True):
        assert result["level"] == finding["severity"]
        assert rules[result["ruleIndex"]] == result["ruleId"] == finding["code"]
        assert result["message"]["text"].startswith(finding["message"])
        (place,) = result["locations"]
        assert place["logicalLocations"][0]["fullyQualifiedName"] == finding["where"]
        assert " " not in place["physicalLocation"]["artifactLocation"]["uri"]
        assert ("region" in place["physicalLocation"]) == finding["where"].startswith("line ")


def test_bad_input() -> None:
    result = run("-", given="hello\nnothing here\n")
    assert isinstance(result.exception, DocumentError)
    missing = run("no-such-file.csv")
    assert isinstance(missing.exception, DocumentError)


def test_a_workload_beside_it(root: Path) -> None:
    result = run("-", "--workload", str(root / "examples" / "assistant.yaml"), given=SHORT)
    assert result.exit_code == 1
    assert "VRAM_TOO_SMALL" in result.output


def test_help_names_an_example() -> None:
    assert "Example: advisor check" in run("--help").output


@pytest.mark.parametrize("form", ["--json", "--markdown"])
def test_output_to_a_file(tmp_path: Path, form: str) -> None:
    path = tmp_path / "review"
    assert run("-", form, "-o", str(path), given=SHORT).exit_code == 1
    assert path.read_text("utf-8")
