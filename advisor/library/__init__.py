"""Everything declared in rules/ and knowledge/: read, cross-checked, compiled once into a SQLite cache, and looked up by name.

A library is made from several folders laid over one another: what ships (the installed copy's or the checkout's), the folder
in the user's configuration, those named in ADVISOR_KNOWLEDGE, and one given for a run. A later folder adds entries or replaces
those of the same id, and the library tells which were replaced.
"""

import hashlib
import sqlite3
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from pydantic import BaseModel

from advisor.catalogue.names import nearest, normal
from advisor.catalogue.record import BASE_UNITS
from advisor.errors import AmbiguousNameError, UnknownNameError
from advisor.library.folders import cache_folder, files_of, shipped_folders, user_folders
from advisor.library.kinds import KINDS, Kind, kind_of

R = TypeVar("R", bound=BaseModel)

# Raised whenever the tables below change; a cache written by another version is rebuilt.
_LAYOUT = "4"
_KEPT_CACHES = 4


@dataclass
class Library:
    """The compiled library. Records are read from the cache when first asked for and kept for the process.

    Build it with `open_library`; one a process is enough.
    """

    folders: tuple[Path, ...]
    content: str
    database: sqlite3.Connection
    _records: dict[tuple[str, str], BaseModel] = field(default_factory=dict)

    def get(self, record: type[R], id: str) -> R:
        """The entry of this kind with this id. Raises UnknownNameError."""
        kind = kind_of(record)
        found = self._records.get((kind.name, id))
        if found is None:
            row = self.database.execute("select body from entries where kind = ? and id = ?", (kind.name, id)).fetchone()
            if row is None:
                raise UnknownNameError(f'no {kind.singular} has the id "{id}"', nearest=nearest(id, self.ids(record)))
            found = self._keep(kind, id, row[0])
        return cast(R, found)

    def all(self, record: type[R]) -> tuple[R, ...]:
        """Every entry of this kind, in the order of their files."""
        kind = kind_of(record)
        rows = self.database.execute("select id, body from entries where kind = ? order by position", (kind.name,)).fetchall()
        return tuple(cast(R, self._records.get((kind.name, id)) or self._keep(kind, id, body)) for id, body in rows)

    def ids(self, record: type[BaseModel]) -> tuple[str, ...]:
        """The ids of this kind."""
        rows = self.database.execute("select id from entries where kind = ? order by position", (kind_of(record).name,))
        return tuple(row[0] for row in rows.fetchall())

    def has(self, record: type[BaseModel], id: str) -> bool:
        """Whether an entry of this kind has this id."""
        found = self.database.execute("select 1 from entries where kind = ? and id = ?", (kind_of(record).name, id)).fetchone()
        return found is not None

    def find(self, record: type[R], name: str, *, where: str | None = None) -> R:
        """The entry that a usual spelling names.

        Raises AmbiguousNameError with the meanings where there are several, UnknownNameError with the nearest names where
        there is none; neither is guessed.
        """
        kind = kind_of(record)
        spelled = name.strip().casefold()
        if self.has(record, spelled):
            return self.get(record, spelled)
        # The spelling itself counts before its normal form: "deepseek-v3" is an id, "deepseek v3" a family of them.
        rows = self._meanings(kind, "spelled", spelled) or self._meanings(kind, "name", normal(name))
        if not rows:
            known = self.database.execute("select shown from names where kind = ?", (kind.name,)).fetchall()
            raise UnknownNameError(
                f'no {kind.singular} is called "{name}"', nearest=nearest(name, (row[0] for row in known)), where=where
            )
        ids = list(dict.fromkeys(row[0] for row in rows if row[0]))
        note = rows[0][1]
        if not ids:
            raise UnknownNameError(f'"{name}" cannot be sized: {note}', where=where)
        if len(ids) > 1 or note:
            raise AmbiguousNameError(
                f'"{name}" can mean several {kind.name}{f" ({note})" if note else ""}', meanings=ids, where=where
            )
        return self.get(record, ids[0])

    def _meanings(self, kind: Kind, column: str, text: str) -> list[tuple[str | None, str | None]]:
        return self.database.execute(
            f"select id, note from names where kind = ? and {column} = ? order by note is null, rank", (kind.name, text)
        ).fetchall()

    def place(self, record: type[BaseModel], id: str) -> str:
        """The file an entry was read from, relative to its folder."""
        row = self.database.execute("select place from entries where kind = ? and id = ?", (kind_of(record).name, id)).fetchone()
        return row[0] if row else ""

    def search(self, record: type[R], text: str, *, limit: int = 50) -> tuple[R, ...]:
        """Entries whose id, name, aliases or notes contain all words of `text`; every entry for an empty text."""
        # What is written in the query's own marks is a word like any other; the text ends at a NUL for SQLite.
        words = [word.replace('"', '""') for word in normal(text.replace("\0", " ")).split("-") if word]
        if not words:
            return self.all(record)
        query = " AND ".join(f'"{word}"*' for word in words)
        rows = self.database.execute(
            "select id from search where search match ? and kind = ? order by rank limit ?", (query, kind_of(record).name, limit)
        ).fetchall()
        return tuple(self.get(record, row[0]) for row in rows)

    @cached_property
    def overridden(self) -> tuple[str, ...]:
        """Entries that a later folder added or replaced, as "accelerators/h100-sxm (replaced, my.yaml)"."""
        rows = self.database.execute("select text from overridden order by rowid").fetchall()
        return tuple(row[0] for row in rows)

    @cached_property
    def knowledge_id(self) -> str:
        """Short hash of all knowledge but the rules."""
        return str(self._meta("knowledge"))

    @cached_property
    def rules_id(self) -> str:
        """Short hash of all rules."""
        return str(self._meta("rules"))

    def _meta(self, key: str) -> str:
        row = self.database.execute("select value from meta where key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def _keep(self, kind: Kind, id: str, body: str) -> BaseModel:
        record = kind.record.model_validate_json(body, context=BASE_UNITS)
        self._records[(kind.name, id)] = record
        return record


def open_library(knowledge: Path | None = None) -> Library:
    """The library of what ships with the user's folders laid over it; compiled when its content is new.

    Raises KnowledgeError where an entry does not fit, naming file and key. A broken or older cache is rebuilt; a cache folder
    that cannot be written costs only the time to compile.
    """
    folders = (*shipped_folders(), *user_folders(knowledge))
    content = _content_key(folders)
    path = cache_folder() / f"library-{content}.sqlite"
    database = _open_cache(path)
    if database is None:
        from advisor.library.compiling import compile_library

        database = compile_library(folders, content, path, layout=_LAYOUT)
        _prune(path)
    return Library(folders, content, database)


def _content_key(folders: tuple[Path, ...]) -> str:
    digest = hashlib.blake2b(_LAYOUT.encode(), digest_size=10)
    for folder in folders:
        for path in files_of(folder):
            digest.update(str(path.relative_to(folder)).encode() + b"\0")
            digest.update(path.read_bytes())
    # What reads the files matters as much as what they hold.
    for module in dict.fromkeys(kind.record.__module__ for kind in KINDS):
        source = sys.modules[module].__file__
        if source is not None:
            digest.update(Path(source).read_bytes())
    return digest.hexdigest()


def _open_cache(path: Path) -> sqlite3.Connection | None:
    if not path.is_file():
        return None
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        row = database.execute("select value from meta where key = 'layout'").fetchone()
        complete = row is not None and row[0] == _LAYOUT and database.execute("pragma quick_check").fetchone()[0] == "ok"
        return database if complete else None
    except sqlite3.DatabaseError:
        return None


def _prune(newest: Path) -> None:
    """Remove all but the latest few caches; another process may hold or remove them too."""
    try:
        caches = sorted(newest.parent.glob("library-*.sqlite"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in caches[_KEPT_CACHES:]:
            path.unlink(missing_ok=True)
    except OSError:
        return
