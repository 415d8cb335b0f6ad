"""The door to understanding plain text: compile a reader once from words and names, then read any number of texts with it."""

import re
from collections.abc import Iterable, Mapping, Sequence

from advisor.language.dates import days_in
from advisor.language.figures import FigureReader, Meaning
from advisor.language.hardware import Counted, HardwareReader
from advisor.language.intents import intents_of
from advisor.language.names import Mention, NameIndex, Spelling
from advisor.language.negation import NegationReader
from advisor.language.numerals import NumeralReader
from advisor.language.phrases import Match, PhraseTable
from advisor.language.quantities import Quantity, QuantityReader
from advisor.language.readings import Reading, Readings
from advisor.language.spelling import SpellingTable
from advisor.language.tokens import Word, unabbreviated, words_of
from advisor.language.words import LanguageWords

_NAME_FACTS = {
    "model": "model",
    "accelerator": "accelerator",
    "server": "server",
    "engine": "engine",
    "format": "precision",
    "cpu": "cpu",
    "instance": "instance",
}
_LONGEST_TEXT = 20_000


class Reader:
    """Reads texts of the languages it was given words for, with the names it was given."""

    def __init__(self, languages: Iterable[LanguageWords], spellings: Iterable[Spelling]) -> None:
        self.languages = {each.id: each for each in languages}
        spelled = list(spellings)
        ordinary = [name for each in self.languages.values() for name in each.ordinary]
        self.names = NameIndex(spelled, ordinary)
        self._tables: dict[str, PhraseTable] = {}
        self._numerals: dict[str, NumeralReader] = {}
        self._units: dict[str, dict[str, str]] = {}
        vocabulary: set[str] = set()
        for id in self.languages:
            own = self._with_english(id)
            self._tables[id] = PhraseTable(_phrases(own))
            self._numerals[id] = NumeralReader(own)
            self._units[id] = {phrase: unit for each in reversed(own) for unit, phrases in each.units.items() for phrase in phrases}
            vocabulary |= self._tables[id].vocabulary
        for each in self.languages.values():
            vocabulary.update((*each.stop_words, *each.numbers, *each.scales, *each.fractions, *each.months, *each.determiners))
        self._typical = _typical_words(self.languages)
        self.abbreviations = {word for each in self.languages.values() for word in each.abbreviations}
        self.spelling = SpellingTable(self.names.letters, vocabulary)

    def _with_english(self, id: str) -> list[LanguageWords]:
        """The language's own words, then English, whose technical terms stand in texts of every language."""
        return [self.languages[id], *(each for each in self.languages.values() if each.id == "en" and id != "en")]

    def language_of(self, text: str, otherwise: str = "en") -> str:
        """The language whose small words a text has most of."""
        words = [word.low for word in words_of(text)]
        counts = {
            id: sum(2 * (word in each.stop_words) + bool(self._typical[id].match(word)) for word in words)
            for id, each in self.languages.items()
        }
        best = max(counts, key=lambda id: counts[id], default=otherwise)
        return best if counts[best] > counts.get(otherwise, 0) else otherwise

    def read(self, text: str, *, language: str | None = None) -> Readings:
        """Every fact of a text with its span, what is doubtful about it, and what the text is after."""
        text = text[:_LONGEST_TEXT]
        language = language or self.language_of(text)
        return _Reading(self, text, language).readings()


class _Reading:
    """The reading of one text."""

    def __init__(self, reader: Reader, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self.own = reader._with_english(language)
        self.words = reader.spelling.corrected(unabbreviated(words_of(text), reader.abbreviations))
        self.matches = reader._tables[language].find(self.words)
        self.numerals = reader._numerals[language]
        months = {name: number for each in self.own for name, number in each.months.items()}
        self.days = days_in(self.words, months)
        dated = {place for _, first, last in self.days for place in range(first, last + 1)}
        nouns = {each.first for each in self.matches if each.family in ("thing", "unit")}
        self.methods = [each for each in self.matches if each.family == "choice" and each.key.startswith("method:")]
        self.mentions = self._mentions(reader.names.find(self.words, nouns), dated)
        taken = dated | {
            place for each in self.mentions if each.kind != "instance" for place in range(each.first, each.last + 1)
        } | {place for each in self.mentions if each.kind == "model" for place in each.qualifiers}  # fmt: skip
        stops = frozenset(word for each in self.own[:1] for word in each.stop_words)
        self.quantities = QuantityReader(self.words, self.matches, self.numerals, taken, stops).all(reader._units[language])
        self.negation = NegationReader(self.words, self.matches)
        determiners = frozenset(word for each in self.own for word in each.determiners)
        self.hardware = HardwareReader(self.words, self.matches, self.quantities, determiners)

    def _mentions(self, found: Sequence[Mention], dated: set[int]) -> list[Mention]:
        """The names that stand clear of dates and of words for a method ("qlora" is also a format)."""
        methods = {place for each in self.methods for place in range(each.first, each.last + 1)}
        return [
            each
            for each in found
            if not dated & set(range(each.first, each.last + 1)) and not (each.kind == "format" and each.first in methods)
        ]

    def readings(self) -> Readings:
        """All of it together."""
        counts = self.hardware.counts(self.mentions)
        named = self._names(counts)
        figures = self._figures(counts)
        chosen, symptoms = self._choices()
        dates = [self._reading("deadline", day.isoformat(), first, last) for day, first, last in self.days]
        found = sorted((*named, *figures, *chosen, *dates), key=lambda each: (each.start, each.end))
        corrects = any(each.family == "role" and each.key == "correction" for each in self.matches)
        return Readings(
            text=self.text,
            language=self.language,
            readings=tuple(found),
            intents=intents_of(self.text, self.words, self.matches, symptoms),
            symptoms=tuple(symptoms),
            corrects=corrects,
        )

    def _reading(self, fact: str, value: float | str | bool | None, first: int, last: int, **more: object) -> Reading:
        start, end = self.words[first].start, self.words[last].end
        return Reading.model_validate(
            {"fact": fact, "value": value, "start": start, "end": end, "text": self.text[start:end], **more}
        )

    def _names(self, counts: Sequence[Counted]) -> list[Reading]:
        found: list[Reading] = []
        spans = [(each.first, each.last) for each in self.mentions]
        for mention in self.mentions:
            fact = _NAME_FACTS[mention.kind]
            like = [span for span in spans if span != (mention.first, mention.last)]
            negated = self.negation.excludes(mention.first, mention.last, self._unlisted(mention, like))
            if mention.kind == "format" and self._beside("kv_cache", mention.first, mention.last):
                fact = "kv_precision"
            last = max((mention.last, *(place for place in mention.qualifiers if place > mention.last)))
            value = mention.ids[0] if mention.ids and mention.sure else None
            if mention.kind == "cpu":
                value = " ".join(word.low for word in self.words[mention.first : mention.last + 1])
            if (negated and not mention.ids) or (mention.kind == "format" and self._limited(mention)):
                continue
            found.append(
                self._reading(
                    fact, value, mention.first, last, sure=mention.sure, among=mention.ids, because=mention.because, negated=negated,
                    owned=mention.kind in ("accelerator", "server") and self._owned(mention.first),
                )
            )  # fmt: skip
            if mention.kind == "engine":
                found.extend(self._version(mention))
        for counted in counts:
            if counted.mention.kind == "accelerator":
                fact = "accelerators_per_node" if counted.each else "accelerator_count"
            else:
                fact = "node_count" if counted.mention.kind == "server" else "cpu_count"
            negated = self.negation.excludes(counted.mention.first, counted.mention.last)
            if not negated:
                found.append(self._reading(fact, counted.value, counted.first, counted.last, unit="1"))
        return found

    def _unlisted(self, mention: Mention, like: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Names that end a negation's reach: those before this one that are not listed with it ("no H100 or H200")."""
        return [
            (first, last)
            for first, last in like
            if last < mention.first and self.words[mention.first - 1].read not in ("or", "and", "nor", "oder", "und", "noch")
        ]

    def _beside(self, role: str, first: int, last: int) -> bool:
        for each in self.matches:
            if each.family == "role" and each.key == role:
                if 0 <= first - each.last - 1 <= 2 or 0 <= each.first - last - 1 <= 1:
                    return all(word.joined for word in self.words[min(each.last, last) + 1 : max(each.first, first) + 1])
        return False

    def _limited(self, mention: Mention) -> bool:
        """Whether a format is only a bound: "not below 8 bit"."""
        return any(each.family == "role" and each.key == "below" and each.last == mention.first - 1 for each in self.matches)

    def _owned(self, first: int) -> bool:
        return any(each.family == "role" and each.key == "own" and 0 <= first - each.last - 1 <= 6 for each in self.matches)

    def _version(self, mention: Mention) -> Iterable[Reading]:
        place = mention.last + 1
        if place < len(self.words) and self.words[place].joined and re.fullmatch(r"v?\d+(\.\d+)+", self.words[place].low):
            yield self._reading("engine_version", self.words[place].low.removeprefix("v"), place, place)

    def _figures(self, counts: Sequence[Counted]) -> list[Reading]:
        """The quantities, without those that count a name, are taken back, or only say how much more."""
        used = {id(each.quantity) for each in counts if each.quantity is not None}
        versions = {each.last + 1 for each in self.mentions if each.kind == "engine"}
        gone = self.negation.corrected(self.quantities)
        asked: list[Quantity] = []
        for place, quantity in enumerate(self.quantities):
            if id(quantity) in used or place in gone or (quantity.first in versions and quantity.unit == ""):
                continue
            if quantity.first == quantity.last == 0 and len(self.words) > 1 and quantity.spelled and not quantity.thing and not quantity.unit:
                continue
            if self._relative(quantity) or self.negation.negated(quantity):
                continue
            asked.append(quantity)
        parts = [(each.first, each.last) for each in self.mentions if each.kind == "accelerator"]
        kept = [self._replaced(quantity, asked) for quantity in asked]
        found = FigureReader(self.words, self.matches, kept, parts).meanings()
        return [self._figure(each) for each in found]

    def _replaced(self, quantity: Quantity, all_quantities: Sequence[Quantity]) -> Quantity:
        if self.negation.changes(quantity) and quantity.upper is not None:
            return Quantity(quantity.upper, quantity.unit, quantity.first, quantity.last, thing=quantity.thing, written=quantity.written)
        return quantity

    def _relative(self, quantity: Quantity) -> bool:
        """ "10 more users", "20 percent more than": a change of something, not its value."""
        for each in self.matches:
            if each.family == "role" and each.key == "relative" and quantity.first <= each.first <= quantity.last + 1:
                before = self.words[quantity.first - 1].read if quantity.first else ""
                return before not in ("than",) and not any(
                    other.family in ("near",) and other.key == "growth_per_year" and abs(other.first - each.first) <= 1 for other in self.matches
                )
        return False

    def _figure(self, meaning: Meaning) -> Reading:
        quantity, fact, value, upper, unit = meaning.quantity, meaning.fact, meaning.quantity.value, meaning.quantity.upper, meaning.quantity.unit
        if quantity.thing == "nines":
            value, unit = 1 - 10**-value, "share"
        elif fact == "downtime_share":
            fact, value = "availability", 1 - value
        elif fact == "tpot_mean" and unit == "token/second":
            value, unit = 1 / value, "second"
        elif fact == "requests_per_active_person_per_hour":
            value, unit = value * 3600, "1"
        elif fact == "sequence_length":
            value = _binary(value, self.text[self.words[quantity.first].start : self.words[quantity.last].end])
        elif fact == "accelerator_count" and self.hardware.per_node(quantity):
            fact = "accelerators_per_node"
        if fact == "requests_per_second":
            unit = "request/second"
        return self._reading(
            fact, float(f"{value:.12g}"), quantity.first, quantity.last, upper=upper, unit="1" if unit in ("", "share") else unit,
            sure=meaning.sure, because=meaning.because if not meaning.sure else "", written=quantity.written,
        )  # fmt: skip

    def _choices(self) -> tuple[list[Reading], list[str]]:
        """Kinds, methods, places and the like; flags; and symptoms."""
        found: list[Reading] = []
        symptoms: list[str] = []
        named = {place for each in self.mentions if each.kind != "engine" for place in range(each.first, each.last + 1)}
        things = {place for each in self.matches if each.family == "thing" and each.key == "people" for place in range(each.first, each.last + 1)}
        choices = [each for each in self.matches if each.family == "choice"]
        spans = [(each.first, each.last) for each in choices]
        best: dict[tuple[str, str, bool], Reading] = {}
        for each in choices:
            fact, value = each.key.split(":", 1)
            if each.first in named or (value == "agent" and each.first in things):
                continue
            negated = self.negation.excludes(each.first, each.last, [span for span in spans if span[1] < each.first])
            if fact == "symptom":
                if not negated or value == "slow":
                    symptoms.append(value)
                continue
            best.setdefault((fact, value, negated), self._reading(fact, value, each.first, each.last, negated=negated))
        for match in (each for each in self.matches if each.family == "flag"):
            there = not self.negation.excludes(match.first, match.last)
            if match.key == "quantization":
                continue
            if match.key == "infiniband" and there and any(each.unit == "byte/second" for each in self.quantities):
                continue
            best.setdefault((match.key, "", False), self._reading(match.key, there, match.first, match.last))
        found.extend(_settled(list(best.values())))
        found.extend(self._places())
        return found, list(dict.fromkeys(symptoms))

    def _places(self) -> Iterable[Reading]:
        """Countries and cities, where a word beside them says that data stay there or machines stand there."""
        for each in self.matches:
            if each.family != "role" or each.key not in ("countries", "cities"):
                continue
            shown = self.words[each.first].text if each.length == 1 else self.text[self.words[each.first].start : self.words[each.last].end]
            if not shown[:1].isupper():
                continue
            stays = [other for other in self.matches if other.family == "role" and other.key == "residency" and abs(other.first - each.first) <= 5]
            fact = "residency" if stays and each.key == "countries" else "region" if each.key == "cities" else None
            if fact is not None:
                yield self._reading(fact, shown, each.first, each.last)


def _binary(value: float, text: str) -> float:
    """8k of context are 8,192 tokens, as models have them."""
    if re.search(r"\d\s?[kK]\b", text) and value % 1000 == 0 and (int(value // 1000) & (int(value // 1000) - 1)) == 0:
        return value / 1000 * 1024
    return value


def _settled(found: list[Reading]) -> list[Reading]:
    """Choices that say more go before those that say less: fine-tuning before training, a batch job before serving."""
    values = {(each.fact, each.value) for each in found if not each.negated}
    kept: list[Reading] = []
    for each in found:
        if each.fact == "kind" and each.value == "training":
            if ("kind", "fine-tuning") in values or ("kind", "pretraining") in values or any(fact == "method" for fact, _ in values):
                continue
            if each.negated:
                kept.append(each)
                continue
            kept.append(each.model_copy(update={"value": None, "sure": False, "among": ("fine-tuning", "pretraining"),
                                                "because": "it may be a training from the start or a fine-tuning"}))  # fmt: skip
            continue
        if each.fact == "kind" and each.value == "realtime-inference" and not each.negated:
            if any(("kind", kind) in values for kind in ("rag", "agent", "batch-inference", "fine-tuning", "pretraining", "evaluation")):
                continue
        if each.fact == "deployment" and each.value in ("cloud", "on-premises") and ("deployment", "hybrid") in values:
            continue
        kept.append(each)
    return kept


def _typical_words(languages: Mapping[str, LanguageWords]) -> dict[str, re.Pattern[str]]:
    """By language, a pattern of the words that it alone uses."""
    vocabularies = {
        id: {word for phrase, _, _ in _all_phrases(each) for word in phrase.lower().split() if word.strip("*").isalpha()}
        | set(each.scales) | set(each.numbers)
        for id, each in languages.items()
    }  # fmt: skip
    patterns: dict[str, re.Pattern[str]] = {}
    for id, own in vocabularies.items():
        others = {word for other, words in vocabularies.items() if other != id for word in words}
        typical = sorted(re.escape(word.removesuffix("*")) + (r"\w*" if word.endswith("*") else "") for word in own - others)
        patterns[id] = re.compile(rf"(?:{'|'.join(typical)})\Z")
    return patterns


def _phrases(languages: Sequence[LanguageWords]) -> Iterable[tuple[str, str, str]]:
    """Every phrase of a language with its family; of the other ones beside it, those that are not made of small words alone."""
    own = languages[0]
    for language in languages:
        for phrase, family, key in _all_phrases(language):
            if language is own or not all(word in language.stop_words or word in own.stop_words for word in phrase.lower().split()):
                yield phrase, family, key


def _all_phrases(language: LanguageWords) -> Iterable[tuple[str, str, str]]:
    tables: tuple[tuple[str, Mapping[str, Sequence[str]]], ...] = (
        ("unit", language.units),
        ("thing", language.things),
        ("flag", language.flags),
        ("percentile", language.percentiles),
        ("role", language.roles),
        ("intent", language.intents),
    )
    for family, table in tables:
        for key, phrases in table.items():
            yield from ((phrase, family, key) for phrase in phrases)
    for fact, cues in language.cues.items():
        yield from ((phrase, "near", fact) for phrase in cues.near)
        yield from ((phrase, "before", fact) for phrase in cues.before)
        yield from ((phrase, "after", fact) for phrase in cues.after)
    for fact, choices in language.choices.items():
        for value, phrases in choices.items():
            yield from ((phrase, "choice", f"{fact}:{value}") for phrase in phrases)
