"""Looking up one figure of a counted part, and keeping a fact where it is known."""

from collections.abc import MutableMapping

from advisor.facts import FactValue
from advisor.quote.tally import Counted, Tally


def figure(each: Counted, name: str) -> float | None:
    """A figure of a part as its line says it, in the base unit."""
    value = each.part.attributes.get(name)
    return value if isinstance(value, float) else None


def part_figure(counted: Tally, each: Counted, name: str) -> float | None:
    """A figure of a part as its entry among the parts knows it."""
    card = counted.card(each)
    value = getattr(card, name, None) if card is not None else None
    return float(value) if isinstance(value, int | float) else None


def put(found: MutableMapping[str, FactValue], name: str, value: float | None) -> None:
    """Add a fact that is known."""
    if value is not None:
        found[name] = value
