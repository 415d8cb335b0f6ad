"""Quantities in a workload document: read from text with a unit into a float in the base unit, and written back.

Every field states the range it takes and why, so that a slip of a thousand is caught where it was written.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from advisor.errors import QuantityError
from advisor.units import describe, number, parse, show_base
from advisor.workload.refusal import refusal, show_given

LONGEST_QUANTITY = 64
_PLAIN = re.compile(r"\s*[+-]?(?:\d[\d_,]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s?[kKMBT]?\s*")
SIGNS = {"€": "EUR", "£": "GBP", "¥": "JPY", "$": "USD"}
_CURRENCY = re.compile(r"(?P<before>[\d.,_]\s*[kKMB]?\s*)(?P<currency>[A-Z]{3}|€|£|¥)(?P<after>\s*(?:/.*)?)$")
_COUNTED = ("1", "token", "request", "person")
_BASE = {
    "byte": "B",
    "second": "s",
    "byte/second": "B/s",
    "watt": "W",
    "volt": "V",
    "ampere": "A",
    "USD": "USD",
    "USD/second": "USD/s",
    "USD/joule": "USD/J",
}
# Units a value is written back in, the largest first in which it is a short number and reads back as itself.
_WRITTEN = {
    "byte": ("TB", "TiB", "GB", "GiB", "MB", "MiB"),
    "second": ("years", "days", "h", "min", "s", "ms"),
    "byte/second": ("TB/s", "GB/s", "MB/s"),
    "watt": ("MW", "kW"),
    "USD/second": ("USD/h", "USD/month", "USD/year"),
    "USD/joule": ("USD/kWh",),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """Reads one quantity.

    unit: base unit of the value. at_least, at_most: the range it takes, in that unit, ends included. because: why no more.
    example: what to write. least_because: why no less, where that is not plain. whole: a count of things, read as an integer.
    bare: the field's name carries the unit, so a plain number will do.
    """

    unit: str
    at_least: float
    at_most: float
    because: str
    example: str
    least_because: str | None = None
    whole: bool = False
    bare: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(self.write, when_used="json")
        return core_schema.with_info_plain_validator_function(self.read, serialization=written)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        plain = self.unit in _COUNTED or self.bare
        text: dict[str, Any] = {"type": "string", "description": f"{describe(self.unit)}, such as {self.example}"}
        if not plain:
            return text
        bounds = {"minimum": self.at_least, "maximum": self.at_most}
        return {"anyOf": [{"type": "integer" if self.whole else "number", **bounds}, text]}

    def read(self, given: Any, info: ValidationInfo) -> float:
        """The value in the base unit; refuses other units, ranges and things."""
        if not isinstance(given, str | int | float) or isinstance(given, bool):
            expected = "a whole number" if self.whole else describe(self.unit)
            raise refusal(f"{show_given(given)} stands where {expected} is expected", hint=f"write for example {self.example}")
        if isinstance(given, str) and len(given) > LONGEST_QUANTITY:
            raise refusal(f"{show_given(given)} is too long for a quantity", hint=f"write for example {self.example}")
        if isinstance(given, int) and abs(given) >= 10**60:  # more digits than a message should repeat
            raise refusal(
                f"{show_given(given)} stands where {describe(self.unit)} is expected", hint=f"write for example {self.example}"
            )
        value = self._parsed(given, info)
        shown = show_given(given)
        if self.at_least <= value <= self.at_most:
            if not self.whole:
                return value
            if value.is_integer():
                return int(value)
            raise refusal(f"{shown} is not a whole number", hint=f"write for example {self.example}")
        hint = f"write for example {self.example}"
        if value < self.at_least:
            if value <= 0:
                problem = f"{shown} is {'zero' if value == 0 else 'negative'}"
            else:
                problem = f"{shown} is less than {self._shown(self.at_least)}, the least that is taken here"
            raise refusal(f"{problem}: {self.least_because}" if self.least_because else problem, hint=hint)
        if self._is_percentage_without_sign(given, value):
            hint = f"write {number(value, 6)} % or {number(value / 100, 6)}"
        raise refusal(f"{shown} is more than {self._shown(self.at_most)}: {self.because}", hint=hint)

    def write(self, value: float) -> str | float:
        """The value as a person would write it, reading back as exactly the same number."""
        if self.unit in _COUNTED or self.bare:
            return int(value) if float(value).is_integer() else value
        for least in (1, 0):  # first the largest unit that gives no fraction below one
            for unit in _WRITTEN.get(self.unit, ()):
                short = f"{value / parse(f'1 {unit}', self.unit):.6g}"
                if float(short) >= least and "e" not in short and _rounded(parse(f"{short} {unit}", self.unit)) == value:
                    return f"{short} {unit}"
        return f"{int(value) if float(value).is_integer() else repr(value)} {_BASE[self.unit]}"

    def _parsed(self, given: str | float, info: ValidationInfo) -> float:
        rate = 1.0
        unit = self.unit
        if isinstance(given, str):
            if self.unit.startswith("USD"):
                given, rate = _in_dollars(given, info)
            if self.bare and _PLAIN.fullmatch(given):
                unit = "1"
            elif unit == "second" and re.fullmatch(r"\s*\d+(:\d\d)+\s*", given):
                raise refusal(f"{show_given(given)} could be hours or minutes", hint="write the unit, as in 90 min or 1.5 h")
        elif self.bare:
            unit = "1"
        try:
            return _rounded(parse(given, unit) * rate)
        except QuantityError as error:
            usual = error.hint is None or error.hint.startswith("write for example")
            message = error.message.replace(" or a percentage", "") if self.whole else error.message
            raise refusal(message, hint=f"write for example {self.example}" if usual else error.hint) from None

    def _is_percentage_without_sign(self, given: str | float, value: float) -> bool:
        return self.unit == "1" and self.at_most <= 1 < value <= 100 and "%" not in str(given)

    def _shown(self, value: float) -> str:
        if self.unit == "1" and self.at_most <= 1:
            return f"{number(value * 100, 8)} %"
        if self.unit in ("volt", "ampere"):
            return f"{number(value)} {self.unit}s"
        return show_base(value, self.unit, digits=6)


def _rounded(value: float) -> float:
    """Twelve digits, so that one amount written in two units (99.9 % and 0.999) is one number and gives one plan."""
    return float(f"{value:.12g}")


def _in_dollars(given: str, info: ValidationInfo) -> tuple[str, float]:
    """The text with its currency replaced by USD, and the dollars that one unit of the currency is worth.

    Rates are the document's own (`budget.exchange_rates`): none is built in, since an undated one would enter totals unmarked.
    """
    match = _CURRENCY.search(given)
    currency = SIGNS.get(match["currency"], match["currency"]) if match else "USD"
    if not match or currency == "USD":
        return given, 1.0
    rates: dict[str, float] = (info.context or {}).get("exchange_rates", {})
    if currency not in rates:
        raise refusal(
            f"{show_given(given)} is in {currency}, and the document gives no rate for it",
            hint=f"write it in USD, or add budget: {{exchange_rates: {{{currency}: … USD}}}} with what one {currency} is worth",
        )
    return f"{given[: match.start('currency')]}USD{match['after']}", rates[currency]


Share = Annotated[float, Quantity("1", 0, 1, "it is a part of the whole", "0.1 or 10 %")]
People = Annotated[float, Quantity("person", 1, 1e10, "there are about eight thousand million people", "2000")]
Tokens = Annotated[
    float, Quantity("token", 1, 1e16, "the largest training runs read some tens of million million tokens", "200M")
]
ContextTokens = Annotated[float, Quantity("token", 1, 1e8, "the longest context of any model is about ten million tokens", "8k")]
Samples = Annotated[float, Quantity("1", 1, 1e13, "the largest data sets hold some thousand million samples", "50k")]
Requests = Annotated[float, Quantity("request", 1e-6, 1e8, "no single service answers more at once", "50")]
RequestsPerSecond = Annotated[
    float, Quantity("request/second", 1e-9, 1e8, "the largest public services stay below ten million a second", "20", bare=True)
]
TokensPerSecond = Annotated[
    float,
    Quantity("token/second", 1e-6, 1e12, "the largest estates write some hundred million tokens a second", "1500", bare=True),
]
Size = Annotated[float, Quantity("byte", 1, 1e21, "the largest stores hold some hundred exabytes", "500 GB")]
Bandwidth = Annotated[float, Quantity("byte/second", 1e3, 1e17, "whole data centres carry less", "100 Gbit/s")]
Power = Annotated[float, Quantity("watt", 1, 1e11, "the largest sites draw some gigawatts", "20 kW")]
Money = Annotated[float, Quantity("USD", 0, 1e13, "no estate costs more", "25000 USD")]
MoneyRate = Annotated[float, Quantity("USD/second", 0, 1e6, "no estate costs more", "2.50 USD/h")]
Period = Annotated[float, Quantity("second", 1, 3.2e9, "plans look a hundred years ahead at most", "90 days")]
Count = Annotated[int, Quantity("1", 1, 1e6, "the largest estates hold some hundred thousand accelerators", "8", whole=True)]
