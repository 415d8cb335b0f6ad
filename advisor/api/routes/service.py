"""The service itself: whether it runs, and what it would make plans with."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field

import advisor
from advisor.api.errors import declared, refused
from advisor.api.pages import answer, as_example
from advisor.api.parameters import LibraryGiven
from advisor.api.running import RunningGiven
from advisor.library import Library
from advisor.plan.plan import MadeWith

router = APIRouter(tags=["service"])
_METRIC = 'advisor_requests_total{method="POST",route="/v1/plans",status="200"} 12.0'


class Health(BaseModel):
    """That the service runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: str = Field(description="ok")


@router.get("/healthz", response_model=Health, responses=declared(), operation_id="get_health", summary="Whether it runs")
async def health() -> Response:
    """ok as soon as the library is open and requests are answered."""
    return answer(Health(status="ok"))


@router.get(
    "/readyz",
    response_model=Health,
    responses=declared("busy"),
    operation_id="get_readiness",
    summary="Whether it is ready for more",
)
def ready(running: RunningGiven) -> Response:
    """ok where the database can be read and there is room for another calculation; otherwise 503."""
    if not running.keeping.works():
        raise refused("busy", "the database cannot be read", hint="tell whoever runs the server")
    if running.compute.full:
        raise refused("busy", "too many calculations are under way", hint="try again after Retry-After seconds")
    return answer(Health(status="ok"))


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"example": _METRIC}}}, **declared()},
    operation_id="get_metrics",
    summary="The service's own figures",
)
def metrics(running: RunningGiven) -> Response:
    """Requests, times and calculations, as Prometheus reads them; over all workers."""
    return Response(running.figures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get(
    "/version", response_model=MadeWith, responses=declared(), operation_id="get_version", summary="What plans are made with"
)
def version(library: LibraryGiven) -> Response:
    """Version of the code, and short hashes of the knowledge and the rules; every plan carries the same three."""
    return answer(_made_with(library))


def examples(library: Library) -> dict[str, Any]:
    """Both answers."""
    return {
        "get_health": as_example(Health(status="ok")),
        "get_readiness": as_example(Health(status="ok")),
        "get_version": as_example(_made_with(library)),
    }


def _made_with(library: Library) -> MadeWith:
    return MadeWith(code=advisor.__version__, knowledge=library.knowledge_id, rules=library.rules_id)
