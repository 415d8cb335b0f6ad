"""Facts: one named value about a workload, and where it came from.

A fact's name is declared by the question, the rule or the formula that gives it; its full name is
`workload/component/name`, of which this record keeps the last part.
"""

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from advisor.errors import InputError, QuantityError
from advisor.units import parse, show, show_base

FactValue = float | str | bool
FactKind = Literal["quantity", "choice", "flag", "text"]
FLAGS = {"true": True, "yes": True, "y": True, "on": True, "false": False, "no": False, "n": False, "off": False}


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


def assumed(name: str, value: FactValue, unit: str = "", *, because: str, sources: tuple[str, ...] = ()) -> Fact:
    """A fact taken for the person, with the reason that the plan prints and what that rests on."""
    return Fact(name=name, value=value, unit=unit, origin=Origin(label=Label.assumed, because=because, sources=sources))


def catalogued(name: str, value: FactValue, unit: str = "", *, sources: tuple[str, ...] = ()) -> Fact:
    """A fact read from a knowledge entry."""
    return Fact(name=name, value=value, unit=unit, origin=Origin(label=Label.catalogue, sources=sources))


def derived(name: str, value: FactValue, unit: str = "", *, because: str) -> Fact:
    """A fact that a design rule or a conversion made from others."""
    return Fact(name=name, value=value, unit=unit, origin=Origin(label=Label.derived, because=because))


class FactDeclaration(BaseModel):
    """What values a fact can have, as the question, rule or formula that gives it declares.

    unit: base unit of a quantity ("1" for plain numbers), empty for other kinds. percentage: whether a plain ratio is shown
    in percent. shown_in: the unit people read it in, where that is not the one its size suggests. choices: the words a choice
    can be; none where they are entries of the catalogue.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    kind: FactKind
    unit: str = ""
    percentage: bool = False
    shown_in: str = ""
    choices: tuple[str, ...] = ()

    def read(self, given: object, *, where: str | None = None) -> FactValue:
        """The value that a file or a person wrote, in the base unit.

        Raises QuantityError for a missing or wrong unit, InputError for a word that is no choice or a flag that is neither.
        """
        if self.kind == "quantity":
            if isinstance(given, bool) or not isinstance(given, int | float | str):
                raise QuantityError(f"{_given(given)} is not a quantity", where=where)
            return parse(given, self.unit or "1", field=where)
        if self.kind == "flag":
            value = given if isinstance(given, bool) else FLAGS.get(str(given).strip().lower())
            if value is None:
                raise InputError(f"{_given(given)} is neither yes nor no", where=where, hint="write yes or no")
            return value
        if not isinstance(given, str) or not given.strip():
            raise InputError(f"{_given(given)} stands where a word is expected", where=where)
        word = given.strip()
        if self.kind == "choice" and self.choices and word not in self.choices:
            raise InputError(
                f"{_given(given)} is not a choice{did_you_mean(word, self.choices)}",
                where=where,
                hint=f"choices are {', '.join(self.choices)}",
            )
        return word

    def show(self, value: FactValue) -> str:
        """The value as people read it, with its unit."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return value
        if self.shown_in:
            return show(value, self.shown_in)
        if not self.percentage:
            return show_base(value, self.unit or "1")
        # 99.99 % must not be rounded to 100 %: near one it is the gap to one that matters.
        digits = 3 if not 0.9 < value < 1 else 3 + math.ceil(-math.log10(1 - value) - 1e-9)
        return show(value, "%", digits=digits)


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """`; did you mean "x"?` with the nearest name, or nothing when none comes close."""
    # Only errors need it, and it costs milliseconds to import.
    from difflib import get_close_matches

    close = get_close_matches(given, list(names), n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""


def _given(given: object) -> str:
    return f'"{given}"' if isinstance(given, str) else ("nothing" if given is None else str(given))
