"""Numbers and units in running text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.language.numerals import numeral
from advisor.language.reader import Reader


@pytest.mark.parametrize(
    ("text", "decimal", "value", "sure"),
    [
        ("1,500", ".", 1500, True),
        ("1.500", ",", 1500, True),
        ("1.5", ".", 1.5, True),
        ("1,5", ",", 1.5, True),
        ("1.5", ",", 1.5, True),
        ("1.234.567", ",", 1234567, True),
        ("12,345.67", ".", 12345.67, True),
        ("12.345,67", ",", 12345.67, True),
        ("0.125", ".", 0.125, True),
        ("1.000", ".", 1000, False),
    ],
)
def test_separators(text: str, decimal: str, value: float, sure: bool) -> None:
    assert numeral(text, decimal) == (value, sure)


@given(st.integers(min_value=0, max_value=10**12))
def test_whole_numbers_with_separators_read_back(number: int) -> None:
    assert numeral(f"{number:,}", ".")[0] in (number, float(f"{number:,}".replace(",", "")))
    assert numeral(f"{number:,}".replace(",", "."), ",")[0] == number


@pytest.mark.parametrize(
    ("text", "fact", "value"),
    [
        ("twenty-five users", "people", 25),
        ("one hundred and twelve users", "people", 112),
        ("two dozen users", "people", 24),
        ("zweihundertfünfzig Nutzer", "people", 250),
        ("dreitausendvierhundert Nutzer", "people", 3400),
        ("eine halbe Million Dokumente", "documents", 500_000),
        ("1.2k users", "people", 1200),
        ("half a million documents", "documents", 500_000),
        ("time to first token of half a second", "ttft_mean", 0.5),
        ("three nines of availability", "availability", 0.999),
        ("$0.12 per kWh", "electricity", 0.12 / 3.6e6),
        ("15 req/s", "requests_per_second", 15),
        ("900 requests per minute", "requests_per_second", 15),
        ("100 Gbit/s between the nodes", "network", 12.5e9),
        ("prompts of 8k tokens", "input_tokens", 8000),
        ("8k context", "sequence_length", 8192),
        ("tp 8", "tensor_parallel", 8),
    ],
)
def test_figures(reader: Reader, text: str, fact: str, value: float) -> None:
    reading = reader.read(text).first(fact)
    assert reading is not None
    assert reading.value == pytest.approx(value)


def test_a_range_keeps_both_ends(reader: Reader) -> None:
    reading = reader.read("between 5 and 10 requests per second").first("requests_per_second")
    assert reading is not None
    assert (reading.value, reading.upper) == (5, 10)


def test_bits_or_bytes_are_asked(reader: Reader) -> None:
    reading = reader.read("a card with 80 Gb").first("accelerator_memory")
    assert reading is not None
    assert not reading.sure
    assert "Gbit" in reading.because


def test_money_keeps_its_currency(reader: Reader) -> None:
    reading = reader.read("our budget is 200k EUR").first("purchase_limit")
    assert reading is not None
    assert (reading.value, reading.unit) == (200_000, "EUR")


@pytest.mark.parametrize(
    "text", ["1" * 5000, "zwei" * 2000, "x² h100", "8" * 40 + " GB", "²³ users", "1.1.1.1.1", "(" * 3000, "٣ users", "5 - - 8 s"]
)
def test_odd_texts_are_read(reader: Reader, text: str) -> None:
    reader.read(text)


def test_a_long_text_is_read_in_time(reader: Reader) -> None:
    begun = time.perf_counter()
    reader.read(
        "2x H100 PCIe 80GB 29,900 EUR each, EPYC 9354, 384GB, for 100 users with ttft under 2 s, 4k in and 500 out.\n" * 150
    )
    assert time.perf_counter() - begun < 5


@given(text=st.text(max_size=200))
def test_any_text_is_read(reader: Reader, text: str) -> None:
    found = reader.read(text)
    for each in found.readings:
        assert text[each.start : each.end] == each.text


@given(
    parts=st.lists(
        st.sampled_from(
            ["8", "h100", "x", "80gb", "70b", "$", "per", "no", "not", "between", "and", "2.5", "k",
             "tokens", "llama", ",", "?", "%", "/", "h"]
        ),
        max_size=14,
    )
)  # fmt: skip
def test_any_words_are_read(reader: Reader, parts: list[str]) -> None:
    reader.read(" ".join(parts))
