"""Problems: what the type of an error answer means."""

from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from advisor.api.errors import PROBLEM_KINDS, ProblemKind, Refused, declared
from advisor.api.pages import answer, as_example
from advisor.api.parameters import id_in_path
from advisor.catalogue.names import nearest
from advisor.errors import UnknownNameError
from advisor.library import Library

router = APIRouter(prefix="/problems", tags=["problems"])


class ProblemEntry(BaseModel):
    """A kind of problem: its type as answers carry it, its HTTP status, its title, and when it is given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str
    status: int
    title: str
    meaning: str


class ProblemList(BaseModel):
    """Every kind of problem."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: tuple[ProblemEntry, ...]


@router.get("", response_model=ProblemList, responses=declared(), operation_id="list_problems", summary="List problems")
async def every() -> Response:
    """Every kind of problem that an answer can have."""
    return answer(ProblemList(items=tuple(_entry(kind) for kind in PROBLEM_KINDS.values())))


@router.get(
    "/{slug}",
    response_model=ProblemEntry,
    responses=declared("no-such-entry"),
    operation_id="get_problem",
    summary="One problem",
)
async def one(slug: Annotated[str, id_in_path("unknown-name")]) -> Response:
    """What a problem's `type` means; the type is the path of this answer."""
    kind = PROBLEM_KINDS.get(slug)
    if kind is None:
        raise Refused("no-such-entry", UnknownNameError(f'no problem is called "{slug}"', nearest=nearest(slug, PROBLEM_KINDS)))
    return answer(_entry(kind))


def examples(library: Library) -> dict[str, Any]:
    """One of them."""
    entry = _entry(PROBLEM_KINDS["unknown-name"])
    return {"get_problem": as_example(entry), "list_problems": as_example(ProblemList(items=(entry,)))}


def _entry(kind: ProblemKind) -> ProblemEntry:
    return ProblemEntry(type=kind.type, status=kind.status, title=kind.title, meaning=kind.meaning)
