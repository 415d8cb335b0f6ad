"""What can be found by asking: pieces of the library, each with its kind, id, title and text."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from advisor.catalogue.guidance import Guidance
from advisor.catalogue.saying import Statement, Term
from advisor.catalogue.source import Source
from advisor.library import Library
from advisor.questionnaire.question import Question
from advisor.reasoning.rule import Rule
from advisor.sizing.formula import formulas


class Passage(BaseModel):
    """A piece of the library. kind: terms, statements, guidance, rules, questions, formulas or sources; id: its id there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    id: str
    title: str
    text: str


def passages(library: Library) -> Iterator[Passage]:
    """Every passage, always in the same order."""
    for term in library.all(Term):
        yield Passage(kind="terms", id=term.id, title=", ".join((term.name, *term.aliases)), text=term.meaning)
    for statement in library.all(Statement):
        if not statement.placeholders:
            yield Passage(kind="statements", id=statement.id, title=statement.topic.replace("-", " "), text=statement.text)
    for guidance in library.all(Guidance):
        yield Passage(kind="guidance", id=guidance.id, title=guidance.topic, text=guidance.statement)
    for rule in library.all(Rule):
        yield Passage(kind="rules", id=rule.id, title=rule.title, text=" ".join(filter(None, (rule.advice, rule.because))))
    for question in library.all(Question):
        yield Passage(kind="questions", id=question.id, title=question.ask, text=question.help or "")
    yield from _formulas()
    for source in library.all(Source):
        yield Passage(kind="sources", id=source.id, title=source.title, text=source.authors or "")


def _formulas() -> Iterator[Passage]:
    for quantity, variants in sorted(formulas().formulas.items()):
        told = dict.fromkeys(each.summary for each in variants)
        yield Passage(kind="formulas", id=quantity, title=quantity.replace("_", " "), text=" ".join(told))
