"""Where a load settles: the requests in flight, and their latency, when a rate is given and latency grows with load."""

import math
from collections.abc import Callable
from dataclasses import dataclass

MOST_IN_FLIGHT = 1e8
_SECANTS = 60
_NARROWINGS = 100


@dataclass(frozen=True, slots=True)
class Settled:
    """Requests in flight and seconds each takes, for which Little's law holds: concurrency = rate x latency.

    overloaded: there is no such point below the maximum, since requests arrive faster than they are answered; concurrency is then
    the largest number that was tried and latency what a request would take at it.
    """

    concurrency: float
    latency: float
    overloaded: bool = False


def settle(
    rate: float, latency_at: Callable[[float], float], *, most: float = MOST_IN_FLIGHT, tolerance: float = 1e-9
) -> Settled:
    """The smallest concurrency L that keeps up with a rate: L = rate x latency_at(L).

    rate: model calls per second. latency_at: seconds a call takes when so many are in flight, at least one; it should not fall
    with load, and may step or be infinite beyond a limit. Below one in flight on the mean, a call runs alone.

    Deterministic. Approached from below by secants, which cannot overshoot while latency bends upwards with load, then bracketed
    and narrowed to `tolerance` (relative). Where latency steps down across the point, the upper side is returned, which keeps up.
    """
    alone = latency_at(1.0)
    if not math.isfinite(alone):
        return Settled(1.0, math.inf, overloaded=True)
    if rate * alone <= 1:
        return Settled(rate * alone, alone)

    def excess(concurrency: float) -> float:
        """Requests that pile up: those that Little's law puts in flight, less those that are."""
        arrived = rate * latency_at(concurrency)
        return math.inf if math.isnan(arrived) else arrived - concurrency

    low, low_excess = 1.0, rate * alone - 1
    high = min(most, rate * alone)
    for step in range(_SECANTS + 2 * _NARROWINGS):
        if not low < high <= most or not math.isfinite(high):
            break
        high_excess = excess(high)
        if high_excess <= tolerance * high:
            return _narrowed(rate, excess, low, low_excess, high, high_excess, tolerance)
        if math.isinf(high_excess):  # past a limit: look below it
            most, high = high, (low + high) / 2
            if most - low <= tolerance * low:
                break
            continue
        if high == most:
            low = high
            break
        slope = (high_excess - low_excess) / (high - low)
        reach = high - high_excess / slope if slope < 0 and step < _SECANTS else 2 * high
        low, low_excess, high = high, high_excess, min(most, max(high + high_excess, reach))
        if math.isclose(low, most, rel_tol=tolerance):
            break
    return Settled(low, latency_at(low), overloaded=True)


def _narrowed(
    rate: float,
    excess: Callable[[float], float],
    low: float,
    low_excess: float,
    high: float,
    high_excess: float,
    tolerance: float,
) -> Settled:
    """The point between a concurrency that is too small and one that is not, by false position and bisection in turn."""
    for turn in range(_NARROWINGS):
        if high - low <= tolerance * high or abs(high_excess) <= tolerance * high:
            break
        # Every other cut is in the middle, so that a step or a bend in the latency cannot slow it down.
        middle = (low + high) / 2 if turn % 2 else high - high_excess * (high - low) / (high_excess - low_excess)
        middle_excess = excess(middle)
        if middle_excess <= 0:
            high, high_excess = middle, middle_excess
        else:
            low, low_excess = middle, middle_excess
            if middle_excess <= tolerance * middle:
                high, high_excess = low, low_excess
    return Settled(high, high / rate)
