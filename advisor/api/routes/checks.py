"""Checks: a vendor's quote to findings and a verdict."""

import json
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from advisor.api.body import check_coding, read_body, read_json
from advisor.api.errors import OF_DOCUMENTS, declared, refused
from advisor.api.examples import ASSISTANT
from advisor.api.forms import Form, form_wanted, in_other_forms
from advisor.api.pages import as_example
from advisor.api.parameters import LibraryGiven, PlanParameters, PlanQuery
from advisor.api.running import RunningGiven
from advisor.errors import AdvisorError, DocumentError
from advisor.library import Library
from advisor.plan.models import CATALOGUE_ONLY
from advisor.plan.quote_check import Review, check_quote
from advisor.plan.quote_facts import recogniser_for
from advisor.quote.reading import LARGEST, read_quote
from advisor.report.review import review_markdown, review_text
from advisor.workload.reading import to_document
from advisor.workload.refusal import shorten

router = APIRouter(prefix="/v1/checks", tags=["checks"])

_EXAMPLE = "4x NVIDIA H100 PCIe 80GB; 32,000 USD each\n1x Server with 2x Xeon 6430, 256 GB RAM; 18,000 USD\n"
_WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_RAW = ("text/plain", "text/csv", "text/markdown", "application/yaml", "text/yaml", _WORKBOOK, "application/octet-stream")
_JSON = "application/json"
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A quote of at most 5 MB, as it was received: text, CSV, YAML or a workbook, sent as such; or JSON with "
        "the quote under `quote` (its text, its list of lines, or an object with `lines`) and, if wanted, under `workload` the "
        "document of what shall run on it.",
        "content": {
            _JSON: {
                "schema": {
                    "type": "object",
                    "properties": {
                        "quote": {
                            "description": "The quote: its text, or its lines.",
                            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "object"}}, {"type": "object"}],
                        },
                        "workload": {"$ref": "#/components/schemas/Document"},
                    },
                    "required": ["quote"],
                    "additionalProperties": False,
                },
                "examples": {
                    "text": {"summary": "The vendor's text", "value": {"quote": _EXAMPLE}},
                    "workload": {"summary": "Beside what shall run on it", "value": {"quote": _EXAMPLE, "workload": ASSISTANT}},
                },
            },
            "text/plain": {"schema": {"type": "string"}, "example": _EXAMPLE},
            "text/csv": {"schema": {"type": "string"}, "example": "what,quantity,unit_price\nNVIDIA H100 PCIe,4,32000\n"},
            "application/yaml": {"schema": {"type": "string"}, "example": "lines:\n- {what: NVIDIA H100 PCIe, quantity: 4}\n"},
            _WORKBOOK: {"schema": {"type": "string"}, "example": "the bytes of the file"},
        },
    }
}


@router.post(
    "",
    response_model=Review,
    responses={
        200: {"content": in_other_forms("The quote should not be bought as it is")},
        **declared(*OF_DOCUMENTS, "not-acceptable"),
    },
    openapi_extra=_BODY,
    operation_id="check_quote",
    summary="Check a quote",
)
async def check(request: Request, library: LibraryGiven, running: RunningGiven, chosen: PlanQuery) -> Response:
    """Read a quote and say what will not work, what will work badly, what is missing and what was bought twice over.

    Findings stand worst first, in the form that Accept asks for. Nothing of the quote is kept.
    """
    form = form_wanted(request)
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != _JSON and kind not in _RAW:
        said = f'"{shorten(kind)}" is given' if kind else "no Content-Type is given"
        hint = f"send one of {_JSON}, {', '.join(_RAW)}"
        raise refused("unsupported-media-type", f"{said}; expected a form of a quote", where="Content-Type", hint=hint)
    check_coding(request.headers)
    content = await read_body(request, LARGEST)
    reviewed = await running.compute(lambda: _in_form(_review(library, content, kind == _JSON, chosen), form))
    return Response(reviewed, media_type=form.value)


def examples(library: Library) -> dict[str, Any]:
    """The example's findings; of each list only the beginning."""
    reviewed = as_example(_review(library, _EXAMPLE.encode(), False, PlanParameters()))
    reviewed["findings"] = reviewed["findings"][:2]
    return {"check_quote": reviewed}


def _review(library: Library, content: bytes, as_json: bool, chosen: PlanParameters) -> Review:
    workload = None
    if as_json:
        given = read_json(content)
        if not isinstance(given, dict) or "quote" not in given or not set(given) <= {"quote", "workload"}:
            raise DocumentError(
                "expected an object with the key quote, and workload if wanted", where="body", hint='send {"quote": "the text"}'
            )
        quote = given["quote"]
        content = quote.encode("utf-8", "replace") if isinstance(quote, str) else json.dumps(quote).encode()
        if "workload" in given:
            try:
                workload = to_document(given["workload"])
            except AdvisorError as error:
                raise error.at("workload") from None
    read = read_quote(content, recogniser_for(library), where="the quote")
    return check_quote(read, library, workload=workload, today=chosen.today, access=CATALOGUE_ONLY)


def _in_form(review: Review, form: Form) -> bytes:
    if form is Form.json:
        return review.model_dump_json(exclude_none=True, by_alias=True).encode()
    return (review_markdown(review) if form is Form.markdown else review_text(review)).encode()
