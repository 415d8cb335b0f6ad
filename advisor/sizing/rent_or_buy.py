"""Owning against renting: break-even, payback, and present value.

Published break-evens run from half to four fifths of the time, so the plan computes its own. Against a reservation that is paid
whether used or not, utilisation cancels: compare yearly costs.
"""

from collections.abc import Sequence

from advisor.errors import InputError
from advisor.sizing.formula import cite, formula
from advisor.units import Count, Dollars, DollarsPerSecond, Ratio, Seconds, maximum

_ROI = cite("legitlads-roi-calculator", "64 accelerators over four years")


@formula(sources=[_ROI, cite("ai-infrastructure-build-vs-rent", "break-even utilisation")])
def break_even_utilisation(owned_cost_per_year: Dollars, accelerators: Count, rent_per_accelerator: DollarsPerSecond) -> Ratio:
    """Share of the year from which on owning costs less than renting on demand by the hour; above one, never.

    A year has 31536000 s. The rent must be one that can be had: for the instance size needed, idle accelerators included.
    """
    return owned_cost_per_year / (accelerators * rent_per_accelerator * 31536000)


@formula(sources=[_ROI, cite("ai-infrastructure-build-vs-rent", "break-even utilisation")])
def break_even_rented_share(
    owned_cost_per_year: Dollars, rented_cost_per_year: Dollars, rent_cost_per_year: Dollars, rented_share: Ratio
) -> Ratio:
    """Share of the year, rented by the hour, from which on owning costs less; above one, never.

    What both ways cost alike (people, licences, storage, transfer) cancels. One less this share is the discount that a
    reservation of every hour must give to cost what owning does.
    """
    return (owned_cost_per_year - rented_cost_per_year + rent_cost_per_year) * rented_share / rent_cost_per_year


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


def present_value(flows: Sequence[float], rate: float) -> float:
    """Worth today of yearly amounts, the first of them today. Raises InputError for a rate of -1 or below."""
    if rate <= -1:
        raise InputError(f"a rate of {rate:g} leaves nothing to discount", where="discount_rate")
    return float(sum(flow / (1 + rate) ** year for year, flow in enumerate(flows)))
