"""Everything declared in rules/ and knowledge/: read, cross-checked, compiled once into a SQLite cache, and looked up by name.

A library is made from several folders laid over one another: what ships (the installed copy's or the checkout's), the folder
in the user's configuration, those named in ADVISOR_KNOWLEDGE, and one given for a run. A later folder adds entries or replaces
those of the same id, and the library tells which were replaced.
"""

import hashlib
import os
import re
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, cast

from pydantic import BaseModel

from advisor.catalogue.names import nearest, nearest_meant, normal, part_of
from advisor.catalogue.record import BASE_UNITS
from advisor.errors import AmbiguousNameError, UnknownNameError
from advisor.library.database import Database, open_cache
from advisor.library.folders import cache_folder, files_of, shipped_folders, user_folders
from advisor.library.kinds import KINDS, Kind, kind_of
from advisor.library.searching import nothing_found

R = TypeVar("R", bound=BaseModel)

# Raised whenever the tables below change; a cache written by another version is rebuilt.
_LAYOUT = "5"
_KEPT_CACHES = 4
_KEPT_STATES = 16
_KEY = re.compile("[0-9a-f]{20}")


@dataclass
class Library:
    """The compiled library. Records are read from the cache when first asked for and kept for the process.

    Build it with `open_library`; one a process is enough, and any number of threads may read it. `close`, or leaving a `with`
    block, closes the cache; a library that is only forgotten closes it by itself.
    """

    folders: tuple[Path, ...]
    content: str
    database: Database
    _records: dict[tuple[str, str], BaseModel] = field(default_factory=dict, repr=False)
    _ids: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    _whole: set[str] = field(default_factory=set, repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the cache; entries that were not read before can no longer be."""
        self.database.close()

    def get(self, record: type[R], id: str) -> R:
        """The entry of this kind with this id. Raises UnknownNameError."""
        kind = kind_of(record)
        found = self._records.get((kind.name, id))
        if found is None:
            row = self.database.row("select body from entries where kind = ? and id = ?", kind.name, id)
            if row is None:
                raise UnknownNameError(f'no {kind.singular} has the id "{id}"', nearest=nearest(id, self.ids(record)))
            found = self._keep(kind, id, row[0])
        return cast(R, found)

    def all(self, record: type[R]) -> tuple[R, ...]:
        """Every entry of this kind, in the order of their files."""
        kind = kind_of(record)
        if kind.name not in self._whole:
            rows = self.database.rows("select id, body from entries where kind = ? order by position", kind.name)
            for id, body in rows:
                if (kind.name, id) not in self._records:
                    self._keep(kind, id, body)
            self._whole.add(kind.name)
        return tuple(cast(R, self._records[(kind.name, id)]) for id in self.ids(record))

    def ids(self, record: type[BaseModel]) -> tuple[str, ...]:
        """The ids of this kind."""
        kind = kind_of(record)
        if kind.name not in self._ids:
            rows = self.database.rows("select id from entries where kind = ? order by position", kind.name)
            self._ids[kind.name] = tuple(row[0] for row in rows)
        return self._ids[kind.name]

    def has(self, record: type[BaseModel], id: str) -> bool:
        """Whether an entry of this kind has this id."""
        kind = kind_of(record)
        if (kind.name, id) in self._records:
            return True
        return self.database.row("select 1 from entries where kind = ? and id = ?", kind.name, id) is not None

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
            raise UnknownNameError(f'no {kind.singular} is called "{name}"', nearest=self._close_to(kind, name), where=where)
        ids = list(dict.fromkeys(row[0] for row in rows if row[0]))
        note = rows[0][1]
        if not ids:
            raise UnknownNameError(f'"{name}" cannot be sized: {note}', where=where)
        if len(ids) > 1 or note:
            raise AmbiguousNameError(
                f'"{name}" can mean several {kind.name}{f" ({note})" if note else ""}', meanings=ids, where=where
            )
        return self.get(record, ids[0])

    def spellings(self, record: type[BaseModel]) -> list[tuple[str, str | None, str | None]]:
        """Every usual spelling of this kind with the id it stands for and what it leaves open, likeliest meaning first.

        Without an id it names what cannot be sized.
        """
        return cast(
            list[tuple[str, str | None, str | None]],
            self.database.rows(
                "select shown, id, note from names where kind = ? order by note is null, rank, rowid", kind_of(record).name
            ),
        )

    def _meanings(self, kind: Kind, column: str, text: str) -> list[tuple[str | None, str | None]]:
        return cast(
            list[tuple[str | None, str | None]],
            self.database.rows(
                f"select id, note from names where kind = ? and {column} = ? order by note is null, rank", kind.name, text
            ),
        )

    def _close_to(self, kind: Kind, name: str) -> tuple[str, ...]:
        """The ids of entries with a spelling close to a name that nobody has."""
        rows = self.database.rows(
            "select shown, id, note from names where kind = ? and id is not null order by note is not null, rank", kind.name
        )
        # What leaves the size or the version open is a part of each name it may stand for ("llama 70b"), and as good as that
        # name here; a task or a size alone is not ("reasoning model", "7b model"), and would make any entry look close.
        return nearest_meant(name, ((shown, id) for shown, id, note in rows if note is None or part_of(shown, id)))

    def ids_by_name(self, record: type[BaseModel]) -> dict[str, tuple[str, ...]]:
        """The normal form of every name of this kind, with the ids it may mean, likeliest first."""
        found: dict[str, tuple[str, ...]] = {}
        rows = self.database.rows(
            "select name, id from names where kind = ? and id is not null order by note is null desc, rank", kind_of(record).name
        )
        for name, id in rows:
            if id not in found.get(name, ()):
                found[name] = (*found.get(name, ()), id)
        return found

    def place(self, record: type[BaseModel], id: str) -> str:
        """The file an entry was read from, relative to its folder."""
        row = self.database.row("select place from entries where kind = ? and id = ?", kind_of(record).name, id)
        return row[0] if row else ""

    def search(self, record: type[R], text: str, *, limit: int = 50) -> tuple[R, ...]:
        """Entries that hold all words of `text`, the closest first; every entry for an empty text.

        Looked through are ids and other spellings, and what else people go by: titles, authors, makers, families and tasks; of
        a price its provider, instance, region and accelerator.
        """
        # What is written in the query's own marks is a word like any other; the text ends at a NUL for SQLite.
        words = [word.replace('"', '""') for word in normal(text.replace("\0", " ")).split("-") if word]
        if not words:
            return self.all(record)[:limit]
        rows = self.database.rows(
            "select id from search where search match ? and kind = ? order by rank, rowid limit ?",
            " AND ".join(f'"{word}"*' for word in words),
            kind_of(record).name,
            limit,
        )
        return tuple(self.get(record, row[0]) for row in rows)

    def nothing_found(self, record: type[BaseModel], text: str) -> UnknownNameError:
        """The error for words that no entry holds, with the nearest words that some do."""
        kind = kind_of(record)
        searched = self.database.rows("select text from search where kind = ?", kind.name)
        return nothing_found(kind, text, (row[0] for row in searched))

    @cached_property
    def overridden(self) -> tuple[str, ...]:
        """Entries that a later folder added or replaced, as "accelerators/h100-sxm (replaced, my.yaml)"."""
        return tuple(row[0] for row in self.database.rows("select text from overridden order by rowid"))

    @cached_property
    def knowledge_id(self) -> str:
        """Short hash of all knowledge but the rules."""
        return str(self._meta("knowledge"))

    @cached_property
    def rules_id(self) -> str:
        """Short hash of all rules."""
        return str(self._meta("rules"))

    def _meta(self, key: str) -> str:
        row = self.database.row("select value from meta where key = ?", key)
        return row[0] if row else ""

    def _keep(self, kind: Kind, id: str, body: str) -> BaseModel:
        record = kind.record.model_validate_json(body, context=BASE_UNITS)
        # Of two threads that read an entry at once, both get the one that was kept first.
        return self._records.setdefault((kind.name, id), record)


def open_library(knowledge: Path | None = None) -> Library:
    """The library of what ships with the user's folders laid over it; compiled when its content is new.

    Raises KnowledgeError where an entry does not fit, naming file and key. A broken or older cache is rebuilt; a cache folder
    that cannot be written costs only the time to compile.
    """
    folders = (*shipped_folders(), *user_folders(knowledge))
    content = _content_key(folders)
    path = cache_folder() / f"library-{content}.sqlite"
    database = open_cache(path, _LAYOUT)
    if database is None:
        from advisor.library.compiling import compile_library

        database = Database(compile_library(folders, content, path, layout=_LAYOUT))
        _prune(path)
    return Library(folders, content, database)


def _content_key(folders: tuple[Path, ...]) -> str:
    """Short hash of all that is declared and of what reads it.

    Reading some thousand files costs a fifth of a start, so that the hash is kept under the state of the files (path, size, time
    of change), by which a later start finds it.
    """
    files = [path for folder in folders for path in files_of(folder)]
    modules = [Path(str(sys.modules[name].__file__)) for name in dict.fromkeys(kind.record.__module__ for kind in KINDS)]
    state = hashlib.blake2b(_LAYOUT.encode(), digest_size=10)
    for path in (*files, *modules):
        found = path.stat()
        state.update(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    kept = cache_folder() / f"state-{state.hexdigest()}"
    if (known := _kept_key(kept)) is not None:
        return known
    digest = hashlib.blake2b(_LAYOUT.encode(), digest_size=10)
    for folder in folders:
        for path in files_of(folder):
            digest.update(str(path.relative_to(folder)).encode() + b"\0")
            digest.update(path.read_bytes())
    # What reads the files matters as much as what they hold.
    for path in modules:
        digest.update(path.read_bytes())
    _keep_key(kept, digest.hexdigest())
    return digest.hexdigest()


def _kept_key(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return None
    return text if _KEY.fullmatch(text) else None


def _keep_key(path: Path, key: str) -> None:
    """Keep a hash under its state, and the latest few of such; a folder that cannot be written keeps none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(key, encoding="ascii")
        beside.replace(path)
        for old in sorted(path.parent.glob("state-*"), key=lambda each: each.stat().st_mtime, reverse=True)[_KEPT_STATES:]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def _prune(newest: Path) -> None:
    """Remove all but the latest few caches; another process may hold or remove them too."""
    try:
        caches = sorted(newest.parent.glob("library-*.sqlite"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in caches[_KEPT_CACHES:]:
            path.unlink(missing_ok=True)
    except OSError:
        return
