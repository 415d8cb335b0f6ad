"""Owning against renting: break-even, payback, present value, and the part of a varying load worth owning.

Published break-evens run from half to four fifths of the time, so the plan computes its own. Against a reservation that is paid
whether used or not, utilisation cancels: compare yearly costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from advisor.errors import InputError
from advisor.sizing.formula import cite, formula
from advisor.units import Count, Dollars, DollarsPerSecond, Ratio, Seconds, maximum

_ROI = cite("legitlads-roi-calculator", "64 accelerators over four years")
_YEAR_HOURS = 8760.0


@formula(sources=[_ROI, cite("ai-infrastructure-build-vs-rent", "break-even utilisation")])
def break_even_utilisation(owned_cost_per_year: Dollars, accelerators: Count, rent_per_accelerator: DollarsPerSecond) -> Ratio:
    """Share of the year from which on owning costs less than renting on demand by the hour; above one, never.

    A year has 31536000 s. The rent must be one that can be had: for the instance size needed, idle accelerators included.
    """
    return owned_cost_per_year / (accelerators * rent_per_accelerator * 31536000)


@formula(sources=[cite("lenovo-lp2225", "8 x H100, quoted by softwareseni.com"), cite("softwareseni-ai-costs", "Lenovo's case")])
def break_even_time(hardware_cost: Dollars, rent_rate: DollarsPerSecond, owned_operating_rate: DollarsPerSecond) -> Seconds:
    """Time of full use after which the purchase has cost as much as renting would have; infinite where it never does.

    Both rates are of the whole set of accelerators.
    """
    return hardware_cost / maximum(rent_rate - owned_operating_rate, 0)


@formula(sources=[_ROI, cite("dhh-cloud-exit", "0.7 M USD against 1.9 M a year")])
def payback_time(hardware_cost: Dollars, rented_cost_per_year: Dollars, operating_cost_per_year: Dollars) -> Seconds:
    """Time after which yearly savings have paid the purchase, undiscounted; infinite where nothing is saved."""
    return hardware_cost / maximum(rented_cost_per_year - operating_cost_per_year, 0) * 31536000


@formula(sources=[_ROI])
def net_present_value(
    hardware_cost: Dollars, rented_cost_per_year: Dollars, operating_cost_per_year: Dollars, residual_value: Ratio, term: Seconds
) -> Dollars:
    """Worth of buying in place of renting while money costs nothing: savings and what is left, less the purchase."""
    return (rented_cost_per_year - operating_cost_per_year) * (term / 31536000) + hardware_cost * residual_value - hardware_cost


@formula(of="net_present_value", when="discount_rate > 0", sources=[_ROI])
def net_present_value_discounted(
    hardware_cost: Dollars,
    rented_cost_per_year: Dollars,
    operating_cost_per_year: Dollars,
    residual_value: Ratio,
    term: Seconds,
    discount_rate: Ratio,
) -> Dollars:
    """Worth today of buying in place of renting, savings counted at the end of each year of 31536000 s; negative favours rent.

    A saving that looks good undiscounted may be a loss once money has a price.
    """
    return (
        (rented_cost_per_year - operating_cost_per_year) * (1 - (1 + discount_rate) ** -(term / 31536000)) / discount_rate
        + hardware_cost * residual_value / (1 + discount_rate) ** (term / 31536000)
        - hardware_cost
    )


@formula(sources=[_ROI])
def saving_over_term(rented_cost_per_year: Dollars, owned_cost_per_year: Dollars, term: Seconds) -> Dollars:
    """What owning saves against renting over the term, undiscounted; negative where it costs more."""
    return (rented_cost_per_year - owned_cost_per_year) * term / 31536000


@formula(sources=[cite("beri-dell-ai-factory", "1,225 %"), cite("vendor-claims-lenovo-2026", "on-premises against cloud")])
def return_on_investment(benefit: Dollars, investment: Dollars) -> Ratio:
    """Benefit over investment less one. Makers print benefits of their own assumptions: a claim, not a result."""
    return benefit / investment - 1


@formula(sources=[cite("vendor-claims-lenovo-2026", "on-premises against cloud")])
def saved_share(cost_before: Dollars, cost_after: Dollars) -> Ratio:
    """Part of a cost that is saved."""
    return 1 - cost_after / cost_before


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


def present_value(flows: Sequence[float], rate: float) -> float:
    """Worth today of yearly amounts, the first of them today. Raises InputError for a rate of -1 or below."""
    if rate <= -1:
        raise InputError(f"a rate of {rate:g} leaves nothing to discount", where="discount_rate")
    return float(sum(flow / (1 + rate) ** year for year, flow in enumerate(flows)))
