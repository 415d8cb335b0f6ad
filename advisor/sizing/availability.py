"""Availability of services that need k of n replicas, the spares a target asks for, and failures that take all replicas at once.

Replicas are taken to fail independently; what they share (power, network, site, a faulty release) is common_availability, and no
number of replicas lifts a service above it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from math import exp, fsum, lgamma, log, log1p

import numpy as np

from advisor.errors import InputError
from advisor.sizing.formula import cite, formula
from advisor.units import Count, Ratio, Seconds, by_element

_BINOMIAL = cite("reliability-block-diagram", "k of n")
_METHOD = "The sum over i from needed to all replicas of C(replicas, i) p^i (1 - p)^(replicas - i), p the availability of one"
# Beyond this the answer is not more spares but better replicas.
MOST_SPARES = 1000


@formula(sources=[cite("reliability-block-diagram", "availability of a unit that is repaired")])
def replica_availability(mean_time_between_failures: Seconds, mean_time_to_repair: Seconds) -> Ratio:
    """Share of time one replica works: repair covers noticing, a new node, loading the model, and warming up."""
    return mean_time_between_failures / (mean_time_between_failures + mean_time_to_repair)


@formula(sources=[_BINOMIAL], method=_METHOD + ".")
def redundant_availability(needed_replicas: Count, provisioned_replicas: Count, replica_availability: Ratio) -> Ratio:
    """Share of time in which at least the needed replicas work, when replicas fail independently."""
    return by_element(availability_of, needed_replicas, provisioned_replicas, replica_availability)


@formula(sources=[_BINOMIAL])
def service_availability(redundant_availability: Ratio, common_availability: Ratio) -> Ratio:
    """Share of time a service works: enough replicas, and everything they share."""
    return redundant_availability * common_availability


@formula(sources=[cite("google-cre-availability", "a target as the downtime it allows")])
def downtime_per_year(service_availability: Ratio) -> Seconds:
    """Time in a year of 31536000 s (365 days) in which the service does not work as it should."""
    return (1 - service_availability) * 31536000


@formula(
    sources=[_BINOMIAL],
    method=_METHOD + ", times what the replicas share; spares are added one by one until this reaches the target. Infinite where "
    "no number of spares does.",
)
def spare_replicas(
    needed_replicas: Count, replica_availability: Ratio, common_availability: Ratio, availability_target: Ratio
) -> Count:
    """Fewest replicas beyond the needed ones with which the service reaches its target."""

    def spares(needed: float, one: float, common: float, target: float) -> float:
        found = fewest_spares(int(needed), one, target / common if common > 0 else np.inf)
        return np.inf if found is None else float(found)

    return by_element(spares, needed_replicas, replica_availability, common_availability, availability_target)


def availability_of(needed: float, provisioned: float, one: float) -> float:
    """Probability that at least `needed` of `provisioned` independent replicas work, each with probability `one`.

    Zero where fewer stand than are needed. Raises InputError for a probability outside 0 to 1.
    """
    if not 0 <= one <= 1:
        raise InputError(
            f"an availability of {one:g} is no share of time", where="replica_availability", hint="write 0.99 or 99 %"
        )
    k, n = int(needed), int(provisioned)
    if k > n:
        return 0.0
    if k <= 0 or one == 1:
        return 1.0
    # What fails is summed, which near one keeps the digits that count; by logarithms, as binomials leave the range of floats.
    return max(0.0, 1.0 - fsum(_exactly(i, n, one) for i in range(k)))


def _exactly(working: int, count: int, one: float) -> float:
    if one == 0:
        return float(working == 0)
    ways = lgamma(count + 1) - lgamma(working + 1) - lgamma(count - working + 1)
    return exp(ways + working * log(one) + (count - working) * log1p(-one))


def fewest_spares(needed: int, one: float, target: float, most: int = MOST_SPARES) -> int | None:
    """Fewest replicas beyond `needed` with which at least `needed` work for the share `target` of time.

    None where `most` are not enough, which is so for every target above what can be reached.
    """
    if target > 1 or (target == 1 and one < 1) or (one == 0 and target > 0):
        return None
    # Another replica never makes it worse, so the answer can be halved towards.
    found = bisect_left(range(most + 1), True, key=lambda extra: availability_of(needed, needed + extra, one) >= target)
    return None if found > most else found


def mean_time_between_failures_of(parts: Sequence[tuple[float, float]]) -> float:
    """Mean time between failures of a system that stops when any of its parts does.

    parts: (count, mean time between failures of one) of every kind; failures independent and at constant rates.
    Raises InputError where no part can fail.
    """
    rate = sum(count / each for count, each in parts)
    if rate <= 0:
        raise InputError("no part that could fail was given", where="parts")
    return 1 / rate
