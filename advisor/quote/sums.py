"""Prices of lines held against one another: which column is a line's price, and what does not multiply out."""

from collections.abc import Iterable, Sequence

from advisor.quote.quote import QuoteLine

_TOLERANCE = 0.005


def settled(lines: Iterable[QuoteLine]) -> list[QuoteLine]:
    """The lines, with a doubt on each whose quantity times unit price is not its total."""
    found: list[QuoteLine] = []
    for line in lines:
        if line.unit_price and line.total_price:
            expected = line.unit_price * line.quantity
            if abs(expected - line.total_price) > max(_TOLERANCE * line.total_price, 0.01) / 5:
                doubt = (
                    f"{line.quantity:g} × {line.unit_price:,.2f} is {expected:,.2f}, and the line says {line.total_price:,.2f}"
                )
                line = line.model_copy(update={"doubts": (*line.doubts, doubt)})
        found.append(line)
    return found


def prices_are_totals(lines: Sequence[QuoteLine], stated: float | None) -> bool:
    """Whether single prices are those of whole lines: where a total is stated, whichever comes nearer to it; else they are."""
    if stated is None:
        return True
    as_totals = sum(line.unit_price or 0.0 for line in lines)
    as_units = sum((line.unit_price or 0.0) * line.quantity for line in lines)
    return abs(as_totals - stated) <= abs(as_units - stated)
