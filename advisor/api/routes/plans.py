"""Plans: a workload document to a plan, and how one of its numbers was made."""

from datetime import date
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from advisor.api.body import DocumentBody
from advisor.api.errors import declared
from advisor.api.examples import ASSISTANT
from advisor.api.pages import answer, as_example
from advisor.api.parameters import ExplainQuery, LibraryGiven, MakeQuery
from advisor.library import Library
from advisor.plan.explaining import quantity_named, tree, workload_named
from advisor.plan.further import Further
from advisor.plan.making import make_plan
from advisor.plan.models import CATALOGUE_ONLY
from advisor.plan.plan import Plan, Step
from advisor.workload.document import Document
from advisor.workload.reading import to_document

router = APIRouter(prefix="/v1/plans", tags=["plans"])

_REFUSALS = declared(
    "malformed-body",
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


class Explanation(BaseModel):
    """How one quantity of a plan was made: its steps by name, itself first, down to answers, catalogue entries and constants."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quantity: str = Field(description="The quantity's name in the trace.")
    workload: str = Field(description="The workload it belongs to.")
    steps: dict[str, Step] = Field(description="Each step once; `inputs` names the steps it was made from.")


@router.post("", response_model=Plan, responses=_REFUSALS, openapi_extra=_BODY, operation_id="make_plan", summary="Make a plan")
def make(library: LibraryGiven, document: DocumentBody, chosen: MakeQuery) -> Response:
    """Size the workloads of a document and recommend what carries them.

    The answer is 200 also when nothing keeps every limit: `recommended` is then absent from the workload, and its `limits` say
    which one binds and what would help. The same document, day, knowledge and code always give the same plan.
    """
    further = Further(simulate=chosen.simulate)
    return answer(make_plan(document, library, today=chosen.today, access=CATALOGUE_ONLY, further=further))


@router.post(
    "/explain",
    response_model=Explanation,
    responses=_REFUSALS,
    openapi_extra=_BODY,
    operation_id="explain_quantity",
    summary="Explain a number of a plan",
)
def explain(library: LibraryGiven, document: DocumentBody, chosen: ExplainQuery) -> Response:
    """Make the plan of a document, and give the calculation of one of its quantities.

    Every step has its value in base units, how it is known, and, for a formula, the equation as tested and with the numbers
    put in.
    """
    return answer(_explanation(library, document, chosen.quantity, chosen.workload, chosen.today))


def examples(library: Library) -> dict[str, Any]:
    """Answers to the assistant's document; of the plan's facts and calculation only the beginning, which is enough to see."""
    document, day = to_document(ASSISTANT), date(2026, 11, 30)
    plan = as_example(make_plan(document, library, today=day, access=CATALOGUE_ONLY))
    for workload in plan["workloads"]:
        workload["facts"] = dict(list(workload["facts"].items())[:2])
        workload["trace"] = dict(list(workload["trace"].items())[:2])
    explained = as_example(_explanation(library, document, "kv_cache_per_token", None, day))
    return {"make_plan": plan, "explain_quantity": explained}


def _explanation(library: Library, document: Document, quantity: str, workload: str | None, today: date | None) -> Explanation:
    found = workload_named(make_plan(document, library, today=today, access=CATALOGUE_ONLY), workload)
    wanted = quantity_named(found, quantity)
    return Explanation(quantity=wanted, workload=found.name, steps={name: step for _, name, step, _ in tree(found, wanted)})
