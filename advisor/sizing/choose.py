"""Ranking what is left: by dated price where there is one, and by count, memory margin and power where there is not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.sizing.limits import Limit


@dataclass(frozen=True)
class Refusal:
    """A limit that refused rows, and the row that came nearest to keeping it.

    rows: how many rows it refused that kept every limit before it; asked_for: how many of those have the format asked for (or
    released). short_by: what the nearest row lacks, in the limit's unit.
    """

    limit: Limit
    rows: int
    asked_for: int
    nearest: int | None
    short_by: float | None


def keep(
    columns: Mapping[str, Any], limits: Sequence[Limit], size: int, among: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.bool_], tuple[Refusal, ...]]:
    """Which rows (of those `among`, where given) keep all limits, and for each limit that refused some, the row nearest to it."""
    kept = np.ones(size, dtype=bool) if among is None else among.copy()
    refusals: list[Refusal] = []
    for limit in limits:
        holds = np.broadcast_to(np.asarray(limit.holds(columns), dtype=bool), (size,))
        refused = kept & ~holds
        if refused.any():
            nearest, short_by = _nearest(limit, columns, refused, size)
            asked_for = int((refused & (np.asarray(columns["format_rank"]) == 0)).sum())
            refusals.append(Refusal(limit, int(refused.sum()), asked_for, nearest, short_by))
        kept = kept & holds
    return kept, tuple(refusals)


def ranked(columns: Mapping[str, Any], kept: NDArray[np.bool_], totals: NDArray[np.float64]) -> NDArray[np.int64]:
    """Kept rows, best first.

    totals: rent per second, NaN where there is no dated one. Rows with a price come before those without, by
    total price; equal ones, and those without, by count, then larger memory margin, then lower power, then table order, so
    that the same question always gets the same answer.
    """
    rows = np.flatnonzero(kept)
    size = len(kept)
    count = np.broadcast_to(np.asarray(columns["accelerators"], dtype=float), (size,))[rows]
    margin = np.broadcast_to(np.asarray(columns["memory_margin"], dtype=float), (size,))[rows]
    power = np.nan_to_num(np.broadcast_to(np.asarray(columns["accelerator_power"], dtype=float), (size,))[rows], nan=np.inf)
    stages = np.broadcast_to(np.asarray(columns["pipeline_parallel"], dtype=float), (size,))[rows]
    total = totals[rows]
    unpriced = np.isnan(total)
    order = np.lexsort((rows, power, -np.round(margin, 6), stages, count, np.where(unpriced, np.inf, total), unpriced))
    return rows[order]


def _nearest(limit: Limit, columns: Mapping[str, Any], refused: NDArray[np.bool_], size: int) -> tuple[int | None, float | None]:
    if limit.short_by is None:
        return None, None
    short, count, rank = (
        np.broadcast_to(np.asarray(values, dtype=float), (size,))
        for values in (limit.short_by(columns), columns["accelerators_per_replica"], columns["format_rank"])
    )
    rows = np.flatnonzero(refused)
    # In the format asked for, the one that lacks least for every accelerator it has: the last step before something fits.
    best = rows[np.lexsort((rows, short[rows] * count[rows], rank[rows]))[0]]
    return int(best), float(short[best])
