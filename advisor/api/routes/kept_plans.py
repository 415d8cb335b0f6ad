"""Kept plans: one's own, by the id under which they were kept."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from advisor.api.errors import Refused, declared, refused
from advisor.api.forms import Form, form_wanted, in_other_forms
from advisor.api.keeping import KeptPlan, written
from advisor.api.pages import answer, as_example, page_of
from advisor.api.parameters import ListQuery, Parameters, id_in_path
from advisor.api.planning import EXAMPLE_PLAN_ID, Explanation, explanation, plan_in_form
from advisor.api.running import Handled, HandledGiven, Running, RunningGiven
from advisor.library import Library
from advisor.plan.plan import Plan
from advisor.plan.saved import read_saved_plan
from advisor.workload.words import Name

router = APIRouter(prefix="/v1/plans", tags=["plans"])
_NONE_SUCH = "no-such-entry"


class KeptEntry(BaseModel):
    """A kept plan in a list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(description="Its id: the same for the same document of the same owner.")
    name: str = Field(description="The document's name.")
    made: datetime = Field(description="When it was kept last.")


class WorkloadParameter(Parameters):
    """Which workload."""

    workload: Name | None = Field(
        default=None, description="The workload's name; needed where the plan has several.", examples=["chat"]
    )


@router.get(
    "",
    response_model=page_of(KeptEntry),
    responses=declared("parameter", "unknown-name"),
    operation_id="list_plans",
    summary="List kept plans",
)
def every(running: RunningGiven, handled: HandledGiven, chosen: ListQuery) -> Response:
    """One's own kept plans, newest first, or those whose name or id contains all words of `q`, in pages."""
    owner = handled.caller.owner
    total, found = running.keeping.list_kept(owner, chosen.q.lower().split(), chosen.limit, chosen.offset)
    items = tuple(_entry(*each) for each in found)
    read = {"total": total, "limit": chosen.limit, "offset": chosen.offset, "items": items}
    return answer(page_of(KeptEntry).model_validate(read))


@router.get(
    "/{id}",
    response_model=Plan,
    responses={200: {"content": in_other_forms("Staff assistant")}, **declared(_NONE_SUCH, "not-acceptable")},
    operation_id="get_plan",
    summary="One kept plan",
)
def one(
    request: Request, running: RunningGiven, handled: HandledGiven, id: Annotated[str, id_in_path(EXAMPLE_PLAN_ID)]
) -> Response:
    """A kept plan as it was made, in the form that Accept asks for. Plans of others are answered as if there were none."""
    kept = _kept(running, handled, id)
    form = form_wanted(request)
    tag = f'"{sha256(kept.plan + form.value.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept, Authorization"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    content = kept.plan if form is Form.json else plan_in_form(read_saved_plan(kept.plan, "the kept plan"), form)
    return Response(content, media_type=form.value, headers=headers)


@router.get(
    "/{id}/document",
    response_model=dict[str, Any],
    responses=declared(_NONE_SUCH),
    operation_id="get_plan_document",
    summary="The document of a kept plan",
)
def document(running: RunningGiven, handled: HandledGiven, id: Annotated[str, id_in_path(EXAMPLE_PLAN_ID)]) -> Response:
    """The workload document that a kept plan was made from, with its defaults put in."""
    return Response(_kept(running, handled, id).document, media_type="application/json")


@router.get(
    "/{id}/explain/{quantity}",
    response_model=Explanation,
    responses=declared(_NONE_SUCH, "unknown-name", "ambiguous-name", "parameter"),
    operation_id="explain_kept_quantity",
    summary="Explain a number of a kept plan",
)
def explain(
    running: RunningGiven,
    handled: HandledGiven,
    id: Annotated[str, id_in_path(EXAMPLE_PLAN_ID)],
    quantity: Annotated[str, id_in_path("kv_cache_per_token")],
    chosen: Annotated[WorkloadParameter, Query()],
) -> Response:
    """The calculation of one of its quantities, as it was made."""
    kept = _kept(running, handled, id)
    return answer(explanation(read_saved_plan(kept.plan, "the kept plan"), quantity, chosen.workload))


@router.delete(
    "/{id}",
    status_code=204,
    responses=declared(_NONE_SUCH),
    operation_id="delete_plan",
    summary="Delete a kept plan",
)
async def forget(running: RunningGiven, handled: HandledGiven, id: Annotated[str, id_in_path(EXAMPLE_PLAN_ID)]) -> Response:
    """Delete a kept plan for good; the audit still knows its id."""
    handled.plan = id if len(id) <= 64 else None
    if not await written(running.keeping.forget(handled.caller.owner, id)):
        raise _no_such()
    return Response(status_code=204)


def examples(library: Library) -> dict[str, Any]:
    """A list of one; the other answers are those of plans that are made."""
    entry = _entry(EXAMPLE_PLAN_ID, "Staff assistant", 1_796_083_200.0)
    listed = page_of(KeptEntry).model_validate({"total": 1, "limit": 50, "offset": 0, "items": (entry,)})
    return {"list_plans": as_example(listed)}


def _kept(running: Running, handled: Handled, id: str) -> KeptPlan:
    handled.plan = id if len(id) <= 64 else None
    found = running.keeping.kept(handled.caller.owner, id)
    if found is None:
        raise _no_such()
    return found


def _no_such() -> Refused:
    return refused(_NONE_SUCH, "no plan of yours is kept under this id", where="path, id", hint="GET /v1/plans lists yours")


def _entry(id: str, name: str, made: float) -> KeptEntry:
    return KeptEntry(id=id, name=name, made=datetime.fromtimestamp(made, tz=UTC))
