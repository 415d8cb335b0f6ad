"""Figures from the sizing core for a conversation: one formula, its facts, and the result with its equation."""

from collections.abc import Mapping
from typing import Any

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.chat.records import Figure
from advisor.facts import Fact, answered
from advisor.library import Library
from advisor.sizing.candidates import model_facts
from advisor.sizing.formula import formulas
from advisor.sizing.trace import Trace
from advisor.units import number, show, show_base


def constant(library: Library, id: str, end: str = "typical") -> float:
    """The value of an efficiency that depends on nothing."""
    return float(getattr(library.get(Efficiency, id).cases[0], end))


def figure(library: Library, name: str, what: str, facts: Mapping[str, Any], *, constants: tuple[str, ...] = ()) -> Figure:
    """What a formula gives for these facts. constants: ids of efficiencies that it takes beside them."""
    known: dict[str, Any] = {**{id: constant(library, id) for id in constants}, **facts}
    registry = formulas()
    values = registry.evaluate([name], known)
    origins: dict[str, Fact] = {key: answered(key, value) for key, value in known.items() if isinstance(value, float | str)}
    made = Trace(registry, values, 0, origins).estimate(name)
    value = made.value if isinstance(made.value, float) else float("nan")
    return Figure(
        name=name,
        what=what,
        value=value,
        unit=made.unit,
        shown=written(value, made.unit),
        equation=made.equation,
        filled=made.filled,
        sources=made.sources,
    )


def cache_per_token(library: Library, model: Model) -> Figure:
    """KV cache of one token at 16 bit, all layers."""
    facts = {
        **model_facts(model),
        "kv_bits": 16.0,
        "pipeline_parallel": 1.0,
        "tensor_parallel": 1.0,
        "engine_family": "vllm",
        "engine_generation": "vllm-v1",
    }
    return figure(library, "kv_cache_per_token", "KV cache per token", facts)


def written(value: float, unit: str) -> str:
    """A figure as people quote it: memory in GB, money in USD."""
    if unit == "byte":
        return show(value, "GB" if value >= 1e9 else "MB")
    if unit == "byte/token":
        return f"{value:,.0f} B/token"
    if unit == "1/second":
        return f"{number(value)}/s"
    if unit == "USD":
        return f"{value:,.0f} USD"
    if unit == "watt":
        return f"{value:,.0f} W"
    return show_base(value, unit)
