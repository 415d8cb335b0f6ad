"""A mixed-integer programme, row by row; estate_solver hands it to HiGHS."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Solution:
    """Values of the variables; whole ones are rounded. nodes: of the search; stopped: what ended it."""

    values: tuple[float, ...]
    gap: float
    nodes: int
    stopped: str


@dataclass
class Programme:
    """Variables with costs and bounds, and rows of the form low <= sum <= high."""

    costs: list[float] = field(default_factory=list)
    lows: list[float] = field(default_factory=list)
    highs: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    rows: list[tuple[float, float, dict[int, float]]] = field(default_factory=list)

    def variable(self, cost: float = 0.0, high: float = 1.0, *, whole: bool = True) -> int:
        """A new variable between zero and `high`; returns its place."""
        self.costs.append(cost)
        self.lows.append(0.0)
        self.highs.append(high)
        self.whole.append(whole)
        return len(self.costs) - 1

    def row(self, terms: Mapping[int, float], low: float = -np.inf, high: float = np.inf) -> None:
        """A new row; terms that are zero are left out."""
        kept = {place: factor for place, factor in terms.items() if factor}
        if kept or low > 0:
            self.rows.append((low, high, kept))

    def solve(self) -> Solution | None:
        """The solution, or None where nothing keeps every row."""
        if not self.costs:
            return Solution((), 0.0, 0, "gap")
        from advisor.plan.estate_solver import solve

        return solve(self)
