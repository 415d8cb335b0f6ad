"""Parameters that several routes share. A name that is no parameter is refused: a misspelt one must not be ignored."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from advisor.catalogue.names import nearest
from advisor.errors import UnknownNameError
from advisor.library import Library
from advisor.plan.further import ArrivalKind
from advisor.workload.refusal import shorten
from advisor.workload.words import Day, Name, Words

MOST_LISTED = 200


class Parameters(BaseModel):
    """Query parameters of a route."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        for name in given if isinstance(given, Mapping) else ():
            if name not in cls.model_fields:
                close = nearest(str(name), cls.model_fields)
                error = UnknownNameError(f'there is no query parameter "{shorten(str(name))}"', nearest=close, where="query")
                error.hint = error.hint or f"parameters are {', '.join(cls.model_fields)}"
                raise error
        return given


class PlanParameters(Parameters):
    """When a plan is made."""

    today: Annotated[date, Day()] | None = Field(
        default=None,
        description="The day prices and terms are reckoned from, unless the document names one; otherwise the server's day.",
        examples=["2026-11-30"],
    )


class MakeParameters(PlanParameters):
    """When a plan is made, and what is wanted beside it."""

    simulate: ArrivalKind | None = Field(
        default=None,
        description="Also simulate the recommended configuration under these arrivals; `trace`: those of the document's trace.",
        examples=["poisson"],
    )
    keep: bool = Field(default=False, description="Whether the plan is kept, under an id.", examples=[False])


class ExplainParameters(PlanParameters):
    """Which quantity of which workload."""

    quantity: Annotated[str, Words(200, "kv_cache")] = Field(
        description="A quantity of the plan's trace, or what the report calls it.", examples=["kv_cache_per_token"]
    )
    workload: Name | None = Field(
        default=None, description="The workload's name; needed where the document has several.", examples=["chat"]
    )


class ListParameters(Parameters):
    """Which entries, and which page of them."""

    q: str = Field(default="", max_length=200, description="Words that entries must contain in their id, names or titles.")
    limit: int = Field(default=50, ge=1, le=MOST_LISTED, description="Most entries on a page.", examples=[50])
    offset: int = Field(default=0, ge=0, le=1_000_000, description="Entries left out before the page.", examples=[0])


async def _library(request: Request) -> Library:
    library = request.app.state.library
    assert isinstance(library, Library)
    return library


LibraryGiven = Annotated[Library, Depends(_library)]
PlanQuery = Annotated[PlanParameters, Query()]
MakeQuery = Annotated[MakeParameters, Query()]
ExplainQuery = Annotated[ExplainParameters, Query()]
ListQuery = Annotated[ListParameters, Query()]
"""Words, limit and offset of a list."""


def id_in_path(example: str) -> Any:
    """The id of an entry, as lists give it."""
    return Path(description="The id, as lists give it.", examples=[example])
