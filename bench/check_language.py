"""How much of conversations with a right answer is understood: the facts in their turns and what they are after.

    make check-language CASES=folder

A case is a YAML file with turns and, under expect, facts (a name in words and a value with its unit) and intent. A fact counts
where a reading has its value: a name among the meanings, a figure in the same unit.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

from advisor.chat.facts_expected import is_understood
from advisor.interview.facts_in_text import understood
from advisor.interview.known_names import reader_of
from advisor.library import open_library


def check(folder: Path, names: Sequence[str] = ()) -> int:
    """Print what is understood of each case; how many cases are not wholly understood."""
    library = open_library()
    reader = reader_of(library)
    facts = right = intents = cases = whole = 0
    slowest = 0.0
    for path in sorted(folder.glob("*.yaml")):
        if names and not any(path.name.startswith(name) for name in names):
            continue
        case = yaml.safe_load(path.read_text(encoding="utf-8"))
        turns = []
        for turn in case["turns"]:
            begun = time.perf_counter()
            turns.append(reader.read(turn))
            slowest = max(slowest, time.perf_counter() - begun)
        got = understood(turns)
        missed = [
            f"{name}: {value}"
            for name, value in case["expect"]["facts"].items()
            if not is_understood(reader, got, turns, name, value)
        ]
        cases += 1
        facts += len(case["expect"]["facts"])
        right += len(case["expect"]["facts"]) - len(missed)
        same = got.intent == case["expect"]["intent"]
        intents += same
        whole += same and not missed
        mark = "  " if same and not missed else "! "
        intent = (
            "" if same else f"   intent {got.intent}, meant {case['expect']['intent']} {[turn.intents[:3] for turn in turns]}"
        )
        sys.stdout.write(f"{mark}{case['id']}{intent}\n" + "".join(f"     not understood: {each}\n" for each in missed))
    sys.stdout.write(
        f"{cases} cases: {right} of {facts} facts, {intents} intents, {whole} wholly; slowest turn {slowest * 1000:.1f} ms\n"
    )
    return cases - whole


if __name__ == "__main__":
    sys.exit(1 if check(Path(sys.argv[1]), sys.argv[2:]) else 0)
