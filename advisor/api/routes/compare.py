"""Comparisons: two workload documents planned and set side by side."""

from datetime import date
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from advisor.api.body import TwoDocumentsBody
from advisor.api.errors import OF_DOCUMENTS, declared
from advisor.api.examples import ASSISTANT
from advisor.api.pages import answer, as_example
from advisor.api.parameters import LibraryGiven, PlanQuery
from advisor.api.running import RunningGiven
from advisor.errors import AdvisorError
from advisor.library import Library
from advisor.plan.comparing import Comparison
from advisor.plan.comparing import compare as compare_plans
from advisor.plan.making import make_plan
from advisor.plan.models import CATALOGUE_ONLY
from advisor.workload.document import Document
from advisor.workload.reading import to_document

router = APIRouter(prefix="/v1/compare", tags=["plans"])

_SMALLER = {**ASSISTANT, "workloads": [{**ASSISTANT["workloads"][0], "model": "meta-llama/Llama-3.1-8B-Instruct"}]}
_TWO = {"a": ASSISTANT, "b": _SMALLER}
_DOCUMENT = {"$ref": "#/components/schemas/Document"}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "Two workload documents, together at most 1 MB; each as `POST /v1/plans` takes one.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"a": _DOCUMENT, "b": _DOCUMENT},
                    "required": ["a", "b"],
                    "additionalProperties": False,
                },
                "examples": {"models": {"summary": "The same assistant with a smaller model", "value": _TWO}},
            }
        },
    }
}


@router.post(
    "",
    response_model=Comparison,
    responses=declared(*OF_DOCUMENTS),
    openapi_extra=_BODY,
    operation_id="compare_plans",
    summary="Compare two plans",
)
async def compare(library: LibraryGiven, running: RunningGiven, documents: TwoDocumentsBody, chosen: PlanQuery) -> Response:
    """Plan two documents and set them side by side: what differs, how sure that is, and what brought it about.

    Workloads are matched by name, and those left by position. Errors name the document, `a` or `b`, before the field.
    """
    return answer(await running.compute(lambda: _comparison(library, documents, chosen.today)))


def examples(library: Library) -> dict[str, Any]:
    """The assistant with two models; of the causes only the beginning, which is enough to see."""
    shown = as_example(_comparison(library, (to_document(_TWO["a"]), to_document(_TWO["b"])), date(2026, 11, 30)))
    for workload in shown["workloads"]:
        workload["causes"] = workload["causes"][:3]
    return {"compare_plans": shown}


def _comparison(library: Library, documents: tuple[Document, Document], today: date | None) -> Comparison:
    plans = []
    for side, document in zip(("a", "b"), documents, strict=True):
        try:
            plans.append(make_plan(document, library, today=today, access=CATALOGUE_ONLY))
        except AdvisorError as error:
            raise error.at(side) from None
    return compare_plans(plans[0], plans[1])
