"""Reading a JSON body: its size counted as it comes, then parsed strictly, so that every refusal is one of ours."""

import json
import re
from asyncio import timeout
from collections.abc import Mapping
from typing import Annotated, Any, NoReturn

from fastapi import Depends, Request
from starlette.requests import ClientDisconnect

from advisor.api.errors import refused
from advisor.errors import AdvisorError, DocumentError
from advisor.workload.document import Document
from advisor.workload.reading import LARGEST, to_document
from advisor.workload.refusal import shorten
from advisor.workload.tree import DEEPEST

_JSON_TYPE = re.compile(r"application/([\w.!#$&^+-]+\+)?json", re.IGNORECASE)
_CHARSET = re.compile(r"""\bcharset\s*=\s*"?([^\s;"]+)""", re.IGNORECASE)
_QUOTED_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
_LONGEST_NUMBER = 60
_ONE_OBJECT = "send one JSON object, such as a workload document"


async def read_body(request: Request, largest: int) -> bytes:
    """The body whole. Refuses what is larger, however it is sent, and what does not arrive in time."""
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and len(stated) < 20 and int(stated) > largest:
        _too_large(largest)
    content = bytearray()
    seconds = request.app.state.running.settings.body_seconds
    try:
        async with timeout(seconds):
            async for chunk in request.stream():
                content += chunk
                if len(content) > largest:
                    _too_large(largest)
    except ClientDisconnect:
        raise refused("malformed-body", "it ended before it was whole", where="body") from None
    except TimeoutError:
        raise refused(
            "body-too-slow", f"it was not whole after {seconds:g} seconds", where="body", hint="send it again"
        ) from None
    return bytes(content)


async def _body(request: Request) -> bytes:
    _check_media_type(request.headers)
    return await read_body(request, LARGEST)


def _two_documents(content: Annotated[bytes, Depends(_body)]) -> tuple[Document, Document]:
    given = read_json(content)
    if not isinstance(given, dict) or set(given) != {"a", "b"}:
        keys = ", ".join(sorted(map(shorten, given))) if isinstance(given, dict) else ""
        raise DocumentError(
            f"its keys are {keys}; expected a and b" if keys else "it has no keys; expected a and b",
            where="body",
            hint='send {"a": a workload document, "b": another}',
        )
    found = []
    for side in ("a", "b"):
        try:
            found.append(to_document(given[side]))
        except AdvisorError as error:
            raise error.at(side) from None
    return found[0], found[1]


JsonBody = Annotated[bytes, Depends(_body)]
"""The bytes of a body that is sent as JSON and no larger than a document can be."""
TwoDocumentsBody = Annotated[tuple[Document, Document], Depends(_two_documents)]
"""The two workload documents that a request carries, as `a` and `b`."""


def read_json(content: bytes) -> Any:
    """The data of a JSON text. Refuses what is ambiguous: a key twice in one object, NaN, infinities, halves of characters."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _malformed(f"it is not UTF-8 text: byte {error.start} cannot be read", hint="send it as UTF-8")
    if not text.strip():
        _malformed("it is empty", hint=_ONE_OBJECT)
    _check_depth(text)
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_int=_whole, parse_float=_decimal, parse_constant=_constant)
    except json.JSONDecodeError as error:
        place = f"body, line {error.lineno}, column {error.colno}"
        _malformed(f"{error.msg[:1].lower()}{error.msg[1:]}", where=place, hint=_ONE_OBJECT)
    if "\\ud" in text.lower():
        _check_characters(data)
    return data


def _check_media_type(headers: Mapping[str, str]) -> None:
    given = headers.get("content-type", "")
    kind = given.split(";")[0].strip()
    if not _JSON_TYPE.fullmatch(kind):
        said = f'"{shorten(kind)}" is given' if kind else "no Content-Type is given"
        raise refused(
            "unsupported-media-type",
            f"{said}; expected application/json",
            where="Content-Type",
            hint="send Content-Type: application/json",
        )
    charset = _CHARSET.search(given)
    if charset is not None and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise refused(
            "unsupported-media-type",
            f'the character set "{shorten(charset[1])}" is given',
            where="Content-Type",
            hint="send it as UTF-8",
        )
    check_coding(headers)


def check_coding(headers: Mapping[str, str]) -> None:
    """Refuses a compressed body, which could grow without end."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise refused(
            "unsupported-media-type",
            f'the body is encoded as "{shorten(coding)}"',
            where="Content-Encoding",
            hint="send it as it is",
        )


def _check_depth(text: str) -> None:
    """Looked at before parsing, which would descend by recursion."""
    depth = 0
    for found in _QUOTED_OR_BRACKET.finditer(text):
        mark = found[0]
        if mark in "[{":
            depth += 1
            if depth > DEEPEST:
                _malformed(f"it is nested more than {DEEPEST} levels deep", hint="no key of a document goes deeper than 8")
        elif mark in "]}":
            depth -= 1


def _check_characters(data: Any) -> None:
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        _malformed("it holds half of a character (a \\ud… without its other half)", hint="send the character itself, as UTF-8")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            _malformed(f'the key "{shorten(key)}" stands twice in one object', hint="keep one of the two")
        found[key] = value
    return found


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        _malformed(f"it holds a number of {len(text):,} digits", hint=f"no number needs more than {_LONGEST_NUMBER}")
    return int(text)


def _decimal(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        _malformed(f"{shorten(text)} is larger than any number that can be counted with")
    return value


def _constant(text: str) -> NoReturn:
    _malformed(f"{text} is no number of JSON", hint="leave out what is not known")


def _malformed(message: str, *, where: str = "body", hint: str | None = None) -> NoReturn:
    raise refused("malformed-body", message, where=where, hint=hint)


def _too_large(largest: int) -> NoReturn:
    raise refused(
        "body-too-large",
        f"it is larger than {largest:,} bytes",
        where="body",
        hint="a document or a quote holds a few pages of text",
    )
