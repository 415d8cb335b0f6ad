"""The words of one language made ready for reading: its phrases in one table, its numbers, units, months and small words.

English technical terms stand in texts of every language, so its phrases are read beside the language's own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from advisor.language.numerals import NumeralReader
from advisor.language.phrases import PhraseTable
from advisor.language.words import LanguageWords

SHARED = "en"


class Lexicon:
    """What texts of one language are read with."""

    def __init__(self, id: str, languages: Mapping[str, LanguageWords]) -> None:
        own = [languages[id], *(each for each in languages.values() if each.id == SHARED and id != SHARED)]
        self.table = PhraseTable(_phrases(own))
        self.numerals = NumeralReader(own)
        self.units = {phrase: unit for each in reversed(own) for unit, phrases in each.units.items() for phrase in phrases}
        self.months = {name: number for each in own for name, number in each.months.items()}
        self.determiners = frozenset(word for each in own for word in each.determiners)
        self.stop_words = frozenset(own[0].stop_words)


def vocabulary(language: LanguageWords) -> set[str]:
    """Every word of a language that has a meaning to the reader."""
    small = (*language.stop_words, *language.numbers, *language.scales, *language.fractions, *language.months)
    return {*(word for phrase, _, _ in _all_phrases(language) for word in phrase.lower().split()), *small, *language.determiners}


def typical_words(languages: Mapping[str, LanguageWords]) -> dict[str, re.Pattern[str]]:
    """By language, a pattern of the words that it alone uses."""
    words = {id: {word for word in vocabulary(each) if word.strip("*").isalpha()} for id, each in languages.items()}
    patterns: dict[str, re.Pattern[str]] = {}
    for id, own in words.items():
        others = {word for other, theirs in words.items() if other != id for word in theirs}
        typical = sorted(re.escape(word.removesuffix("*")) + (r"\w*" if word.endswith("*") else "") for word in own - others)
        patterns[id] = re.compile(rf"(?:{'|'.join(typical)})\Z")
    return patterns


def _phrases(languages: Sequence[LanguageWords]) -> Iterable[tuple[str, str, str]]:
    """Every phrase of a language with its family; of the one beside it, those that are not made of small words alone."""
    own = languages[0]
    small = {word for language in languages for word in language.stop_words}
    for language in languages:
        for phrase, family, key in _all_phrases(language):
            if language is own or not small.issuperset(phrase.lower().split()):
                yield phrase, family, key


def _all_phrases(language: LanguageWords) -> Iterable[tuple[str, str, str]]:
    tables: tuple[tuple[str, Mapping[str, Sequence[str]]], ...] = (
        ("unit", language.units),
        ("thing", language.things),
        ("flag", language.flags),
        ("percentile", language.percentiles),
        ("role", language.roles),
        ("intent", language.intents),
        ("near", {fact: cues.near for fact, cues in language.cues.items()}),
        ("before", {fact: cues.before for fact, cues in language.cues.items()}),
        ("after", {fact: cues.after for fact, cues in language.cues.items()}),
        ("choice", {f"{fact}:{value}": phrases for fact, of in language.choices.items() for value, phrases in of.items()}),
    )
    for family, table in tables:
        for key, phrases in table.items():
            yield from ((phrase, family, key) for phrase in phrases)
