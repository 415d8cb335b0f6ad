"""Numbers under both decimal marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.quote.numbers import Mark, amount_in, decimal_mark, number_in


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1.299", ",", 1299),
        ("1.299", ".", 1.299),
        ("2.048", ",", 2048),
        ("6,4", ",", 6.4),
        ("6.4", ",", 6.4),
        ("1,234.50", ".", 1234.5),
        ("1.234,50", ",", 1234.5),
        ("1.234,50", ".", 1234.5),
        ("310,000.00", ".", 310000),
        ("1,234,567", ".", 1234567),
        ("1 234 567,89", ",", 1234567.89),
        ("12'500", ".", 12500),
        ("0.125", ",", 0.125),
        ("x", ".", None),
        ("", ".", None),
    ],
)
def test_number_in(text: str, decimal: Mark, value: float | None) -> None:
    assert number_in(text, decimal) == value


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["3.899", "1.299", "17.972"], ","),
        (["310,000.00", "288,000.00"], "."),
        (["6,4 TB", "10,2 kW", "2.048 GB"], ","),
        (["1,299", "3,899"], "."),
        (["8250", "950"], "."),
    ],
)
def test_the_mark_is_told_by_all_numbers_together(texts: list[str], mark: Mark) -> None:
    assert decimal_mark(texts) == mark


@pytest.mark.parametrize(
    ("text", "value"),
    [("$1,800.00", 1800), ("1800 USD", 1800), ("€ 12.5", 12.5), ("-200", -200), ("on request", None), ("4x24G", None)],
)
def test_amounts_of_money(text: str, value: float | None) -> None:
    assert amount_in(text, ".") == value


@given(st.integers(min_value=0, max_value=10**12), st.integers(min_value=0, max_value=99))
def test_what_is_written_with_both_marks_reads_back(whole: int, cents: int) -> None:
    english = f"{whole:,}.{cents:02d}"
    german = english.replace(",", "_").replace(".", ",").replace("_", ".")
    assert number_in(english, ".") == pytest.approx(whole + cents / 100)
    assert number_in(german, ",") == pytest.approx(whole + cents / 100)


@pytest.mark.parametrize("text", ["1,7950.00.00", "1,2.3,4.5.6", "9" * 40])
def test_what_has_two_decimal_marks_is_no_number(text: str) -> None:
    assert number_in(text, ".") is None
