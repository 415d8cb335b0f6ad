"""One row under traffic: the event simulation of its replicas, fed with the row's own speed, and what requests see of it.

Imported where a simulation is asked for, never on the way to a plan.
"""

from collections.abc import Callable, Mapping
from math import exp
from typing import Any, Literal

import numpy as np

from advisor.errors import FormulaError, QuantityError
from advisor.evidence.tails import BURSTINESS, lognormal
from advisor.evidence.traces import RequestTrace
from advisor.plan.beside import SimulatedTimes, SimulationReport
from advisor.plan.settling import settle
from advisor.sizing.formula import at, formulas
from advisor.sizing.serving.simulation.arrivals import OpenArrivals, bursty, poisson, recorded
from advisor.sizing.serving.simulation.events import simulate
from advisor.sizing.serving.simulation.lengths import Fixed, Lengths, Lognormal, Recorded
from advisor.sizing.serving.simulation.result import Percentiles
from advisor.sizing.serving.simulation.speed import ReplicaSpeed

Progress = Callable[[int, int], None]
_MOST_BLOCKS = 10**9


def simulate_row(
    row_values: Mapping[str, Any],
    arrivals: Literal["poisson", "bursty"] | RequestTrace,
    *,
    rate: float | None = None,
    replicas: int,
    horizon: float = 3600.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> SimulationReport:
    """Simulate `replicas` replicas of a row for `horizon` seconds of arrivals, until the last request is answered.

    row_values: the row's facts and quantities, as `Sized` holds them (columns of one row, layer groups kept) or bare.
    rate: requests per second over all replicas; a trace keeps its own unless one is given, and its own lengths. Lengths are
    otherwise the row's means, spread by input_p95_to_p50 and output_p95_to_p50 where it has these. progress: done, and all.

    Raises QuantityError for settings outside their range, FormulaError for values that lack what the formulas start from.
    """
    if isinstance(arrivals, RequestTrace):
        rate_of_all = rate if rate is not None else arrivals.requests_per_second
        times = arrivals.arrivals * (arrivals.requests_per_second / rate_of_all)
        kept = times <= horizon
        coming = recorded(times[kept])
        lengths = Lengths(Recorded(arrivals.input_tokens[kept]), Recorded(arrivals.output_tokens[kept]), seed)
        says = f'arrivals and lengths of the trace "{arrivals.name}"'
    else:
        if rate is None or not rate > 0:
            raise QuantityError("a rate above 0 requests/s was expected", where="rate")
        rate_of_all = rate
        coming = _arrivals(arrivals, rate, horizon, seed)
        lengths = Lengths(_spread(row_values, "input"), _spread(row_values, "output"), seed)
        says = (
            "Poisson arrivals"
            if arrivals == "poisson"
            else f"bursty arrivals (gaps that deviate by {BURSTINESS:g} times their mean)"
        )
    speed, overloaded = replica_speed(row_values, rate_of_all / max(replicas, 1))
    result = simulate(speed, coming, lengths, replicas, progress=progress)
    return SimulationReport(
        time_to_first_token=_times(result.time_to_first_token),
        time_per_output_token=_times(result.time_per_output_token),
        request_latency=_times(result.request_latency),
        requests=result.requests,
        served=result.finished,
        rejected=result.rejections,
        preempted=int(np.count_nonzero(result.preemptions)),
        busiest_cache_share=result.peak_block_utilisation,
        requests_per_second=rate_of_all,
        overloaded=overloaded,
        method=(
            f"Event simulation of continuous batching on {_replicas(replicas)}: {says}, in turn to each replica, admission by "
            "KV blocks, chunked prefill, preemption of the last admitted; step times are the plan's own at each batch size."
        ),
    )


def replica_speed(row_values: Mapping[str, Any], rate: float) -> tuple[ReplicaSpeed, bool]:
    """One replica's speed and limits from a row's quantities, and whether `rate` (requests per second on it) overloads it.

    Fixed times are set so that, at the load where the rate settles and nobody queues, the mean time to first token is the closed
    form's. That takes the time spent on an idle replica and on a busy one by how often each is met.
    """
    facts = _without_load(row_values)

    def evaluated(wanted: tuple[str, ...], running: Any) -> dict[str, Any]:
        return formulas().evaluate(wanted, {**facts, "running_requests": np.atleast_1d(np.asarray(running, dtype=float))})

    limits = evaluated(("kv_tokens",), 1.0)
    ranks = float(at(facts["attention_data_parallel"], 0))
    seats = max(1, int(float(at(facts["max_num_seqs"], 0)) * ranks))
    batches = np.unique(np.rint(np.geomspace(1, seats, 33)))
    steps = _without_cache_limit(facts, batches)

    def latency_at(running: float) -> float:
        return float(at(evaluated(("request_latency",), running)["request_latency"], 0))

    settled = settle(rate, latency_at, most=4.0 * seats)
    running = max(settled.concurrency, 1.0)
    values = evaluated(("prompt_extra_time", "prefill_time", "decode_step_time", "time_per_output_token"), running)

    def one(name: str) -> float:
        return float(at(values[name] if name in values else facts[name], 0))

    tokens, added = one("input_tokens"), one("prompt_extra_time")
    fixed = max(0.0, one("prefill_time") - added)
    without_queue = (
        one("request_overhead")
        + one("prompt_token_overhead") * tokens
        + one("prefill_time")
        + one("steps_waited") * one("time_per_output_token")
    )
    idle = exp(-min(settled.concurrency, 700.0))
    interference = one("prefill_interference")
    in_engine = idle * (fixed + added) + (1 - idle) * (1.5 * one("decode_step_time") + interference * added)
    block_tokens = max(1, int(one("block_tokens")))
    room = float(at(limits["kv_tokens"], 0)) * ranks / block_tokens
    speed = ReplicaSpeed(
        batches=batches,
        decode_step_times=np.maximum.accumulate(steps),
        prompt_time_per_token=added / tokens,
        prompt_fixed_time=fixed,
        request_overhead=max(0.0, without_queue - in_engine),
        max_num_seqs=seats,
        max_num_batched_tokens=max(seats, int(one("max_num_batched_tokens") * ranks)),
        blocks=int(np.clip(np.nan_to_num(room, nan=_MOST_BLOCKS, posinf=_MOST_BLOCKS), 1, _MOST_BLOCKS)),
        block_tokens=block_tokens,
        interference=interference,
    )
    return speed, settled.overloaded


def _without_cache_limit(facts: dict[str, Any], batches: Any) -> Any:
    """Step times at every batch, those that the cache never holds at mean lengths included: short requests may make them."""
    values = formulas().evaluate(("decode_step_time",), {**facts, "running_requests": batches, "running_batch": batches})
    return np.broadcast_to(np.asarray(values["decode_step_time"], dtype=float), batches.shape)


def _without_load(row_values: Mapping[str, Any]) -> dict[str, Any]:
    """The row's facts, and quantities that do not hang on how many requests run, as columns of one row."""
    registry = formulas()
    found: dict[str, Any] = {}
    for name, value in row_values.items():
        if name == "running_requests" or (name in registry.formulas and "running_requests" in registry.needs([name])):
            continue
        column = np.asarray(value)
        found[name] = column[:, None] if name.startswith("group_") and column.ndim == 1 else value
    if "attention_data_parallel" not in found or "max_num_seqs" not in found:
        raise FormulaError(
            "the row has no max_num_seqs or attention_data_parallel", where="row_values", hint="hand over all its facts"
        )
    return found


def _arrivals(kind: str, rate: float, horizon: float, seed: int) -> OpenArrivals:
    if kind == "poisson":
        return poisson(rate, horizon, seed)
    if kind == "bursty":
        return bursty(rate, horizon, BURSTINESS, seed)
    raise QuantityError(f'"{kind}" was given; "poisson", "bursty" or a recorded trace was expected', where="arrivals")


def _spread(row_values: Mapping[str, Any], side: str) -> Fixed | Lognormal:
    mean = float(at(row_values[f"{side}_tokens"], 0))
    return lognormal(max(1.0, mean), float(at(row_values.get(f"{side}_p95_to_p50", 1.0), 0)))


def _replicas(count: int) -> str:
    return "one replica" if count == 1 else f"{count} replicas"


def _times(given: Percentiles) -> SimulatedTimes:
    known = {name: float(value) if np.isfinite(value := getattr(given, name)) else None for name in SimulatedTimes.model_fields}
    return SimulatedTimes.model_validate(known)
