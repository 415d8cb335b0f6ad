"""What can be found by asking: pieces of the library, each with its kind, id, title and text."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from advisor.catalogue.glossary import GlossaryTerm
from advisor.catalogue.source import Source
from advisor.library import Library
from advisor.questionnaire.question import Question
from advisor.reasoning.rule import Rule
from advisor.sizing.formula import formulas


class Passage(BaseModel):
    """A piece of the library. kind: glossary, rules, questions, formulas or sources. id: its id in that kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    id: str
    title: str
    text: str


def passages(library: Library) -> Iterator[Passage]:
    """Every passage, always in the same order."""
    for term in library.all(GlossaryTerm):
        yield Passage(kind="glossary", id=term.id, title=", ".join((term.term, *term.also)), text=term.meaning)
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
