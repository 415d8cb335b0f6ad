"""Compiling a library: every declared file read, checked against the others, and written into one SQLite file.

Runs only when the content is new; so the slow parts (YAML, validation, sqlite-utils) are imported here and nowhere on the way
of a command that finds its cache.
"""

import csv
import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from advisor.catalogue.ambiguous import AmbiguousName, ClosedNames
from advisor.catalogue.names import normal
from advisor.errors import AdvisorError, KnowledgeError
from advisor.library.database import connect
from advisor.library.folders import files_of
from advisor.library.kinds import AMBIGUOUS_FILE, CLOSED_FILE, KINDS, MEASURED_FOLDERS, Kind, kind_named
from advisor.library.problems import Written, knowledge_error
from advisor.library.references import check_references
from advisor.library.searching import searched_text

R = TypeVar("R", bound=BaseModel)
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Declared:
    """One entry as read: its kind, id, record, and the file it stands in."""

    kind: Kind
    id: str
    record: BaseModel
    place: str
    layer: int


@dataclass(frozen=True)
class Name:
    """A spelling that stands for an entry; none where it cannot be sized, and a note where it always needs a question."""

    kind: str
    shown: str
    id: str | None
    note: str | None
    rank: int


def compile_library(folders: tuple[Path, ...], content: str, path: Path, *, layout: str) -> sqlite3.Connection:
    """Read, check and write a library; the open database of it.

    The file is written under another name and moved into place, so that two processes that start at once do not disturb each
    other; where the folder cannot be written, the library lives in memory. Raises KnowledgeError naming file and key.
    """
    entries, names, overridden = read_folders(folders)
    check_references(entries, names)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".building-", suffix=".sqlite")
        os.close(handle)
    except OSError:
        return _written(":memory:", entries, names, overridden, content, layout)
    try:
        _written(temporary, entries, names, overridden, content, layout).close()
        os.replace(temporary, path)
        return connect(path)
    except (OSError, sqlite3.OperationalError):
        Path(temporary).unlink(missing_ok=True)
        return _written(":memory:", entries, names, overridden, content, layout)


def read_folders(folders: tuple[Path, ...]) -> tuple[list[Declared], list[Name], list[str]]:
    """Every entry and name of the folders, later folders over earlier ones; and what they replaced, in words."""
    entries: dict[tuple[str, str], Declared] = {}
    written: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    names: list[Name] = []
    overridden: list[str] = []
    for layer, folder in enumerate(folders):
        for path in files_of(folder):
            if path.relative_to(folder).parts[0] in MEASURED_FOLDERS:
                continue
            kind = _kind_of(folder, path)
            if path.name in (AMBIGUOUS_FILE, CLOSED_FILE) and kind.form == "mapping":
                names.extend(_read_names(kind, path, folder))
                continue
            for declared in _read_file(kind, path, folder, layer, written.setdefault(kind.name, [])):
                key = (kind.name, declared.id)
                earlier = entries.get(key)
                if earlier is not None and earlier.layer == layer:
                    raise KnowledgeError(
                        f'{kind.singular} "{declared.id}" is declared twice',
                        where=declared.place,
                        hint=f"it also stands in {earlier.place}",
                    )
                if layer >= 2:
                    what = "replaced" if earlier is not None else "added"
                    overridden.append(f"{kind.name}/{declared.id} ({what} by {path})")
                entries[key] = declared
    found = list(entries.values())
    return found, [*_own_names(found), *names], overridden


def _kind_of(folder: Path, path: Path) -> Kind:
    top = path.relative_to(folder).parts[0]
    kind = kind_named("rules") if folder.name == "rules" else kind_named(top)
    if kind is None:
        raise KnowledgeError(
            f'there is no kind of entry called "{top}"',
            where=str(path),
            hint=f"folders are {', '.join(kind.name for kind in KINDS)}",
        )
    return kind


def _read_file(kind: Kind, path: Path, folder: Path, layer: int, written: list[tuple[str, dict[str, Any]]]) -> Iterator[Declared]:
    """The entries of a file; each that fits is added to those `written`."""
    place = f"{folder.name}/{path.relative_to(folder)}"
    for where, body in _bodies(kind, path, place):
        record = _validated(kind, body, where, written)
        # The id of a table's row may be made of its cells.
        id = str(record.model_dump(include={"id"})["id"])
        written.append((id, body))
        yield Declared(kind, id, record, place, layer)


def _bodies(kind: Kind, path: Path, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of a file as written, each with its place and id."""
    if kind.form == "table":
        for line, row in _rows(path, place):
            yield f"{place}, line {line}", row
        return
    body = _yaml(path, place)
    if kind.form == "file":
        id = str(body.get("id", path.stem))
        family = {"family": path.parent.name} if "family" in kind.record.model_fields and "family" not in body else {}
        yield place, {**body, **family, "id": id}
        return
    for id, entry in body.items():
        if not isinstance(entry, dict):
            raise KnowledgeError(f"{entry!r} is not an entry; expected a mapping of its keys", where=f"{place}, {id}")
        yield f"{place}, {id}", {**entry, "id": str(id)}


def _yaml(path: Path, place: str) -> dict[str, Any]:
    try:
        body = yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise KnowledgeError(f"it cannot be read: {' '.join(str(error).split())}", where=place) from None
    if not isinstance(body, dict):
        raise KnowledgeError("it is not a mapping of keys", where=place)
    return body


def _rows(path: Path, place: str) -> Iterator[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        for row in reader:
            if None in row or None in row.values():
                raise KnowledgeError("the row has more or fewer cells than the heading", where=f"{place}, line {reader.line_num}")
            yield reader.line_num, {key: value for key, value in row.items() if value != ""}


def _validated(kind: Kind, body: dict[str, Any], place: str, written: Written) -> BaseModel:
    try:
        return kind.record.model_validate(body)
    except ValidationError as error:
        raise knowledge_error(error, place, kind.record, body, written) from None
    except AdvisorError as error:
        raise KnowledgeError(error.message, where=place, hint=error.hint) from None


def _read_names(kind: Kind, path: Path, folder: Path) -> Iterator[Name]:
    place = f"{folder.name}/{path.relative_to(folder)}"
    body = _yaml(path, place)
    if path.name == CLOSED_FILE:
        closed = _checked(ClosedNames, body, place)
        yield from (Name(kind.name, shown, None, closed.note, 0) for shown in closed.names)
        return
    for shown, given in body.items():
        ambiguous = _checked(AmbiguousName, given, f"{place}, {shown}")
        for rank, id in enumerate(ambiguous.meanings):
            yield Name(kind.name, str(shown), id, ambiguous.note or "say which", rank)


def _checked(record: type[R], body: Any, place: str) -> R:
    try:
        return record.model_validate(body)
    except ValidationError as error:
        raise knowledge_error(error, place, record, body) from None


def _own_names(entries: list[Declared]) -> Iterator[Name]:
    for declared in entries:
        if declared.kind.named:
            spellings = [declared.id, getattr(declared.record, "name", declared.id), *getattr(declared.record, "aliases", ())]
            for shown in dict.fromkeys(str(spelling) for spelling in spellings):
                yield Name(declared.kind.name, shown, declared.id, None, 0)


def _written(
    path: str, entries: list[Declared], names: list[Name], overridden: list[str], content: str, layout: str
) -> sqlite3.Connection:
    """The library in a new database, which stays open unless writing it fails."""
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        _write(connection, entries, names, overridden, content, layout)
    except BaseException:
        connection.close()
        raise
    return connection


def _write(
    connection: sqlite3.Connection,
    entries: list[Declared],
    names: list[Name],
    overridden: list[str],
    content: str,
    layout: str,
) -> None:
    from sqlite_utils import Database

    database = Database(connection)
    database.table("entries").insert_all(
        {
            "kind": declared.kind.name,
            "id": declared.id,
            "position": position,
            "place": declared.place,
            "body": declared.record.model_dump_json(exclude_defaults=True),
        }
        for position, declared in enumerate(entries)
    )
    database.table("entries").create_index(["kind", "id"], unique=True)
    database.table("names").insert_all(
        {
            "kind": name.kind,
            "name": normal(name.shown),
            "spelled": name.shown.casefold(),
            "shown": name.shown,
            "id": name.id,
            "note": name.note,
            "rank": name.rank,
        }
        for name in names
    )
    database.table("names").create_index(["kind", "name"])
    connection.execute("create virtual table search using fts5(kind unindexed, id unindexed, text)")
    connection.executemany("insert into search values (?, ?, ?)", _searched(entries, names))
    connection.execute("create table overridden (text text)")
    connection.executemany("insert into overridden values (?)", [(text,) for text in overridden])
    knowledge = _hash(declared for declared in entries if declared.kind.root == "knowledge")
    rules = _hash(declared for declared in entries if declared.kind.root == "rules")
    database.table("meta").insert_all(
        [
            {"key": "content", "value": content},
            {"key": "knowledge", "value": knowledge},
            {"key": "rules", "value": rules},
            {"key": "layout", "value": layout},
        ]
    )
    connection.commit()


def _searched(entries: list[Declared], names: list[Name]) -> Iterator[tuple[str, str, str]]:
    """Kind, id, and the words that people search an entry by."""
    spoken: dict[tuple[str, str], list[str]] = {}
    for name in names:
        if name.id is not None:
            spoken.setdefault((name.kind, name.id), []).append(name.shown)
    for declared in entries:
        accelerator = str(getattr(declared.record, "accelerator", None))
        own = (declared.id, *spoken.get((declared.kind.name, declared.id), ()), *spoken.get(("accelerators", accelerator), ()))
        yield declared.kind.name, declared.id, searched_text(declared.record, own)


def _hash(entries: Iterator[Declared]) -> str:
    digest = hashlib.blake2b(digest_size=4)
    for declared in entries:
        digest.update(f"{declared.kind.name}/{declared.id}:{declared.record.model_dump_json()}".encode())
    return digest.hexdigest()
