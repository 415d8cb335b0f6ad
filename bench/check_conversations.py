"""How many conversations with a right answer pass: facts, intent, verdict, numbers, what is said, not said and asked.

make check-conversations CASES=folder
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from advisor.chat.judging import judge, read_case, summary
from advisor.library import open_library


def check(folder: Path, names: Sequence[str] = ()) -> int:
    """Print what each case lacks; how many do not pass whole."""
    library = open_library()
    judged = []
    begun = time.perf_counter()
    for path in sorted(folder.glob("*.yaml")):
        if not names or any(path.name.startswith(name) for name in names):
            judged.append(judge(read_case(path), library))
    sys.stdout.write(f"{summary(judged)}\n{time.perf_counter() - begun:.2f} s\n")
    return sum(not each.passed for each in judged)


if __name__ == "__main__":
    sys.exit(1 if check(Path(sys.argv[1]), sys.argv[2:]) else 0)
