"""Negations, corrections, counts, kinds, symptoms and intents."""

import time

import pytest

from advisor.language.reader import Reader


@pytest.mark.parametrize(
    "text", ["no H100 SXM", "not h100 sxm please", "anything but the H100 SXM", "H100 SXM is not an option", "keine H100 SXM"]
)
def test_ruled_out(reader: Reader, text: str) -> None:
    readings = reader.read(text).readings
    assert [(each.value, each.negated) for each in readings if each.fact == "accelerator"] == [("h100-sxm", True)]


def test_limits_are_no_negations(reader: Reader) -> None:
    found = reader.read("no more than 16 H200 SXM")
    assert [(each.value, each.negated) for each in found.readings if each.fact == "accelerator"] == [("h200-sxm", False)]


@pytest.mark.parametrize(
    ("text", "fact", "value"),
    [
        ("32 cards, no, 24", "accelerator_count", 24),
        ("sorry, I meant 300 users, not 200", "people", 300),
        ("16 cards instead of 8", "accelerator_count", 16),
        ("increase batch size from 8 to 32", "batch", 32),
        ("nein, doch lieber 300 Benutzer statt 200", "people", 300),
    ],
)
def test_corrected(reader: Reader, text: str, fact: str, value: float) -> None:
    assert [each.value for each in reader.read(text).of(fact)] == [value]


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("2 servers, each 8x A100", {"node_count": 2.0, "accelerators_per_node": 8.0}),
        ("8 nodes x 8 h100", {"node_count": 8.0, "accelerators_per_node": 8.0}),
        ("tesla t4s, 3 of them", {"accelerator_count": 3.0}),
        ("my 4090", {"accelerator_count": 1.0}),
        ("the 4090", {}),
        ("max 8 gpus", {"max_count": 8.0}),
    ],
)
def test_counts(reader: Reader, text: str, counts: dict[str, float]) -> None:
    names = ("node_count", "accelerators_per_node", "accelerator_count", "max_count")
    assert {each.fact: each.value for each in reader.read(text).readings if each.fact in names} == counts


def test_what_is_owned(reader: Reader) -> None:
    owned = reader.read("we already own four L40S").first("accelerator")
    wanted = reader.read("would four L40S do?").first("accelerator")
    assert owned is not None
    assert owned.owned
    assert wanted is not None
    assert not wanted.owned


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("how many GPUs do we need for 500 users?", "size"),
        ("does a 70B fit on two 4090s?", "fits"),
        ("is this quote a good deal?", "check"),
        ("why does it take so much memory?", "why"),
        ("what if we used fp8?", "what-if"),
        ("H100 vs MI300X", "compare"),
        ("what does TPOT mean?", "what-is"),
        ("training crashes with out of memory", "diagnose"),
        ("what should I do next?", "what-next"),
        ("Reichen zwei L40S?", "fits"),
        ("Warum ist das so langsam?", "why"),
        ("Was bedeutet PUE?", "what-is"),
        ("Wie viele Karten brauchen wir?", "size"),
    ],
)
def test_intents(reader: Reader, text: str, intent: str) -> None:
    assert reader.read(text).intent == intent


def test_symptoms(reader: Reader) -> None:
    assert "out-of-memory" in reader.read("it dies with CUDA OOM").symptoms
    assert "slow" in reader.read("not faster at all").symptoms
    assert reader.read("no crash so far").symptoms == ()


def test_a_turn_takes_less_than_a_twentieth_of_a_second(reader: Reader) -> None:
    text = (
        "we have 4x L40S in a box, will qwen 32b serve 60 suport agents with ttft under 2 s, 4k in and 500 out, at 0.12 USD/kWh?"
    )
    reader.read(text)
    begun = time.perf_counter()
    for _ in range(5):
        reader.read(text)
    assert (time.perf_counter() - begun) / 5 < 0.05


@pytest.mark.parametrize(
    ("text", "asked", "fact", "value"),
    [
        ("600 gigs", "host_memory", "host_memory", 600e9),
        ("1 TB in each", "host_memory", "host_memory", 1e12),
        ("about 40", "people", "people", 40),
        ("99.9", "availability", "availability", 0.999),
        ("10", "active_share", "active_share", 0.1),
        ("a second", "ttft_mean", "ttft_mean", 1),
        ("2 s at p95", "ttft_mean", "ttft_p95", 2),
        ("30", "requests_per_active_person_per_hour", "requests_per_active_person_per_hour", 30),
        ("just me, one prompt after the other", "concurrent_requests", "concurrent_requests", 1),
        ("an ordinary gigabit switch", "network", "network", 1.25e8),
    ],
)
def test_answers(reader: Reader, text: str, asked: str, fact: str, value: float) -> None:
    reading = reader.read(text, asked=asked).first(fact)
    assert reading is not None
    assert reading.value == pytest.approx(value)
