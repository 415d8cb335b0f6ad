"""`advisor catalog`: look things up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

from advisor.catalogue.record import field_unit
from advisor.cli.options import emit, json_option, knowledge_option, output_option, remark
from advisor.errors import AmbiguousNameError, UnknownNameError
from advisor.library import Library, open_library
from advisor.library.kinds import Kind, kind_named
from advisor.library.quantities import units_of
from advisor.units import number, show, show_base

_KINDS = ("models", "accelerators", "servers", "prices", "formats", "engines", "networks", "storage", "licences", "sources")


@click.command()
@click.argument("kind", type=click.Choice(_KINDS))
@click.argument("text", required=False, default="")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Most entries printed.")
@json_option
@knowledge_option
@output_option
def catalog(kind: str, text: str, limit: int, as_json: bool, knowledge: Path | None, output: Path | None) -> None:
    """List the entries of KIND that hold the words of TEXT; an exact name prints that entry alone.

    Words are looked for in ids and other names; of prices also in provider, instance, region and accelerator, of sources in
    title and authors. With --json, quantities are in base units (seconds, bytes, USD per second), which `units` names by
    field.

    \b
    Example: advisor catalog models "llama 70b"
    """
    found_kind = kind_named(kind)
    assert found_kind is not None
    found = _found(open_library(knowledge), found_kind, text)
    records = found[:limit]
    if as_json:
        entries = [record.model_dump(mode="json", exclude_none=True, by_alias=True) for record in records]
        emit(json.dumps({"units": units_of(found_kind.record), "entries": entries}, indent=2, ensure_ascii=False), output)
        return
    emit("\n".join(_line(kind, record) for record in records) if len(records) != 1 else _card(records[0]), output)
    if len(records) < len(found):
        remark(f"{len(records)} of {len(found)}; {'other' if text else 'add'} words to find others, or --limit")


def _found(library: Library, kind: Kind, text: str) -> tuple[BaseModel, ...]:
    """Every entry that the words name or that holds them. Raises UnknownNameError where none does."""
    if not text.strip():
        return library.all(kind.record)
    if library.has(kind.record, text):
        return (library.get(kind.record, text),)
    unknown: UnknownNameError | None = None
    if kind.named:
        try:
            return (library.find(kind.record, text),)
        except AmbiguousNameError as error:
            remark(error.message)
            return tuple(library.get(kind.record, id) for id in error.meanings)
        except UnknownNameError as error:
            unknown = error
    found = library.search(kind.record, text, limit=len(library.ids(kind.record)))
    if found:
        return found
    if unknown is None or unknown.hint is None:
        unknown = library.nothing_found(kind.record, text)
    raise unknown


def _line(kind: str, record: BaseModel) -> str:
    values: Any = record
    described = _DESCRIBED.get(kind, lambda _: "")(values)
    return f"{values.id:34}  {described}".rstrip()


def _card(record: BaseModel) -> str:
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
