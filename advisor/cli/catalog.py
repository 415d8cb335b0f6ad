"""`advisor catalog`: look things up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

from advisor.cli.options import emit, json_option, knowledge_option, output_option
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
    """List the entries of KIND whose names contain the words of TEXT; an exact name prints that entry alone.

    \b
    Example: advisor catalog models "llama 70b"
    """
    from advisor.errors import AmbiguousNameError, UnknownNameError
    from advisor.library import open_library
    from advisor.library.kinds import kind_named

    found_kind = kind_named(kind)
    assert found_kind is not None
    library = open_library(knowledge)
    records: tuple[BaseModel, ...] = ()
    if text and found_kind.named:
        try:
            records = (library.find(found_kind.record, text),)
        except AmbiguousNameError as error:
            records = tuple(library.get(found_kind.record, id) for id in error.meanings)
            click.echo(error.message, err=True)
        except UnknownNameError as error:
            records = library.search(found_kind.record, text, limit=limit)
            if not records:
                raise error
    else:
        records = library.search(found_kind.record, text, limit=limit) if text else library.all(found_kind.record)[:limit]
    if as_json:
        emit(
            json.dumps(
                [record.model_dump(mode="json", exclude_none=True, by_alias=True) for record in records],
                indent=2,
                ensure_ascii=False,
            ),
            output,
        )
        return
    emit("\n".join(_line(kind, record) for record in records) if len(records) != 1 else _card(records[0]), output)
    total = len(library.ids(found_kind.record))
    if len(records) < total and not text:
        click.echo(f"{len(records)} of {total}; add words to find others, or --limit", err=True)


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
    from advisor.catalogue.record import field_unit

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
        f"{price.count or '?'} × {price.accelerator or price.sold_as}, "
        f"{_quantity(price.on_demand, 'USD/second')} on demand, {price.as_of or 'undated'}"
    ),
    "formats": lambda form: f"{form.bits:g} bits, {form.name}",
    "engines": lambda engine: f"{engine.name} {engine.current}",
    "networks": lambda network: network.name,
    "storage": lambda storage: storage.name,
    "licences": lambda licence: licence.name,
    "sources": lambda source: f"{source.title} ({source.as_of or 'undated'})",
}
