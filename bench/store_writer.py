"""One of the processes that bench_store.py ends at a random moment: writes, and prints the name of each write once it is kept."""

import sys
from pathlib import Path

from advisor.store import open_store


def main() -> None:
    folder, mark, first, last = sys.argv[1:]
    with open_store(Path(folder)) as store:
        for number in range(int(first), int(last)):
            name = f"{mark}-{number}"
            store.keep("plan", name, "x" * 20_000)
            sys.stdout.write(name + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
