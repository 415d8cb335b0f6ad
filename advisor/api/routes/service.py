"""The service itself: whether it runs, and what it would make plans with."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

import advisor
from advisor.api.errors import declared
from advisor.api.pages import answer, as_example
from advisor.api.parameters import LibraryGiven
from advisor.library import Library
from advisor.plan.plan import MadeWith

router = APIRouter(tags=["service"])


class Health(BaseModel):
    """That the service runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: str = Field(description="ok")


@router.get("/healthz", response_model=Health, responses=declared(), operation_id="get_health", summary="Whether it runs")
async def health() -> Response:
    """ok as soon as the library is open and requests are answered."""
    return answer(Health(status="ok"))


@router.get(
    "/version", response_model=MadeWith, responses=declared(), operation_id="get_version", summary="What plans are made with"
)
def version(library: LibraryGiven) -> Response:
    """Version of the code, and short hashes of the knowledge and the rules; every plan carries the same three."""
    return answer(_made_with(library))


def examples(library: Library) -> dict[str, Any]:
    """Both answers."""
    return {"get_health": as_example(Health(status="ok")), "get_version": as_example(_made_with(library))}


def _made_with(library: Library) -> MadeWith:
    return MadeWith(code=advisor.__version__, knowledge=library.knowledge_id, rules=library.rules_id)
