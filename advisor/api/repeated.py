"""A plan asked for again, answered without being made again: the same bytes on the same day get the same answer.

It stands before the routes, since reading the request there would cost more than finding the answer.
"""

from asyncio import timeout
from datetime import date
from hashlib import sha256

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from advisor.api.errors import refused
from advisor.api.running import Running

PATH = "/v1/plans"
_MATTER = (b"content-type", b"content-encoding", b"accept", b"idempotency-key")


class Repeated:
    """The routes, with the answers of `POST /v1/plans` remembered where nothing was kept."""

    def __init__(self, app: ASGIApp, running: Running) -> None:
        self._app = app
        self._running = running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != PATH or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        first = await self._first(receive)
        if first.get("more_body", False) or first["type"] != "http.request":
            await self._app(scope, _again(first, receive), send)
            return
        key = _key(scope, first.get("body", b""))
        found = self._running.answers.get(key)
        self._running.figures.answers.labels("made" if found is None else "remembered").inc()
        if found is None:
            await self._app(scope, _again(first, receive), self._remembering(key, send))
            return
        media_type, body = found
        headers = [(b"content-length", str(len(body)).encode()), (b"content-type", media_type)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _first(self, receive: Receive) -> Message:
        seconds = self._running.settings.body_seconds
        try:
            async with timeout(seconds):
                return await receive()
        except TimeoutError:
            raise refused(
                "body-too-slow", f"it was not whole after {seconds:g} seconds", where="body", hint="send it again"
            ) from None

    def _remembering(self, key: bytes, send: Send) -> Send:
        media_type: bytes | None = None

        async def sending(message: Message) -> None:
            nonlocal media_type
            if message["type"] == "http.response.start":
                headers = dict(message["headers"])
                # What was kept carries the id of its owner's plan.
                alone = message["status"] == 200 and b"plan-id" not in headers
                media_type = headers.get(b"content-type") if alone else None
            elif media_type is not None and not message.get("more_body", False):
                self._running.answers.put(key, (media_type, message["body"]))
            await send(message)

        return sending


def _key(scope: Scope, body: bytes) -> bytes:
    headers = dict(scope["headers"])
    told = [str(date.today()).encode(), scope["query_string"], *(headers.get(name, b"") for name in _MATTER), body]
    # The lengths, so that no part can be taken for the end of the one before.
    return sha256(b"".join(b"%d:%b" % (len(each), each) for each in told)).digest()


def _again(first: Message, receive: Receive) -> Receive:
    """What was received first, and then what follows."""
    waiting = [first]

    async def receiving() -> Message:
        return waiting.pop() if waiting else await receive()

    return receiving
