"""Which rule, question, formula, preset or section of a plan carries each statement of the planning guides.

coverage(library) -> the statements with their carriers; lacking(library) -> those that nothing carries, and carriers that do
not exist.
"""

from collections.abc import Collection, Iterator, Mapping

from advisor.catalogue.guidance import Guidance
from advisor.catalogue.preset import Preset
from advisor.catalogue.record import Record
from advisor.library import Library
from advisor.questionnaire.question import Question
from advisor.reasoning.rule import Rule
from advisor.report.plan_sections import PLAN_SECTIONS
from advisor.sizing.formula import formulas


class Covered(Record):
    """A statement of the guides with everything that carries it: rules first, then what the statement itself names."""

    id: str
    statement: str
    carriers: tuple[str, ...]


def coverage(library: Library) -> tuple[Covered, ...]:
    """Every statement, in order of its number."""
    by_rules: dict[str, list[str]] = {}
    for rule in library.all(Rule):
        for id in rule.guidance:
            by_rules.setdefault(id, []).append(f"rule:{rule.id}")
    return tuple(
        Covered(id=row.id, statement=row.statement, carriers=(*by_rules.get(row.id, ()), *row.carriers))
        for row in sorted(library.all(Guidance), key=lambda row: row.id)
    )


def lacking(library: Library) -> Iterator[str]:
    """What is missing, a sentence each: a statement without a carrier, a carrier or a statement that there is not."""
    known = _carriers(library)
    rows = coverage(library)
    for row in rows:
        if not row.carriers:
            yield f"{row.id} is carried by nothing"
    for guidance in library.all(Guidance):
        for carrier in guidance.carriers:
            kind, _, id = carrier.partition(":")
            if id not in known[kind]:
                yield f"{guidance.id} names {carrier}, and there is no {kind} of that id"
    ids = {row.id for row in rows}
    for rule in library.all(Rule):
        yield from (f"{rule.id} carries {id}, which is no statement of the guides" for id in rule.guidance if id not in ids)


def _carriers(library: Library) -> Mapping[str, Collection[str]]:
    """The ids that may be named, by kind of carrier."""
    return {
        "question": {question.id for question in library.all(Question)},
        "formula": formulas().units,
        "preset": {preset.id for preset in library.all(Preset)},
        "section": PLAN_SECTIONS,
    }
