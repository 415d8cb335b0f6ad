"""The reading of one text: its names, figures and choices, put together with their spans."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from advisor.language.choices import ChoiceReader
from advisor.language.dates import days_in
from advisor.language.figures import FigureReader
from advisor.language.hardware import Counted, HardwareReader
from advisor.language.intents import intents_of
from advisor.language.lexicon import Lexicon
from advisor.language.marked_text import MarkedText
from advisor.language.meanings import Meaning
from advisor.language.measures import Quantity
from advisor.language.mentions import Mention
from advisor.language.names import NameIndex
from advisor.language.negation import NegationReader
from advisor.language.quantities import QuantityReader
from advisor.language.readings import Reading, Readings
from advisor.language.tokens import Word

_NAME_FACTS = {
    "model": "model",
    "accelerator": "accelerator",
    "server": "server",
    "engine": "engine",
    "format": "precision",
    "cpu": "cpu",
    "instance": "instance",
}
# How many words may stand between "we have" and what is had.
_OWNED_WITHIN = 6
_MONTH = 365 / 12 * 86400.0


class TextReading:
    """Everything read in one text."""

    def __init__(self, text: str, words: Sequence[Word], lexicon: Lexicon, names: NameIndex, asked: str | None = None) -> None:
        self.asked = asked
        self.words = words
        self.marked = MarkedText(text, words, lexicon.table.find(words))
        self.days = days_in(words, lexicon.months)
        dated = {place for _, first, last in self.days for place in range(first, last + 1)}
        nouns = {each.first for each in self.marked.matches if each.family in ("thing", "unit")}
        self.mentions = self._mentions(names.find(words, nouns), dated)
        taken = dated | _places_of(self.mentions)
        reader = QuantityReader(words, self.marked.matches, lexicon.numerals, taken, lexicon.stop_words)
        self.quantities = reader.all(lexicon.units)
        self.negation = NegationReader(words, self.marked.matches)
        self.hardware = HardwareReader(words, self.marked.matches, self.quantities, lexicon.determiners)

    def readings(self, language: str) -> Readings:
        """All of it, in the order of the text."""
        counts = self.hardware.counts(self.mentions)
        choices = ChoiceReader(self.marked, self.mentions, self.quantities, self.negation)
        dates = [self.marked.reading("deadline", day.isoformat(), first, last) for day, first, last in self.days]
        found = [*self._names(), *self._counts(counts), *self._figures(counts), *choices.readings(), *dates]
        found = self._nodes_added(found)
        symptoms = choices.symptoms()
        return Readings(
            text=self.marked.text,
            language=language,
            readings=tuple(sorted(found, key=lambda each: (each.start, each.end))),
            intents=intents_of(self.marked.text, self.words, self.marked.matches, symptoms),
            symptoms=symptoms,
            corrects=bool(self.marked.roles("correction")),
        )

    def _mentions(self, found: Sequence[Mention], dated: set[int]) -> list[Mention]:
        """The names that stand clear of dates and of words for a method or optimizer ("qlora" is also a format)."""
        methods = {
            place
            for each in self.marked.of("choice")
            if each.key.startswith(("method:", "optimizer:"))
            for place in range(each.first, each.last + 1)
        }
        return [
            each
            for each in found
            if not dated & set(range(each.first, each.last + 1)) and not (each.kind == "format" and each.first in methods)
        ]

    def _nodes_added(self, found: Sequence[Reading]) -> list[Reading]:
        """With "a second server" in it, a text about one speaks of two."""
        second = {each.last for each in self.marked.roles("second")}
        nodes = [each for each in self.marked.of("thing") if each.key == "nodes"]
        added = next((each for each in nodes if second & {each.first - 1, each.first - 2}), None)
        if added is None or any(each.fact == "node_count" and each.value != 1 for each in found):
            return list(found)
        kept = [each for each in found if each.fact != "node_count"]
        return [*kept, self.marked.reading("node_count", 2.0, added.first, added.last, unit="1")]

    def _names(self) -> Iterable[Reading]:
        for mention in self.mentions:
            negated = self.negation.excludes(mention.first, mention.last, self._unlisted(mention))
            if (negated and not mention.ids) or (mention.kind == "format" and self._limited(mention)):
                continue
            fact = _NAME_FACTS[mention.kind]
            if mention.kind == "format" and self._of_cache(mention):
                fact = "kv_precision"
            value = mention.ids[0] if mention.ids and mention.sure else None
            if mention.kind == "cpu":
                value = " ".join(word.low for word in self.words[mention.first : mention.last + 1])
            yield self.marked.reading(
                fact,
                value,
                mention.first,
                max((mention.last, *(place for place in mention.qualifiers if place > mention.last))),
                sure=mention.sure,
                among=mention.ids,
                because=mention.because,
                negated=negated,
                owned=mention.kind in ("accelerator", "server") and self._owned(mention),
            )
            if mention.kind == "engine":
                yield from self._version(mention)
            if mention.part is not None and not negated:
                yield self.marked.reading("accelerator", mention.part, mention.first, mention.last, among=(mention.part,))

    def _counts(self, counts: Sequence[Counted]) -> Iterable[Reading]:
        for each in counts:
            fact = {"server": "node_count", "cpu": "cpu_count"}.get(each.mention.kind, "accelerator_count")
            if fact == "accelerator_count" and each.each:
                fact = "accelerators_per_node"
            if not self.negation.excludes(each.mention.first, each.mention.last):
                yield self.marked.reading(fact, each.value, each.first, each.last, unit="1")

    def _unlisted(self, mention: Mention) -> list[tuple[int, int]]:
        """Names that end a negation's reach: those before this one that are not listed with it ("no H100 or H200")."""
        if any(each.last == mention.first - 1 for each in self.marked.roles("range_and")):
            return []
        return [(each.first, each.last) for each in self.mentions if each.last < mention.first]

    def _of_cache(self, mention: Mention) -> bool:
        """Whether a format is that of the KV cache: its name stands beside, in the same part of the sentence."""
        for each in self.marked.roles("kv_cache"):
            if 0 <= mention.first - each.last - 1 <= 2 or 0 <= each.first - mention.last - 1 <= 1:
                first, last = min(each.last, mention.last), max(each.first, mention.first)
                return all(word.joined for word in self.words[first + 1 : last + 1])
        return False

    def _limited(self, mention: Mention) -> bool:
        """Whether a format is only a bound: "not below 8 bit"."""
        return any(each.last == mention.first - 1 for each in self.marked.roles("below"))

    def _owned(self, mention: Mention) -> bool:
        return any(0 <= mention.first - each.last - 1 <= _OWNED_WITHIN for each in self.marked.roles("own"))

    def _version(self, mention: Mention) -> Iterable[Reading]:
        place = mention.last + 1
        if place < len(self.words) and self.words[place].joined and re.fullmatch(r"v?\d+(\.\d+)+", self.words[place].low):
            yield self.marked.reading("engine_version", self.words[place].low.removeprefix("v"), place, place)

    def _figures(self, counts: Sequence[Counted]) -> list[Reading]:
        """The quantities, without those that count a name, are taken back, or only say how much more."""
        used = {each.quantity for each in counts if each.quantity is not None}
        kept = [
            self._changed(quantity)
            for quantity in self.negation.corrected(self.quantities)
            if quantity not in used and not self._meaningless(quantity)
        ]
        parts = [(each.first, each.last) for each in self.mentions if each.kind == "accelerator"]
        processors = [each.last for each in self.mentions if each.kind == "cpu"]
        figures = FigureReader(self.words, self.marked.matches, kept, parts, processors, self.asked)
        return [self._figure(each) for each in figures.meanings()]

    def _meaningless(self, quantity: Quantity) -> bool:
        """A version, an opening "one", a change of something, a figure that is not meant."""
        versions = {each.last + 1 for each in self.mentions if each.kind == "engine"}
        if quantity.first in versions and quantity.unit == "":
            return True
        opening = quantity.last == 0 and len(self.words) > 1 and quantity.spelled
        if opening and not quantity.thing and not quantity.unit:
            return True
        return self._relative(quantity) or self.negation.negated(quantity) or self._per_rack(quantity)

    def _changed(self, quantity: Quantity) -> Quantity:
        """Of "from 8 to 32" behind a word of change, the second."""
        if self.negation.changes(quantity) and quantity.upper is not None:
            return replace(quantity, value=quantity.upper, upper=None)
        return quantity

    def _relative(self, quantity: Quantity) -> bool:
        """Whether it is how much more of something ("10 more users"), and no growth."""
        growth = [each for each in self.marked.of("near") if each.key == "growth_per_year"]
        return any(
            quantity.first <= each.first <= quantity.last + 1 and all(abs(other.first - each.first) > 1 for other in growth)
            for each in self.marked.roles("relative")
        )

    def _per_rack(self, quantity: Quantity) -> bool:
        """Whether it counts neither cards nor racks: "12 cards per rack"."""
        return quantity.thing in ("accelerators", "nodes") and any(
            each.key == "rack_power" and each.length > 1 and each.first == quantity.last + 1 for each in self.marked.of("near")
        )

    def _figure(self, meaning: Meaning) -> Reading:
        """The reading of a figure, in the unit that its fact has."""
        quantity, fact, value, unit = meaning.quantity, meaning.fact, meaning.quantity.value, meaning.quantity.unit
        if quantity.thing == "nines":
            value = 1 - 10**-value
        elif fact == "downtime_share":
            fact, value = "availability", 1 - value
        elif fact == "downtime":
            fact, value, unit = "availability", 1 - value / (_MONTH if self.marked.roles("monthly") else 12 * _MONTH), "share"
        elif fact == "idle_share":
            fact, value = "utilisation", 1 - value
        elif fact == "tpot_mean" and unit == "token/second":
            value, unit = 1 / value, "second"
        elif fact == "requests_per_active_person_per_hour":
            value, unit = value * (3600 if unit == "request/second" else 1), "1"
        elif fact == "sequence_length":
            value = _binary(value, self.marked.part(quantity.first, quantity.last))
        elif fact == "accelerator_count" and self.hardware.per_node(quantity):
            fact = "accelerators_per_node"
        elif fact == "requests_per_second":
            unit = "request/second"
        return self.marked.reading(
            fact,
            float(f"{value:.12g}"),
            quantity.first,
            quantity.last,
            upper=quantity.upper,
            unit="1" if unit in ("", "share") else unit,
            sure=meaning.sure,
            because="" if meaning.sure else meaning.because,
            written=quantity.written,
        )


def _places_of(mentions: Iterable[Mention]) -> set[int]:
    """The words of names, and of the sizes that belong to models, in which no quantity is looked for."""
    found: set[int] = set()
    for each in mentions:
        if each.kind != "instance":
            found.update(range(each.first, each.last + 1))
        if each.kind == "model":
            found.update(each.qualifiers)
    return found


def _binary(value: float, text: str) -> float:
    """8k of context are 8,192 tokens, as models have them."""
    thousands = int(value // 1000)
    if re.search(r"\d\s?[kK]\b", text) and value % 1000 == 0 and thousands & (thousands - 1) == 0:
        return value / 1000 * 1024
    return value
