"""A figure with its unit, converted to the base unit that it has everywhere here."""

from dataclasses import dataclass

from advisor.errors import QuantityError
from advisor.language.numerals import Number
from advisor.units import base_unit, parse

CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
MONEY = {"USD", "EUR", "GBP", "CHF", "JPY"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure in a text, in its base unit ("share" for percentages, "" for a bare number; money in its own currency).

    upper: the end of a range. thing: what is counted. written: the unit before conversion. sure: whether number and unit can
    only be read one way.
    """

    value: float
    unit: str
    first: int
    last: int
    upper: float | None = None
    thing: str = ""
    written: str = ""
    sure: bool = True
    spelled: bool = False
    suffix: str = ""
    because: str = ""

    @property
    def currency(self) -> str:
        """The currency of an amount of money, or nothing."""
        head = self.unit.split("/")[0]
        return head if head in MONEY else ""


def measured(number: Number, unit: str, last: int, *, cent_of: str = "USD", thing: str = "") -> Quantity:
    """A number with a unit as units are spelt in data files; the unit is "?" where there is none such.

    last: the last word of both. cent_of: the currency a cent belongs to where none is named.
    """
    value, written = number.value, unit
    head = unit.split("/")[0]
    if head == "cent":
        value, unit, head = value / 100, unit.replace("cent", cent_of), cent_of
    if head[:1] == "k" and head[1:] in MONEY:
        value, unit, head = value * 1000, unit[1:], head[1:]
    currency = head if head in MONEY else ""
    plain = unit.replace(currency, "USD") if currency else unit
    try:
        base = base_unit(plain)
        value *= parse(f"1 {plain}", base)
    except QuantityError:
        return Quantity(number.value, "?", number.first, last, written=written, sure=False)
    if currency:
        base = base.replace("USD", currency)
    return Quantity(value, base, number.first, last, written=written, sure=number.sure, thing=thing, spelled=number.spelled)
