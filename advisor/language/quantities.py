"""Numbers with what they count or measure: 20 req/s, 24gb, $1.10 an hour, 500 employees, 5-8 s."""

from collections.abc import Mapping
from dataclasses import replace

from advisor.language.measures import CURRENCIES, MONEY, Quantity
from advisor.language.numerals import Number
from advisor.language.phrases import Match
from advisor.language.unit_reading import BITS_OR_BYTES, TIMES, UnitReader


class QuantityReader(UnitReader):
    """Finds the quantities of a text, given the phrases found in it."""

    def all(self, spellings: Mapping[str, str]) -> list[Quantity]:
        """Every quantity, in order. spellings: units by their spelling, for those written onto a number."""
        self.spellings = spellings
        found: list[Quantity] = []
        place = 0
        while place < len(self.words):
            if place in self.taken:
                place += 1
                continue
            quantity = self._at(place)
            if quantity is None:
                place += 1
                continue
            found.append(quantity)
            place = quantity.last + 1
        return found

    def _at(self, place: int) -> Quantity | None:
        word = self.words[place]
        if word.low in CURRENCIES and place + 1 < len(self.words):
            number = self._number(place + 1)
            return self._ended(replace(number, first=place), CURRENCIES[word.low], number.last) if number else None
        if (unit := self.units.get(place)) and unit.key in MONEY and place + 1 < len(self.words):
            number = self._number(unit.last + 1) if unit.last + 1 < len(self.words) else None
            if number and not number.spelled:
                return self._ended(replace(number, first=place), unit.key, number.last)
        number = self._number(place)
        if number is None:
            return self._one(place)
        if self._referred(place) and not number.suffix:
            return None
        return self._range(number) or self._measured(number)

    def _number(self, place: int) -> Number | None:
        if place in self.taken:
            return None
        number = self.numerals.at(self.words, place)
        if number is None or any(each in self.taken for each in range(number.first, number.last + 1)):
            return None
        return number

    def _referred(self, place: int) -> bool:
        """Whether the number only names a part of a text or a place in a list: section 4, question 5."""
        return place > 0 and self.words[place].joined and ("reference", place - 1) in self.ends

    def _one(self, place: int) -> Quantity | None:
        """ "within an hour": a determiner before a unit of time counts one; so does a gigabit network."""
        if ("gigabit", place) in self.roles:
            return self._ended(Number(1, place, place), "Gbit/s", place)
        if ("one", place) not in self.roles or place + 1 >= len(self.words):
            return None
        unit = self.units.get(place + 1)
        if unit is None or unit.key not in TIMES or (place > 0 and ("spans", place - 1) not in self.ends):
            return None
        return self._ended(Number(1, place, place, spelled=True), unit.key, unit.last)

    def _range(self, number: Number) -> Quantity | None:
        """A range, told as 5-8, 5 to 8, or between 5 and 8."""
        after = number.last + 1
        if after >= len(self.words):
            return None
        gap = self.words[after].gap.strip()
        if gap in ("-", "–", "—") and not number.spelled and not number.suffix:
            upper = self._number(after)
        elif (to := next((1 for key, first in self.roles if key == "range_to" and first == after), 0)) and self.words[
            after
        ].joined:
            between = number.first > 0 and ("range_between", number.first - 1) in self.ends
            if ("range_and", after) in self.roles and not between:
                return None
            upper = self._number(after + to) if after + to < len(self.words) else None
        elif self.units.get(after) and after + 1 < len(self.words):
            return None
        else:
            return None
        if upper is None or (upper.value <= number.value and not upper.scaled) or number.share or upper.share:
            return None
        low = number.value
        if upper.scaled and not number.scaled and low < 1000 and upper.value / low >= 1000:  # "4 to 8k"
            low *= _scale_of(upper.value, low)
        whole = self._measured(replace(upper, first=number.first))
        if whole is None:
            return None
        factor = whole.value / upper.value if upper.value else 1.0
        return replace(whole, value=low * factor, upper=whole.value, sure=whole.sure and number.sure)

    def _measured(self, number: Number) -> Quantity | None:
        """The number with the unit or thing that follows it."""
        if number.suffix:
            return self._suffixed(number)
        after = number.last + 1
        if number.share:
            return self._half(number) or self._plain(number)
        if ("one_in", after) in self.roles and number.value == 1 and after + 1 < len(self.words):
            base = self._number(after + 1)
            if base is not None and 2 <= base.value <= 1000 and not base.suffix:
                return Quantity(1 / base.value, "share", number.first, base.last)
        if ("out_of", after) in self.roles and (whole := self._whole(number)) is not None:
            return whole
        if after >= len(self.words) or (not self.words[after].joined and self.words[after].gap.strip() not in ("", "-")):
            return self._plain(number)
        if self.words[after].low == "%":
            return self._share(number, after)
        if self.words[after].low in CURRENCIES:
            return self._ended(number, CURRENCIES[self.words[after].low], after)
        unit = self.units.get(after)
        if unit is not None and unit.length == 1 and ("one", after) in self.roles and not self.words[after].text.isupper():
            unit = None  # "32 A" is a current, "32 a day" is not
        if unit is not None:
            if unit.key == "%":
                return self._share(number, unit.last)
            if (unit.key == "GB" and self.words[after].text in ("Gb",)) or self.words[after].text in BITS_OR_BYTES:
                return self._bits_or_bytes(number, after)
            thing = self.things.get(after)
            if thing is None or thing.length <= unit.length:
                return self._ended(number, unit.key, unit.last)
        described = False
        for ahead in range(after, min(after + 4, len(self.words))):
            if (ahead > after and not self.words[ahead].joined) or ahead in self.taken:
                break
            thing = self.things.get(ahead)
            if thing is not None and (ahead <= after + 2 or described):
                counted = self._counted(number, thing)
                return replace(counted, last=number.last) if described else counted
            if self._describes(ahead):
                described = True
            elif self._stops(ahead) or self._numbered(ahead):
                break
        return self._plain(number)

    def _numbered(self, place: int) -> bool:
        """Whether a word is a number of its own, and no unit of the number before it."""
        return self.numerals.at(self.words, place) is not None

    def _describes(self, place: int) -> bool:
        """Whether a figure or its unit only describes what is counted: "three 42U racks", "two 24 GB cards"."""
        number = self.numerals.at(self.words, place)
        if number is None:
            return self.words[place].low in self.spellings and self.numerals.at(self.words, place - 1) is not None
        if number.suffix:
            return number.suffix == "u" or self.spellings.get(number.suffix, "").endswith("B")
        unit = self.units.get(place + 1)
        return unit is not None and unit.key.endswith("B")

    def _whole(self, number: Number) -> Quantity | None:
        """ "23.3 of 23.7 GiB": a part in the unit of its whole."""
        start = 1 + max((last for key, last in self.ends if key == "out_of" and last >= number.last + 1), default=number.last)
        upper = self._number(start) if start < len(self.words) and start <= number.last + 3 else None
        whole = self._measured(upper) if upper is not None else None
        if whole is None or whole.unit != "byte" or upper is None or not upper.value or whole.value < number.value:
            return None
        value = number.value * whole.value / upper.value
        return Quantity(value, "byte", number.first, number.last, thing="part", written=whole.written, sure=number.sure)

    def _stops(self, place: int) -> bool:
        """Words after which a noun no longer belongs to the number before them."""
        keys = ("range_to", "per", "instead", "negation", "residency", "region", "times", "stops")
        if place in self.things:
            return False
        return self.words[place].low in self.stop_words or any((key, place) in self.roles for key in keys)

    def _suffixed(self, number: Number) -> Quantity | None:
        """A number with letters on it: 24gb, 50ms, 70b, 80g, 42U, 8x."""
        word = self.words[number.last]
        suffix = number.suffix
        written = word.text[-len(suffix) :]
        if suffix == "b":
            following = number.last + 1
            token = following < len(self.words) and (self.units.get(following) or self.things.get(following))
            if (
                token
                and self.words[following].joined
                and (token.key in ("token", "samples", "documents", "requests", "parameters"))
            ):
                return self._measured(replace(number, value=number.value * 1e9, suffix="", scaled=True))
            return Quantity(number.value * 1e9, "1", number.first, number.last, thing="parameters", suffix="b")
        if suffix in ("x", "u"):
            thing = "rack_units" if suffix == "u" else ""
            return Quantity(number.value, "", number.first, number.last, thing=thing, suffix=suffix)
        if written in BITS_OR_BYTES:
            return self._bits_or_bytes(number, number.last)
        if suffix == "g":
            return self._giga(number)
        unit = self.spellings.get(suffix)
        if unit is None:
            return None
        if unit == "%":
            return self._share(number, number.last)
        return self._ended(number, unit, number.last)

    def _counted(self, number: Number, thing: Match) -> Quantity:
        rate = self._rate(thing.last)
        if (
            thing.key in ("samples", "chunks", "frames", "documents", "images")
            and rate is not None
            and rate[0] in ("s", "min", "h")
        ):
            made = self._with_unit(number, f"x/{rate[0]}", rate[1])
            return replace(made, written=f"{self.words[thing.first].low}/{rate[0]}")
        if thing.key == "requests" and rate is not None:
            return self._with_unit(number, f"request/{rate[0]}", rate[1], thing="requests")
        thousands = number.value / 1000
        if ("lengths", thing.first) in self.roles and number.scaled and thousands in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            return Quantity(
                number.value, "token", number.first, number.last, sure=number.sure
            )  # "32k prompts" are long, not many
        unit = {"people": "person", "requests": "request"}.get(thing.key, "1")
        return Quantity(number.value, unit, number.first, thing.last, thing=thing.key, sure=number.sure, spelled=number.spelled)


def _scale_of(upper: float, low: float) -> float:
    for scale in (1e9, 1e6, 1e3):
        if upper >= scale and upper / scale >= low:
            return scale
    return 1.0
