"""Fitting the constants of training memory: maximum a posteriori by damped Gauss-Newton on logarithms of estimate over measured.

Residuals count under a pseudo-Huber loss, so that a few absurd rows do not decide, and every group of rows (source, model) with a
power of its size. A run that ended out of memory says only that it needed more than its card has, and one that worked that it
needed no more: they count as far as the estimate contradicts them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.fitting import Array, Layout, taken
from advisor.evidence.grouped_band import group_weights
from advisor.evidence.training_memory import WANTED, TrainingCases, estimate

# Hyper-parameters of the fit; they shape how far constants move, not what they are.
PRIOR_WEIGHT = 1.0
DATA_WEIGHT = 1.0
ROOM_WEIGHT = 8.0
LOSS_SCALE = 0.1
_STEP = 1e-4
_ENOUGH = 1e-5
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
    prior = PRIOR_WEIGHT / plan.spread**2

    def residuals(vector: Array) -> Array:
        values = estimate(columns, plan.constants(vector, rows))
        read = np.choose(kinds, [_column(values[name], size) for name in WANTED])
        need = np.log(_column(values["training_memory"], size)) - usable
        against = np.where(worked, np.maximum(0, need), np.minimum(0, need - _CLEARLY))
        return np.asarray(np.concatenate([np.log(np.maximum(read, 1.0)) - logs, against]), dtype=float)

    def cost(errors: Array, vector: Array) -> float:
        huber = 2 * LOSS_SCALE**2 * (np.sqrt(1 + (errors / LOSS_SCALE) ** 2) - 1)
        return float(DATA_WEIGHT * (weights * huber).sum() / LOSS_SCALE**2 + (prior * (vector - plan.centre) ** 2).sum())

    vector: Array = plan.centre.copy()
    errors = residuals(vector)
    now, damping, both = cost(errors, vector), 1e-2, np.arange(2 * size)
    for _ in range(iterations):
        jacobian = np.zeros((2 * size, len(vector)))
        for place, begin in enumerate(plan.starts):
            index, count = plan.index[place], len(plan.keys[place])
            moved = vector.copy()
            moved[begin : begin + count] += _STEP  # a row depends on one key of a family, so one step moves all its keys
            change = (residuals(moved) - errors) / _STEP
            if index is None:
                jacobian[:, begin] = change
            else:
                jacobian[both, begin + np.concatenate([index[rows], index[rows]])] = change
            if (shared := plan.common[place]) is not None:
                jacobian[:, shared] = change
        scale = DATA_WEIGHT * weights / np.sqrt(1 + (errors / LOSS_SCALE) ** 2) / LOSS_SCALE**2
        curvature = jacobian.T @ (jacobian * scale[:, None]) + np.diag(prior)
        slope = jacobian.T @ (scale * errors) + prior * (vector - plan.centre)
        for _ in range(6):
            step = np.clip(-np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), slope), -0.5, 0.5)
            tried = residuals(vector + step)
            better = cost(tried, vector + step)
            if better < now:
                break
            damping *= 5
        else:
            return vector
        gained = now - better
        vector, errors, now, damping = vector + step, tried, better, max(damping / 4, 1e-4)
        if gained < _ENOUGH * now:
            return vector
    return vector


def _column(values: Any, size: int) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=float), (size,))
