"""What the service keeps in one SQLite file: keys, audit, idempotency and plans. Writes are committed in groups.

A group is whatever arrived while the one before was written, so that many requests share one wait for the disk; each is
answered only after its own rows are safe there.
"""

import asyncio
import hashlib
import hmac
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from advisor.errors import InputError

Result = TypeVar("Result")
_MOST_IN_GROUP = 256
_LAYOUT = """
create table if not exists secret (only integer primary key check (only = 1), value blob not null);
create table if not exists keys (
    id text primary key, hash blob not null, owner text not null, scopes text not null, created real not null,
    expires real, revoked real);
create table if not exists audit (
    number integer primary key, time real not null, request text not null, owner text not null, key text,
    method text not null, path text not null, status integer not null, plan text);
create index if not exists audit_of_owner on audit (owner, number);
create table if not exists idempotency (
    owner text not null, key text not null, request blob not null, plan text, since real not null,
    primary key (owner, key)) without rowid;
create table if not exists plans (
    owner text not null, id text not null, name text not null, made real not null, document text not null, plan blob not null,
    primary key (owner, id));
create index if not exists plans_of_owner on plans (owner, made);
"""


@dataclass(frozen=True)
class AuditRow:
    """Who did what, when. time: seconds since 1970; plan: the id of the kept plan concerned."""

    time: float
    request: str
    owner: str
    key: str | None
    method: str
    path: str
    status: int
    plan: str | None


@dataclass(frozen=True)
class KeptPlan:
    """A plan as it was kept: its document and the plan, both as JSON. made: seconds since 1970."""

    id: str
    name: str
    made: float
    document: str
    plan: bytes


class PlanRepository(Protocol):
    """Where kept plans stand; every method sees one owner's alone."""

    def plan_id(self, owner: str, document: str) -> str:
        """The id of a document's plan: the same for the same owner and document, and not to be guessed by anybody else."""
        ...

    def keep(self, owner: str, kept: KeptPlan, *, most: int) -> "Future[bool]":
        """Keep a plan; tells whether it is new. Raises InputError where the owner has `most` already."""
        ...

    def kept(self, owner: str, id: str) -> KeptPlan | None:
        """A kept plan."""
        ...

    def list_kept(self, owner: str, words: list[str], limit: int, offset: int) -> tuple[int, list[tuple[str, str, float]]]:
        """How many match, and id, name and time of those on a page, newest first."""
        ...

    def forget(self, owner: str, id: str) -> "Future[bool]":
        """Delete a kept plan; tells whether there was one."""
        ...


@dataclass(frozen=True)
class _Task:
    do: Callable[[sqlite3.Connection], None]
    finish: Callable[[Exception | None], None]


class Keeping:
    """The file, with one connection for reading and one thread that writes."""

    def __init__(self, path: Path | None = None) -> None:
        """path: the file, made where there is none; None keeps everything in memory. Raises InputError where it cannot."""
        name = f"file:advisor-{secrets.token_hex(8)}?mode=memory&cache=shared" if path is None else str(path)
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)
            self._writing = _connect(name, uri=path is None)
            self._reading = self._writing if path is None else _connect(name, uri=False)
            self._writing.executescript(_LAYOUT)
            with self._writing:
                self._writing.execute("insert or ignore into secret values (1, ?)", (secrets.token_bytes(32),))
            (self._secret,) = self._writing.execute("select value from secret").fetchone()
        except (OSError, sqlite3.Error) as error:
            raise InputError(
                f"the database cannot be used: {error}", where="setting database", hint="name a file in a folder you can write to"
            ) from None
        self._lock = threading.Lock()
        self._queue: SimpleQueue[_Task | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="advisor-keeping", daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Write what waits, and close."""
        self._queue.put(None)
        self._writer.join(timeout=10)
        with self._lock:
            self._reading.close()
            self._writing.close()

    def works(self) -> bool:
        """Whether the file can be read."""
        try:
            return bool(self._all("select 1"))
        except sqlite3.Error:
            return False

    # Keys.

    def add_key(self, owner: str, scopes: frozenset[str], expires: float | None) -> str:
        """Make a key and give its text, which is shown this once: only its hash is kept."""
        id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        row = (id, _hash(secret), owner, " ".join(sorted(scopes)), time.time(), expires)
        self.write(lambda to: to.execute("insert into keys values (?, ?, ?, ?, ?, ?, null)", row)).result()
        return f"adv_{id}_{secret}"

    def key_of(self, text: str) -> tuple[str, str, frozenset[str], float | None, float | None] | None:
        """Id, owner, scopes, expiry and revocation of the key with this text."""
        prefix, _, rest = text.partition("_")
        id, _, secret = rest.partition("_")
        found = self._all("select hash, owner, scopes, expires, revoked from keys where id = ?", id) if prefix == "adv" else []
        if not found or not hmac.compare_digest(found[0][0], _hash(secret)):
            return None
        _, owner, scopes, expires, revoked = found[0]
        return id, owner, frozenset(scopes.split()), expires, revoked

    def keys(self) -> list[tuple[str, str, str, float, float | None, float | None]]:
        """Id, owner, scopes, creation, expiry and revocation of every key."""
        return self._all("select id, owner, scopes, created, expires, revoked from keys order by created")

    def revoke(self, id: str) -> bool:
        """Revoke a key; tells whether there is one of this id."""
        asked = "update keys set revoked = coalesce(revoked, ?) where id = ?"
        return self.write(lambda to: to.execute(asked, (time.time(), id)).rowcount == 1).result()

    # Audit and idempotency.

    def audit(self, row: AuditRow) -> "Future[object]":
        """Write a row of the audit."""
        values = (row.time, row.request, row.owner, row.key, row.method, row.path, row.status, row.plan)
        return self.write(lambda to: to.execute("insert into audit values (null, ?, ?, ?, ?, ?, ?, ?, ?)", values))

    def audited(self, owner: str | None = None) -> list[AuditRow]:
        """The rows of an owner, or all, oldest first."""
        columns = "select time, request, owner, key, method, path, status, plan from audit"
        found = self._all(f"{columns} where owner = ?1 or ?1 is null order by number", owner)
        return [AuditRow(*row) for row in found]

    def claim(self, owner: str, key: str, request: bytes, *, stale: float) -> "Future[tuple[bytes, str | None] | None]":
        """Take an Idempotency-Key for a request; where it is taken, the hash of that request and the plan it led to.

        Keys count for a day; one whose request came to no end counts for `stale` seconds.
        """

        def taking(to: sqlite3.Connection) -> tuple[bytes, str | None] | None:
            found: tuple[bytes, str | None] | None
            now = time.time()
            to.execute("delete from idempotency where since < ? or (plan is null and since < ?)", (now - 86_400, now - stale))
            found = to.execute("select request, plan from idempotency where owner = ? and key = ?", (owner, key)).fetchone()
            if found is None:
                to.execute("insert into idempotency values (?, ?, ?, null, ?)", (owner, key, request, now))
            return found

        return self.write(taking)

    def settle(self, owner: str, key: str, plan: str | None) -> "Future[object]":
        """Tell what a claimed request led to; None gives the key back."""
        if plan is None:
            return self.write(lambda to: to.execute("delete from idempotency where owner = ? and key = ?", (owner, key)))
        return self.write(
            lambda to: to.execute("update idempotency set plan = ? where owner = ? and key = ?", (plan, owner, key))
        )

    # Plans: the PlanRepository.

    def plan_id(self, owner: str, document: str) -> str:
        """See PlanRepository."""
        text = f"{len(owner)} {owner} {document}".encode()
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:32]

    def keep(self, owner: str, kept: KeptPlan, *, most: int) -> "Future[bool]":
        """See PlanRepository."""

        def keeping(to: sqlite3.Connection) -> bool:
            new = to.execute("select 1 from plans where owner = ? and id = ?", (owner, kept.id)).fetchone() is None
            (count,) = to.execute("select count(*) from plans where owner = ?", (owner,)).fetchone()
            if new and count >= most:
                raise InputError(f"{count:,} plans are kept already", hint="delete some of them")
            row = (owner, kept.id, kept.name, kept.made, kept.document, kept.plan)
            to.execute("insert or replace into plans values (?, ?, ?, ?, ?, ?)", row)
            return new

        return self.write(keeping)

    def kept(self, owner: str, id: str) -> KeptPlan | None:
        """See PlanRepository."""
        found = self._all("select id, name, made, document, plan from plans where owner = ? and id = ?", owner, id)
        return KeptPlan(*found[0]) if found else None

    def list_kept(self, owner: str, words: list[str], limit: int, offset: int) -> tuple[int, list[tuple[str, str, float]]]:
        """See PlanRepository."""
        where = "from plans where owner = ?" + " and instr(lower(name || ' ' || id), ?) > 0" * len(words)
        ((total,),) = self._all(f"select count(*) {where}", owner, *words)
        asked = f"select id, name, made {where} order by made desc, id limit ? offset ?"
        return total, self._all(asked, owner, *words, limit, offset)

    def forget(self, owner: str, id: str) -> "Future[bool]":
        """See PlanRepository."""
        return self.write(lambda to: to.execute("delete from plans where owner = ? and id = ?", (owner, id)).rowcount == 1)

    # Reading and writing.

    def write(self, task: Callable[[sqlite3.Connection], Result]) -> "Future[Result]":
        """Have a task done in the next group; the result is there once the group is committed."""
        done: Future[Result] = Future()
        results: list[Result] = []

        def finish(error: Exception | None) -> None:
            if error is None:
                done.set_result(results[0])
            else:
                done.set_exception(error)

        self._queue.put(_Task(lambda to: results.append(task(to)), finish))
        return done

    def _all(self, asked: str, *values: object) -> list[Any]:
        with self._lock:
            return self._reading.execute(asked, values).fetchall()

    def _write(self) -> None:
        closing = False
        while not closing:
            group = [self._queue.get()]
            while len(group) < _MOST_IN_GROUP and not self._queue.empty():
                group.append(self._queue.get())
            closing = None in group
            tasks = [each for each in group if each is not None]
            # In memory one connection serves both; a file is read beside its writing.
            with self._lock if self._reading is self._writing else nullcontext():
                ends = _commit(self._writing, tasks)
            for task, error in zip(tasks, ends, strict=True):
                task.finish(error)


async def written(future: "Future[Result]") -> Result:
    """Wait for a write without holding the event loop."""
    return await asyncio.wrap_future(future)


def _commit(to: sqlite3.Connection, tasks: list[_Task]) -> list[Exception | None]:
    """Do a group in one transaction; the error of each task, once the others are safe."""
    try:
        to.execute("begin immediate")
        ends = [_attempt(to, task) for task in tasks]
        to.execute("commit")
    except sqlite3.Error as error:
        if to.in_transaction:
            to.execute("rollback")
        return [error for _ in tasks]
    return ends


def _attempt(to: sqlite3.Connection, task: _Task) -> Exception | None:
    """One task of a group in its own savepoint, so that its failure is its own."""
    to.execute("savepoint task")
    try:
        task.do(to)
    except Exception as error:
        to.execute("rollback to task")
        return error
    finally:
        to.execute("release task")
    return None


def _connect(name: str, *, uri: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(name, uri=uri, check_same_thread=False, isolation_level=None, timeout=10)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    return connection


def _hash(secret: str) -> bytes:
    # The secret has 256 random bits: a slow hash would add nothing.
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
