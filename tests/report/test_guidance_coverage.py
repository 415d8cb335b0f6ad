"""Each statement of the planning guides is carried by something that exists, and vendors' names are left out of them."""

import json
from importlib import import_module

import pytest
from click.testing import CliRunner

from advisor.catalogue.guidance import Guidance
from advisor.cli.rules import rules as command
from advisor.library import Library
from advisor.reasoning.rule import Rule
from advisor.report.guidance_coverage import coverage, lacking
from advisor.report.plan_sections import PLAN_SECTIONS

STATEMENTS = 241
VENDORS = ("bitdeer", "dataplugs", "pinyuan")


def test_nothing_is_missing(library: Library) -> None:
    assert list(lacking(library)) == []


def test_every_statement_is_there_once(library: Library) -> None:
    assert [row.id for row in coverage(library)] == [f"G{number:03}" for number in range(1, STATEMENTS + 1)]


def test_rules_carry_a_good_part(library: Library) -> None:
    by_rules = [row for row in coverage(library) if any(carrier.startswith("rule:") for carrier in row.carriers)]
    assert len(by_rules) > STATEMENTS / 2
    assert sum(bool(rule.guidance) for rule in library.all(Rule)) >= 150


def test_no_vendor_is_named(library: Library) -> None:
    for row in library.all(Guidance):
        assert not any(vendor in row.statement.casefold() for vendor in VENDORS), row.id


@pytest.mark.parametrize("maker", PLAN_SECTIONS.values(), ids=PLAN_SECTIONS)
def test_sections_have_what_makes_them(maker: str) -> None:
    module, _, name = maker.partition(":")
    assert callable(getattr(import_module(module), name))


def test_a_carrier_that_does_not_exist_is_found(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Guidance(id="G001", statement="What is said.", topic="x", applies_to=("all",), carriers=("formula:nothing",))
    kept = library.all
    monkeypatch.setattr(library, "all", lambda record: (wrong,) if record is Guidance else kept(record))
    found = list(lacking(library))
    assert "G001 names formula:nothing, and there is no formula of that id" in found
    assert any("which is no statement of the guides" in each for each in found)


def test_the_command_lists_rows_and_carriers() -> None:
    listed = CliRunner().invoke(command, ["--coverage", "--json"])
    assert listed.exit_code == 0
    rows = json.loads(listed.stdout)
    assert len(rows) == STATEMENTS
    assert all(set(row) == {"id", "carriers"} and row["carriers"] for row in rows)
    shown = CliRunner().invoke(command, ["--coverage"])
    assert f"{STATEMENTS} of {STATEMENTS} statements are carried" in shown.stdout
