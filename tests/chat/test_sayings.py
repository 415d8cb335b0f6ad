"""Statements, questions back and terms: they fit what subjects hand them, and each is reachable."""

import re
from pathlib import Path

from advisor.catalogue.saying import Inquiry, Statement, Term
from advisor.chat.asking import asks_for
from advisor.chat.records import Ask
from advisor.library import Library

SUBJECTS = Path(__file__).parents[2] / "advisor" / "chat"


def test_every_topic_is_told_somewhere(library: Library) -> None:
    code = "".join(path.read_text() for path in SUBJECTS.rglob("*.py"))
    also = {topic for term in library.all(Term) for topic in term.also}
    for each in library.all(Statement):
        assert f'"{each.topic}"' in code or each.topic in also, each.id


def test_a_question_back_is_known_by_its_words(library: Library) -> None:
    inquiries = library.all(Inquiry)
    for each in inquiries:
        assert all(asks_for(Ask(fact=each.fact, text=each.ask), words, inquiries) for words in each.words), each.id


def test_a_question_back_is_not_taken_for_another(library: Library) -> None:
    inquiries = library.all(Inquiry)
    supply = next(each for each in inquiries if each.id == "power-supply")
    ask = Ask(fact=supply.fact, text=supply.ask)
    assert not asks_for(ask, "sequence length", inquiries)
    assert not asks_for(ask, "network between the nodes", inquiries)


def test_no_statement_tells_to_buy(library: Library) -> None:
    for each in library.all(Statement):
        assert not re.search(r"\b(buy|order|purchase) (a|an|more|another)\b", each.text.lower()), each.id
