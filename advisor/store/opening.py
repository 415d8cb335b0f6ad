"""Opening the store's file: private to its owner, safe for several processes, and its failures told in words."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from advisor.errors import StoreError
from advisor.store.migrations import migrate, refuse_newer

# How long one process waits for another that is writing, in seconds.
_PATIENCE = 30.0


def connect(path: Path) -> sqlite3.Connection:
    """A connection to the store, made where it is not there yet, in the layout of this release. Raises StoreError."""
    with telling(path):
        _make_private(path)
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            refuse_newer(connection, str(path))
            connection.execute("pragma foreign_keys = on")
            connection.execute("pragma secure_delete = on")
            _log_ahead(connection)
            # A write counts as kept once it would outlast a loss of power.
            connection.execute("pragma synchronous = full")
            migrate(connection, str(path))
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Turn failures of the disk and of SQLite into StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"it cannot be opened: {error.strerror}", where=str(path), hint=_ELSEWHERE) from None
    except sqlite3.Error as error:
        raise _told(error, path) from None


@contextmanager
def transaction(connection: sqlite3.Connection, mode: Literal["immediate", "deferred"] = "immediate") -> Iterator[None]:
    """Everything inside is written, or nothing, and other writers wait; deferred only reads, all of it from one moment."""
    connection.execute(f"begin {mode}")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        # A full disk ends the transaction by itself.
        with suppress(sqlite3.Error):
            connection.execute("rollback")
        raise


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Write ahead to a log. SQLite does not wait for other processes that turn it on at the same moment, so this does."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > until:
                raise
            time.sleep(0.02)


_ELSEWHERE = "name a folder that you can write in ADVISOR_STORE"
_REASONS = {
    "SQLITE_FULL": ("the disk is full; this was not kept, and what was kept before is unharmed", "free some space and try again"),
    "SQLITE_READONLY": ("it cannot be written; nothing in it was changed", _ELSEWHERE),
    "SQLITE_CANTOPEN": ("it cannot be opened", _ELSEWHERE),
    "SQLITE_BUSY": ("another process has been writing for too long; this was not kept", "try again when it is done"),
    "SQLITE_NOTADB": ("it is not a store", "move the file away, or name another folder in ADVISOR_STORE"),
    "SQLITE_CORRUPT": ("it is damaged", "move the file away and import what was exported from it"),
    "SQLITE_IOERR": ("the disk refused to read or write; what was kept before is unharmed", "look after the disk and try again"),
}


def _told(error: sqlite3.Error, path: Path) -> StoreError:
    name = getattr(error, "sqlite_errorname", "")
    for start, (reason, hint) in _REASONS.items():
        if name.startswith(start):
            return StoreError(reason, where=str(path), hint=hint)
    return StoreError(f"it cannot be used: {error}", where=str(path))


def _make_private(path: Path) -> None:
    """The folder for its owner alone where it is made here, and the file so in any case, before anything is written."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
