"""JSON schemas of what goes in and what comes out."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse

from advisor.api.errors import Refused, declared
from advisor.catalogue.names import nearest
from advisor.errors import UnknownNameError
from advisor.evidence.scores import Validation
from advisor.library import Library
from advisor.plan.plan import plan_schema
from advisor.workload.writing import document_schema

router = APIRouter(prefix="/v1/schema", tags=["schemas"])

_SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "plan": plan_schema,
    "document": document_schema,
    "validation": Validation.model_json_schema,
}


@router.get(
    "/{what}",
    response_model=dict[str, Any],
    responses=declared("no-such-entry"),
    operation_id="get_schema",
    summary="A JSON schema",
)
def schema(
    what: Annotated[
        str, Path(description="What it is the schema of.", json_schema_extra={"enum": list(_SCHEMAS)}, examples=["document"])
    ],
) -> JSONResponse:
    """The schema of a plan, of a workload document, or of a validation, as JSON Schema 2020-12."""
    if what not in _SCHEMAS:
        close = nearest(what, _SCHEMAS) or tuple(_SCHEMAS)
        raise Refused("no-such-entry", UnknownNameError(f'there is no schema of "{what}"', nearest=close))
    return JSONResponse(_SCHEMAS[what]())


def examples(library: Library) -> dict[str, Any]:
    """The beginning of a document's schema."""
    body = document_schema()
    return {"get_schema": {key: body[key] for key in ("$schema", "title", "type", "required") if key in body}}
