"""What every request passes before a route and after it: who calls, how often, audit, headers, figures and the log.

Plain ASGI, since a layer of a framework's own kind would cost more than the answer to a plan asked for again.
"""

import hashlib
import json
import logging
import re
import secrets
import time
from math import ceil

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from advisor.api.errors import Refused, refused, respond_refused
from advisor.api.keeping import AuditRow, written
from advisor.api.repeated import PATH, Repeated
from advisor.api.running import Handled, Running
from advisor.api.scopes import EVERYBODY, Caller, is_audited, scope_of

access_log = logging.getLogger("advisor.api.access")
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_NOBODY = Caller(owner="", scopes=frozenset())
_SAFE = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_CONTENT_POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")


class Gate:
    """The application behind its gate."""

    def __init__(self, app: ASGIApp, running: Running, knowledge: str) -> None:
        """knowledge: what an unchanged entry of the library can be told by."""
        self._app = Repeated(app, running)
        self._running = running
        self._knowledge = knowledge
        self._hosts = frozenset(name.lower() for name in running.settings.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await _Exchange(self, scope).answer(receive, send)


class _Exchange:
    """One request and its answer."""

    def __init__(self, gate: Gate, scope: Scope) -> None:
        self._app, self._running, self._hosts = gate._app, gate._running, gate._hosts
        self._scope = scope
        self._method: str = scope["method"]
        self._path: str = scope["path"]
        self._headers = dict(scope["headers"])
        given = self._headers.get(b"x-request-id", b"")
        request = given.decode() if _REQUEST_ID.fullmatch(given) else secrets.token_hex(16)
        self._handled = Handled(request=request, caller=_NOBODY)
        self._needed = scope_of(self._method, self._path)
        self._status = 500
        self._tag = self._tag_of(gate._knowledge)
        self._started = time.perf_counter()
        scope["advisor.handled"] = self._handled

    async def answer(self, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
                await self._audited()
                message["headers"] = self._with_headers(list(message.get("headers", ())))
            await send(message)

        try:
            app: ASGIApp = self._app
            try:
                await self._admit()
                if self._tag is not None and self._tag in self._headers.get(b"if-none-match", b""):
                    app = _not_modified
            except Refused as error:
                app = respond_refused(error)
            try:
                await app(self._scope, receive, sending)
            except Refused as error:
                await respond_refused(error)(self._scope, receive, sending)
            except _NotAudited:
                self._status = 503
                failed = respond_refused(
                    refused("busy", "the audit cannot be written", hint="try again after Retry-After seconds")
                )
                await failed(self._scope, receive, send)
        finally:
            self._count()

    async def _admit(self) -> None:
        """Raises Refused for whoever may not call."""
        host = self._headers.get(b"host", b"").decode("latin-1").lower()
        if self._hosts and (host if host.endswith("]") else host.rpartition(":")[0] or host) not in self._hosts:
            raise refused(
                "wrong-host", "the request is addressed to another host", where="Host", hint="use the service's own name"
            )
        if self._needed is None:
            return
        if not self._running.settings.keys_required:
            self._handled.caller = EVERYBODY
            return
        self._handled.caller = caller = await self._identified()
        if (seconds := self._running.calls.take(caller.key or caller.owner)) > 0:
            raise refused("too-many-requests", "the key has called too often", hint="try again after Retry-After seconds").later(
                ceil(seconds)
            )
        if self._needed not in caller.scopes:
            raise refused("not-allowed", f'it needs the scope "{self._needed}"', hint="ask for a key with this scope")

    async def _identified(self) -> Caller:
        client = self._scope.get("client")
        address = client[0] if client else ""
        if (seconds := self._running.failures.wait(address)) > 0:
            raise refused("too-many-requests", "too many keys were refused", hint="try again after Retry-After seconds").later(
                ceil(seconds)
            )
        given = self._headers.get(b"authorization", b"").decode("latin-1")
        kind, _, credential = given.partition(" ")
        if kind.lower() != "bearer":
            credential = self._headers.get(b"x-api-key", b"").decode("latin-1")
        if not credential.strip():
            raise refused("not-authenticated", "no key is given", where="Authorization", hint="send Authorization: Bearer KEY")
        try:
            return await self._running.identity.caller(credential.strip())
        except Refused:
            self._running.failures.take(address)
            raise

    async def _audited(self) -> None:
        """Written before the answer is sent, so that nothing is answered that the audit does not know."""
        handled = self._handled
        if handled.caller is _NOBODY or not is_audited(self._method, self._path):
            return
        caller = handled.caller
        row = AuditRow(
            time.time(), handled.request, caller.owner, caller.key, self._method, self._path, self._status, handled.plan
        )
        try:
            await written(self._running.keeping.audit(row))
        except Exception as error:
            logging.getLogger("uvicorn.error").error("the audit cannot be written: %s", error)
            raise _NotAudited from None

    def _tag_of(self, knowledge: str) -> bytes | None:
        """The tag of an answer made of the library alone: it changes with the library, and never otherwise."""
        if self._method != "GET" or not (self._needed == "knowledge" or self._path.startswith("/problems")):
            return None
        told = b"\n".join((knowledge.encode(), self._path.encode("utf-8", "surrogateescape"), self._scope["query_string"]))
        return b'"' + hashlib.sha256(told).hexdigest()[:32].encode() + b'"'

    def _with_headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        names = {name.lower() for name, _ in headers}
        headers += [(b"x-request-id", self._handled.request.encode()), *_SAFE]
        if _CONTENT_POLICY[0] not in names:
            headers.append(_CONTENT_POLICY)
        if self._tag is not None and self._status in (200, 304):
            headers += [(b"etag", self._tag), (b"cache-control", b"private, no-cache"), (b"vary", b"Authorization")]
        elif b"cache-control" not in names:
            headers.append((b"cache-control", b"no-store"))
        return headers

    def _count(self) -> None:
        seconds = time.perf_counter() - self._started
        found = self._scope.get("route")
        route = getattr(found, "path", None) or (PATH if self._path == PATH else "none")
        method = self._method if self._method in ("GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS") else "other"
        figures = self._running.figures
        figures.requests.labels(method, route, str(self._status)).inc()
        figures.seconds.labels(route).observe(seconds)
        if self._running.settings.log_requests and access_log.isEnabledFor(logging.INFO):
            # The route and never the path or the query, which may hold words of the caller.
            caller = self._handled.caller
            told = {
                "time": time.time(),
                "request": self._handled.request,
                "owner": caller.owner or None,
                "key": caller.key,
                "method": method,
                "route": route,
                "status": self._status,
                "milliseconds": round(seconds * 1000, 2),
                "plan": self._handled.plan,
            }
            access_log.info(json.dumps({name: value for name, value in told.items() if value is not None}))


class _NotAudited(Exception):
    """The audit could not be written."""


async def _not_modified(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 304, "headers": []})
    await send({"type": "http.response.body", "body": b""})
