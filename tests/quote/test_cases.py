"""Two quotes of our own for every code: one in which it must be found, and one in which it must not."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.library import Library
from advisor.plan.quote_check import Review, check_quote
from advisor.plan.quote_facts import recogniser_for
from advisor.quote.reading import read_quote
from advisor.reasoning.rule import Rule

CASES = Path(__file__).parent / "data" / "cases"
CODES = sorted(path.stem for path in CASES.glob("*.yaml"))
# Found only with a workload document beside the quote; see tests/plan/test_quote_check.py.
WITH_WORKLOAD = {"UNDERPOWERED"}


def checked(library: Library, quote: dict[str, Any]) -> Review:
    text = yaml.dump(quote, sort_keys=False, allow_unicode=True)
    return check_quote(read_quote(text.encode(), recogniser_for(library), where="case"), library, today=date(2026, 12, 1))


@pytest.mark.parametrize("code", CODES)
def test_a_quote_with_the_fault_and_one_without(library: Library, code: str) -> None:
    case = yaml.safe_load((CASES / f"{code}.yaml").read_text("utf-8"))
    assert code in checked(library, case["fires"]).codes
    assert code not in checked(library, case["silent"]).codes


def test_every_code_of_the_rules_has_its_two_quotes(library: Library) -> None:
    codes = {rule.code for rule in library.all(Rule) if rule.subject == "quote"}
    assert codes - WITH_WORKLOAD == set(CODES)
