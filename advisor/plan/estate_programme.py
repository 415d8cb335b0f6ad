"""A mixed-integer programme, row by row, and its solution by HiGHS: one thread, a fixed seed, stopped by gap or node count only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# How far the cost may be above the least, and how many nodes the search may take; the clock decides nothing.
GAP = 0.001
MOST_NODES = 5000
_SEED = 1


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
        import highspy

        highs = highspy.Highs()
        for option, value in (
            ("output_flag", False),
            ("threads", 1),
            ("random_seed", _SEED),
            ("mip_rel_gap", GAP),
            ("mip_max_nodes", MOST_NODES),
        ):
            highs.setOptionValue(option, value)
        highs.passModel(self._model(highspy))
        highs.run()
        info: Any = highs.getInfo()
        if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None
        values = [float(value) for value in highs.getSolution().col_value]
        rounded = tuple(float(round(value)) if whole else value for value, whole in zip(values, self.whole, strict=True))
        by_nodes = highs.getModelStatus() == highspy.HighsModelStatus.kSolutionLimit
        gap = float(info.mip_gap) if np.isfinite(info.mip_gap) else 0.0
        return Solution(rounded, gap, max(0, int(info.mip_node_count)), "node count" if by_nodes else "gap")

    def _model(self, highspy: Any) -> Any:
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.costs), len(self.rows)
        model.col_cost_ = np.array(self.costs)
        model.col_lower_, model.col_upper_ = np.array(self.lows), np.array(self.highs)
        model.row_lower_ = np.array([low for low, _, _ in self.rows])
        model.row_upper_ = np.array([high for _, high, _ in self.rows])
        kinds = {True: highspy.HighsVarType.kInteger, False: highspy.HighsVarType.kContinuous}
        model.integrality_ = [kinds[whole] for whole in self.whole]
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.cumsum([0, *(len(terms) for _, _, terms in self.rows)]).astype(np.int32)
        model.a_matrix_.index_ = np.array([place for _, _, terms in self.rows for place in terms], dtype=np.int32)
        model.a_matrix_.value_ = np.array([factor for _, _, terms in self.rows for factor in terms.values()])
        return model
