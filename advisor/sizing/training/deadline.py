"""A deadline turned into a number of accelerators, and a number into a date.

A plan may always leave accelerators idle, so the time of a count is the best of all counts up to it: more never take longer.
"""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from advisor.errors import InputError

_DAY = 86_400.0


def best_times(counts: Sequence[float], times: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts in order, each once, and the shortest time that so many or fewer take.

    counts, times: of any layouts, in any order; times in seconds, infinite or NaN where a layout does not run.
    """
    order = np.argsort(np.asarray(counts, dtype=float), kind="stable")
    ordered = np.asarray(counts, dtype=float)[order]
    known = np.asarray(times, dtype=float)[order]
    best = np.minimum.accumulate(np.where(np.isnan(known), np.inf, known))
    distinct = np.unique(ordered)
    return distinct, best[np.searchsorted(ordered, distinct, side="right") - 1]


def count_for_deadline(counts: Sequence[float], times: Sequence[float], deadline: float) -> float | None:
    """The least number of accelerators that finishes within `deadline` seconds, None where none of the counts does."""
    if not deadline > 0:
        raise InputError(f"a deadline of {deadline:g} s leaves no time", hint="give the time there is from the first step on")
    distinct, best = best_times(counts, times)
    meets = np.flatnonzero(best <= deadline)
    return float(distinct[meets[0]]) if len(meets) else None


def finish_date(start: date, seconds: float) -> date:
    """The day on which a run of so many seconds from the morning of `start` is done."""
    if not 0 <= seconds < 200 * 365 * _DAY:
        raise InputError(f"a run of {seconds:g} s has no date to finish on", hint="see the time to train for what it rests on")
    return start + timedelta(days=int(np.ceil(seconds / _DAY - 1e-9)) - 1 if seconds > 0 else 0)
