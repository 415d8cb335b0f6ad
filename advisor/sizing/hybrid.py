"""The part of a varying load that is worth owning, with the rest rented by the hour."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from advisor.errors import InputError

_YEAR_HOURS = 8760.0


@dataclass(frozen=True)
class HybridBase:
    """Units to own, and what the year then costs.

    base: owned units. owned_cost, rent_cost: USD a year. rented_unit_hours: hours in which a unit beyond the base was needed.
    all_owned_cost, all_rented_cost: the same load entirely owned (up to its peak) or entirely rented by the hour.
    break_even: share of hours a unit must be needed to be worth owning.
    """

    base: int
    owned_cost: float
    rent_cost: float
    rented_unit_hours: float
    all_owned_cost: float
    all_rented_cost: float
    break_even: float

    @property
    def total_cost(self) -> float:
        """Owned and rented together, in USD a year."""
        return self.owned_cost + self.rent_cost


def hybrid_base(demand: ArrayLike, owned_cost_per_unit_year: float, rent_per_unit_hour: float) -> HybridBase:
    """How many units to own under a load curve and rent for the rest: the newsvendor rule.

    demand: units needed in each hour, or any equal step, of a time that stands for the year. One more unit is owned while the
    share of hours that need it exceeds the break-even utilisation. Holds while rented units are there when needed and start
    within the step. Source: distributed-training-book, hybrid burst; the rule is the newsvendor's critical fractile.
    Raises InputError for an empty or negative curve and prices not above zero.
    """
    needed: NDArray[np.float64] = np.asarray(demand, dtype=float).ravel()
    if needed.size == 0 or not np.all(np.isfinite(needed)) or np.any(needed < 0):
        raise InputError("a load curve needs at least one value, none below zero", where="demand")
    for name, price in (("owned_cost_per_unit_year", owned_cost_per_unit_year), ("rent_per_unit_hour", rent_per_unit_hour)):
        if not price > 0:
            raise InputError(f"{price:g} USD is no price to weigh", where=name, hint="it lies above zero")
    needed = np.ceil(needed - 1e-9)
    break_even = owned_cost_per_unit_year / (rent_per_unit_hour * _YEAR_HOURS)
    peak = int(needed.max())
    ordered = np.sort(needed)
    # Share of hours that need more than `owned` units, for every number that could be owned.
    above = 1 - np.searchsorted(ordered, np.arange(peak), side="right") / needed.size
    base = int(np.count_nonzero(above > break_even))
    rented = float(np.maximum(needed - base, 0).mean()) * _YEAR_HOURS
    return HybridBase(
        base=base,
        owned_cost=base * owned_cost_per_unit_year,
        rent_cost=rented * rent_per_unit_hour,
        rented_unit_hours=rented,
        all_owned_cost=peak * owned_cost_per_unit_year,
        all_rented_cost=float(needed.mean()) * _YEAR_HOURS * rent_per_unit_hour,
        break_even=break_even,
    )


def load_duration_curve(peak: float, peak_to_mean: float, steps: int = 8760) -> NDArray[np.float64]:
    """Units needed in equal parts of a year, the busiest first, where only the peak and its ratio to the mean are known.

    The curve falls as (1 - x) to the power of the ratio less one, x from 0 to 1: its mean is then the peak over the ratio. An
    assumption; a measured curve is better. Raises InputError for a peak below zero or a ratio below one.
    """
    if peak < 0 or peak_to_mean < 1:
        raise InputError(
            f"a peak of {peak:g} at {peak_to_mean:g} times the mean", where="peak_to_mean", hint="the ratio is at least one"
        )
    middle = (np.arange(steps) + 0.5) / steps
    return peak * (1 - middle) ** (peak_to_mean - 1)
