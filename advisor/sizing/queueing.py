"""Waiting before a fixed number of servers (M/M/c), and the number of replicas and slots that keep it short.

A server here is a slot of an engine: one of the sequences it runs at once, by its limit or by what its cache holds;
service_time is a request's time in it without waiting, at that batch. Arrivals are random (Poisson); service times that vary
less than exponentially shorten the wait (service_variation), and bursts lengthen it: simulate those.
"""

from collections.abc import Iterator
from itertools import count as count_from
from math import exp as exponential
from math import inf

import numpy as np

from advisor.errors import InputError
from advisor.sizing.formula import cite, formula
from advisor.units import (
    Count,
    Ratio,
    Requests,
    RequestsPerSecond,
    Seconds,
    TokensPerRequest,
    TokensPerSecond,
    by_element,
    ceil,
    exp,
    maximum,
)

_ERLANG = cite("erlang-c-walkthrough", "call centre of 55 agents")
_WAITS = cite("wolfram-erlang-c", "probability of waiting")
_VARIATION = cite("mgk-queue", "two-moment approximation")


@formula(sources=[_ERLANG])
def offered_load(arrival_rate: RequestsPerSecond, service_time: Seconds) -> Requests:
    """Servers that would be busy on the mean if nobody waited (erlangs)."""
    return arrival_rate * service_time


@formula(sources=[_ERLANG])
def occupancy(offered_load: Requests, servers: Count) -> Ratio:
    """Share of their time that servers are busy; at one and above, the queue grows without end."""
    return offered_load / servers


@formula(
    sources=[_ERLANG, _WAITS],
    method="Erlang's C from his B: B = 1, then B = a B / (k + a B) for k from 1 to the servers, a the offered load; "
    "C = B / (1 - occupancy (1 - B)). One where the servers cannot carry the load.",
)
def wait_probability(servers: Count, offered_load: Requests) -> Ratio:
    """Share of requests that have to wait at all."""
    return by_element(erlang_c, servers, offered_load)


@formula(sources=[_ERLANG, _VARIATION])
def mean_wait(
    wait_probability: Ratio, servers: Count, offered_load: Requests, service_time: Seconds, service_variation: Ratio
) -> Seconds:
    """Mean wait over all requests, those that do not wait included; infinite where the servers cannot carry the load.

    service_variation: standard deviation of service times over their mean; one for exponential times, zero for equal ones.
    """
    return wait_probability * service_time / maximum(servers - offered_load, 0) * (1 + service_variation**2) / 2


@formula(sources=[_ERLANG])
def waits_longer(
    wait_probability: Ratio, servers: Count, offered_load: Requests, service_time: Seconds, wait_limit: Seconds
) -> Ratio:
    """Share of requests that wait longer than the limit, with exponential service times."""
    return wait_probability * exp((offered_load - servers) * wait_limit / service_time)


@formula(sources=[_ERLANG])
def service_level(waits_longer: Ratio) -> Ratio:
    """Share of requests that begin within the limit."""
    return 1 - waits_longer


@formula(
    sources=[_ERLANG],
    method="max(0, ln(C / (1 - q)) x service time / (servers - offered load)), C the share that waits and q the share wanted; "
    "infinite where the servers cannot carry the load.",
)
def wait_within(
    wait_probability: Ratio, servers: Count, offered_load: Requests, service_time: Seconds, wanted_share: Ratio
) -> Seconds:
    """Wait that the wanted share of requests does not exceed (0.95 for the 95th percentile), with exponential service times."""
    free = np.asarray(servers, dtype=float) - offered_load
    waiting = np.asarray(wait_probability, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        wait = np.log(np.maximum(waiting / (1 - np.asarray(wanted_share)), 1)) * service_time / free
    return np.where(free > 0, wait, np.inf)


@formula(
    sources=[_WAITS],
    method="The fewest servers above the offered load with which Erlang's C is at most the share that may wait.",
)
def servers_needed(offered_load: Requests, waiting_share_limit: Ratio) -> Count:
    """Fewest servers with which no more than the given share of requests waits at all."""
    return by_element(fewest_servers, offered_load, waiting_share_limit)


@formula(
    sources=[_ERLANG],
    method="The fewest servers above the offered load with which the wanted share of requests begins within the limit: "
    "1 - C exp(-(servers - offered load) limit / service time), C Erlang's.",
)
def servers_for_service_level(offered_load: Requests, service_time: Seconds, wait_limit: Seconds, wanted_share: Ratio) -> Count:
    """Fewest servers with which the wanted share of requests waits no longer than the limit."""
    return by_element(fewest_servers_within, offered_load, service_time, wait_limit, wanted_share)


@formula()
def replicas_for_rate(
    peak_requests_per_second: RequestsPerSecond, replica_request_rate: RequestsPerSecond, target_utilisation: Ratio
) -> Count:
    """Replicas that carry the peak with room left; replica_request_rate is what one carries within its latency targets."""
    return ceil(peak_requests_per_second / (replica_request_rate * target_utilisation))


@formula()
def queue_limit(allowed_wait: Seconds, replica_request_rate: RequestsPerSecond, replicas: Count) -> Requests:
    """Longest queue worth keeping: whoever stands behind it would wait longer than is allowed, and is better refused at once."""
    return allowed_wait * replica_request_rate * replicas


@formula()
def model_token_rate(
    model_calls_per_second: RequestsPerSecond, input_tokens: TokensPerRequest, output_tokens: TokensPerRequest
) -> TokensPerSecond:
    """Tokens read and written in a second over all model calls."""
    return model_calls_per_second * (input_tokens + output_tokens)


@formula(sources=[cite("orpheus-streaming-issue-5", "12 streams on one H100")])
def real_time_factor(processing_time: Seconds, media_duration: Seconds) -> Ratio:
    """Time to make or read a piece of sound or video over how long it plays; above one, a live listener hears gaps."""
    return processing_time / media_duration


@formula(sources=[cite("orpheus-streaming-issue-5", "12 streams on one H100")])
def batching_gain(together: Count, time_alone: Seconds, time_together: Seconds) -> Ratio:
    """Throughput of several requests at once over that of one after another."""
    return together * time_alone / time_together


def erlang_b(servers: float, load: float) -> float:
    """Share of requests that find all servers busy where nobody waits (M/M/c/c). Raises InputError below zero."""
    if servers < 0 or load < 0:
        raise InputError(f"{servers:g} servers under a load of {load:g} erlangs: neither is below zero", where="queue")
    blocked = 1.0
    for k in range(1, int(servers) + 1):
        blocked = load * blocked / (k + load * blocked)
    return blocked


def erlang_c(servers: float, load: float) -> float:
    """Share of requests that wait before `servers` under `load` erlangs (M/M/c); one where the load is too much for them."""
    if load >= servers:
        return 1.0
    blocked = erlang_b(servers, load)
    return blocked / (1 - load / servers * (1 - blocked))


def fewest_servers_within(load: float, service_time: float, wait_limit: float, wanted_share: float) -> int:
    """Fewest servers with which `wanted_share` of requests waits at most `wait_limit`. Raises InputError outside 0 to 1."""
    if not 0 <= wanted_share < 1:
        raise InputError(f"a share of {wanted_share:g} within the limit; it lies from 0 to below 1", where="wanted_share")
    return next(
        count
        for count, waiting in _waiting_by_servers(load)
        if waiting * exponential(-(count - load) * wait_limit / service_time) <= 1 - wanted_share
    )


def fewest_servers(load: float, waiting_share: float) -> int:
    """Fewest servers with which at most `waiting_share` of requests waits. Raises InputError for a share outside 0 to 1."""
    if not 0 < waiting_share <= 1:
        raise InputError(f"a share of {waiting_share:g} may wait; it lies above 0 and up to 1", where="waiting_share_limit")
    return next(count for count, waiting in _waiting_by_servers(load) if waiting <= waiting_share)


def _waiting_by_servers(load: float) -> Iterator[tuple[int, float]]:
    """Numbers of servers that carry the load, the smallest first, and Erlang's C of each, made from that of one less."""
    if not 0 <= load < inf:
        raise InputError(f"no number of servers carries a load of {load:g} erlangs", where="offered_load")
    blocked = 1.0
    for servers in count_from(1):
        blocked = load * blocked / (servers + load * blocked)
        if servers > load:
            yield servers, blocked / (1 - load / servers * (1 - blocked))
