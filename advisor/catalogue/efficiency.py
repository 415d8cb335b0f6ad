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
    """A constant that formulas take as a fact; its id is the fact's name.

    Either cases, of which the first whose conditions hold is used, or values by a key: the words of the facts in `by`, joined by
    a slash, with `otherwise` for keys that no measurement has (its band is wider, and plans mark it so). joint: fitted together
    with others, so that their ends do not add up; intervals of what is estimated with it come from calibrated bands.
    """

    unit: str = "1"
    meaning: str
    joint: bool = False
    cases: tuple[Level, ...] = ()
    by: tuple[str, ...] = ()
    values: dict[str, Level] = Field(default_factory=dict)
    otherwise: Level | None = None

    @field_validator("cases", "values", "otherwise", mode="before")
    @classmethod
    def _read_units(cls, given: Any, info: ValidationInfo) -> Any:
        unit = info.data.get("unit", "1")
        if info.context and info.context.get("base_units"):
            return given
        if isinstance(given, list | tuple):
            return [_level(each, unit) for each in given]
        if info.field_name == "values" and isinstance(given, dict):
            return {key: _level(each, unit) for key, each in given.items()}
        return _level(given, unit)

    @model_validator(mode="after")
    def _one_form(self) -> "Efficiency":
        if bool(self.cases) == bool(self.otherwise):
            raise ValueError("an efficiency has either cases, or values by a key with `otherwise`")
        if self.by and not self.otherwise:
            raise ValueError("`by` needs `otherwise`, for keys without a value")
        return self


def _level(given: Any, unit: str) -> Any:
    if not isinstance(given, dict):
        return given
    return {key: parse(value, unit) if key in ("low", "typical", "high") else value for key, value in given.items()}
