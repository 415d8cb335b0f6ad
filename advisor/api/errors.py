"""Refusals as application/problem+json (RFC 9457): an AdvisorError keeps its place, its hint and its nearest names."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from advisor.errors import (
    AdvisorError,
    AmbiguousNameError,
    DocumentError,
    InputError,
    ModelConfigError,
    QuantityError,
    UnknownNameError,
)
from advisor.workload.refusal import show_path

MEDIA_TYPE = "application/problem+json"
_log = logging.getLogger("uvicorn.error")


class Problem(BaseModel):
    """Why a request was refused, and what to do about it (RFC 9457)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str = Field(description="The kind of problem: a path of this server that tells what it means.")
    title: str = Field(description="The kind of problem in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What was given and what was expected.")
    where: str | None = Field(default=None, description="The field or parameter it concerns.")
    hint: str | None = Field(default=None, description="What to do about it.")
    nearest: tuple[str, ...] | None = Field(default=None, description="Known names that come close, best first.")
    meanings: tuple[str, ...] | None = Field(default=None, description="Ids that an ambiguous name may stand for.")


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem: its slug in the type's path, its status, its title, and when it is given."""

    slug: str
    status: int
    title: str
    meaning: str

    @property
    def type(self) -> str:
        return f"/problems/{self.slug}"


PROBLEM_KINDS: dict[str, ProblemKind] = {
    kind.slug: kind
    for kind in (
        ProblemKind(
            "malformed-body",
            400,
            "The body is not JSON",
            "The body is empty, not UTF-8, not JSON or nested too deep, or it holds a key twice in one object, NaN, an infinity "
            "or a number too large to count with.",
        ),
        ProblemKind(
            "not-authenticated", 401, "Who calls is not known", "No key is given, or one that is unknown, expired or revoked."
        ),
        ProblemKind("not-allowed", 403, "The key does not allow this", "The key has not the scope that the path needs."),
        ProblemKind("no-such-entry", 404, "There is no such entry", "Nothing of this kind has the id in the path."),
        ProblemKind("no-such-path", 404, "There is no such path", "The server has no route of this path."),
        ProblemKind("method-not-allowed", 405, "The method is not allowed", "The path exists, and takes the methods in Allow."),
        ProblemKind(
            "not-acceptable", 406, "No such form of the answer", "Accept names no form in which the answer can be given."
        ),
        ProblemKind("body-too-slow", 408, "The body came too slowly", "The body was not whole in the time that is allowed."),
        ProblemKind(
            "same-key-under-way", 409, "The first request is under way", "A request with this Idempotency-Key is not done yet."
        ),
        ProblemKind(
            "body-too-large", 413, "The body is too large", "The body holds more than 1 MB, or, for a quote, more than 5 MB."
        ),
        ProblemKind(
            "unsupported-media-type",
            415,
            "The body is not sent as it should be",
            "Content-Type is not application/json in UTF-8, or, for a quote, one of its forms; or the body is compressed.",
        ),
        ProblemKind(
            "document", 422, "The document cannot be planned", "A key or a value of the document does not fit, or is not allowed."
        ),
        ProblemKind("quantity", 422, "A quantity cannot be read", "A number or its unit is not what the field means."),
        ProblemKind("unknown-name", 422, "A name is unknown", "The document or a parameter names what nobody has."),
        ProblemKind("ambiguous-name", 422, "A name has several meanings", "Write one of `meanings` instead."),
        ProblemKind(
            "model-config", 422, "The model cannot be sized", "What is known of the model lacks or contradicts something."
        ),
        ProblemKind(
            "parameter", 422, "A parameter cannot be read", "A parameter of the query or path is missing or does not fit."
        ),
        ProblemKind("input", 422, "The input cannot be used", "The input cannot be used as it is."),
        ProblemKind(
            "same-key-other-request", 422, "The key stands for another request", "Another request had this Idempotency-Key."
        ),
        ProblemKind("wrong-host", 421, "The request is for another host", "Host names a host that this service is not."),
        ProblemKind(
            "too-many-requests", 429, "Too many requests", "The key has called too often; Retry-After says when it may again."
        ),
        ProblemKind("busy", 503, "The service is busy", "Too much is under way; Retry-After says when to try again."),
        ProblemKind("took-too-long", 503, "It took too long", "The calculation was not done in the time that is allowed."),
        ProblemKind("internal", 500, "The server failed", "The failure is the server's, and is told in its log."),
    )
}

# The first class an error belongs to decides; what is none of them is the server's own failure.
_KIND_OF_ERROR: tuple[tuple[type[AdvisorError], str], ...] = (
    (AmbiguousNameError, "ambiguous-name"),
    (UnknownNameError, "unknown-name"),
    (QuantityError, "quantity"),
    (ModelConfigError, "model-config"),
    (DocumentError, "document"),
    (InputError, "input"),
)
_KIND_OF_STATUS = {404: "no-such-path", 405: "method-not-allowed"}


class Refused(Exception):
    """An error told as a kind of problem other than its class would give it."""

    def __init__(self, kind: str, error: AdvisorError) -> None:
        super().__init__(str(error))
        self.kind = PROBLEM_KINDS[kind]
        self.error = error
        self.seconds: int | None = 1 if self.kind.status == 503 else None

    def later(self, seconds: int) -> "Refused":
        """The same, with the seconds after which to try again."""
        self.seconds = seconds
        return self


def refused(kind: str, message: str, *, where: str | None = None, hint: str | None = None) -> Refused:
    """A refusal of the request itself."""
    return Refused(kind, InputError(message, where=where, hint=hint))


# How a body that holds documents to plan can be refused, whatever is made of it.
OF_DOCUMENTS = (
    "malformed-body",
    "body-too-slow",
    "body-too-large",
    "unsupported-media-type",
    "document",
    "quantity",
    "unknown-name",
    "ambiguous-name",
    "model-config",
    "parameter",
    "input",
)


def declared(*slugs: str) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route for its OpenAPI entry; `internal` comes with every route."""
    responses: dict[int | str, dict[str, Any]] = {}
    for kind in (PROBLEM_KINDS[slug] for slug in (*slugs, "internal")):
        content = {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": {}}
        response = responses.setdefault(kind.status, {"description": "", "content": {MEDIA_TYPE: content}})
        response["description"] = f"{response['description']} **{kind.title}**: {kind.meaning}".strip()
        response["content"][MEDIA_TYPE]["examples"][kind.slug] = {"value": _example(kind)}
    return responses


def add_error_handlers(app: FastAPI) -> None:
    """Have every refusal and failure of the app answered with a problem."""
    app.add_exception_handler(AdvisorError, _advisor_error)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _parameter_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _failure)


def _advisor_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AdvisorError)
    slug = next((slug for record, slug in _KIND_OF_ERROR if isinstance(error, record)), None)
    if slug is None:
        # What the server's own knowledge or formulas lack names its files, which are nobody else's business.
        _log.error("%s %s: %s", request.method, request.url.path, error)
        return _failure(request, error)
    return _respond(_problem(PROBLEM_KINDS[slug], error))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return respond_refused(error)


def respond_refused(error: Refused) -> Response:
    """The answer to a refused request."""
    headers = {} if error.seconds is None else {"Retry-After": str(error.seconds)}
    if error.kind.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return _respond(_problem(error.kind, error.error), headers)


def _parameter_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    told = first.get("ctx", {})
    # The readers of documents, which some parameters share, tell what is wrong and what to write in two parts.
    detail = told["problem"] if first["type"] == "refused" else _told(first)
    hint = told.get("hint") if first["type"] == "refused" else None
    where = ", ".join(part for part in (str(first["loc"][0]), show_path(tuple(first["loc"][1:]))) if part)
    return _respond(_problem(PROBLEM_KINDS["parameter"], InputError(detail, where=where, hint=hint)))


def _told(problem: Mapping[str, Any]) -> str:
    if problem["type"] == "missing":
        return "it is missing"
    return f'{problem["msg"][:1].lower()}{problem["msg"][1:]}; "{problem["input"]}" is given'


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = PROBLEM_KINDS.get(_KIND_OF_STATUS.get(error.status_code, ""))
    if kind is None:
        title = HTTPStatus(error.status_code).phrase
        return _respond(Problem(type="about:blank", title=title, status=error.status_code, detail=str(error.detail)))
    said = f"{request.method} {request.url.path}" if kind.status == 405 else f"nothing stands at {request.url.path}"
    allowed = (error.headers or {}).get("Allow")
    hint = f"this path takes {allowed}" if allowed else "the paths are listed at /docs"
    return _respond(_problem(kind, InputError(said, hint=hint)), error.headers)


def _failure(request: Request, error: Exception) -> Response:
    kind = PROBLEM_KINDS["internal"]
    return _respond(_problem(kind, AdvisorError("the request could not be answered", hint="tell whoever runs the server")))


def _problem(kind: ProblemKind, error: AdvisorError) -> Problem:
    return Problem(
        type=kind.type,
        title=kind.title,
        status=kind.status,
        detail=error.message,
        where=error.where,
        hint=error.hint,
        nearest=error.nearest or None if isinstance(error, UnknownNameError) else None,
        meanings=error.meanings if isinstance(error, AmbiguousNameError) else None,
    )


def _respond(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    body = problem.model_dump_json(exclude_none=True)
    return Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


def _example(kind: ProblemKind) -> dict[str, Any]:
    return _problem(kind, _EXAMPLES.get(kind.slug, InputError(kind.meaning))).model_dump(exclude_none=True)


_EXAMPLES: dict[str, AdvisorError] = {
    "malformed-body": InputError("expecting ',' delimiter", where="body, line 3, column 5", hint="send one JSON object"),
    "no-such-entry": UnknownNameError('no accelerator has the id "h100-sxn"', nearest=("h100-sxm",)),
    "document": DocumentError('unknown key "trafic"; did you mean "traffic"?', where="workloads[0].trafic"),
    "quantity": QuantityError('"80 G" is not in bytes', where="workloads[0].data", hint="write for example 80 GB"),
    "unknown-name": UnknownNameError('no model is called "lama"', nearest=("llama-7b",), where="workloads[0].model"),
    "ambiguous-name": AmbiguousNameError(
        '"H100" can mean several accelerators', meanings=("h100-sxm", "h100-pcie"), where="workloads[0].accelerators.only[0]"
    ),
    "parameter": InputError('"30/11/2026" is not a day', where="query, today", hint="write year, month and day as in 2026-11-30"),
    "internal": AdvisorError("the request could not be answered", hint="tell whoever runs the server"),
}
