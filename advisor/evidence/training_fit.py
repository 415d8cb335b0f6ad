"""Fitting the constants of training speed to measured rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.fitting import Layout, layout, taken
from advisor.evidence.gauss_newton import Array, Shape, minimise
from advisor.evidence.training_families import TRAINING_FAMILIES
from advisor.evidence.training_speed import TrainingCases, estimate_speed

# Hyper-parameters, chosen on held-out halves of the same table; they shape how far constants move, not what they are.
SHAPE = Shape(prior_weight=1.5, loss_scale=0.1)
GROUP_POWER = 0.4
DATA_WEIGHT = 0.6


def training_layout(cases: TrainingCases) -> Layout:
    """Where each constant's keys stand in the vector."""
    return layout(cases.columns, len(cases), TRAINING_FAMILIES)


def fit_training(
    cases: TrainingCases, plan: Layout, rows: NDArray[np.bool_], *, start: Array | None = None, iterations: int = 15
) -> Array:
    """The vector of logarithms that fits the chosen rows best."""
    columns: Mapping[str, Any] = taken(cases.columns, rows)
    logs = np.log(cases.measured[rows])
    size = int(rows.sum())

    def residuals(vector: Array) -> Array:
        estimated = np.broadcast_to(estimate_speed(columns, plan.constants(vector, rows)), (size,))
        return np.asarray(np.expm1(np.clip(np.log(estimated) - logs, -3, 1.5)), dtype=float)

    weights = _weights(cases.groups[rows])
    return minimise(residuals, plan, rows, weights, SHAPE, start=start, iterations=iterations)


def _weights(groups: NDArray[np.str_]) -> Array:
    """A large group counts with a power of its size, so that it does not drown the small ones."""
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    weights = counts[inverse] ** -GROUP_POWER
    return np.asarray(weights * len(groups) / weights.sum() * DATA_WEIGHT, dtype=float)
