"""What every catalogue record shares: it is frozen, refuses unknown keys, cites its sources, and holds base units.

In files a quantity is text with its unit ("80 GB"); inside and in the compiled cache it is a float in the base unit. Reading
the cache passes `BASE_UNITS` as validation context, so that a bare number in a file is still refused.
"""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator

from advisor.errors import QuantityError
from advisor.units import Unit, parse

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


Memory = Annotated[float, Unit("byte"), _reader("byte"), Field(gt=0)]
Bandwidth = Annotated[float, Unit("byte/second"), _reader("byte/second"), Field(gt=0)]
Compute = Annotated[float, Unit("FLOP/second"), _reader("FLOP/second"), Field(gt=0)]
Power = Annotated[float, Unit("watt"), _reader("watt"), Field(gt=0)]
Duration = Annotated[float, Unit("second"), _reader("second"), Field(ge=0)]
Money = Annotated[float, Unit("USD"), _reader("USD"), Field(ge=0)]
MoneyRate = Annotated[float, Unit("USD/second"), _reader("USD/second"), Field(ge=0)]
StorageRate = Annotated[float, Unit("USD/byte/second"), _reader("USD/byte/second"), Field(ge=0)]
Work = Annotated[float, Unit("FLOP"), _reader("FLOP"), Field(gt=0)]
Number = Annotated[float, Unit("1"), _reader("1"), Field(ge=0)]
Share = Annotated[float, Unit("1"), _reader("1"), Field(ge=0, le=1)]


def field_unit(record: type[BaseModel], name: str) -> str | None:
    """The base unit of a record's field, also inside a mapping or an optional one; None where it is no quantity."""

    def units(annotation: Any) -> Iterator[str]:
        for argument in get_args(annotation):
            if isinstance(argument, Unit):
                yield argument.name
            else:
                yield from units(argument)

    field = record.model_fields.get(name)
    if field is None:
        return None
    own = (each.name for each in field.metadata if isinstance(each, Unit))
    return next(own, None) or next(units(field.annotation), None)
