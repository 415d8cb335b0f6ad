"""Whether a fact that somebody wrote down in words ("accelerator: A100 80 GB") is among what was understood of a text."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from advisor.errors import QuantityError
from advisor.interview.facts_in_text import Understood, accelerators_in_all
from advisor.language.reader import Reader
from advisor.language.readings import Readings
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


def is_understood(reader: Reader, got: Understood, turns: Sequence[Readings], name: str, value: Any) -> bool:
    """Whether a reading has the value: a name among its meanings, a figure in the same unit."""
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


def follows(inferred: Mapping[str, Mapping[str, Any]], name: str, value: Any) -> bool:
    """Whether a fact that follows from the wording has the value."""
    own = {"accelerator count": "accelerators_in_all"}.get(name, name)
    entry = inferred.get(own)
    if entry is None:
        return False
    found = entry["value"]
    if isinstance(found, str):
        return found in str(value).lower()
    figure = _figure(str(value))
    return _near(found, figure if figure is not None else value)


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
