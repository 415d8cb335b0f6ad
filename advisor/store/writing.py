"""Rows of the store written through sqlite-utils, which is imported only here and only to write: it takes long to import."""

import json
import sqlite3

from advisor.store.kept import KeptKind, Version


def insert_thing(
    connection: sqlite3.Connection, kind: KeptKind, name: str, tags: tuple[str, ...] = (), forked_from: str | None = None
) -> int:
    """A row for a thing, and its number."""
    from sqlite_utils import Database

    table = Database(connection, execute_plugins=False).table("things")
    table.insert({"kind": kind, "name": name, "tags": json.dumps(tags), "forked_from": forked_from})
    return int(connection.execute("select id from things where name = ?", (name,)).fetchone()[0])


def insert_versions(connection: sqlite3.Connection, thing: int, versions: tuple[Version, ...]) -> None:
    """Rows for versions of a thing."""
    from sqlite_utils import Database

    Database(connection, execute_plugins=False).table("versions").insert_all(
        {"thing": thing, **version.model_dump(), "made_with": json.dumps(version.made_with)} for version in versions
    )
