"""`advisor catalog`: look things up."""

import json
from pathlib import Path

import click
from pydantic import BaseModel

from advisor.cli.options import emit, json_option, knowledge_option, output_option, remark
from advisor.errors import AmbiguousNameError, UnknownNameError
from advisor.library import Library, open_library
from advisor.library.kinds import Kind, kind_named
from advisor.library.quantities import units_of
from advisor.report.entries import entry_card, entry_line

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
    emit("\n".join(entry_line(kind, record) for record in records) if len(records) != 1 else entry_card(records[0]), output)
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
