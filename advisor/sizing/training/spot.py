"""Capacity that may be taken away: how much longer a run takes on it, and how often it may go before it costs more."""

from advisor.sizing.formula import cite, formula
from advisor.units import CountPerSecond, Dollars, DollarsPerSecond, Ratio, Seconds, where

_BOOK = cite("distributed-training-book", "ch. 5, spot capacity")


@formula(sources=[_BOOK])
def spot_loss_per_interruption(spot_checkpoint_interval: Seconds, reacquire_time: Seconds) -> Seconds:
    """Time one reclaim costs: half a checkpoint interval, and until nodes are there again."""
    return spot_checkpoint_interval / 2 + reacquire_time


@formula(sources=[_BOOK])
def spot_time(
    uninterrupted_time: Seconds,
    spot_saving_overhead: Ratio,
    spot_interruption_rate: CountPerSecond,
    spot_loss_per_interruption: Seconds,
) -> Seconds:
    """Time a run takes on spot capacity; beyond all bounds where reclaims come faster than work is done."""
    return where(
        spot_interruption_rate * spot_loss_per_interruption < 1,
        uninterrupted_time * (1 + spot_saving_overhead) / (1 - spot_interruption_rate * spot_loss_per_interruption),
        1e30,
    )


@formula(sources=[_BOOK])
def spot_cost(spot_time: Seconds, spot_price: DollarsPerSecond) -> Dollars:
    """Rent of the run on spot capacity."""
    return spot_time * spot_price


@formula(sources=[_BOOK])
def on_demand_cost(uninterrupted_time: Seconds, on_demand_price: DollarsPerSecond) -> Dollars:
    """Rent of the run on capacity that stays."""
    return uninterrupted_time * on_demand_price


@formula(sources=[_BOOK])
def spot_break_even_rate(
    spot_price: DollarsPerSecond,
    on_demand_price: DollarsPerSecond,
    spot_saving_overhead: Ratio,
    spot_loss_per_interruption: Seconds,
) -> CountPerSecond:
    """Reclaims in a second at which spot capacity costs as much as capacity that stays; below it, it is cheaper."""
    return (1 - spot_price / on_demand_price * (1 + spot_saving_overhead)) / spot_loss_per_interruption
