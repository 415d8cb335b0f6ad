"""Efficiencies and other fitted or observed constants: knowledge with low, typical and high values, never numbers in code."""

from typing import Any

from pydantic import Field, ValidationInfo, field_validator, model_validator

from advisor.catalogue.record import Citation, Entry, Record
from advisor.units import parse


class Level(Record):
    """One case of an efficiency. `when`: conditions on facts, all of which must hold; rows: measurements behind it."""

    when: tuple[str, ...] = ()
    low: float
    typical: float
    high: float
    rows: int | None = Field(default=None, ge=0)
    because: str | None = None
    sources: tuple[Citation, ...] = ()

    @model_validator(mode="after")
    def _ordered(self) -> "Level":
        if not self.low <= self.typical <= self.high:
            raise ValueError(f"low {self.low}, typical {self.typical} and high {self.high} are not in this order")
        return self


class Efficiency(Entry):
    """A constant that formulas take as a fact; its id is the fact's name. Of its cases the first that holds is used."""

    unit: str = "1"
    meaning: str
    cases: tuple[Level, ...] = Field(min_length=1)

    @field_validator("cases", mode="before")
    @classmethod
    def _read_units(cls, cases: Any, info: ValidationInfo) -> Any:
        unit = info.data.get("unit", "1")
        if not isinstance(cases, list | tuple) or (info.context and info.context.get("base_units")):
            return cases
        return [
            {key: parse(value, unit) if key in ("low", "typical", "high") else value for key, value in case.items()}
            if isinstance(case, dict)
            else case
            for case in cases
        ]
