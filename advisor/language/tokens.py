"""Text cut into words with their place in it, and the places where a thought ends."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

# A number with its separators and what is written onto it (1,000  70b  8x7b  31.03.2027), a word that may carry a version
# (qwen2.5  flux.1  don't), or a sign that counts as a word.
_WORD = re.compile(
    r"\d+(?:[.,]\d+)*[^\W_]*(?:\.\d[^\W_]*)*\+?(?![^\W_])|[^\W_]+(?:\.\d+[^\W_]*)*(?:['’][^\W\d_]+)?(?:\+(?![^\W_]))?|[%$€£¥]"
)
_TIMES = re.compile(r"(\d+)([xX×])(?=[^\W\d_]|\d{4}(?:ti)?s?$)")
_HARD = re.compile(r"[,;.!?()\n\[\]{}]|\s[–—-]\s")
_STRONG = re.compile(r"[;.!?\n]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word: as written and in lower case, its span, and what stands between it and the word before.

    read: the spelling it is read as, where that is not its own.
    """

    text: str
    low: str
    start: int
    end: int
    gap: str
    read: str

    @property
    def joined(self) -> bool:
        """Whether nothing that ends a thought stands before it."""
        return not _HARD.search(self.gap)

    @property
    def touches(self) -> bool:
        """Whether no space parts it from the word before."""
        return " " not in self.gap


def words_of(text: str) -> list[Word]:
    """The words of a text, in order; "8xA100" is three words."""
    found: list[Word] = []
    last = 0
    for match in _WORD.finditer(text):
        pieces = [(match.start(), match.end())]
        if times := _TIMES.match(match[0]):
            cut = match.start() + times.end(1)
            pieces = [(match.start(), cut), (cut, cut + 1), (cut + 1, match.end())]
        for start, end in pieces:
            word = text[start:end]
            low = word.lower().replace("’", "'")
            found.append(Word(word, low, start, end, text[last:start], low))
            last = end
    return found


def unabbreviated(words: Sequence[Word], abbreviations: Collection[str]) -> list[Word]:
    """The words, where the point behind an abbreviation ends nothing ("1,5 Mio. Anfragen")."""
    return [
        replace(word, gap=word.gap[1:]) if place and word.gap.startswith(".") and words[place - 1].low in abbreviations else word
        for place, word in enumerate(words)
    ]


def parting(words: Sequence[Word], first: int, last: int) -> float:
    """How strongly the words from `first` to `last` are parted by signs: two for a comma or bracket, five for the end of a
    sentence.
    """
    cost = 0.0
    for word in words[first + 1 : last + 1]:
        if _STRONG.search(word.gap):
            cost += 5
        elif _HARD.search(word.gap):
            cost += 2
    return cost
