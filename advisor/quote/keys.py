"""Keys of a structured quote: the unit a key's ending tells, and what stands under `attributes`."""

import re
from collections.abc import Mapping
from typing import Any

from advisor.quote.numbers import number_in
from advisor.quote.quote import AttributeValue
from advisor.units import parse

# Endings of keys that tell the unit a bare number is in.
_ENDINGS = {
    "gb": ("GB", "byte"),
    "tb": ("TB", "byte"),
    "kw": ("kW", "watt"),
    "w": ("W", "watt"),
    "watts": ("W", "watt"),
    "gbps": ("Gbit/s", "byte/second"),
}
_ATTRIBUTES = {
    "memory_gb": "memory",
    "tdp_w": "power",
    "watts": "power",
    "power_w": "power",
    "stated_watts": "power",
    "limit_w": "power_limit",
    "total_gb": "total_memory",
    "total_tb": "total_capacity",
    "capacity_tb": "capacity",
    "raw_tb": "raw_capacity",
    "gbps_per_port": "port_speed",
}
_ATTRIBUTE_UNITS = {
    "memory": "GB",
    "total_memory": "GB",
    "total_capacity": "TB",
    "capacity": "TB",
    "raw_capacity": "TB",
    "port_speed": "Gbit/s",
}
_ATTRIBUTE_UNITS |= {"power": "W", "power_limit": "W"}
# Beyond any quantity or amount; also keeps out what YAML calls infinite or no number.
_LARGEST = 1e30


def attributes_under(given: Mapping[str, Any]) -> tuple[dict[str, AttributeValue], str | None, dict[str, float]]:
    """A line\'s attributes in base units, its words as a remark, and amounts that belong to the line itself."""
    found: dict[str, AttributeValue] = {}
    extra: dict[str, float] = {}
    remarks: list[str] = []
    for name, value in given.items():
        number = number_of(value)
        target = _ATTRIBUTES.get(name, name)
        if name == "unit":
            continue
        if name == "line_total" and number is not None:
            extra["line_total"] = number
        elif number is not None and target in _ATTRIBUTE_UNITS:
            unit = _ATTRIBUTE_UNITS[target]
            base = "watt" if unit == "W" else "byte/second" if unit == "Gbit/s" else "byte"
            found[target] = parse(f"{number} {unit}", base)
        elif number is not None:
            found[target] = number
        elif isinstance(value, str):
            remarks.append(value)
            found[target] = value
    return found, "; ".join(remarks) or None, extra


def with_unit(name: str, number: float) -> tuple[str, float, str]:
    """A key without the unit its name ends in ("rack_cooling_kw"), and the number in the base unit."""
    for ending, (unit, base) in _ENDINGS.items():
        if re.search(rf"_{ending}(?=_|$)", name):
            return re.sub(rf"_{ending}(?=_|$)", "", name), parse(f"{number} {unit}", base), base
    return name, number, "1"


def text_of(value: Any) -> str:
    """A scalar as text; nothing is empty."""
    return "" if value is None else str(value).strip()


def number_of(value: Any) -> float | None:
    """A scalar as a number; None for words, flags, collections, and numbers beyond all measure."""
    if value is None or isinstance(value, bool | Mapping | list):
        return None
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        return number_in(text, ".")
    return number if abs(number) < _LARGEST else None
