"""The layout of the store, as the steps that made it: an older file is brought up by those it has not had."""

import sqlite3

from advisor.errors import StoreError

# Step n brings a file of layout n to n + 1; steps that have been released are never changed.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "create table things (id integer primary key, kind text not null, name text not null collate nocase unique)",
        "create table versions (thing integer not null references things(id) on delete cascade, number integer not null,"
        " body text not null, source text, made_with text not null default '{}', at text not null, primary key (thing, number))",
    ),
    (
        "alter table things add column tags text not null default '[]'",
        "alter table things add column forked_from text",
    ),
)


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Bring a store to this layout, each step whole or not at all. Raises StoreError for one that a newer release wrote."""
    if _layout(connection) == len(MIGRATIONS):
        return
    refuse_newer(connection, where)
    connection.execute("begin immediate")
    try:
        # Another process may have done it in the meantime.
        refuse_newer(connection, where)
        for step in MIGRATIONS[_layout(connection) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"pragma user_version = {len(MIGRATIONS)}")
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def refuse_newer(connection: sqlite3.Connection, where: str) -> None:
    """Raises StoreError for a store of a layout that this release does not know."""
    if (found := _layout(connection)) > len(MIGRATIONS):
        raise StoreError(
            f"a newer release wrote it: its layout is {found}, and this release knows layouts up to {len(MIGRATIONS)}",
            where=where,
            hint="use the newer release, or name another folder in ADVISOR_STORE; nothing in it was changed",
        )


def _layout(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])
