"""The units of an entry's figures, for those who read records as data: there a quantity is a bare number in its base unit."""

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from advisor.catalogue.record import field_unit


@cache
def units_of(record: type[BaseModel]) -> dict[str, str]:
    """The base unit of every quantity of a record by the place of its field, as "scale_up.bandwidth": "byte/second".

    Plain counts and shares have no unit and are left out; a list or mapping stands for each of its items.
    """
    return dict(_units(record))


def _units(record: type[BaseModel], above: str = "") -> Iterator[tuple[str, str]]:
    for name, field in record.model_fields.items():
        place = f"{above}{field.serialization_alias or name}"
        unit = field_unit(record, name)
        if unit is not None and unit != "1":
            yield place, unit
        for inner in records_in(field.annotation):
            yield from _units(inner, f"{place}.")


def records_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The records that a field may hold, also inside a list, a mapping or a choice."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from records_in(argument)
