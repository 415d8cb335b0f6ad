"""Where an interview stands after answers, doubts, steps back and changes."""

import pytest

from advisor.errors import InputError, QuantityError
from advisor.library import Library
from advisor.questionnaire.question import Question
from advisor_tui.interview import Interview


@pytest.fixture
def chat(library: Library) -> Interview:
    """An interview that has its work and model."""
    return Interview.begun(library.all(Question)).answered("realtime-inference").answered("llama-3.1-70b")


def test_it_begins_at_the_work(library: Library) -> None:
    begun = Interview.begun(library.all(Question))
    assert (begun.current, begun.progress, begun.given) == ("kind", (1, 22), ())
    assert begun.back() == begun


def test_every_step_leads_to_the_next_open_question(chat: Interview) -> None:
    assert (chat.current, chat.progress) == ("people", (3, 16))
    assert chat.answered("2000").current == "active_share"
    assert chat.not_known().current == "concurrent_requests"
    assert chat.not_known().answered("50").current == "input_tokens"


def test_all_questions_end(chat: Interview) -> None:
    while chat.question is not None:
        chat = chat.not_known()
    assert chat.progress == (len(chat.given), len(chat.given))
    assert chat.answered("12") == chat
    assert chat.not_known() == chat
    assert chat.back().current == "term"


@pytest.mark.parametrize("words", ["I don't know", "?", "", "no idea"])
def test_not_knowing_can_be_said_in_words(chat: Interview, words: str) -> None:
    assert chat.answered("2000").answered(words) == chat.answered("2000").not_known()


def test_nothing_is_taken_for_the_model(chat: Interview) -> None:
    with pytest.raises(InputError, match="nothing can be planned without this"):
        chat.at("model").not_known()


def test_a_wrong_unit_leaves_everything_as_it_was(chat: Interview) -> None:
    with pytest.raises(QuantityError):
        chat.answered("2 GB")
    assert chat.current == "people"


def test_what_is_given_is_shown_with_what_is_assumed(chat: Interview) -> None:
    done = chat.answered("2k").not_known().not_known()
    assert [(each.question.fact, each.shown) for each in done.given[2:]] == [
        ("people", "2,000 people"),
        ("active_share", "10 % (assumed)"),
        ("requests_per_active_person_per_hour", "12 (assumed)"),
    ]
    assert [each.shown for each in chat.not_known().given[2:]] == ["left open"]
    assert done.typed["people"] == "2k"


def test_a_changed_answer_keeps_the_later_ones_that_still_count(chat: Interview) -> None:
    further = chat.answered("2000").answered("20 %").answered("6").answered("4000").answered("500")
    changed = further.at("people").answered("300")
    assert changed.answers == {**further.answers, "people": 300.0}
    assert changed.current == further.current
    batch = further.at("kind").answered("batch-inference")
    assert [each.question.fact for each in batch.given if not each.counts] == [
        "people",
        "active_share",
        "requests_per_active_person_per_hour",
    ]
    assert batch.current == "concurrent_requests"
    assert batch.at("people") == batch
    assert batch.at("kind").answered("rag").answers == {**further.answers, "kind": "rag"}


def test_a_load_said_otherwise_replaces_the_first_way(chat: Interview) -> None:
    concurrent = chat.not_known().answered("50")
    people = concurrent.at("people").answered("2000")
    assert "concurrent_requests" not in people.answers
    assert people.current == "active_share"


def test_going_back_follows_what_was_settled(chat: Interview) -> None:
    there = chat.not_known().answered("50")
    assert there.current == "input_tokens"
    assert there.back().current == "concurrent_requests"
    assert there.back().back().current == "people"
    assert there.back().back().back().back().back().current == "kind"


def test_an_answer_taken_back_counts_no_more(chat: Interview) -> None:
    people = chat.answered("2000")
    assert "people" not in people.back().not_known().answers
    assert people.back().not_known().current == "concurrent_requests"
