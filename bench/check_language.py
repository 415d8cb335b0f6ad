"""How much of conversations with a right answer is understood: the facts in their turns and what they are after.

    make check-language CASES=folder

A case is a YAML file with turns and, under expect, facts (a name in words and a value with its unit) and intent. A fact counts
where a reading has its value: a name among the meanings, a figure in the same unit.
"""

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from advisor.errors import QuantityError
from advisor.interview.facts_in_text import Understood, accelerators_in_all, understood
from advisor.interview.known_names import reader_of
from advisor.language.reader import Reader
from advisor.library import open_library
from advisor.units import base_unit, parse

# Facts of the cases that stand under one name here; all others are compared with every reading.
_NAMES = {
    "model": ("model",),
    "embedding model": ("model",),
    "parameters": ("parameters",),
    "accelerator": ("accelerator", "instance"),
    "other accelerator": ("accelerator",),
    "method": ("method",),
    "precision": ("precision",),
    "engine": ("engine",),
    "nodes": ("node_count",),
    "host ram": ("host_memory",),
    "context length": ("sequence_length",),
    "batch size": ("batch", "micro_batch"),
    "tensor parallel": ("tensor_parallel",),
    "people": ("people",),
    "concurrent requests": ("concurrent_requests",),
    "input tokens": ("input_tokens",),
    "output tokens": ("output_tokens",),
    "budget": ("purchase_limit", "price"),
    "price": ("price",),
    "other price": ("price",),
    "utilisation": ("utilisation",),
    "sharding": ("sharding",),
    "cpu cores": ("cpu_cores",),
}
_KINDS = {"production use": ("environment",), "workload": ("kind", "modality"), "model kind": ("modality",)}


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
            if not _is_understood(reader, got, turns, name, value)
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


def _is_understood(reader: Reader, got: Understood, turns: Sequence[Any], name: str, value: Any) -> bool:
    if name == "accelerator count":
        counts = [accelerators_in_all(turn.readings) for turn in turns] + [accelerators_in_all(got.facts)]
        return float(value) in counts
    own = _NAMES.get(name)
    readings = [each for turn in turns for each in turn.readings if own is None or each.fact in own]
    if name in _KINDS:
        return any(each.fact in _KINDS[name] for turn in turns for each in turn.readings)
    if name == "method":
        return any(each.value == re.split(r"\W+", str(value).lower())[0] for each in readings)
    if "none" in str(value):
        return True
    wanted = reader.read(str(value))
    ids = {
        id
        for each in wanted.readings
        if each.fact in ("model", "accelerator", "server", "engine", "precision", "instance")
        for id in each.among
    }
    if ids:
        return any(ids & set(each.among) for each in readings)
    if name in ("accelerator", "other accelerator", "cpu", "instance", "model"):
        numbered = set(re.findall(r"[a-z]*\d\w{2,}", str(value).lower()))
        return any(numbered <= set(re.findall(r"[a-z]*\d\w{2,}", each.text.lower())) for each in readings)
    if any(
        isinstance(each.value, str) and re.sub(r"\W+", "-", each.value) in re.sub(r"\W+", "-", str(value).lower())
        for each in readings
    ):
        return True
    if (figure := _figure(str(value))) is not None:
        return any(
            isinstance(each.value, float) and any(_near(end, figure) for end in (each.value, each.upper)) for each in readings
        )
    plain = [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", str(value))]
    if plain:
        return any(
            isinstance(each.value, float) and (_near(each.value, plain[0]) or _near(each.value * 100, plain[0]))
            for each in readings
        )
    words = set(re.findall(r"[a-z0-9]{3,}", str(value).lower()))
    return any(words & set(re.findall(r"[a-z0-9]{3,}", f"{each.value} {each.text}".lower())) for each in readings)


def _figure(text: str) -> float | None:
    """The first figure with its unit, in base units."""
    match = re.search(r"(\d[\d,]*(?:\.\d+)?)(?:-(\d[\d.]*))?\s*([A-Za-z%]+(?:/[A-Za-z]+)?)", text)
    if match is None:
        return None
    number = float(match[1].replace(",", ""))
    if match[3] == "B":
        return number * 1e9
    if match[3] == "k":
        return number * 1024
    unit = re.sub(r"^images|^frames|^chunks", "x", match[3])
    try:
        return number * parse(f"1 {unit}", base_unit(unit))
    except QuantityError:
        return None


def _near(one: float | None, other: Any) -> bool:
    return one is not None and isinstance(other, int | float) and abs(one - other) <= 0.03 * abs(other)


if __name__ == "__main__":
    sys.exit(1 if check(Path(sys.argv[1]), sys.argv[2:]) else 0)
