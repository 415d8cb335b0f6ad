"""A figure with the fact it may give, and what a figure must be for each fact."""

from dataclasses import dataclass

from advisor.language.facts import FACTS, ReadFact
from advisor.language.measures import Quantity
from advisor.language.phrases import Match

_COUNTED = {"1", "token", "request", "person", "request/second"}
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


def fits(quantity: Quantity, fact: ReadFact, *, asked: bool = False) -> bool:
    """Whether a quantity can be this fact: its unit, and its size. asked: it answers a question for it, and needs no unit then
    where the fact counts things.
    """
    if not within(quantity, fact):
        return False
    unit = quantity.unit.replace(quantity.currency, "USD") if quantity.currency else quantity.unit
    if unit == "":
        return (fact.bare and quantity.value >= fact.least_bare) or (asked and fact.unit in _COUNTED)
    return unit in fact.unit.split("|")


def base_of(fact: str) -> str | None:
    """The fact without its percentile, where it is one that text can give: ttft_p95 is ttft."""
    base = fact.rsplit("_", 1)[0]
    known = fact if fact in FACTS else base if base in FACTS and FACTS[base].spread else None
    return known
