"""Quantities: text with a unit on the way in, floats in base units inside, text again on the way out.

Base units are byte, second, FLOP, watt, joule, USD, token, request, person, and 1 for plain counts and ratios. GB is 10⁹ bytes
and GiB is 2³⁰; a month is a twelfth of a year of 365 days (730 hours), as cloud price lists count it. Prefixes and time factors
exist in this module only.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from advisor.errors import QuantityError

Quantity = float | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Unit:
    """The base unit a formula's parameter or result is in, as written in annotations."""

    name: str


Count = Annotated[Quantity, Unit("1")]
Ratio = Annotated[Quantity, Unit("1")]
Bytes = Annotated[Quantity, Unit("byte")]
Bits = Annotated[Quantity, Unit("bit")]
Tokens = Annotated[Quantity, Unit("token")]
Requests = Annotated[Quantity, Unit("request")]
People = Annotated[Quantity, Unit("person")]
BytesPerToken = Annotated[Quantity, Unit("byte/token")]
BytesPerRequest = Annotated[Quantity, Unit("byte/request")]
TokensPerRequest = Annotated[Quantity, Unit("token/request")]
TokensPerSecond = Annotated[Quantity, Unit("token/second")]
RequestsPerSecond = Annotated[Quantity, Unit("request/second")]
Seconds = Annotated[Quantity, Unit("second")]
CountPerSecond = Annotated[Quantity, Unit("1/second")]
SecondsPerToken = Annotated[Quantity, Unit("second/token")]
SecondsPerRequest = Annotated[Quantity, Unit("second/request")]
BytesPerSecond = Annotated[Quantity, Unit("byte/second")]
Flop = Annotated[Quantity, Unit("FLOP")]
FlopPerSecond = Annotated[Quantity, Unit("FLOP/second")]
Watts = Annotated[Quantity, Unit("watt")]
Joules = Annotated[Quantity, Unit("joule")]
Dollars = Annotated[Quantity, Unit("USD")]
DollarsPerSecond = Annotated[Quantity, Unit("USD/second")]
DollarsPerJoule = Annotated[Quantity, Unit("USD/joule")]

_DECIMAL = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}
_HOUR = 3600.0
_DAY = 24 * _HOUR
_YEAR = 365 * _DAY

# spelling -> (base unit, factor); those marked prefixable also take k, M, G, T, P, E and Ki, Mi, ...
_PREFIXABLE: dict[str, tuple[str, float]] = {
    "B": ("byte", 1.0),
    "byte": ("byte", 1.0),
    "bytes": ("byte", 1.0),
    "bit": ("byte", 1 / 8),
    "bits": ("byte", 1 / 8),
    "bps": ("byte/second", 1 / 8),
    "FLOP": ("FLOP", 1.0),
    "FLOPs": ("FLOP", 1.0),
    "FLOPS": ("FLOP/second", 1.0),
    "OP": ("FLOP", 1.0),
    "OPS": ("FLOP/second", 1.0),
    "W": ("watt", 1.0),
    "Wh": ("joule", _HOUR),
    "J": ("joule", 1.0),
    "VA": ("watt", 1.0),
}
_PLAIN: dict[str, tuple[str, float]] = {
    "": ("1", 1.0),
    "%": ("1", 0.01),
    "percent": ("1", 0.01),
    "x": ("1", 1.0),
    "ns": ("second", 1e-9),
    "us": ("second", 1e-6),
    "µs": ("second", 1e-6),
    "ms": ("second", 1e-3),
    "s": ("second", 1.0),
    "sec": ("second", 1.0),
    "secs": ("second", 1.0),
    "second": ("second", 1.0),
    "seconds": ("second", 1.0),
    "min": ("second", 60.0),
    "mins": ("second", 60.0),
    "minute": ("second", 60.0),
    "minutes": ("second", 60.0),
    "h": ("second", _HOUR),
    "hr": ("second", _HOUR),
    "hour": ("second", _HOUR),
    "hours": ("second", _HOUR),
    "d": ("second", _DAY),
    "day": ("second", _DAY),
    "days": ("second", _DAY),
    "week": ("second", 7 * _DAY),
    "weeks": ("second", 7 * _DAY),
    "month": ("second", _YEAR / 12),
    "months": ("second", _YEAR / 12),
    "a": ("second", _YEAR),
    "y": ("second", _YEAR),
    "yr": ("second", _YEAR),
    "year": ("second", _YEAR),
    "years": ("second", _YEAR),
    "watt": ("watt", 1.0),
    "watts": ("watt", 1.0),
    "joule": ("joule", 1.0),
    "V": ("volt", 1.0),
    "volt": ("volt", 1.0),
    "volts": ("volt", 1.0),
    "A": ("ampere", 1.0),
    "amp": ("ampere", 1.0),
    "amps": ("ampere", 1.0),
    "ampere": ("ampere", 1.0),
    "amperes": ("ampere", 1.0),
    "USD": ("USD", 1.0),
    "$": ("USD", 1.0),
    "dollar": ("USD", 1.0),
    "dollars": ("USD", 1.0),
    "token": ("token", 1.0),
    "tokens": ("token", 1.0),
    "tok": ("token", 1.0),
    "request": ("request", 1.0),
    "requests": ("request", 1.0),
    "req": ("request", 1.0),
    "person": ("person", 1.0),
    "people": ("person", 1.0),
    "user": ("person", 1.0),
    "users": ("person", 1.0),
    "employee": ("person", 1.0),
    "employees": ("person", 1.0),
    "seat": ("person", 1.0),
    "seats": ("person", 1.0),
}
# A lower-case b after a prefix is read as bit by some and as byte by others; a factor of eight is worth a question.
_AMBIGUOUS = re.compile(r"^([KMGTPkmgtp]i?)b(/.*|ps)?$")
_NUMBER = re.compile(
    r"^\s*(?P<number>[+-]?(?:\d[\d_]*(?:,\d{3}(?!\d))*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*"
    r"(?P<scale>[kKMBT](?=\s|$))?\s*(?P<unit>[^\d\s].*?)?\s*$"
)
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_COUNTED = {"1", "token", "request", "person"}


def parse(text: str | float, unit: str, *, field: str | None = None) -> float:
    """The value of `text` in base unit `unit`, e.g. parse("80 GB", "byte") = 8e10.

    A bare number is taken only where the unit is a plain count (1, token, request, person); elsewhere the unit must be written,
    since a factor of 10⁹ or 8 would otherwise be guessed. Raises QuantityError for a missing, wrong or ambiguous unit and for
    values that are not finite.
    """
    if isinstance(text, bool) or not isinstance(text, str | int | float):  # files hold lists and mappings too
        raise QuantityError(f"{text} is not a quantity", where=field, hint=_example(unit))
    if isinstance(text, int | float):
        if unit not in _COUNTED:
            raise QuantityError(f"{text} has no unit; expected {describe(unit)}", where=field, hint=_example(unit))
        return _finite(float(text), str(text), field)
    match = _NUMBER.match(text)
    if not match:
        raise QuantityError(f'"{text}" is not a number with a unit; expected {describe(unit)}', where=field, hint=_example(unit))
    value = float(match["number"].replace("_", "").replace(",", ""))
    suffix, scale = match["unit"] or "", match["scale"]
    if suffix.startswith(","):  # a decimal comma, as much of Europe writes it, must not become a factor of ten
        raise QuantityError(
            f'"{text}" has a comma that does not separate thousands', where=field, hint="write decimals with a point, as in 1.5"
        )
    if scale and (suffix or unit in _COUNTED):
        if unit.split("/")[0] not in _COUNTED:  # "80 G B" is nobody's spelling
            raise QuantityError(f'"{text}" is not in {describe(unit)}', where=field, hint=_example(unit))
        value *= _SCALES[scale]
    elif scale:
        suffix = scale
    return _finite(value * _factor(suffix, unit, text, field), text, field)


def show(value: float, unit: str, *, digits: int = 3) -> str:
    """`value` (in base units) written in `unit`, e.g. show(8e10, "GB") = "80 GB"."""
    _, factor = _resolve(unit)
    return f"{number(value / factor, digits)} {unit}".strip() if unit not in ("1", "%") else _bare(value, unit, digits)


def show_base(value: float, base: str, *, digits: int = 3) -> str:
    """`value` of base unit `base`, in the unit people read it in: bytes in GiB, seconds in ms to years, watts in kW."""
    for limit, unit in _READABLE.get(base, ()):
        if abs(value) >= limit:
            return show(value, unit, digits=digits)
    if base == "1":
        return number(value, digits)
    return f"{number(value, digits)} {_plural(base, value)}"


def number(value: float, digits: int = 3) -> str:
    """A number with `digits` significant digits, thousands separated, never in exponent form below 10¹⁵."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude >= 15:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - magnitude)
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def describe(unit: str) -> str:
    """A base unit in words for messages: "byte" -> "bytes (such as 80 GB or 64 GiB)"."""
    return _WORDS.get(unit, f"a quantity in {unit}" if unit != "1" else "a plain number")


def base_unit(spelling: str) -> str:
    """The base unit a spelling belongs to: "GiB" -> "byte". Raises QuantityError when there is none."""
    return _resolve(spelling)[0]


@cache
def _resolve(spelling: str) -> tuple[str, float]:
    """Base unit and factor of a unit's spelling, compound ones (GB/s, USD/kWh) included."""
    if spelling == "1":
        return "1", 1.0
    if "/" in spelling:
        above, below = spelling.rsplit("/", 1)  # USD/GB/month is per gigabyte and per month
        (base_above, factor_above), (base_below, factor_below) = _resolve(above.strip()), _resolve(below.strip())
        base = base_above if base_below == "1" else f"{base_above}/{base_below}"
        return base, factor_above / factor_below
    for table in (_PLAIN, _PREFIXABLE):
        if spelling in table:
            return table[spelling]
    for prefixes in (_BINARY, _DECIMAL):
        for prefix, factor in prefixes.items():
            rest = spelling.removeprefix(prefix)
            if rest != spelling and rest in _PREFIXABLE:
                base, own = _PREFIXABLE[rest]
                return base, factor * own
    raise QuantityError(f'unknown unit "{spelling}"')


def _factor(suffix: str, unit: str, text: str | float, field: str | None) -> float:
    if not suffix and unit not in _COUNTED and unit.split("/")[0] not in ("1",):
        raise QuantityError(f'"{text}" has no unit; expected {describe(unit)}', where=field, hint=_example(unit))
    if not suffix:
        return 1.0
    if ambiguous := _AMBIGUOUS.match(suffix):
        prefix = ambiguous[1]
        raise QuantityError(
            f'"{text}": {suffix} can be read as {prefix}bit or as {prefix}B, eight times as much',
            where=field,
            hint=f"write {prefix}B for bytes or {prefix}bit for bits",
        )
    try:
        base, factor = _resolve(suffix)
    except QuantityError:
        raise QuantityError(
            f'"{text}" has the unknown unit "{suffix}"; expected {describe(unit)}', where=field, hint=_example(unit)
        ) from None
    if base != unit and not (unit in _COUNTED and base in _COUNTED and "1" in (base, unit)):
        raise QuantityError(f'"{text}" is {describe(base)}; expected {describe(unit)}', where=field, hint=_example(unit))
    return factor


def _finite(value: float, text: str, field: str | None) -> float:
    if not math.isfinite(value):
        raise QuantityError(f'"{text}" is not a finite number', where=field)
    return value


def _bare(value: float, unit: str, digits: int) -> str:
    return f"{number(value * 100, digits)} %" if unit == "%" else number(value, digits)


def _plural(base: str, value: float) -> str:
    return f"{base}s" if base in ("token", "request") and value != 1 else ("people" if base == "person" and value != 1 else base)


def _example(unit: str) -> str | None:
    example = _EXAMPLES.get(unit)
    return f"write for example {example}" if example else None


_WORDS = {
    "byte": "bytes (KB, MB, GB, TB or KiB, MiB, GiB, TiB)",
    "second": "a time (ms, s, min, h, days, weeks, months, years)",
    "byte/second": "bytes per second (GB/s) or bits per second (Gbit/s)",
    "FLOP/second": "operations per second (TFLOP/s)",
    "watt": "a power (W, kW, MW)",
    "joule": "an energy (J, kWh)",
    "volt": "a voltage (V)",
    "ampere": "a current (A)",
    "USD": "an amount of money (USD)",
    "USD/second": "money per time (USD/h, USD/month, USD/year)",
    "USD/joule": "money per energy (USD/kWh)",
    "token": "a number of tokens",
    "request": "a number of requests",
    "person": "a number of people",
    "request/second": "requests per time (requests/s, requests/h)",
    "token/second": "tokens per second",
    "1": "a plain number or a percentage",
}
_EXAMPLES = {
    "byte": "80 GB",
    "second": "2 s or 50 ms",
    "byte/second": "3.35 TB/s or 400 Gbit/s",
    "FLOP/second": "989 TFLOP/s",
    "watt": "20 kW",
    "joule": "100 kWh",
    "volt": "230 V",
    "ampere": "32 A",
    "USD": "25000 USD",
    "USD/second": "2.50 USD/h",
    "USD/joule": "0.12 USD/kWh",
    "token": "4000",
    "request": "50",
    "person": "2000",
    "request/second": "20 requests/s",
    "token/second": "1500 tokens/s",
    "1": "0.9 or 90 %",
}
_READABLE: dict[str, tuple[tuple[float, str], ...]] = {
    "byte": ((2.0**40 * 10, "TiB"), (2.0**27, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB")),
    "byte/token": ((2.0**20, "MiB/token"), (2.0**10, "KiB/token")),
    "byte/request": ((2.0**27, "GiB/request"), (2.0**20, "MiB/request"), (2.0**10, "KiB/request")),
    "byte/second": ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s")),
    "second": (
        (2 * _YEAR, "years"),
        (2 * _DAY, "days"),
        (2 * _HOUR, "h"),
        (120.0, "min"),
        (1.0, "s"),
        (1e-3, "ms"),
        (1e-6, "us"),
        (1e-9, "ns"),
    ),
    "FLOP/second": ((1e15, "PFLOP/s"), (1e12, "TFLOP/s"), (1e9, "GFLOP/s")),
    "FLOP": ((1e15, "PFLOP"), (1e12, "TFLOP"), (1e9, "GFLOP")),
    "watt": ((1e6, "MW"), (1e3, "kW"), (0.0, "W")),
    "joule": ((3.6e9, "MWh"), (3.6e6, "kWh"), (0.0, "J")),
    "USD/second": ((0.0, "USD/h"),),
    "USD/joule": ((0.0, "USD/kWh"),),
    "token/second": ((0.0, "tokens/s"),),
    "request/second": ((0.0, "requests/s"),),
    "token/request": ((0.0, "tokens/request"),),
}


def ceil(value: Quantity) -> Quantity:
    """The next whole number up, for things that are counted."""
    return _apply(np.ceil, value)


def floor(value: Quantity) -> Quantity:
    """The next whole number down, for things that are counted."""
    return _apply(np.floor, value)


def log2(value: Quantity) -> Quantity:
    """Logarithm to base two; zero below one, where a count of ranks has none."""
    return np.log2(np.maximum(value, 1))


def maximum(first: Quantity, *others: Quantity) -> Quantity:
    """The largest, element by element."""
    for other in others:
        first = np.maximum(first, other)
    return first


def minimum(first: Quantity, *others: Quantity) -> Quantity:
    """The smallest, element by element."""
    for other in others:
        first = np.minimum(first, other)
    return first


def where(condition: Quantity | bool | NDArray[np.bool_], then: Quantity, otherwise: Quantity) -> Quantity:
    """`then` where the condition holds, else `otherwise`, element by element."""
    return np.where(condition, then, otherwise)


def total(groups: Quantity) -> Quantity:
    """The sum over a model's layer groups: the first axis of a group quantity (see sizing.formula)."""
    return groups.sum(axis=0) if isinstance(groups, np.ndarray) and groups.ndim > 1 else groups


def largest(groups: Quantity) -> Quantity:
    """The largest over a model's layer groups."""
    return groups.max(axis=0) if isinstance(groups, np.ndarray) and groups.ndim > 1 else groups


def smallest(groups: Quantity) -> Quantity:
    """The smallest over a model's layer groups."""
    return groups.min(axis=0) if isinstance(groups, np.ndarray) and groups.ndim > 1 else groups


def _apply(function: Callable[[Quantity], Quantity], value: Quantity) -> Quantity:
    # A tiny slack keeps a count that is whole but for rounding (4.0000000001) from buying one more.
    return function(np.asarray(value) - 1e-9 * np.sign(value)) if function is np.ceil else function(np.asarray(value) + 1e-9)
