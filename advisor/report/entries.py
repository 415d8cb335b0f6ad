"""An entry of the catalogue or a rule in one line, or as a card with every figure in the unit people read it in."""

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel

from advisor.catalogue.record import field_unit
from advisor.conditions import Condition
from advisor.facts import FactValue
from advisor.reasoning.rule import AnyOf, Example, Rule
from advisor.units import number, show, show_base


def entry_line(kind: str, record: BaseModel) -> str:
    """An entry in one line: its id and what tells it from others."""
    values: Any = record
    described = _DESCRIBED.get(kind, lambda _: "")(values)
    return f"{values.id:34}  {described}".rstrip()


def entry_card(record: BaseModel) -> str:
    """Every known figure of one entry in the unit people read it in, with its sources last."""
    body = record.model_dump(mode="json", exclude_defaults=True)
    order = sorted(body, key=lambda name: (name in ("notes", "aliases", "sources", "checked"), list(body).index(name)))
    return "\n".join(f"{name.replace('_', ' '):20}{_value(type(record), name, getattr(record, name))}" for name in order)


def _value(record: type[BaseModel], name: str, value: Any) -> str:
    unit = field_unit(record, name)
    if isinstance(value, BaseModel):
        return ", ".join(
            f"{key.replace('_', ' ')} {_value(type(value), key, getattr(value, key))}" for key in value.model_fields_set
        )
    if isinstance(value, dict):
        return ", ".join(f"{key} {show_base(each, unit) if unit else each}" for key, each in value.items())
    if isinstance(value, tuple):
        return "; ".join(str(each) if name == "sources" else _value(record, name, each) for each in value)
    if record.__name__ == "Accelerator" and name == "memory":  # as the box prints it
        return show(value, "GB")
    if isinstance(value, float) and not isinstance(value, bool):
        return show_base(value, unit or "1", digits=4)
    return str(value)


def _quantity(value: float | None, unit: str) -> str:
    return "–" if value is None else show_base(value, unit)


_DESCRIBED: dict[str, Callable[[Any], str]] = {
    "models": lambda model: f"{number(model.parameters.total / 1e9, 4)} billion parameters, {model.task}, {model.name}",
    "accelerators": lambda part: (
        f"{part.name}, {_quantity(part.memory, 'byte')}, {_quantity(part.memory_bandwidth, 'byte/second')}, "
        f"{_quantity(part.power, 'watt')}"
    ),
    "servers": lambda server: (
        f"{server.name}, {server.accelerator_count} × {server.accelerator or server.accelerators or 'none'}"
    ),
    "prices": lambda price: (
        f"{number(price.count) if price.count else '?'} × {price.accelerator or price.sold_as}, "
        f"{_quantity(price.on_demand, 'USD/second')} on demand, {price.as_of or 'undated'}"
    ),
    "formats": lambda form: f"{form.bits:g} bits, {form.name}",
    "engines": lambda engine: f"{engine.name} {engine.current}",
    "networks": lambda network: network.name,
    "storage": lambda storage: storage.name,
    "licences": lambda licence: licence.name,
    "sources": lambda source: f"{source.title} ({source.as_of or 'undated'})",
}


def rule_card(rule: Rule) -> str:
    """A rule as its file says it, a line each."""
    lines = [f"{rule.id}  {rule.title}", f"severity  {rule.severity}", f"phase     {rule.phase}"]
    if rule.code:
        lines.append(f"code      {rule.code}")
    if rule.cause:
        lines.append(f"cause     {rule.cause}")
    if rule.subject:
        lines.append(f"for       each {rule.subject}")
    lines += _labelled("when", (_condition(each) for each in rule.when))
    lines += _labelled("sets", (f"{name}: {_fact_value(value)}" for name, value in rule.sets.items()))
    lines += [f"advice    {rule.advice}"] if rule.advice else []
    lines.append(f"because   {rule.because}")
    lines += [f"source    {source}" for source in rule.sources]
    lines += _labelled("fires", (_facts(each) for each in rule.examples.fires))
    lines += _labelled("silent", (_facts(each) for each in rule.examples.silent))
    return "\n".join(lines)


def _labelled(label: str, texts: Iterable[str]) -> list[str]:
    return [f"{'' if position else label:10}{text}" for position, text in enumerate(texts)]


def _condition(line: Condition | AnyOf) -> str:
    """A condition as written; every line of `when` must hold, of alternatives one."""
    return line.text if isinstance(line, Condition) else "any of: " + "; ".join(each.text for each in line.any)


def _facts(example: Example) -> str:
    return ", ".join(f"{name}: {_fact_value(value)}" for name, value in example.items()) or "nothing known"


def _fact_value(value: FactValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else number(value, 15)
