"""Whether the rules that ship hold at length: random facts against the conditions themselves, memory, and threads.

    make check-rules

10,000 sets of facts drawn near the thresholds of the rules must fire what their conditions say; 20,000 cases must run in flat
memory; and eight threads must lose no finding of theirs and get none of another's.
"""

import argparse
import gc
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "reasoning"))


def main() -> None:
    """Measure and print one JSON object; exit 1 where something does not hold."""
    from test_shipped_agreement import Drawn

    from advisor.library import open_library

    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--sets", type=int, default=10_000)
    arguments.add_argument("--cases", type=int, default=20_000)
    given = arguments.parse_args()
    drawn = Drawn(open_library())
    engine = drawn.engine

    def agrees(number: int) -> bool:
        values = drawn.facts(number)
        return {advice.rule for advice in engine.advise(values)} == drawn.expected(values)

    differing = sum(not agrees(number) for number in range(given.sets))
    kept = [drawn.facts(number) for number in range(200)]
    for values in kept:
        engine.advise(values)
    gc.collect()
    before = _resident()
    for number in range(given.cases):
        engine.advise(kept[number % len(kept)])
    gc.collect()
    grown = _resident() - before
    with ThreadPoolExecutor(8) as pool:
        wrong = sum(not right for right in pool.map(agrees, range(given.cases // 10)))
    found = {
        "rules": len(drawn.rules),
        "sets": given.sets,
        "sets_that_differ": differing,
        "cases": given.cases,
        "memory_grown_bytes": grown,
        "cases_from_threads": given.cases // 10,
        "cases_from_threads_that_differ": wrong,
    }
    sys.stdout.write(json.dumps(found) + "\n")
    sys.exit(bool(differing or wrong or grown > 16 * 2**20))


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
