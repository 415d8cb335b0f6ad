"""Meeting targets: how many replicas each row needs so that every target holds, and by how much a row misses one.

Fewer requests on a replica are served faster, so the least number that meets a target is found by halving the range between
what memory demands and one request a replica.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.sizing.limits import Limit

Array = NDArray[np.float64]
Evaluate = Callable[[Array, NDArray[np.int64]], Mapping[str, Any]]


@dataclass(frozen=True)
class Target:
    """One target: a quantity that may not exceed `most` (or, with at_least, fall below it). name: as the document calls it."""

    name: str
    quantity: str
    most: float
    unit: str
    at_least: bool = False

    def holds(self, values: Any) -> Any:
        """Whether values keep it; a value that is not known does not."""
        array = np.asarray(values, dtype=float)
        return array >= self.most if self.at_least else array <= self.most

    def limit(self) -> Limit:
        """The target as a limit over sized rows."""
        return Limit(
            self.name,
            f"{self.quantity.replace('_', ' ')} misses the target {self.name}",
            f"relax {self.name}, allow more or faster accelerators, or a smaller weight format",
            (self.quantity,),
            lambda columns: self.holds(columns[self.quantity]),
            lambda columns: np.abs(np.asarray(columns[self.quantity], dtype=float) - self.most),
            self.unit,
            cheap=False,
        )


def replicas_for(least: Array, most: float, kept: NDArray[np.bool_], targets: Sequence[Target], evaluate: Evaluate) -> Array:
    """The least replicas of each row that meet every target; a row that even one request a replica misses keeps `most`.

    least: replicas that memory demands. most: concurrent requests, one a replica. evaluate: quantities for these replicas on
    these rows.
    """
    found = least.copy()
    if not targets:
        return found

    def meets(replicas: Array, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        values = evaluate(replicas, rows)
        holds = np.ones(len(rows), dtype=bool)
        for target in targets:
            holds &= np.broadcast_to(target.holds(values[target.quantity]), holds.shape)
        return holds

    rows = np.flatnonzero(kept)
    if not len(rows):
        return found
    short = rows[~meets(found[rows], rows)]
    if not len(short):
        return found
    # Whole replicas, so that halving always moves one of the ends.
    top = np.ceil(np.maximum(most, found[short]))
    reached = meets(top, short)
    found[short[~reached]] = top[~reached]
    open_rows, low, high = short[reached], found[short[reached]], top[reached]
    while len(open_rows) and np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        good = meets(middle, open_rows)
        high = np.where(good, middle, high)
        low = np.where(good, low, middle)
    found[open_rows] = high
    return found
