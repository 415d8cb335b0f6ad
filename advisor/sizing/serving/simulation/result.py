"""What came of a simulation: times of every request, their percentiles, and how full the replicas were."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Percentiles:
    """Mean and percentiles of a time over requests, in seconds; nan where no request has one."""

    mean: float
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True)
class SimulationResult:
    """One row per request that arrived, in order of arrival; times in seconds from the beginning, nan for what never happened.

    preemptions: how often a request gave its blocks up and was computed again.
    in_flight: requests that had neither finished nor been rejected when the simulation stopped.
    blocks, free_blocks: KV blocks of all replicas, and those free at the end; lowest_free_share: least that was ever free on one.
    mean_block_utilisation, busy_share: over the whole time, share of blocks in use and of time with a step under way.
    sample_times, blocks_in_use, waiting, running: the state of all replicas together at even moments.
    """

    arrival: Floats
    admitted: Floats
    first_token: Floats
    finish: Floats
    rejected: NDArray[np.bool_]
    preemptions: NDArray[np.int64]
    input_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    in_flight: int
    blocks: int
    free_blocks: int
    lowest_free_share: float
    mean_block_utilisation: float
    busy_share: float
    sample_times: Floats
    blocks_in_use: Floats
    waiting: Floats
    running: Floats

    @property
    def requests(self) -> int:
        """Requests that arrived."""
        return len(self.arrival)

    @property
    def finished(self) -> int:
        """Requests that got their last token."""
        return int(np.count_nonzero(~np.isnan(self.finish)))

    @property
    def rejections(self) -> int:
        """Requests that were rejected: too many waited, or no replica could ever hold them."""
        return int(np.count_nonzero(self.rejected))

    @cached_property
    def first_token_times(self) -> Floats:
        """Seconds from sending a request to its first token (TTFT), by request."""
        return self.first_token - self.arrival

    @cached_property
    def output_token_times(self) -> Floats:
        """Mean seconds per output token after the first (TPOT), by request; nan for answers of one token."""
        gaps = np.where(self.output_tokens > 1, self.output_tokens - 1, np.nan)
        return (self.finish - self.first_token) / gaps

    @cached_property
    def latencies(self) -> Floats:
        """Seconds from sending a request to its last token, by request."""
        return self.finish - self.arrival

    @cached_property
    def waiting_times(self) -> Floats:
        """Seconds from sending a request to its admission into a step, request overhead included, by request."""
        return self.admitted - self.arrival

    @cached_property
    def time_to_first_token(self) -> Percentiles:
        """Time to first token over requests."""
        return _percentiles(self.first_token_times)

    @cached_property
    def time_per_output_token(self) -> Percentiles:
        """Time per output token over requests."""
        return _percentiles(self.output_token_times)

    @cached_property
    def request_latency(self) -> Percentiles:
        """Latency over requests."""
        return _percentiles(self.latencies)

    @cached_property
    def waiting_time(self) -> Percentiles:
        """Time to admission over requests."""
        return _percentiles(self.waiting_times)

    @property
    def span(self) -> float:
        """Seconds from the first arrival to the last token; nan before there is one."""
        return float(np.nanmax(self.finish) - self.arrival[0]) if self.finished else nan

    @property
    def request_rate(self) -> float:
        """Requests finished per second, over the span."""
        return self.finished / self.span if self.finished else 0.0

    @property
    def output_token_rate(self) -> float:
        """Output tokens of finished requests per second, over the span."""
        return float(self.output_tokens[~np.isnan(self.finish)].sum()) / self.span if self.finished else 0.0

    @property
    def block_utilisation(self) -> Floats:
        """Share of all KV blocks in use at the sample times."""
        return self.blocks_in_use / self.blocks

    @property
    def peak_block_utilisation(self) -> float:
        """Largest share of its KV blocks that a replica ever used."""
        return 1 - self.lowest_free_share

    def arriving_between(self, begin: float, end: float) -> "SimulationResult":
        """The requests that arrived in this time: what is left without warm-up and cool-down. The replicas' figures stay."""
        chosen = (self.arrival >= begin) & (self.arrival < end)
        columns = ("arrival", "admitted", "first_token", "finish", "rejected", "preemptions", "input_tokens", "output_tokens")
        return replace(self, **{name: getattr(self, name)[chosen] for name in columns})


def _percentiles(times: Floats) -> Percentiles:
    known = times[~np.isnan(times)]
    if not known.size:
        return Percentiles(nan, nan, nan, nan)
    p50, p95, p99 = np.percentile(known, (50, 95, 99)).tolist()
    return Percentiles(float(known.mean()), p50, p95, p99)
