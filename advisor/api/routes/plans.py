"""Plans: a workload document to a plan, kept on request, and how one of its numbers was made."""

import time
from datetime import date
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import Response

from advisor.api.body import JsonBody, read_json
from advisor.api.errors import OF_DOCUMENTS, declared, refused
from advisor.api.examples import ASSISTANT
from advisor.api.forms import Form, form_wanted, in_other_forms
from advisor.api.keeping import KeptPlan, written
from advisor.api.pages import answer, as_example
from advisor.api.parameters import ExplainQuery, LibraryGiven, MakeParameters, MakeQuery
from advisor.api.planning import Explanation, explanation, made, plan_in_form
from advisor.api.running import Handled, HandledGiven, Running, RunningGiven
from advisor.library import Library
from advisor.plan.plan import Plan
from advisor.plan.saved import read_saved_plan
from advisor.workload.reading import to_document

router = APIRouter(prefix="/v1/plans", tags=["plans"])

_REFUSALS = declared(*OF_DOCUMENTS, "same-key-other-request")
_KEPT_HEADERS = {
    "Plan-Id": {"description": "The id of the kept plan.", "schema": {"type": "string"}},
    "Location": {"description": "Its address.", "schema": {"type": "string"}},
}
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="With `keep=true`: any text of yours, new for every request; the same again gives the first answer again.",
        examples=["c0ffee-42"],
    ),
]
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A workload document of at most 1 MB; `/v1/schema/document` is its schema. A model is named by catalogue "
        "id, usual spelling or hub id, or given by its size; a path is refused.",
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/Document"},
                "examples": {"assistant": {"summary": "An assistant for staff", "value": ASSISTANT}},
            }
        },
    }
}


@router.post(
    "",
    response_model=Plan,
    responses={
        200: {"content": in_other_forms("Staff assistant")},
        201: {"model": Plan, "description": "The plan, kept under the id in Plan-Id.", "headers": _KEPT_HEADERS},
        **_REFUSALS,
        **declared("not-acceptable", "same-key-under-way", "not-allowed"),
    },
    openapi_extra=_BODY,
    operation_id="make_plan",
    summary="Make a plan",
)
async def make(
    request: Request,
    library: LibraryGiven,
    running: RunningGiven,
    handled: HandledGiven,
    content: JsonBody,
    chosen: MakeQuery,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Size the workloads of a document and recommend what carries them, in the form that Accept asks for.

    The answer is 200 also when nothing keeps every limit: `recommended` is then absent from the workload, and its `limits` say
    which one binds and what would help. The same document, day, knowledge and code always give the same plan.

    With `keep=true` (scope `keep`) the plan is kept as well: 201, with its id in `Plan-Id` and its address in `Location`; 200
    where a plan of this document was kept already, which the new one then replaces. With an `Idempotency-Key`, the same request
    sent again within a day is answered from what the first one kept.
    """
    form = form_wanted(request)
    if chosen.keep:
        return await _kept(library, running, handled, content, chosen, form, idempotency_key)
    found = await running.compute(lambda: plan_in_form(_made(library, content, chosen), form))
    return Response(found, media_type=form.value)


@router.post(
    "/explain",
    response_model=Explanation,
    responses=_REFUSALS,
    openapi_extra=_BODY,
    operation_id="explain_quantity",
    summary="Explain a number of a plan",
)
async def explain(library: LibraryGiven, running: RunningGiven, content: JsonBody, chosen: ExplainQuery) -> Response:
    """Make the plan of a document, and give the calculation of one of its quantities.

    Every step has its value in base units, how it is known, and, for a formula, the equation as tested and with the numbers
    put in.
    """

    def explained() -> Explanation:
        plan = made(library, to_document(read_json(content)), chosen.today, None)
        return explanation(plan, chosen.quantity, chosen.workload)

    return answer(await running.compute(explained))


def examples(library: Library) -> dict[str, Any]:
    """Answers to the assistant's document; of the plan's facts and calculation only the beginning, which is enough to see."""
    document, day = to_document(ASSISTANT), date(2026, 11, 30)
    whole = made(library, document, day, None)
    plan = as_example(whole)
    for workload in plan["workloads"]:
        workload["facts"] = dict(list(workload["facts"].items())[:2])
        workload["trace"] = dict(list(workload["trace"].items())[:2])
    explained = as_example(explanation(whole, "kv_cache_per_token", None))
    return {
        "make_plan": plan,
        "get_plan": plan,
        "get_plan_document": ASSISTANT,
        "explain_quantity": explained,
        "explain_kept_quantity": explained,
    }


def _made(library: Library, content: bytes, chosen: MakeParameters) -> Plan:
    return made(library, to_document(read_json(content)), chosen.today, chosen.simulate)


async def _kept(
    library: Library,
    running: Running,
    handled: Handled,
    content: bytes,
    chosen: MakeParameters,
    form: Form,
    idempotency_key: str | None,
) -> Response:
    """Make and keep; with an Idempotency-Key, only if the same was not done before."""
    caller, keeping = handled.caller, running.keeping
    if "keep" not in caller.scopes:
        raise refused("not-allowed", 'it needs the scope "keep"', where="query, keep", hint="ask for a key with this scope")
    if idempotency_key is None:
        return _answer(handled, await _keep(library, running, handled, content, chosen), form)
    sent = sha256(f"{chosen.today} {chosen.simulate}\n".encode() + content).digest()
    stale = 2 * running.settings.compute_seconds + running.settings.body_seconds
    taken = await written(keeping.claim(caller.owner, idempotency_key, sent, stale=stale))
    if taken is not None:
        return _replayed(running, handled, taken, sent, form)
    try:
        done = await _keep(library, running, handled, content, chosen)
    except BaseException:
        await written(keeping.settle(caller.owner, idempotency_key, None))
        raise
    await written(keeping.settle(caller.owner, idempotency_key, done[0].id))
    return _answer(handled, done, form)


async def _keep(
    library: Library, running: Running, handled: Handled, content: bytes, chosen: MakeParameters
) -> tuple[KeptPlan, bool]:
    owner = handled.caller.owner

    def making() -> KeptPlan:
        document = to_document(read_json(content))
        text = document.model_dump_json(exclude_none=True, exclude_defaults=True, by_alias=True)
        plan = made(library, document, chosen.today, chosen.simulate)
        id = running.keeping.plan_id(owner, text)
        return KeptPlan(id, document.name or "", time.time(), text, plan_in_form(plan, Form.json))

    kept = await running.compute(making)
    return kept, await written(running.keeping.keep(owner, kept, most=running.settings.kept_plans))


def _replayed(running: Running, handled: Handled, taken: tuple[bytes, str | None], sent: bytes, form: Form) -> Response:
    first, id = taken
    if first != sent:
        raise refused("same-key-other-request", "it came with another request", where="Idempotency-Key", hint="use a new key")
    if id is None:
        raise refused(
            "same-key-under-way", "its first request is not done", where="Idempotency-Key", hint="try again shortly"
        ).later(1)
    kept = running.keeping.kept(handled.caller.owner, id)
    if kept is None:
        raise refused("no-such-entry", "the plan it made was deleted", where="Idempotency-Key", hint="use a new key")
    answered = _answer(handled, (kept, True), form)
    answered.headers["Idempotency-Replayed"] = "true"
    return answered


def _answer(handled: Handled, done: tuple[KeptPlan, bool], form: Form) -> Response:
    kept, new = done
    handled.plan = kept.id
    content = kept.plan if form is Form.json else plan_in_form(read_saved_plan(kept.plan, "the kept plan"), form)
    headers = {"Plan-Id": kept.id, "Location": f"/v1/plans/{kept.id}"}
    return Response(content, status_code=201 if new else 200, media_type=form.value, headers=headers)
