"""A figure with the fact it may give, and what a figure must be for each fact."""

from dataclasses import dataclass

from advisor.language.facts import ReadFact
from advisor.language.measures import Quantity
from advisor.language.phrases import Match

# A cost beyond every cue's.
LAST = 16.0


@dataclass(frozen=True, slots=True)
class Meaning:
    """A figure with the fact it gives. cue: the phrase that told; none where its thing or unit did. limit: up to which cost a cue
    tells that told about another figure already."""

    quantity: Quantity
    fact: str
    sure: bool
    cost: float
    cue: Match | None = None
    because: str = ""
    limit: float = 0.0
    of: Quantity | None = None

    @property
    def figure(self) -> Quantity:
        """The figure as it stands in the text."""
        return self.of or self.quantity


def within(quantity: Quantity, fact: ReadFact) -> bool:
    """Whether a figure is of the size that a fact can have."""
    return fact.low <= quantity.value <= fact.high


def fits(quantity: Quantity, fact: ReadFact) -> bool:
    """Whether a quantity can be this fact: its unit, and its size."""
    if not within(quantity, fact):
        return False
    unit = quantity.unit.replace(quantity.currency, "USD") if quantity.currency else quantity.unit
    if unit == "":
        return fact.bare and quantity.value >= fact.least_bare
    return unit in fact.unit.split("|")
