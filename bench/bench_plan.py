"""Measured times of what people wait for, each beside its aim and a yardstick taken in the same run.

    make bench

The yardstick is a Python process that imports numpy, pydantic, yaml and rich and does nothing; a slow or busy machine slows both.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.evidence.hosts import host_of
from advisor.library import open_library
from advisor.plan.making import make_plan
from advisor.sizing.candidates import EngineSettings, Question, candidates
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.size import size
from advisor.workload.reading import read_document

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "assistant.yaml"
YARDSTICK = "import numpy, pydantic, yaml, rich.console"
RUNS = 9


def seconds(command: list[str], environment: dict[str, str], runs: int = RUNS) -> float:
    """Median wall time of a command."""
    taken = []
    for _ in range(runs):
        begun = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def peak_megabytes(command: list[str], environment: dict[str, str]) -> float:
    """Peak resident memory of a command."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024


def in_process() -> dict[str, float]:
    """Warm plans through make_plan, with one accelerator and with the whole pool, in milliseconds of median wall time."""
    library, found = open_library(), {}
    document = read_document(EXAMPLE)
    workload = document.workloads[0]
    whole = document.model_copy(update={"workloads": (workload.model_copy(update={"accelerators": None}),)})
    for name, each in {"one accelerator": document, "whole pool": whole}.items():
        make_plan(each, library)
        taken = []
        for _ in range(25):
            begun = time.perf_counter()
            make_plan(each, library)
            taken.append(time.perf_counter() - begun)
        found[name] = 1000 * statistics.median(taken)
    return found


def candidates_per_second() -> float:
    """Rows of a large candidates table, built and sized with every quantity that a plan shows, per second."""
    library = open_library()
    engine = library.get(Engine, "vllm")
    parts = [part for part in library.all(Accelerator) if part.memory]
    question = Question(
        model=library.get(Model, "llama-3.1-70b"),
        hosts=tuple(host_of(library, part) for part in parts),
        formats=tuple(library.get(Format, id) for id in ("bf16", "fp8-e4m3-per-channel", "awq-int4-g128")),
        kv_format=library.get(Format, "bf16"),
        engine_family="vllm",
        era=engine.era(engine.current),
        settings=EngineSettings(),
        input_tokens=4000,
        output_tokens=500,
        concurrent_requests=50,
    )
    efficiencies = [library.get(Efficiency, id) for id in MEMORY_CONSTANTS]
    table = candidates(question)
    best = np.inf
    for _ in range(7):
        begun = time.perf_counter()
        size(candidates(question), efficiencies)
        best = min(best, time.perf_counter() - begun)
    return len(table) / best


def main() -> None:
    """Print every figure with its aim."""
    advisor = str(Path(sys.executable).parent / "advisor")
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "ADVISOR_CACHE": cache}
        yardstick = seconds([sys.executable, "-c", YARDSTICK], environment)
        subprocess.run([advisor, "plan", str(EXAMPLE)], env=environment, stdout=subprocess.DEVNULL, check=True)
        figures = {
            "yardstick: importing numpy, pydantic, yaml, rich": (yardstick, "s", "0.12 s on an idle machine"),
            "advisor --help": (seconds([advisor, "--help"], environment), "s", "0.15 s"),
            "advisor plan, cold process": (seconds([advisor, "plan", str(EXAMPLE)], environment), "s", "0.3 s"),
            "advisor plan, peak memory": (peak_megabytes([advisor, "plan", str(EXAMPLE)], environment), "MB", "100 MB"),
        }
        cold = Path(tempfile.mkdtemp(dir=cache))
        figures["advisor plan, without a compiled library"] = (
            seconds([advisor, "plan", str(EXAMPLE)], {**environment, "ADVISOR_CACHE": str(cold)}, runs=1), "s", "-",
        )  # fmt: skip
        for name, value in in_process().items():
            figures[f"make_plan, warm, {name}"] = (value, "ms", "20 ms")
    figures["candidates per second"] = (candidates_per_second(), "rows/s", "1,000,000")
    for name, (value, unit, aim) in figures.items():
        ratio = f"   {value / yardstick:5.2f} x yardstick" if unit == "s" else ""
        sys.stdout.write(f"{name:52}{value:>14,.3f} {unit:7} aim {aim}{ratio}\n")
    sys.stdout.write(
        json.dumps(
            {"load": os.getloadavg()[0], "cpus": os.cpu_count(), "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
