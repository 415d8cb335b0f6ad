"""The store: keep, look up, fork, rename, delete and share, each in one transaction that is whole or not at all."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from advisor.catalogue.names import nearest
from advisor.errors import DocumentError, InputError, StoreError, UnknownNameError
from advisor.store.kept import Kept, KeptKind, Listed, Shared, Version
from advisor.store.opening import connect, telling, transaction
from advisor.store.place import FILE, keeps, store_folder
from advisor.store.writing import insert_thing, insert_versions

_LONGEST_NAME = 200


class Store:
    """What one person keeps; one for each thread. Every method raises StoreError where the file cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def keep(
        self,
        kind: KeptKind,
        name: str,
        body: str,
        *,
        source: str | None = None,
        tags: tuple[str, ...] = (),
        made_with: dict[str, str] | None = None,
    ) -> int:
        """Keep a body under a name and return its version's number: once this returns, it is on disk.

        A name that is there gets a further version, and the tags beside its own. Raises InputError for an empty name, or one
        that something of another kind has.
        """
        name = _named(name)
        with telling(self.path), transaction(self._connection):
            row = self._connection.execute("select id, kind, tags from things where name = ?", (name,)).fetchone()
            if row is not None and row[1] != kind:
                raise InputError(f'"{name}" is already kept as {_a(row[1])}', hint="choose another name, or delete that one")
            thing = row[0] if row else insert_thing(self._connection, kind, name, tags)
            if row and tags:
                both = list(dict.fromkeys((*json.loads(row[2]), *tags)))
                self._connection.execute("update things set tags = ? where id = ?", (json.dumps(both), thing))
            found = self._connection.execute("select coalesce(max(number), 0) + 1 from versions where thing = ?", (thing,))
            number = int(found.fetchone()[0])
            now = datetime.now(UTC).isoformat(timespec="seconds")
            version = Version(number=number, body=body, source=source, made_with=made_with or {}, at=now)
            insert_versions(self._connection, thing, (version,))
        return number

    def listed(self, *, kind: KeptKind | None = None, tag: str | None = None) -> tuple[Listed, ...]:
        """What is kept, the latest first; of one kind or with one tag where they are given."""
        with telling(self.path):
            rows = self._connection.execute(
                "select kind, name, tags, number, made_with, at from things join versions on thing = id"
                " where number = (select max(number) from versions where thing = id) order by at desc, id desc"
            ).fetchall()
        every = (
            Listed(kind=row[0], name=row[1], tags=json.loads(row[2]), versions=row[3], made_with=json.loads(row[4]), at=row[5])
            for row in rows
        )
        return tuple(each for each in every if kind in (None, each.kind) and (tag is None or tag in each.tags))

    def get(self, name: str) -> Kept:
        """What is kept under a name. Raises UnknownNameError with the nearest names."""
        with telling(self.path), transaction(self._connection, "deferred"):
            row = self._row(name)
            versions = self._connection.execute(
                "select number, body, source, made_with, at from versions where thing = ? order by number", (row[0],)
            ).fetchall()
        return Kept(
            kind=row[1],
            name=row[2],
            tags=json.loads(row[3]),
            forked_from=row[4],
            versions=tuple(
                Version(number=each[0], body=each[1], source=each[2], made_with=json.loads(each[3]), at=each[4])
                for each in versions
            ),
        )

    def rename(self, name: str, to: str) -> None:
        """Give it another name. Raises InputError where that is taken."""
        to = _named(to)
        with telling(self.path), transaction(self._connection):
            row = self._row(name)
            if to.casefold() != row[2].casefold():
                self._refuse_taken(to)
            self._connection.execute("update things set name = ? where id = ?", (to, row[0]))

    def fork(self, name: str, to: str) -> None:
        """Keep its newest version under another name too, where it goes its own way. Raises InputError where that is taken."""
        to, kept = _named(to), self.get(name)
        with telling(self.path), transaction(self._connection):
            self._refuse_taken(to)
            thing = insert_thing(self._connection, kept.kind, to, kept.tags, kept.name)
            insert_versions(self._connection, thing, (kept.latest.model_copy(update={"number": 1}),))

    def delete(self, name: str) -> None:
        """Delete it with every version, and overwrite where it stood in the store and in the log.

        Copies that the disk itself or a backup made are beyond its reach. Raises StoreError where another process still reads:
        it is deleted then, and its traces go with the next deletion or when the last process closes the store.
        """
        with telling(self.path):
            with transaction(self._connection):
                self._connection.execute("delete from things where id = ?", (self._row(name)[0],))
            self._connection.execute("vacuum")
            busy = self._connection.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
        if busy:
            raise StoreError(
                f'"{name}" is deleted, but its traces stay in the log while another process reads',
                where=str(self.path),
                hint="close the other process",
            )

    def export(self, names: tuple[str, ...] = ()) -> str:
        """These, or all that is kept, as the text of one file. Raises UnknownNameError; InputError where nothing is kept."""
        names = names or tuple(each.name for each in self.listed())
        if not names:
            raise InputError("nothing is kept, so there is nothing to export", where=str(self.path))
        return Shared(things=tuple(self.get(name) for name in names)).model_dump_json(indent=1)

    def bring_in(self, content: str | bytes, where: str) -> tuple[str, ...]:
        """Keep what such a file holds and return the names; one that is taken gets a number behind it. Raises DocumentError."""
        try:
            shared = Shared.model_validate_json(content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise DocumentError(
                f"it is not a file that `advisor export` wrote: {first['msg']}", where=f"{where}, {place}" if place else where
            ) from None
        names = []
        with telling(self.path), transaction(self._connection):
            for kept in shared.things:
                name, number = _named(kept.name), 2
                while self._taken(name):
                    ending = f" ({number})"
                    name, number = kept.name[: _LONGEST_NAME - len(ending)] + ending, number + 1
                thing = insert_thing(self._connection, kept.kind, name, kept.tags, kept.forked_from)
                numbered = (each.model_copy(update={"number": at}) for at, each in enumerate(kept.versions, start=1))
                insert_versions(self._connection, thing, tuple(numbered))
                names.append(name)
        return tuple(names)

    def whole(self) -> bool:
        """Whether the file passes SQLite's integrity check."""
        with telling(self.path):
            return bool(self._connection.execute("pragma integrity_check").fetchone() == ("ok",))

    def _row(self, name: str) -> tuple[int, KeptKind, str, str, str | None]:
        row: tuple[int, KeptKind, str, str, str | None] | None = self._connection.execute(
            "select id, kind, name, tags, forked_from from things where name = ?", (name.strip(),)
        ).fetchone()
        if row is None:
            names = [each[0] for each in self._connection.execute("select name from things")]
            raise UnknownNameError(f'nothing is kept as "{name}"', nearest=nearest(name, names))
        return row

    def _taken(self, name: str) -> bool:
        return self._connection.execute("select 1 from things where name = ?", (name,)).fetchone() is not None

    def _refuse_taken(self, name: str) -> None:
        if self._taken(name):
            raise InputError(f'"{name}" is already kept', hint="choose another name, or delete that one")


def open_store(folder: Path | None = None) -> Store:
    """The store of a folder, or of the user's. Raises InputError where ADVISOR_KEEP is off, and StoreError."""
    if not keeps():
        raise InputError("nothing is kept", where="the environment variable ADVISOR_KEEP", hint="set it to on to keep")
    return Store((folder or store_folder()) / FILE)


def _named(name: str) -> str:
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(f"a name has 1 to {_LONGEST_NAME} printable characters, and this has {len(name)}", where="name")
    return name


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
