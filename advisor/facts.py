"""Facts: one named value about a workload, and where it came from.

A fact's name is declared by the question, the rule or the formula that gives it; its full name is
`workload/component/name`, of which this record keeps the last part.
"""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

FactValue = float | str | bool


class Label(StrEnum):
    """How a value is known; printed beside every number."""

    measured = "measured"
    estimated = "estimated"
    catalogue = "catalogue"
    assumed = "assumed"
    answered = "answered"
    derived = "derived"


class Origin(BaseModel):
    """Where a fact comes from: its label, the words that justify it, and the sources it cites."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: Label
    because: str | None = None
    sources: tuple[str, ...] = ()


class Fact(BaseModel):
    """A value in its base unit ("1" for plain numbers, "" for words and flags)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: FactValue
    unit: str = ""
    origin: Origin


Facts = Mapping[str, Fact]
ANSWERED = Origin(label=Label.answered)


def answered(name: str, value: FactValue, unit: str = "") -> Fact:
    """A fact the person stated."""
    return Fact(name=name, value=value, unit=unit, origin=ANSWERED)


def assumed(name: str, value: FactValue, unit: str = "", *, because: str) -> Fact:
    """A fact taken for the person, with the reason that the plan prints."""
    return Fact(name=name, value=value, unit=unit, origin=Origin(label=Label.assumed, because=because))


def catalogued(name: str, value: FactValue, unit: str = "", *, sources: tuple[str, ...] = ()) -> Fact:
    """A fact read from a knowledge entry."""
    return Fact(name=name, value=value, unit=unit, origin=Origin(label=Label.catalogue, sources=sources))


def derived(name: str, value: FactValue, unit: str = "", *, because: str) -> Fact:
    """A fact that a design rule or a conversion made from others."""
    return Fact(name=name, value=value, unit=unit, origin=Origin(label=Label.derived, because=because))
