"""The door to understanding plain text: a reader is made once from words and names, then reads any number of texts."""

from collections.abc import Iterable

from advisor.language.lexicon import Lexicon, typical_words, vocabulary
from advisor.language.mentions import Spelling
from advisor.language.names import NameIndex
from advisor.language.readings import Readings
from advisor.language.spelling import SpellingTable
from advisor.language.text_reading import TextReading
from advisor.language.tokens import unabbreviated, words_of
from advisor.language.words import LanguageWords

LONGEST_TEXT = 20_000


class Reader:
    """Reads texts of the languages it was given words for, with the names it was given.

    The same text is always read the same way; nothing is remembered from one to the next but how misspelt words were read.
    """

    def __init__(self, languages: Iterable[LanguageWords], spellings: Iterable[Spelling]) -> None:
        self._languages = {each.id: each for each in languages}
        self.names = NameIndex(spellings, (name for each in self._languages.values() for name in each.ordinary))
        self._lexicons = {id: Lexicon(id, self._languages) for id in self._languages}
        self._typical = typical_words(self._languages)
        self._abbreviations = {word for each in self._languages.values() for word in each.abbreviations}
        meant = {word for each in self._languages.values() for word in vocabulary(each)}
        common = {word for each in self._languages.values() for word in each.common}
        self._spelling = SpellingTable(self.names.letters, meant, self.names.vocabulary | common)

    def language_of(self, text: str, otherwise: str = "en") -> str:
        """The language that most words of a text belong to; small words count twice."""
        words = [word.low for word in words_of(text)]
        counts = {
            id: sum(2 * (word in each.stop_words) + bool(self._typical[id].match(word)) for word in words)
            for id, each in self._languages.items()
        }
        # English terms stand in every text, so a few words of another language outweigh as many English ones.
        weighed = {id: count * (1 if id == otherwise else 1.5) for id, count in counts.items()}
        best = max(weighed, key=lambda id: weighed[id], default=otherwise)
        return best if weighed[best] > weighed.get(otherwise, 0) else otherwise

    def read(self, text: str, *, language: str | None = None, asked: str | None = None) -> Readings:
        """Every fact of a text with its span, what is doubtful about it, and what the text is after.

        asked: the fact that was asked for, which a figure without another meaning then answers ("600 gigs").
        language: the id of one it was given words for; told from the text where it is left out. Of a very long text the
        beginning is read.
        """
        text = text[:LONGEST_TEXT]
        language = language if language in self._lexicons else self.language_of(text)
        words = self._spelling.corrected(unabbreviated(words_of(text), self._abbreviations))
        return TextReading(text, words, self._lexicons[language], self.names, asked).readings(language)
