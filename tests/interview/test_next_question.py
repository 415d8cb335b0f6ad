"""The next question: what must be answered first, then what moves the plan most, then none."""

import pytest

from advisor.facts import FactValue
from advisor.interview.next_question import next_question
from advisor.library import Library
from advisor.questionnaire.question import Question

SERVING: dict[str, FactValue] = {"kind": "realtime-inference", "model": "llama-3.1-70b"}


def test_what_is_required_comes_first(library: Library) -> None:
    assert next_question(library.all(Question), {}, library).fact == "kind"
    assert next_question(library.all(Question), {"kind": "rag"}, library).fact == "model"


def test_the_load_moves_a_service_most(library: Library) -> None:
    found = next_question(library.all(Question), SERVING, library)
    assert found.fact in ("requests_per_second", "people", "concurrent_requests")
    assert found.moves[0].fact == found.fact
    changes = [move.change for move in found.moves]
    assert changes == sorted(changes, reverse=True)


def test_an_answered_fact_is_not_asked_and_a_known_load_decides_what_is_next(library: Library) -> None:
    small = next_question(library.all(Question), {**SERVING, "concurrent_requests": 1.0}, library)
    large = next_question(library.all(Question), {**SERVING, "concurrent_requests": 2000.0}, library)
    by_fact = {move.fact: move.change for move in large.moves}
    assert "concurrent_requests" not in by_fact
    assert by_fact["input_tokens"] > {move.fact: move.change for move in small.moves}["input_tokens"]


def test_it_stops_when_nothing_open_matters_and_says_so(library: Library) -> None:
    tiny: dict[str, FactValue] = {"kind": "realtime-inference", "model": "qwen2.5-0.5b", "concurrent_requests": 1.0}
    unsure: set[str] = set()
    found = next_question(library.all(Question), tiny, library, unsure=unsure)
    while found.fact is not None:
        assert found.fact not in unsure
        unsure.add(found.fact)
        found = next_question(library.all(Question), tiny, library, unsure=unsure)
    assert "10 %" in found.says


@pytest.mark.parametrize("least", [0.01, 0.5, 100.0])
def test_a_larger_least_change_never_asks_more(least: float, library: Library) -> None:
    found = next_question(library.all(Question), SERVING, library, least_change=least)
    assert found.fact is None or found.moves[0].change >= least


def test_the_size_of_the_data_moves_a_training_run(library: Library) -> None:
    found = next_question(library.all(Question), {"kind": "fine-tuning", "model": "llama-3.1-8b"}, library)
    assert found.fact in ("dataset_tokens", "method")
