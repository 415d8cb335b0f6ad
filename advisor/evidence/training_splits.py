"""Judging training speed on what a fit never saw: random halves that leave whole (source, model) groups out.

Each split fits on one half and estimates the other. Its bands come from the trained half alone, by residuals of fits that left
the residual's own group out (split-conformal), in which a group counts with the root of its size: new rows are new groups.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.fitting import Layout
from advisor.evidence.gauss_newton import Array
from advisor.evidence.training_fit import fit_training, training_layout
from advisor.evidence.training_speed import METRICS, TrainingCases, estimate_speed

SPLITS = 20
FOLDS = 8
COVERAGE = 0.8
BAND_GROUP_POWER = 0.5
Band = tuple[float, float]


@dataclass(frozen=True)
class Split:
    """One split: the rows left out, their estimates, and the bands of measured over estimated by metric.

    outside: log of estimate over measured of the trained rows, each from a fit without its group; NaN for those left out.
    """

    held_out: NDArray[np.bool_]
    estimated: Array
    bands: Mapping[str, Band]
    vector: Array
    outside: Array


def splits_of(cases: TrainingCases, count: int = SPLITS) -> tuple[Split, ...]:
    """Every split, deterministic."""
    plan = training_layout(cases)
    return tuple(_split(cases, plan, seed) for seed in range(count))


def out_of_fold(cases: TrainingCases, plan: Layout, trained: NDArray[np.bool_], start: Array, seed: int) -> Array:
    """Log of estimate over measured of the trained rows, each from a fit that left its group out."""
    distinct = np.unique(cases.groups[trained])
    fold_of = dict(zip(distinct.tolist(), np.random.RandomState(100 + seed).permutation(len(distinct)) % FOLDS, strict=True))
    folds = np.array([fold_of.get(group, -1) for group in cases.groups.tolist()])
    found = np.full(len(cases), np.nan)
    for fold in range(FOLDS):
        kept, tested = trained & (folds != fold), trained & (folds == fold)
        vector = fit_training(cases, plan, kept, start=start, iterations=6)
        found[tested] = np.log(estimate_speed(cases.columns, plan.constants(vector)) / cases.measured)[tested]
    return found


def bands_of(outside: Array, metrics: NDArray[np.str_], groups: NDArray[np.str_]) -> dict[str, Band]:
    """Measured over estimated between which four of five values stand, by metric."""
    found: dict[str, Band] = {}
    for name in METRICS:
        chosen = (metrics == name) & np.isfinite(outside)
        low, high = conformal_ends(-outside[chosen], groups[chosen])
        found[name] = float(np.exp(low)), float(np.exp(high))
    return found


def conformal_ends(residuals: Array, groups: NDArray[np.str_]) -> Band:
    """Quantiles of residuals between which COVERAGE of a new group's should stand; none wide enough gives the outermost."""
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(residuals)
    summed = np.cumsum(counts[inverse][order] ** (-BAND_GROUP_POWER))
    whole, tail = summed[-1] * (1 + 1 / len(order)), (1 - COVERAGE) / 2
    last = len(order) - 1
    low, high = (min(int(np.searchsorted(summed, whole * share)), last) for share in (tail, 1 - tail))
    return float(residuals[order[low]]), float(residuals[order[high]])


def left_out_by(groups: NDArray[np.str_], seed: int) -> frozenset[str]:
    """The groups that a split leaves out: a random half."""
    distinct = np.unique(groups)
    side = np.random.RandomState(seed).permutation(len(distinct)) % 2
    return frozenset(distinct[side == 1].tolist())


def _split(cases: TrainingCases, plan: Layout, seed: int) -> Split:
    left_out = left_out_by(cases.groups, seed)
    trained = np.array([group not in left_out for group in cases.groups.tolist()])
    # The search begins where the priors are, so that nothing of the rows left out reaches the constants.
    vector = fit_training(cases, plan, trained)
    estimated = estimate_speed(cases.columns, plan.constants(vector))
    outside = out_of_fold(cases, plan, trained, vector, seed)
    return Split(~trained, estimated, bands_of(outside, cases.metrics, cases.groups), vector, outside)
