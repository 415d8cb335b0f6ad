"""How long simulations take: an hour of ten requests a second on one replica, under every kind of load, and a recorded day.

python bench/bench_simulation.py [--runs 3]
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from advisor.sizing.serving.simulation.arrivals import Arrivals, bursty, closed_loop, on_off, poisson, recorded
from advisor.sizing.serving.simulation.events import simulate
from advisor.sizing.serving.simulation.lengths import Fixed, Lengths, Lognormal
from advisor.sizing.serving.simulation.result import SimulationResult
from advisor.sizing.serving.simulation.speed import ReplicaSpeed

HOUR, DAY = 3600.0, 86400.0
LIMITS = {"hour, poisson": 1.0, "day, recorded": 20.0}
# A step of about 20 ms at the batch that ten requests a second make, as of a 70B model on four accelerators.
SPEED = ReplicaSpeed(
    batches=(1, 8, 32, 64, 128, 256),
    decode_step_times=(0.015, 0.0155, 0.018, 0.021, 0.027, 0.039),
    prompt_time_per_token=30e-6,
    prompt_fixed_time=0.01,
    request_overhead=0.005,
    max_num_seqs=256,
    max_num_batched_tokens=8192,
    blocks=30_000,
    block_tokens=16,
    interference=0.83,
)


def main() -> None:
    """Measure and print one JSON object; exit 1 where a limit is missed."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--runs", type=int, default=3)
    runs = arguments.parse_args().runs
    fixed, spread = Lengths(Fixed(1000), Fixed(200)), Lengths(Lognormal(800, 2500), Lognormal(150, 500))
    hour = poisson(10, HOUR, 1)
    cases: dict[str, Callable[[], SimulationResult]] = {
        "hour, poisson": lambda: simulate(SPEED, hour, fixed),
        "hour, poisson, spread lengths": lambda: simulate(SPEED, hour, spread),
        "hour, bursts": lambda: simulate(SPEED, bursty(10, HOUR, 3, 1), spread),
        "hour, on and off": lambda: simulate(SPEED, on_off(10, HOUR, 30, 30, 1), spread),
        "hour, more than it can serve": lambda: simulate(SPEED, poisson(20, HOUR / 2, 1), fixed),
        "hour, four replicas, least loaded": lambda: simulate(SPEED, hour, fixed, replicas=4, routing="least-loaded"),
        "hour, too few blocks": lambda: simulate(replace(SPEED, blocks=4000), hour, spread),
        "64 clients, 36,000 requests": lambda: simulate(SPEED, closed_loop(64, requests_per_client=562), fixed),
    }
    figures = {name: _seconds(run, runs) for name, run in cases.items()}
    trace: Arrivals = recorded(poisson(10, DAY, 1).times)
    calls = []
    figures["day, recorded"] = _seconds(lambda: simulate(SPEED, trace, spread, progress=lambda done, _: calls.append(done)), 1)
    missed = [name for name, limit in LIMITS.items() if figures[name] > limit]
    shown = {name: round(value, 3) for name, value in figures.items()}
    sys.stdout.write(
        json.dumps({**shown, "progress_calls": len(calls), "load": os.getloadavg()[0], "missed": missed}, indent=1) + "\n"
    )
    sys.exit(bool(missed))


def _seconds(run: Callable[[], SimulationResult], runs: int) -> float:
    taken = []
    for _ in range(runs):
        begun = time.perf_counter()
        result = run()
        taken.append(time.perf_counter() - begun)
        if result.finished + result.rejections != result.requests:
            raise AssertionError("requests were lost")
    return statistics.median(taken)


if __name__ == "__main__":
    main()
