"""Search over the library: the passage that answers is near the top, and what is off topic is declined."""

from pathlib import Path

import pytest
import yaml

from advisor.chat.index import declines, search
from advisor.library import Library

DATA = Path(__file__).parent / "data"
HALVES = ("tuning", "aside")


def _read(name: str, half: str) -> dict[str, str] | list[str]:
    found: dict[str, str] | list[str] = yaml.safe_load((DATA / name).read_text())[half]
    return found


@pytest.mark.parametrize("half", HALVES)
def test_the_passage_that_answers_is_among_the_first_three(library: Library, half: str) -> None:
    asked = _read("questions_answered.yaml", half)
    assert isinstance(asked, dict)
    wrong = [
        (text, right) for text, right in asked.items() if right not in [f"{p.kind}/{p.id}" for p in search(library, text, 3)]
    ]
    assert len(wrong) <= 0.25 * len(asked), wrong


@pytest.mark.parametrize("half", HALVES)
def test_answered_questions_are_seldom_declined_and_off_topic_ones_mostly(library: Library, half: str) -> None:
    answered, off_topic = _read("questions_answered.yaml", half), _read("questions_off_topic.yaml", half)
    refused = [text for text in answered if declines(library, text)]
    assert len(refused) <= 0.1 * len(answered), refused
    taken = [text for text in off_topic if not declines(library, text)]
    assert len(taken) <= 0.1 * len(off_topic), taken


@pytest.mark.parametrize("text", ["", "?!", '"; drop table found; --', "NEAR(", "\0", "the of and", "x" * 10_000])
def test_any_text_is_searched_without_error(library: Library, text: str) -> None:
    assert isinstance(search(library, text), tuple)
    assert declines(library, text) in (True, False)
