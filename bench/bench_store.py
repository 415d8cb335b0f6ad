"""Four processes write to one store and are ended at random moments (SIGKILL): is every acknowledged write there?

python -m bench.bench_store [writes] [seed]
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from advisor.store import open_store

PROCESSES = 4


def interrupted(folder: Path, writes: int, seed: int) -> tuple[int, int, int, bool]:
    """Acknowledged writes, those of them that are missing, processes ended, and whether the file is whole.

    Each process writes its share; one that was ended is followed by another that goes on after its last acknowledged write.
    """
    chance = random.Random(seed)
    share = writes // PROCESSES
    done: dict[str, int] = {f"w{index}": 0 for index in range(PROCESSES)}
    acknowledged: list[str] = []
    ended = 0
    round_number = 0
    while any(count < share for count in done.values()):
        round_number += 1
        running = {
            mark: subprocess.Popen(
                [sys.executable, "-m", "bench.store_writer", str(folder), f"{mark}r{round_number}", str(count), str(share)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for mark, count in done.items()
            if count < share
        }
        told_by = {mark: "" for mark in running}
        for mark in chance.sample(sorted(running), len(running)):
            process = running[mark]
            assert process.stdout is not None
            # Not before it writes, and then at any moment.
            told_by[mark] = "".join(process.stdout.readline() for _ in range(chance.randint(1, 12)))
            time.sleep(chance.uniform(0, 0.02))
            if process.poll() is None:
                process.kill()
                ended += 1
        for mark, process in running.items():
            told = told_by[mark] + process.communicate()[0]
            # The last line may have been cut short.
            names = told[: told.rfind("\n") + 1].split()
            acknowledged += names
            done[mark] += len(names)
    with open_store(folder) as store:
        there = {each.name for each in store.listed()}
        return len(acknowledged), len(set(acknowledged) - there), ended, store.whole()


def main() -> None:
    writes, seed = (int(text) for text in (*sys.argv[1:], *("500", "1")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        acknowledged, missing, ended, whole = interrupted(Path(folder), writes, seed)
    sys.stdout.write(f"{acknowledged} writes acknowledged, {missing} missing, {ended} processes ended, whole: {whole}\n")
    sys.exit(1 if missing or not whole else 0)


if __name__ == "__main__":
    main()
