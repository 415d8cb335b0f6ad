"""Units behind numbers, and what they are per: req/s, USD/kWh, $ an hour, Gb that may be bits or bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.language.measures import MONEY, Quantity, measured
from advisor.language.numerals import Number, NumeralReader
from advisor.language.phrases import Match
from advisor.language.tokens import Word
from advisor.units import parse

TIMES = {"ms", "s", "min", "h", "days", "weeks", "months", "years"}
BITS_OR_BYTES = {"Gb": "Gbit", "Mb": "Mbit", "Tb": "Tbit"}


class UnitReader:
    """Reads the units of one text, given the phrases found in it."""

    def __init__(
        self,
        words: Sequence[Word],
        matches: Sequence[Match],
        numerals: NumeralReader,
        taken: set[int],
        stop_words: frozenset[str] = frozenset(),
    ) -> None:
        self.stop_words = stop_words
        self.words = words
        self.numerals = numerals
        self.taken = taken
        self.units = _by_first(matches, "unit")
        self.things = _by_first(matches, "thing")
        self.roles = {(each.key, each.first) for each in matches if each.family == "role"}
        self.ends = {(each.key, each.last) for each in matches if each.family == "role"}
        self.pers = [each for each in matches if each.family == "role" and each.key == "per"]
        self.network = [each.first for each in matches if each.family == "near" and each.key == "network"]
        self.spellings: Mapping[str, str] = {}

    def _giga(self, number: Number) -> Quantity:
        """80g of a card's memory, or 100g of a network."""
        network = any(-4 <= place - number.last <= 3 for place in self.network)
        value = parse(f"{number.value} {'Gbit/s' if network else 'GB'}", "byte/second" if network else "byte")
        return Quantity(
            value, "byte/second" if network else "byte", number.first, number.last, written="Gbit/s" if network else "GB"
        )

    def _bits_or_bytes(self, number: Number, last: int) -> Quantity:
        """Gb: bits beside a network, else in all likelihood bytes, but eight times less is possible and has to be asked."""
        written = self.words[last].text.lstrip("0123456789.,")
        if _rate_follows(self.words, last):
            return self._ended(number, BITS_OR_BYTES[written], last)
        value = parse(f"{number.value} {written[0]}B", "byte")
        because = f"{written} can be read as {written[0]}bit or {written[0]}B"
        return Quantity(value, "byte", number.first, last, written=f"{written[0]}B", sure=False, because=because)

    def _share(self, number: Number, last: int) -> Quantity:
        return Quantity(number.value / 100, "share", number.first, last, written="%", sure=number.sure)

    def _plain(self, number: Number) -> Quantity:
        unit = "share" if number.share else ""
        return Quantity(number.value, unit, number.first, number.last, sure=number.sure, spelled=number.spelled)

    def _half(self, number: Number) -> Quantity | None:
        """ "half a second", "halbes Jahr": a part of a unit of time."""
        place = number.last + 1
        if ("one", place) in self.roles:
            place += 1
        unit = self.units.get(place)
        if unit is None or unit.key not in TIMES:
            return None
        return self._with_unit(replace(number, share=False), unit.key, unit.last)

    def _ended(self, number: Number, unit: str, last: int) -> Quantity:
        """The number with its unit, and with what it is per: req/s, USD/kWh, $ an hour."""
        rate = self._rate(last)
        if rate is not None and (
            unit in MONEY or unit == "cent" or unit in ("token", "FLOP", "TFLOP/s") or "bit" in unit or "B" in unit
        ):
            per, end = rate
            if "bit/s" in unit or unit == "TFLOP/s":
                return self._with_unit(number, unit, end)
            return self._with_unit(number, f"{unit}/{per}", end)
        return self._with_unit(number, unit, last)

    def _with_unit(self, number: Number, unit: str, last: int, thing: str = "") -> Quantity:
        return measured(number, unit, last, cent_of=self.numerals.currency, thing=thing)

    def _rate(self, last: int) -> tuple[str, int] | None:
        """What follows "/", "per" or "a" after a unit: its spelling for the unit table, and its last word."""
        after = last + 1
        if after >= len(self.words):
            return None
        start = after
        if self.words[after].gap.strip() != "/":
            if self.words[after].gap.strip() or all(each.first != after for each in self.pers):
                return None
            start = 1 + max(each.last for each in self.pers if each.first == after)
        unit = self.units.get(start)
        if unit is None or unit.key not in (*TIMES, "kWh", "MWh"):
            return None
        return unit.key, unit.last


def _by_first(matches: Sequence[Match], family: str) -> dict[int, Match]:
    found: dict[int, Match] = {}
    for each in matches:
        if each.family == family and (each.first not in found or each.length > found[each.first].length):
            found[each.first] = each
    return found


def _rate_follows(words: Sequence[Word], last: int) -> bool:
    after = last + 1
    return after < len(words) and words[after].gap.strip() == "/" and words[after].low in ("s", "sec")
