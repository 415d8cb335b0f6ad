"""The trace of one row: each quantity with its equation, its numbers and its inputs, down to the facts it started from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.facts import Fact, Label
from advisor.sizing.formula import Formula, Registry, at
from advisor.units import number, show_base

_NAME = re.compile(r"[a-z_][a-z0-9_]*")
TraceValue = float | str | tuple[float, ...]


@dataclass(frozen=True)
class Estimate:
    """A value on one row and how it was made.

    value: in base unit `unit`; one number per layer group where the name begins with group_. low, high: the interval where the
    quantity rests on uncertain constants, none where it is exact. equation: as tested; filled: the same with the numbers put in.
    applies: the condition under which this variant of the formula counts. inputs: names of what it was made from.
    """

    name: str
    value: TraceValue
    unit: str
    label: Label
    low: float | None = None
    high: float | None = None
    summary: str | None = None
    equation: str | None = None
    filled: str | None = None
    applies: str | None = None
    because: str | None = None
    sources: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trace:
    """Reads estimates off one row of evaluated columns.

    facts: origins of what the columns started from, by name. ends: the row alone with every uncertain constant at its low end,
    and at its high end as a second row, for intervals; empty where nothing is uncertain.
    """

    registry: Registry
    values: Mapping[str, Any]
    row: int
    facts: Mapping[str, Fact]
    ends: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """The bare value of a fact or an evaluated quantity on this row."""
        return at(self.values[name], self.row)

    def estimate(self, name: str) -> Estimate:
        """The quantity with its equation and the names of its inputs."""
        formula = None if name in self.facts else self.registry.applied(name, self.values, self.row)
        low, high = self._interval(name)
        value, unit = self.value(name), self.registry.units.get(name, "")
        if formula is not None:
            return Estimate(
                name,
                value,
                unit,
                Label.estimated,
                low,
                high,
                summary=formula.summary,
                equation=formula.equation,
                filled=self._filled(formula),
                applies=formula.condition_text or None,
                sources=tuple(str(source) for source in formula.sources),
                inputs=formula.parameters,
            )
        fact = self.facts.get(name)
        if fact is None:
            return Estimate(name, value, unit, Label.derived, low, high, because="the row of the candidates table")
        origin = fact.origin
        return Estimate(name, value, unit or fact.unit, origin.label, low, high, because=origin.because, sources=origin.sources)

    def _interval(self, name: str) -> tuple[float | None, float | None]:
        column = self.ends.get(name)
        value = self.value(name)
        if column is None or isinstance(value, str | tuple):
            return None, None
        ends = at(column, 0), at(column, 1)
        low, high = min(*ends, value), max(*ends, value)
        return (None, None) if low == high else (low, high)

    def _filled(self, formula: Formula) -> str | None:
        """The equation with each name's number in its place; None for procedures and group quantities."""
        if formula.method is not None:
            return None
        values = {parameter: self.value(parameter) for parameter in formula.parameters}
        if any(isinstance(value, tuple) for value in values.values()):
            return None

        def put(match: re.Match[str]) -> str:
            value = values.get(match[0])
            if value is None:
                return match[0]
            return value if isinstance(value, str) else _plain(float(value), formula.units[match[0]])

        return _NAME.sub(put, formula.equation)


def _plain(value: float, unit: str) -> str:
    return number(value, 4) if unit == "1" else f"({show_base(value, unit, digits=4)})"
