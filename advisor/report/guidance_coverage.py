"""Which rule, question, formula, preset or section of a plan carries each statement of the planning guides.

coverage(library) -> the statements with their carriers; lacking(library) -> those that nothing carries, and carriers that do
not exist.
"""

from collections.abc import Collection, Iterator, Mapping

from advisor.catalogue.guidance import Guidance
from advisor.catalogue.preset import Preset
from advisor.library import Library
from advisor.questionnaire.question import Question
from advisor.reasoning.rule import Rule
from advisor.report.plan_sections import PLAN_SECTIONS
from advisor.sizing.formula import formulas


def coverage(library: Library) -> tuple[Guidance, ...]:
    """Every statement, in order of its number."""
    return tuple(sorted(library.all(Guidance), key=lambda row: row.id))


def lacking(library: Library) -> Iterator[str]:
    """What is missing, a sentence each: a statement without a carrier, or a carrier that there is not."""
    known = carriers_of(library)
    for row in coverage(library):
        if not row.carriers:
            yield f"{row.id} is carried by nothing"
        for carrier in row.carriers:
            kind, _, id = carrier.partition(":")
            if id not in known[kind]:
                yield f"{row.id} names {carrier}, and there is no {kind} of that id"


def carriers_of(library: Library) -> Mapping[str, Collection[str]]:
    """The ids that may be named, by kind of carrier."""
    return {
        "rule": {rule.id for rule in library.all(Rule)},
        "question": {question.id for question in library.all(Question)},
        "formula": formulas().units,
        "preset": {preset.id for preset in library.all(Preset)},
        "section": PLAN_SECTIONS,
    }
