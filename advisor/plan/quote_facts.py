"""The facts of a quote: what its lines and words give, constants, and every formula for which enough is known."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.server import Server
from advisor.facts import FactValue
from advisor.library import Library
from advisor.quote.dates import days_between
from advisor.quote.facts import QUOTE_FACTS
from advisor.quote.observing import observe
from advisor.quote.part import Part
from advisor.quote.quote import Quote
from advisor.quote.recognising import Recogniser
from advisor.quote.tally import Known
from advisor.quote.words import QuoteWords
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import Registry, all_formulas, at
from advisor.units import parse

_RECOGNISERS: dict[str, Recogniser] = {}
_SUBJECT = "advisor.sizing.quoted."
# Where a quote is silent, a sum goes without it; the finding says what it rests on.
_ZERO = ("quoted_stated_load", "quoted_measured_wall_power", "quoted_cpu_power")


def recogniser_for(library: Library) -> Recogniser:
    """The recogniser with a library's names and words; made when first asked for."""
    if library.content not in _RECOGNISERS:
        _RECOGNISERS[library.content] = Recogniser(
            accelerators={each.id: each for each in library.all(Accelerator)},
            servers={each.id: each for each in library.all(Server)},
            accelerator_names=library.ids_by_name(Accelerator),
            server_names=library.ids_by_name(Server),
            parts=library.all(Part),
            words=library.all(QuoteWords),
        )
    return _RECOGNISERS[library.content]


def known_of(library: Library) -> Known:
    """What the catalogue and the parts know of what a quote names."""
    recogniser = recogniser_for(library)
    return Known(recogniser.accelerators, recogniser.servers, recogniser.parts)


def quote_facts(quote: Quote, library: Library, *, today: date) -> dict[str, FactValue]:
    """Every fact of a quote that rules can read."""
    facts = dict(observe(quote, known_of(library)))
    facts.update(_time(quote, today))
    registry = all_formulas()
    constants = efficiency_columns([each for each in library.all(Efficiency) if each.id.startswith("quoted_")], {})
    values: dict[str, Any] = {**facts, **constants}
    values.setdefault("quoted_loader_workers", constants["quoted_usual_loader_workers"])
    for name in _ZERO:
        values.setdefault(name, 0.0)
    if "quoted_gpu_power" not in facts and facts.get("quoted_stated_load"):
        values["quoted_component_power"] = 0.0
    if facts.get("says_nodes_in_one_rack") and "quoted_nodes" in facts:
        values.setdefault("quoted_nodes_per_rack", facts["quoted_nodes"])
    # A quote may hold a zero where none belongs; NumPy's numbers divide by it without a word, and what comes of it is left out.
    values = {name: np.float64(value) if type(value) is float else value for name, value in values.items()}
    _node_power(values, registry)
    for name in _quantities(registry):
        _evaluate(name, values, registry)
    values = {name: value for name, value in values.items() if not _endless(value)}
    given = set(facts) | {"quoted_nodes_per_rack", "quoted_node_power"}
    return {
        name: _plain(value)
        for name, value in values.items()
        if name in QUOTE_FACTS and (name in given or name in registry.formulas or name in constants)
    }


def _node_power(values: dict[str, Any], registry: Registry) -> None:
    """Draw of a node: stated, or by what whole systems of its kind draw where its accelerators stand on a baseboard."""
    if values.get("quoted_link") in ("nvlink", "xgmi") and float(values.get("quoted_gpus_per_node", 0)) >= 8:
        _evaluate("quoted_system_power", values, registry)
        stated = values.get("quoted_node_power", 0.0)
        values["quoted_node_power"] = max(float(stated), float(values.get("quoted_system_power", 0.0)))
    elif "quoted_node_power" not in values:
        _evaluate("quoted_component_power", values, registry)
        if values.get("quoted_component_power"):
            values["quoted_node_power"] = values["quoted_component_power"]
    if not values.get("quoted_node_power"):
        values.pop("quoted_node_power", None)


def _evaluate(name: str, values: dict[str, Any], registry: Registry) -> None:
    """Add a quantity where all it is made from is known."""
    if name in values:
        return
    if _leaves(name, values, registry) <= values.keys():
        values.update(registry.evaluate([name], values))


def _leaves(name: str, values: Mapping[str, Any], registry: Registry) -> set[str]:
    found: set[str] = set()
    stack, seen = [name], set()
    while stack:
        each = stack.pop()
        if each in seen:
            continue
        seen.add(each)
        if each in values or each not in registry.formulas:
            found.add(each)
            continue
        for formula in registry.formulas[each]:
            stack.extend(formula.parameters)
    return found


def _quantities(registry: Registry) -> list[str]:
    return [
        name
        for name, variants in registry.formulas.items()
        if any(each.function.__module__.startswith(_SUBJECT) for each in variants)
    ]


def _plain(value: Any) -> FactValue:
    return value if isinstance(value, bool | str) else float(at(value, 0))


def _endless(value: Any) -> bool:
    return not isinstance(value, bool | str) and not np.all(np.isfinite(np.asarray(value, dtype=float)))


def _time(quote: Quote, today: date) -> dict[str, FactValue]:
    """The time until the end that the terms name, and accelerator time that is bought by the hour."""
    found: dict[str, FactValue] = {}
    end = quote.stated("terms_end")
    days = days_between(quote.date, str(end.value), today) if end is not None else None
    if days is not None and days > 0:
        found["quoted_time_available"] = parse(f"{days} days", "second")
    hours = quote.stated("totals_gpu_hours")
    if hours is not None and isinstance(hours.value, float):
        found["quoted_gpu_time"] = parse(f"{hours.value} h", "second")
    return found
