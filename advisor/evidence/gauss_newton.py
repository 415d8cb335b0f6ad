"""Damped Gauss-Newton on relative errors: the vector of logarithms of a layout's constants that fits measured rows best.

Residuals stand under a pseudo-Huber loss, so that a few absurd rows do not decide, beside a prior that holds constants of which
few rows speak. A row depends on one key of each family, so one step moves all keys of a family at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from advisor.evidence.fitting import Layout

Array = NDArray[np.float64]
_STEP = 1e-4


@dataclass(frozen=True)
class Shape:
    """Hyper-parameters: the prior's weight, where the loss turns from square to straight, when a gain is enough to stop, and the
    longest step of one constant."""

    prior_weight: float
    loss_scale: float
    enough: float = 1e-3
    longest: float = 0.7


def minimise(
    residuals: Callable[[Array], Array],
    plan: "Layout",
    rows: NDArray[np.bool_],
    weights: Array,
    shape: Shape,
    *,
    start: Array | None = None,
    iterations: int = 15,
) -> Array:
    """The vector with the least cost, starting from the priors' centres.

    residuals: relative errors of the chosen rows for a vector, or several errors a row, all first ones before all second ones.
    weights: one for each error.
    """
    prior = shape.prior_weight / plan.spread**2

    def cost(errors: Array, vector: Array) -> float:
        huber = 2 * (np.sqrt(1 + (errors / shape.loss_scale) ** 2) - 1)
        return float((weights * huber).sum() + (prior * (vector - plan.centre) ** 2).sum())

    vector: Array = plan.centre.copy() if start is None else start.copy()
    errors = residuals(vector)
    now, damping, every = cost(errors, vector), 1e-2, np.arange(len(errors))
    times = len(errors) // max(1, int(rows.sum()))
    for _ in range(iterations):
        jacobian = np.zeros((len(errors), len(vector)))
        for place, begin in enumerate(plan.starts):
            index, count = plan.index[place], len(plan.keys[place])
            moved = vector.copy()
            moved[begin : begin + count] += _STEP
            change = (residuals(moved) - errors) / _STEP
            jacobian[every, begin + (0 if index is None else np.tile(index[rows], times))] = change
            if (shared := plan.common[place]) is not None:
                jacobian[:, shared] = change
        scale = weights / np.sqrt(1 + (errors / shape.loss_scale) ** 2) / shape.loss_scale**2
        curvature = jacobian.T @ (jacobian * scale[:, None]) + np.diag(prior)
        slope = jacobian.T @ (scale * errors) + prior * (vector - plan.centre)
        for _ in range(6):
            step = np.clip(
                -np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), slope), -shape.longest, shape.longest
            )
            tried = residuals(vector + step)
            better = cost(tried, vector + step)
            if better < now:
                break
            damping *= 5
        else:
            return vector
        gained = now - better
        vector, errors, now, damping = vector + step, tried, better, max(damping / 4, 1e-4)
        if gained < shape.enough * now:
            return vector
    return vector
