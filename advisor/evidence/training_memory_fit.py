"""Fitting the constants of training memory: maximum a posteriori by damped Gauss-Newton on logarithms of estimate over measured.

Residuals count under a pseudo-Huber loss, so that a few absurd rows do not decide, and every group of rows (source, model) with a
power of its size. A run that ended out of memory says only that it needed more than its card has, and one that worked that it
needed no more: they count as far as the estimate contradicts them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.fitting import Layout, taken
from advisor.evidence.gauss_newton import Array, Shape, minimise
from advisor.evidence.grouped_band import group_weights
from advisor.evidence.training_memory import WANTED, TrainingCases, estimate

# Hyper-parameters of the fit; they shape how far constants move, not what they are.
SHAPE = Shape(prior_weight=1.0, loss_scale=0.1, enough=1e-5, longest=0.5)
DATA_WEIGHT = 1.0
ROOM_WEIGHT = 8.0
# A run that ended out of memory should be seen to need this much more than its card has: a plan that fails costs more than a
# refused one.
_CLEARLY = 0.05


def estimated_peaks(cases: TrainingCases, values: Mapping[str, Any]) -> Array:
    """For each row the estimate of the quantity that it read."""
    size = len(cases.cases)
    return np.asarray(np.choose(cases.kinds, [_column(values[name], size) for name in WANTED]), dtype=float)


def fit_training_memory(
    cases: TrainingCases, plan: Layout, settled: Mapping[str, Any], rows: NDArray[np.bool_], *, iterations: int = 20
) -> Array:
    """The vector of logarithms that fits the chosen rows best, starting from the priors' centres."""
    columns = taken({**settled, **cases.columns}, rows)
    size = int(rows.sum())
    kinds = cases.kinds[rows]
    peaks = cases.peaks[rows]
    worked = np.isfinite(peaks)
    logs = np.log(np.where(worked, peaks, 1.0))
    usable = np.log(np.array([case.usable_memory or np.inf for case in cases.cases])[rows])
    weights = group_weights(cases.groups[rows])
    weights = np.concatenate([np.where(worked, weights, 0.0), ROOM_WEIGHT * weights])

    def residuals(vector: Array) -> Array:
        values = estimate(columns, plan.constants(vector, rows))
        read = np.choose(kinds, [_column(values[name], size) for name in WANTED])
        need = np.log(_column(values["training_memory"], size)) - usable
        against = np.where(worked, np.maximum(0, need), np.minimum(0, need - _CLEARLY))
        return np.asarray(np.concatenate([np.log(np.maximum(read, 1.0)) - logs, against]), dtype=float)

    return minimise(residuals, plan, rows, DATA_WEIGHT * weights, SHAPE, iterations=iterations)


def _column(values: Any, size: int) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=float), (size,))
