"""One compiled library, open for reading, and shared by every thread of the process."""

import sqlite3
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import finalize


class Database:
    """A connection that takes one statement at a time, and is closed with what holds it.

    A statement takes microseconds and what it finds is kept, so threads that take turns lose nothing by it; a connection for
    each thread would have to open a file again that another process may have replaced by then.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._turn = Lock()
        # A connection that is only forgotten is a ResourceWarning from Python 3.13 on.
        self._closing = finalize(self, connection.close)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        with self._turn:
            return self._connection.execute(statement, values).fetchall()

    def row(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        """The first row of a statement, or None."""
        found = self.rows(statement, *values)
        return found[0] if found else None

    def close(self) -> None:
        """Close the connection; to close it again does nothing."""
        with self._turn:
            self._closing()


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a compiled library's file, which never changes once it has its name. Raises sqlite3.OperationalError."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)


def open_cache(path: Path, layout: str) -> Database | None:
    """A whole compiled library of this layout; None where there is none, or one that is damaged or of another layout."""
    if not path.is_file():
        return None
    try:
        database = Database(connect(path))
    except sqlite3.Error:
        return None
    try:
        written = database.row("select value from meta where key = 'layout'")
        if written == (layout,) and database.row("pragma quick_check") == ("ok",):
            return database
    except sqlite3.Error:
        pass
    database.close()
    return None
