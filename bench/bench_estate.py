"""How long an estate of many workloads takes to plan, twice with the same result, and again after one deadline has moved.

    make bench-estate

The programme stops by its gap or node count and never by the clock, so a slow machine gives the same plan later.
"""

import copy
import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from advisor.library import open_library
from advisor.plan.further import Further
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.workload.reading import to_document
from bench.estates import estate

WORKLOADS = 200


def planned(body: dict[str, Any], before: Plan | None = None) -> tuple[Plan, float, float]:
    """A plan, its seconds by the wall and of processor time."""
    document = to_document(copy.deepcopy(body))
    further = Further(previous=before.estate if before is not None else None)
    wall, busy = time.perf_counter(), time.process_time()
    made = make_plan(document, open_library(), further=further)
    return made, time.perf_counter() - wall, time.process_time() - busy


def told(name: str, made: Plan, wall: float, busy: float) -> None:
    """One line of figures."""
    found = made.estate
    assert found is not None
    sys.stdout.write(
        f"{name:28}{wall:8.2f} s   {busy:6.2f} s of processor   gap {100 * found.gap:.3f} %, {found.nodes} nodes, "
        f"{len(found.placements)} placements on {len(found.servers)} servers\n"
    )


def by_command(body: dict[str, Any]) -> float:
    """Wall time of the command, from its start to its text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "estate.yaml"
        file.write_text(yaml.safe_dump(body, sort_keys=False))
        command = [
            sys.executable,
            "-c",
            "from advisor.cli.main import main; main()",
            "plan",
            str(file),
            "-o",
            str(Path(folder) / "plan.txt"),
        ]
        begun = time.perf_counter()
        subprocess.run(command, check=True)
        return time.perf_counter() - begun


def main() -> None:
    """Print every figure."""
    workloads = int(sys.argv[1]) if len(sys.argv) > 1 else WORKLOADS
    body = estate(workloads)
    gc.disable()  # as the command does
    first, *times = planned(body)
    told(f"{workloads} workloads", first, *times)
    second, *times = planned(body)
    told("once more", second, *times)
    sys.stdout.write(f"{'the same result':28}{'yes' if first == second else 'NO':>8}\n")
    moved = copy.deepcopy(body)
    run = next(each for each in moved["workloads"] if each["kind"] == "fine-tuning")
    run["finish_within"] = "3 h"
    again, *times = planned(moved, first)
    told(f"deadline of {run['name']} moved", again, *times)
    assert again.estate is not None
    for change in again.estate.changes or ():
        sys.stdout.write(f"  {change.workload}: {change.before} -> {change.after} ({change.because})\n")
    sys.stdout.write(f"{'advisor plan FILE':28}{by_command(body):8.2f} s   aim 10 s on two cores\n")
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")


if __name__ == "__main__":
    main()
