"""Facts that a quote's words state: phrases, measured figures, feeds and limits of the site."""

import re

from advisor.facts import FactValue
from advisor.quote.facts import SAYINGS
from advisor.quote.quote import Quote

_LIMITS = ("quoted_circuit_current", "quoted_rack_power_limit", "quoted_rack_cooling", "quoted_site_power", "quoted_room_cooling")
_TON = 3517.0  # watts that one ton of refrigeration removes
# Statement or key -> the fact it gives.
_GIVES = {
    "measured_wall_power": "quoted_measured_wall_power",
    "totals_measured_wall": "quoted_measured_wall_power",
    "measured_power": "quoted_stated_load",
    "totals_load": "quoted_stated_load",
    "totals_stated_load": "quoted_stated_load",
    "totals_psu": "quoted_supply_power",
    "totals_gpus": "stated_gpus",
    "totals_nodes": "stated_nodes",
    "totals_racks": "quoted_racks",
    "totals_node_max": "quoted_node_power",
    "totals_gpu_hours": "gpu_hours",
    "totals_it_gpu_nodes": "nodes_power",
    "measured_bandwidth": "quoted_measured_bandwidth",
    "expected_bandwidth": "quoted_expected_bandwidth",
    "oversubscription": "oversubscription",
    "card_power_limit": "quoted_card_power_limit",
    "stated_weights": "quoted_stated_weights",
    "loader_workers": "quoted_loader_workers",
    "training_tokens": "quoted_training_tokens",
    "deadline_days": "quoted_time_available",
    "later_water": "later_water_supply",
    "facility_later_water_supply_c": "later_water_supply",
    "facility_water_supply_c": "water_supply",
    "facility_rack_cooling": "quoted_rack_cooling",
    "rack_cooling": "quoted_rack_cooling",
    "facility_rack_power": "quoted_rack_power_limit",
    "facility_rack": "quoted_rack_power_limit",
    "rack_power": "quoted_rack_power_limit",
    "node_power": "quoted_node_power",
    "facility_nodes_per_rack": "quoted_nodes_per_rack",
    "nodes_per_rack": "quoted_nodes_per_rack",
    "circuit_current": "quoted_circuit_current",
    "circuit_voltage": "quoted_circuit_voltage",
    "circuit_phases": "quoted_circuit_phases",
    "circuit_feeds": "quoted_circuit_feeds",
    "lift_mass": "lift_mass",
    "input_tokens": "quoted_context_tokens",
}
_TITLED = re.compile(
    r"(?<![\d.,:-])(?<!to )(\d{1,5})(?:-(?:node|server|host)\b| (?:nodes|servers|hosts)\b)(?!\s*per)", re.IGNORECASE
)
_TITLED_GPUS = re.compile(
    r"(?<![\d.,])(\d{1,3}(?:,\d{3})*)\s*[x×]\s*(?:(?:NVIDIA|AMD|GeForce|Instinct|RTX|Tesla)\s+)*([A-Z]{0,4}\d\w*)", re.IGNORECASE
)
_PARTIAL = re.compile(r"(\d+) of (?:the )?(\d+) (?:nodes|servers|hosts)", re.IGNORECASE)


def _site_limits(quote: Quote, found: dict[str, FactValue]) -> None:
    """Limits under keys of the facility that no list foresees: what they are of is in the key's words."""
    for statement in quote.statements:
        if statement.name == "cooling_tons" and isinstance(statement.value, float):
            found["quoted_room_cooling"] = statement.value * _TON
        if not statement.name.startswith("facility_") or not isinstance(statement.value, float):
            continue
        words = statement.name.removeprefix("facility_")
        if statement.unit == "watt":
            rack, cooling = "rack" in words, "cool" in words
            name = "quoted_rack_cooling" if rack and cooling else "quoted_room_cooling" if cooling else None
            name = name or ("quoted_rack_power_limit" if rack else "quoted_site_power")
            found.setdefault(name, statement.value)
        elif "lift" in words or "elevator" in words:
            found.setdefault("lift_mass", statement.value)
        elif re.search("floor|door|depth|height|weight|ramp", words):
            found["says_way_limits"] = True


def said(quote: Quote) -> dict[str, FactValue]:
    """The facts a quote states in words or keys."""
    found: dict[str, FactValue] = {}
    for statement in quote.statements:
        if statement.name in SAYINGS:
            found[f"says_{statement.name}"] = True
        fact = _GIVES.get(statement.name)
        if fact is not None and isinstance(statement.value, float) and fact not in found:
            found[fact] = statement.value
    _site_limits(quote, found)
    if "quoted_context_tokens" not in found and (context := quote.stated("context_tokens")) and isinstance(context.value, float):
        found["quoted_context_tokens"] = context.value * 1000
    match = _TITLED_GPUS.search(quote.title)
    servers = " ".join(line.text for line in quote.lines if line.main is not None and line.main.kind in ("server", "node"))
    if match and match[2].casefold() not in servers.casefold():
        found["titled_gpus"] = float(match[1].replace(",", ""))
    if match := _TITLED.search(re.sub(r"\d+\s*-\s*\d+ nodes?", "", quote.title)):
        found["titled_nodes"] = float(match[1])
    for statement in quote.statements:
        if statement.name == "partial_fit" and (match := _PARTIAL.search(statement.text)):
            found["partial_nodes"], found["partial_of_nodes"] = float(match[1]), float(match[2])
    found["has_facility_limit"] = any(name in found for name in _LIMITS) or any(
        each.name.startswith("facility_rack_") for each in quote.statements
    )
    found["has_workload"] = bool(quote.workload.strip()) or bool(quote.wanted)
    return found
