"""What every catalogue record shares: it is frozen, refuses unknown keys, cites its sources, and holds base units.

In files a quantity is text with its unit ("80 GB"); inside and in the compiled cache it is a float in the base unit. Reading
the cache passes `BASE_UNITS` as validation context, so that a bare number in a file is still refused.
"""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator

from advisor.errors import QuantityError
from advisor.units import parse

BASE_UNITS = {"base_units": True}


class Record(BaseModel):
    """A frozen record that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Citation(Record):
    """A source by id, and the place inside it."""

    source: str
    place: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"source": given}
        if isinstance(given, dict) and len(given) == 1 and "source" not in given:
            source, place = next(iter(given.items()))
            return {"source": source, "place": None if place is None else str(place)}
        return given

    def __str__(self) -> str:
        return f"{self.source}, {self.place}" if self.place else self.source


class Entry(Record):
    """A catalogue entry: an id, the sources of its figures, and the day they were read."""

    id: str
    sources: tuple[Citation, ...] = Field(min_length=1)
    checked: date | None = None
    notes: str | None = None


def _reader(unit: str) -> BeforeValidator:
    def read(given: Any, info: ValidationInfo) -> Any:
        if given is None or (info.context and info.context.get("base_units")):
            return given
        try:
            return parse(given, unit, field=info.field_name)
        except QuantityError as error:
            raise ValueError(str(error)) from error

    return BeforeValidator(read)


Memory = Annotated[float, _reader("byte"), Field(gt=0)]
Bandwidth = Annotated[float, _reader("byte/second"), Field(gt=0)]
Compute = Annotated[float, _reader("FLOP/second"), Field(gt=0)]
Power = Annotated[float, _reader("watt"), Field(gt=0)]
Duration = Annotated[float, _reader("second"), Field(ge=0)]
Money = Annotated[float, _reader("USD"), Field(ge=0)]
MoneyRate = Annotated[float, _reader("USD/second"), Field(ge=0)]
StorageRate = Annotated[float, _reader("USD/byte/second"), Field(ge=0)]
Work = Annotated[float, _reader("FLOP"), Field(gt=0)]
Number = Annotated[float, _reader("1"), Field(ge=0)]
Share = Annotated[float, _reader("1"), Field(ge=0, le=1)]
