"""Numbers as people write them: digits with either decimal sign, words, scales, fractions and dozens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.language.tokens import Word
from advisor.language.words import LanguageWords

_DIGITS = re.compile(r"(\d[\d.,]*?)([^\W\d_]*)\+?")
# Longer rows of digits are no quantities.
_LONGEST = 30
_ORDINALS = {"st", "nd", "rd", "th", "ten", "ste"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text.

    suffix: letters written onto its digits that are no scale, as in 24gb. spelled: written as words. sure: whether its
    separator can only be read one way. share: it is a part of a whole, as in "half of".
    """

    value: float
    first: int
    last: int
    suffix: str = ""
    spelled: bool = False
    sure: bool = True
    share: bool = False
    scaled: bool = False


def numeral(text: str, decimal: str) -> tuple[float, bool]:
    """The value of digits with separators, and whether there is only one way to read them.

    Where three digits follow a single separator it is the language that decides: 1.500 is one and a half thousand in German.
    """
    text = text.rstrip(".,")
    if len(text) > _LONGEST:
        raise ValueError(f"a number of {len(text)} characters")
    if not any(sign in text for sign in ".,"):
        return float(text), True
    if "." in text and "," in text:
        last = max(text.rfind("."), text.rfind(","))
        sign = text[last]
        other = "," if sign == "." else "."
        return float(text.replace(other, "").replace(sign, ".")), True
    sign = "." if "." in text else ","
    if text.count(sign) > 1:
        return float(text.replace(sign, "")), True
    before, after = text.split(sign)
    if len(after) != 3 or before == "0" or len(before) > 3:
        return float(f"{before}.{after}"), True
    if sign != decimal:
        return float(before + after), True
    # "1.000 users" in English text is a thousand in all likelihood, but it has to be asked.
    return (float(before + after), False) if after == "000" else (float(f"{before}.{after}"), True)


class NumeralReader:
    """Reads numbers of one language, with the words of others beside it."""

    def __init__(self, languages: Sequence[LanguageWords]) -> None:
        self.decimal = languages[0].decimal
        self.currency = languages[0].currency
        self.numbers: dict[str, float] = {}
        self.scales: dict[str, float] = {}
        self.fractions: dict[str, float] = {}
        for language in reversed(languages):
            self.numbers.update(language.numbers)
            self.scales.update(language.scales)
            self.fractions.update(language.fractions)
        self.joins = {join for language in languages for join in language.joins}
        self._compound = {word: value for word, value in self.numbers.items() if len(word) > 2}
        self._within = {word: value for word, value in self.scales.items() if len(word) > 4 and value <= 1000}

    def at(self, words: Sequence[Word], place: int) -> Number | None:
        """The number that begins at a word."""
        word = words[place]
        if match := _DIGITS.fullmatch(word.low):
            return self._digits(words, place, match[1], match[2])
        if word.read in self.fractions:
            return self._fraction(words, place)
        return self._spelled(words, place)

    def _digits(self, words: Sequence[Word], place: int, digits: str, suffix: str) -> Number | None:
        if suffix in _ORDINALS:
            return None
        try:
            value, sure = numeral(digits, self.decimal)
        except ValueError:
            return None
        last, scaled = place, False
        if suffix in self.scales and suffix != "b":
            value, suffix, scaled = value * self.scales[suffix], "", True
        elif not suffix and place + 1 < len(words) and words[place + 1].joined:
            following = words[place + 1].low
            scale = self.scales.get(following)
            if scale is not None and (len(following) > 1 or words[place + 1].text in ("k", "K", "M", "T")):
                value, last, scaled = value * scale, place + 1, True
            elif words[place + 1].text == "B" or (following == "b" and self._sized(words, place + 2)):
                return Number(value, place, place + 1, "b", sure=sure)
        return Number(value, place, last, suffix, sure=sure, scaled=scaled)

    @staticmethod
    def _sized(words: Sequence[Word], place: int) -> bool:
        """Whether a "b" by itself ends the size of a model: "a 72 b model"."""
        return place < len(words) and words[place].low in ("model", "modell", "parameters", "params", "parameter")

    def _fraction(self, words: Sequence[Word], place: int) -> Number:
        value = self.fractions[words[place].read]
        for ahead in (1, 2):  # "half a million", "halbe Million"
            if place + ahead < len(words) and words[place + ahead].joined and words[place + ahead].read in self.scales:
                if len(words[place + ahead].read) > 1 and (ahead == 1 or words[place + 1].read in ("a", "eine")):
                    return Number(value * self.scales[words[place + ahead].read], place, place + ahead, spelled=True)
        return Number(value, place, place, spelled=True, share=True)

    def _spelled(self, words: Sequence[Word], place: int) -> Number | None:
        """A number in words, over several of them where they belong together: one hundred and twenty."""
        total = current = 0.0
        last = -1
        used = place
        while used < len(words):
            word = words[used]
            if used > place and not word.joined:
                break
            value = self._word(word.read)
            if value is not None and (last < 0 or _continues(current, value)):
                current += value
                last = used
            elif last >= 0 and word.read in self.scales and len(word.read) > 1:
                scale = self.scales[word.read]
                if scale == 100:
                    current *= scale
                else:
                    total, current = total + current * scale, 0.0
                last = used
            elif not (
                last >= 0 and word.read in self.joins and used + 1 < len(words) and self._follows(words[used + 1], current)
            ):
                break
            used += 1
        if last < 0:
            return None
        return Number(total + current, place, last, spelled=True, scaled=total > 0 or current >= 100)

    def _follows(self, word: Word, current: float) -> bool:
        value = self._word(word.read)
        return value is not None and current >= 100 and _continues(current, value)

    def _word(self, word: str) -> float | None:
        if word in self.numbers:
            return self.numbers[word]
        return self._joined_up(word) if len(word) > 6 else None

    def _joined_up(self, word: str) -> float | None:
        """A number written as one word, as German does: zweihundertfünfzig."""
        total = current = 0.0
        rest = word
        while rest:
            joins = [each for each in self.joins if len(each) > 1 and rest.startswith(each)]
            if joins and rest != word:
                rest = rest[len(joins[0]) :]
                continue
            piece = max((each for each in (*self._compound, *self._within) if rest.startswith(each)), key=len, default="")
            if not piece:
                return None
            if piece in self._within:
                current = max(current, 1) * self._within[piece]
                if self._within[piece] == 1000:
                    total, current = total + current, 0.0
            else:
                current += self._compound[piece]
            rest = rest[len(piece) :]
        return total + current


def _continues(current: float, value: float) -> bool:
    """Whether a number word goes on with the number so far: twenty five, one hundred twelve; not four two."""
    if current >= 100:
        return value < 100
    return current >= 20 and current % 10 == 0 and 0 < value < 10
