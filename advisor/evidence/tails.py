"""Calibrating tails: percentiles of simulated requests against the closed form's means, over a grid of loads.

`make calibrate-tails` (python -m advisor.evidence.tails) runs this in two minutes and writes knowledge/efficiencies/tails.yaml.
Held-out errors come from folds that leave whole configurations (lengths, slope of the step, speed of prompts) out.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import ceil, exp, log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.tail_files import PROCESSES
from advisor.sizing.formula import formulas
from advisor.sizing.serving.simulation.arrivals import Arrivals, bursty, closed_loop, poisson
from advisor.sizing.serving.simulation.events import simulate
from advisor.sizing.serving.simulation.lengths import Fixed, Lengths, Lognormal
from advisor.sizing.serving.simulation.speed import ReplicaSpeed
from advisor.sizing.serving.tails import COEFFICIENTS, LEAST_HEADROOM, PERCENTILES

Array = NDArray[np.float64]
LENGTHS = ((1000, 200), (4000, 500), (200, 800), (8000, 100))
# 95th percentile over the median of prompts and answers: all equal, a public conversation service (4 and 3.5), long answers.
SPREADS = ((1.0, 1.0), (4.0, 3.5), (2.0, 8.0))
BATCHES = (2, 8, 32, 96)
# Share of a decode step that grows with the batch, and seconds that a prompt token adds to a step.
SLOPES = (0.1, 0.35, 0.6)
PROMPT_TIMES = (15e-6, 40e-6, 120e-6)
STEP, OVERHEAD, INTERFERENCE, SEATS, BURSTINESS = 0.015, 0.005, 0.85, 512, 3.0
# A share of time that answers to load above this has no steady state worth the name; formulas hold it here.
LARGEST_SHARE = 0.8
FOLDS = 8
_Z95 = 1.6448536269514722
_FEATURES: dict[str, Callable[[Mapping[str, Any], str], Any]] = {
    "first_token_prompt_tail": lambda of, at: of["prefill_time"] * (of[f"input_tail_{at}"] - 1),
    "first_token_queue_tail": lambda of, _: of["prompt_queue_time"],
    "token_load_tail": lambda of, _: of["time_per_output_token"] * of["load_share"] * of["batch_swing"],
    "token_spread_tail": lambda of, _: (
        of["time_per_output_token"]
        * of["prompt_share"]
        * (1 / (of["input_tail_p50"] * of["output_tail_p50"]) - 1)
        / of["running_requests"] ** 0.5
    ),
    "latency_answer_tail": lambda of, at: (of["request_latency"] - of["time_to_first_token"]) * (of[f"output_tail_{at}"] - 1),
    "latency_load_tail": lambda of, _: of["request_latency"] * of["load_share"] * of["batch_swing"],
    "latency_queue_tail": lambda of, _: of["prompt_queue_time"],
}


@dataclass(frozen=True)
class Grid:
    """Simulated percentiles by quantity and percentile, one a point, with the closed form's quantities at the same points."""

    process: NDArray[np.str_]
    group: NDArray[np.int64]
    values: Mapping[str, Any]
    simulated: Mapping[str, Array]


@dataclass(frozen=True)
class Tail:
    """Fitted coefficients of one percentile under one arrival process, and the band of simulated over fitted values.

    error, ninetieth, bias, coverage: held out; of absolute relative errors the median and the ninetieth percentile.
    """

    coefficients: Array
    low: float
    high: float
    rows: int
    error: float
    ninetieth: float
    bias: float
    coverage: float


def grid_facts() -> dict[str, Any]:
    """The closed form's quantities at every point of the grid where the load leaves free seats and room for answers."""
    points = list(product(range(len(PROCESSES)), LENGTHS, SPREADS, BATCHES, SLOPES, PROMPT_TIMES))
    column = {
        "process": np.array([PROCESSES[point[0]] for point in points]),
        "input_tokens": np.array([float(point[1][0]) for point in points]),
        "output_tokens": np.array([float(point[1][1]) for point in points]),
        "input_p95_to_p50": np.array([point[2][0] for point in points]),
        "output_p95_to_p50": np.array([point[2][1] for point in points]),
        "running_requests": np.array([float(point[3]) for point in points]),
        "slope": np.array([point[4] for point in points]),
        "prompt_time_per_token": np.array([point[5] for point in points]),
    }
    places = [(point[1], point[4], point[5]) for point in points]
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places))}
    extra = column["prompt_time_per_token"] * column["input_tokens"]
    facts: dict[str, Any] = {
        **column,
        "group": np.array([numbers[place] for place in places]),
        "step_batch": column["running_requests"],
        "decode_step_time": np.full(len(points), STEP),
        "prefill_interference": INTERFERENCE,
        "prompt_extra_time": extra,
        "prefill_time": INTERFERENCE * extra,
        "cache_read_time": column["slope"] * STEP,
        "sequence_overhead": 0.0,
        "attention_data_parallel": 1.0,
        # Half a step is under way on the mean; the next one carries the prompt.
        "time_to_first_token": OVERHEAD + 1.5 * STEP + INTERFERENCE * extra,
        "request_seats": float(SEATS),
    }
    wanted = ["prompt_queue_time", "load_share", "batch_swing", "seat_headroom", "request_latency"]
    wanted += [f"{side}_tail_{percentile}" for side in ("input", "output") for percentile in PERCENTILES]
    values = formulas().evaluate(wanted, facts)
    answers = values["load_share"] * (1 - values["time_to_first_token"] / values["request_latency"])
    swing = np.where(values["process"] == "bursty", BURSTINESS, 1.0) * values["batch_swing"]
    room = (SEATS - values["running_requests"]) / (values["running_requests"] * swing) >= LEAST_HEADROOM
    kept = (values["process"] == "closed") | ((answers < LARGEST_SHARE) & room)
    size = len(points)
    return {
        name: value[kept] if np.shape(value) == (size,) else value
        for name, value in ((n, np.asarray(v)) for n, v in values.items())
    }


def run_grid(facts: Mapping[str, Any], *, requests: int = 4000, say: Callable[[str], None] | None = None) -> Grid:
    """Simulate every point; deterministic."""
    size = len(facts["process"])
    found: dict[str, list[float]] = {f"{quantity}_{at}": [] for quantity in COEFFICIENTS for at in PERCENTILES}
    for place in range(size):
        point = {name: value[place] if np.shape(value) == (size,) else value for name, value in facts.items()}
        for name, value in _simulated(point, requests, seed=place):
            found[name].append(value)
        if say and (place + 1) % 100 == 0:
            say(f"{place + 1} of {size} loads simulated")
    return Grid(facts["process"], facts["group"], facts, {name: np.array(values) for name, values in found.items()})


def _simulated(point: Mapping[str, Any], requests: int, seed: int) -> Iterator[tuple[str, float]]:
    batch, latency = int(point["running_requests"]), float(point["request_latency"])
    growth = float(point["slope"]) * STEP / batch
    fixed = STEP * (1 - float(point["slope"]))
    speed = ReplicaSpeed(
        batches=(1, SEATS),
        decode_step_times=(fixed + growth, fixed + SEATS * growth),
        prompt_time_per_token=float(point["prompt_time_per_token"]),
        prompt_fixed_time=fixed + growth,
        request_overhead=OVERHEAD,
        max_num_seqs=SEATS,
        max_num_batched_tokens=8192,
        blocks=10_000_000,
        block_tokens=16,
        interference=INTERFERENCE,
    )
    end = max(requests * latency / batch, 20 * latency)
    arrivals: Arrivals
    if point["process"] == "closed":
        arrivals = closed_loop(batch, requests_per_client=ceil(1.3 * end / latency) + 4, ramp=latency)
    elif point["process"] == "open":
        arrivals = poisson(batch / latency, end, seed)
    else:
        arrivals = bursty(batch / latency, end, BURSTINESS, seed)
    spread = Lengths(
        lognormal(float(point["input_tokens"]), float(point["input_p95_to_p50"])),
        lognormal(float(point["output_tokens"]), float(point["output_p95_to_p50"])),
        seed,
    )
    result = simulate(speed, arrivals, spread).arriving_between(3 * latency, end)
    for quantity in COEFFICIENTS:
        times = getattr(result, quantity)
        yield from ((f"{quantity}_{at}", float(getattr(times, at))) for at in PERCENTILES)


def lognormal(mean: float, p95_to_p50: float) -> Fixed | Lognormal:
    """Lengths with this mean whose 95th percentile is so many times their median; all equal where that is 1."""
    if p95_to_p50 <= 1:
        return Fixed(max(mean, 1))
    median = max(1.0, mean * exp(-((log(p95_to_p50) / _Z95) ** 2) / 2))
    return Lognormal(median, median * p95_to_p50)


def fit_tails(grid: Grid) -> dict[tuple[str, str, str], Tail]:
    """Coefficients, bands and held-out errors by process, quantity and percentile."""
    folds = np.random.RandomState(0).permutation(int(grid.group.max()) + 1)[grid.group] % FOLDS
    found: dict[tuple[str, str, str], Tail] = {}
    for process, quantity, at in product(PROCESSES, COEFFICIENTS, PERCENTILES):
        rows = grid.process == process
        target = grid.simulated[f"{quantity}_{at}"]
        base = np.broadcast_to(grid.values[quantity], target.shape)
        features = np.array(
            [np.broadcast_to(_FEATURES[name](grid.values, at), target.shape) for name in COEFFICIENTS[quantity]]
        ).T
        errors, inside = np.full(target.shape, np.nan), np.zeros(target.shape, dtype=bool)
        for fold in range(FOLDS):
            kept, held = rows & (folds != fold), rows & (folds == fold)
            ratio, (low, high) = _ratios(kept, target, base, features)
            errors[held] = 1 / ratio[held] - 1
            inside[held] = (ratio[held] >= low) & (ratio[held] <= high)
        coefficients = _least(features[rows], target[rows], base[rows])
        _, (low, high) = _ratios(rows, target, base, features)
        sizes = np.abs(errors[rows])
        found[process, quantity, at] = Tail(
            coefficients,
            min(low, 1.0),
            max(high, 1.0),
            int(rows.sum()),
            float(np.median(sizes)),
            float(np.quantile(sizes, 0.9)),
            float(np.mean(errors[rows])),
            float(np.mean(inside[rows])),
        )
    return found


def _ratios(kept: NDArray[np.bool_], target: Array, base: Array, features: Array) -> tuple[Array, tuple[float, float]]:
    """Simulated over fitted percentiles of all rows, by a fit on the kept ones, and between which four of five of these stand."""
    ratio = target / np.maximum(base + features @ _least(features[kept], target[kept], base[kept]), 1e-9)
    low, high = np.quantile(ratio[kept], (0.1, 0.9)).tolist()
    return ratio, (low, high)


def _least(features: Array, target: Array, base: Array) -> Array:
    """Coefficients from 0 up of the least absolute relative error, by reweighted least squares."""
    scaled, wanted = features / target[:, None], (target - base) / target
    used = np.flatnonzero(np.abs(scaled).max(axis=0) > 1e-6)
    while len(used):
        part = scaled[:, used]
        found = np.linalg.lstsq(part, wanted, rcond=None)[0]
        for _ in range(20):
            weight = 1 / np.sqrt(np.abs(wanted - part @ found) + 0.02)
            found = np.linalg.lstsq(part * weight[:, None], wanted * weight, rcond=None)[0]
        if np.all(found >= 0):
            result = np.zeros(features.shape[1])
            result[used] = found
            return result
        used = np.delete(used, int(np.argmin(found)))
    return np.zeros(features.shape[1])


def main() -> None:
    """Calibrate, write what ships, and print the held-out errors."""
    from advisor.evidence.tail_files import error_table, write_tails

    def say(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    found = fit_tails(run_grid(grid_facts(), say=say))
    write_tails(found, Path(__file__).resolve().parents[2] / "knowledge" / "efficiencies" / "tails.yaml")
    say(error_table(found))


if __name__ == "__main__":
    main()
