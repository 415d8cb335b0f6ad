"""What a quantity owes to its inputs: which of them move it most, and the range it has when all of them are uncertain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.errors import InputError
from advisor.sizing.formula import formulas

Column = NDArray[np.float64]
# Square roots of these are irrational and independent: multiples of them fill a cube evenly, the same way every time.
_PRIMES = (
    2,
    3,
    5,
    7,
    11,
    13,
    17,
    19,
    23,
    29,
    31,
    37,
    41,
    43,
    47,
    53,
    59,
    61,
    67,
    71,
    73,
    79,
    83,
    89,
    97,
    101,
    103,
    107,
    109,
    113,
)
_POINTS = 2048


@dataclass(frozen=True)
class Range:
    """An input as it is known: low and high are ends it hardly leaves, typical the value planned with."""

    low: float
    typical: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.typical <= self.high:
            raise InputError(f"low {self.low:g}, typical {self.typical:g} and high {self.high:g} are not in this order")


@dataclass(frozen=True)
class Effect:
    """A quantity at both ends of one input, all others at their typical value."""

    input: str
    at_low: float
    at_high: float

    @property
    def swing(self) -> float:
        """How far the quantity moves between the two ends."""
        return abs(self.at_high - self.at_low)


def sensitivity(quantity: str, facts: Mapping[str, Any], ranges: Mapping[str, Range]) -> tuple[Effect, ...]:
    """The inputs of a quantity by how far each moves it, the strongest first: a tornado diagram as a table.

    facts: everything the quantity needs, as single values; those of `ranges` are replaced by their ends one at a time. Inputs the
    quantity does not depend on have a swing of zero. Ends that belong together (a fit's) do not add up: read them one by one.
    Raises FormulaError where facts are missing.
    """
    names = tuple(ranges)
    rows = 1 + 2 * len(names)
    columns = {name: np.full(rows, ranges[name].typical) for name in names}
    for place, name in enumerate(names):
        columns[name][1 + 2 * place] = ranges[name].low
        columns[name][2 + 2 * place] = ranges[name].high
    result = np.broadcast_to(np.asarray(_evaluate(quantity, facts, columns), dtype=float), (rows,))
    effects = [Effect(name, float(result[1 + 2 * place]), float(result[2 + 2 * place])) for place, name in enumerate(names)]
    return tuple(sorted(effects, key=lambda each: (-each.swing, each.input)))


def band(quantity: str, facts: Mapping[str, Any], ranges: Mapping[str, Range], share: float = 0.8) -> Range:
    """The middle `share` of what a quantity becomes when its inputs vary, and its value at their typical ones.

    Each input is taken from a triangle with its peak at the typical value, independently of the others; 2,048 evenly spread
    points, the same on every run. Raises InputError for more inputs than it can spread, and for a share outside 0 to 1.
    """
    if len(ranges) > len(_PRIMES):
        raise InputError(f"{len(ranges)} uncertain inputs; at most {len(_PRIMES)} are spread evenly", where=quantity)
    if not 0 < share < 1:
        raise InputError(f"the middle {share:g} of a range is none", where="share", hint="write a share such as 0.8")
    steps: Column = np.arange(1, _POINTS + 1, dtype=np.float64)
    columns = {
        name: _triangular(np.remainder(0.5 + steps * float(np.sqrt(prime)), 1.0), each)
        for (name, each), prime in zip(ranges.items(), _PRIMES, strict=False)
    }
    spread = np.broadcast_to(np.asarray(_evaluate(quantity, facts, columns), dtype=float), (_POINTS,))
    middle = float(np.asarray(_evaluate(quantity, facts, {name: each.typical for name, each in ranges.items()})))
    low, high = np.quantile(spread, [(1 - share) / 2, (1 + share) / 2])
    return Range(min(float(low), middle), middle, max(float(high), middle))


def strongest(effects: Sequence[Effect], covering: float = 0.8) -> tuple[Effect, ...]:
    """The fewest inputs that make up the given share of all swing; the rest is hardly worth asking about."""
    total = sum(each.swing for each in effects)
    found: list[Effect] = []
    for each in effects:
        if total <= 0 or sum(one.swing for one in found) >= covering * total:
            break
        found.append(each)
    return tuple(found)


def _evaluate(quantity: str, facts: Mapping[str, Any], columns: Mapping[str, Any]) -> Any:
    return formulas().evaluate([quantity], {**facts, **columns})[quantity]


def _triangular(uniform: Column, each: Range) -> Column:
    width = each.high - each.low
    if width == 0:
        return np.full_like(uniform, each.typical)
    peak = (each.typical - each.low) / width
    rising = each.low + np.sqrt(uniform * width * (each.typical - each.low))
    falling = each.high - np.sqrt((1 - uniform) * width * (each.high - each.typical))
    return np.where(uniform < peak, rising, falling)
