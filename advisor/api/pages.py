"""Lists in pages, and records as the text of an answer."""

from collections.abc import Callable, Sequence
from functools import cache
from types import GenericAlias
from typing import Any

from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, create_model

from advisor.api.parameters import ListParameters
from advisor.library.quantities import units_of


class Page(BaseModel):
    """Some entries of a list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    total: int = Field(description="How many entries were found, on all pages.")
    limit: int = Field(description="Most entries on a page.")
    offset: int = Field(description="Entries left out before this page.")


@cache
def page_of(record: type[BaseModel]) -> type[Page]:
    """The page whose items are of this record."""
    fields: dict[str, Any] = {"items": (GenericAlias(tuple, (record, ...)), Field(description="The entries of this page."))}
    if units := units_of(record):
        told = "The unit of every quantity of an entry by its field, with dots between a field and those inside it."
        fields["units"] = (dict[str, str], Field(default=units, description=told))
    return create_model(f"{record.__name__}Page", __base__=Page, __doc__=Page.__doc__, **fields)


def page(record: type[BaseModel], found: Sequence[Any], chosen: ListParameters, read: Callable[[Any], BaseModel]) -> Page:
    """The chosen page of what was found; only its own items are read."""
    return page_of(record).model_validate(
        {
            "total": len(found),
            "limit": chosen.limit,
            "offset": chosen.offset,
            "items": tuple(read(each) for each in found[chosen.offset : chosen.offset + chosen.limit]),
        }
    )


def answer(record: BaseModel) -> Response:
    """A record as the JSON that the command line prints: what is not known is left out."""
    return Response(record.model_dump_json(exclude_none=True, by_alias=True), media_type="application/json")


def as_example(record: BaseModel) -> Any:
    """The same as data, for the OpenAPI document."""
    return record.model_dump(mode="json", exclude_none=True, by_alias=True)
