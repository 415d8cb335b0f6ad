"""Split-conformal bands where rows come in groups: one half of the groups sets a band, the other half tests it.

Rows of a group resemble one another, so a large group would set the band alone: a row counts the less, the more its group has, as
in the fit. Each division of the groups serves twice, either half once as the one that is tested.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.gauss_newton import Array

COVERAGE = 0.8
SPLITS = 20
# How fast a row's weight falls with the size of its group: so that held-out halves hold their share of four in five.
GROUP_POWER = 0.4
# Fewer groups than this cannot be halved into a band and a test of it.
LEAST_GROUPS = 4


def grouped_band(residuals: Array, groups: NDArray[np.str_], coverage: float = COVERAGE) -> tuple[float, float]:
    """Quantiles of residuals between which a share `coverage` of them stands, groups weighted; NaN residuals are left out."""
    known = np.isfinite(residuals)
    order = np.argsort(residuals[known])
    ordered, weights = residuals[known][order], group_weights(groups[known])[order]
    # Each row stands at the middle of its own weight.
    places = (np.cumsum(weights) - weights / 2) / weights.sum()
    tail = (1 - coverage) / 2
    return float(np.interp(tail, places, ordered)), float(np.interp(1 - tail, places, ordered))


def group_weights(groups: NDArray[np.str_]) -> Array:
    """Weight of each row, one on average: the size of its group to the power of minus GROUP_POWER."""
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    weights = sizes[place].astype(float) ** -GROUP_POWER
    return np.asarray(weights * len(groups) / max(weights.sum(), 1e-12), dtype=float)


def halves(groups: NDArray[np.str_], splits: int = SPLITS) -> Iterator[NDArray[np.bool_]]:
    """For each split the rows of the half that sets the band; whole groups stand on one side."""
    for split in range(splits):
        first = parts(groups, split // 2, 2) == 0
        yield first if split % 2 == 0 else ~first


def parts(groups: NDArray[np.str_], seed: int, count: int) -> NDArray[np.int64]:
    """For each row the part, of `count` as equal ones as can be, into which a random division puts its group."""
    distinct, place = np.unique(groups, return_inverse=True)
    return np.asarray((np.random.RandomState(seed).permutation(len(distinct)) % count)[place], dtype=np.int64)


def split_coverage(residuals: Array, groups: NDArray[np.str_], splits: int = SPLITS) -> Array:
    """Share of the tested half's residuals inside the other half's band, in each split; empty for too few groups.

    residuals: logarithms of measured over estimated, NaN where nothing was measured.
    """
    known = np.isfinite(residuals)
    inside: list[float] = []
    if len(np.unique(groups[known])) < LEAST_GROUPS:
        return np.array(inside)
    for first in halves(groups[known], splits):
        low, high = grouped_band(residuals[known][first], groups[known][first])
        tested = residuals[known][~first]
        inside.append(float(np.mean((tested >= low) & (tested <= high))))
    return np.array(inside)
