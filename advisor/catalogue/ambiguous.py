"""Names that mean several entries, and names of things that cannot be sized."""

from typing import Any

from pydantic import Field, model_validator

from advisor.catalogue.record import Record


class AmbiguousName(Record):
    """What a short name may stand for, likeliest first; `note` says what the name leaves open."""

    meanings: tuple[str, ...] = Field(min_length=1)
    note: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        return {"meanings": given} if isinstance(given, list | tuple) else given


class ClosedNames(Record):
    """Products whose weights nobody can run: `note` tells the person why there is nothing to size."""

    names: tuple[str, ...] = Field(min_length=1)
    note: str
