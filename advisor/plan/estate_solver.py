"""HiGHS, on one thread and with a fixed seed, stopped by gap or node count and never by the clock; imported only when needed."""

import highspy
import numpy as np

from advisor.plan.estate_programme import Programme, Solution

# How far the cost may be above the least, and how many nodes the search may take.
GAP = 0.001
MOST_NODES = 5000
_SEED = 1


class _Silent(highspy.Highs):
    """HiGHS prints a banner as soon as callbacks are enabled, which is before it can be told not to."""

    def enableCallbacks(self) -> None:
        self.silent()
        super().enableCallbacks()


def solve(programme: Programme) -> Solution | None:
    """The solution, or None where nothing keeps every row."""
    highs = _Silent()
    options: dict[str, int | float] = {"threads": 1, "random_seed": _SEED, "mip_rel_gap": GAP, "mip_max_nodes": MOST_NODES}
    for name, value in options.items():
        highs.setOptionValue(name, value)
    highs.passModel(_model(programme))
    highs.run()
    info = highs.getInfo()
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible.value:
        return None
    values = [float(value) for value in highs.getSolution().col_value]
    rounded = tuple(float(round(value)) if whole else value for value, whole in zip(values, programme.whole, strict=True))
    by_nodes = highs.getModelStatus() == highspy.HighsModelStatus.kSolutionLimit
    gap = float(info.mip_gap) if np.isfinite(info.mip_gap) else 0.0
    return Solution(rounded, gap, max(0, int(info.mip_node_count)), "node count" if by_nodes else "gap")


def _model(programme: Programme) -> highspy.HighsLp:
    model, rows = highspy.HighsLp(), programme.rows
    model.num_col_, model.num_row_ = len(programme.costs), len(rows)
    model.col_cost_ = np.array(programme.costs)
    model.col_lower_, model.col_upper_ = np.array(programme.lows), np.array(programme.highs)
    model.row_lower_ = np.array([low for low, _, _ in rows])
    model.row_upper_ = np.array([high for _, high, _ in rows])
    kinds = {True: highspy.HighsVarType.kInteger, False: highspy.HighsVarType.kContinuous}
    model.integrality_ = [kinds[whole] for whole in programme.whole]
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.cumsum([0, *(len(terms) for _, _, terms in rows)]).astype(np.int32)
    model.a_matrix_.index_ = np.array([place for _, _, terms in rows for place in terms], dtype=np.int32)
    model.a_matrix_.value_ = np.array([factor for _, _, terms in rows for factor in terms.values()], dtype=float)
    return model
