"""Accelerators and servers by the names in running text: the longest run of words that the catalogue knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalogue.names import normal

_GLUED = re.compile(r"(\d)\s+(GB|TB|GiB|G)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\s_/\-–—:,;()\[\]|]+")
_MOST_WORDS = 7


@dataclass(frozen=True)
class Named:
    """A name found in a text: where it stands, and the entries it may mean, likeliest first."""

    start: int
    end: int
    meanings: tuple[str, ...]


class NameFinder:
    """Finds names of entries in text. names: normal form -> ids it may mean, likeliest first."""

    def __init__(self, names: Mapping[str, tuple[str, ...]]) -> None:
        # A number alone ("3090", "9654") is a price or a part number as often as a name.
        self._names = {name: ids for name, ids in names.items() if len(name) > 2 and re.search("[a-z]", name)}
        self._starts = frozenset(name.split("-")[0] for name in self._names)

    def all_in(self, text: str) -> tuple[Named, ...]:
        """Every name, none inside another, in the order of the text."""
        glued = _GLUED.sub(lambda match: match[0], text)
        words = [(match.start(), match.end()) for match in _WORD.finditer(glued)]
        found: list[Named] = []
        place = 0
        while place < len(words):
            named = self._at(glued, words, place)
            if named is None:
                place += 1
                continue
            found.append(named[0])
            place += named[1]
        return tuple(found)

    def _at(self, text: str, words: list[tuple[int, int]], place: int) -> tuple[Named, int] | None:
        start = words[place][0]
        first = normal(text[start : words[place][1]]).strip(".")
        if first not in self._starts:
            return None
        for length in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            end = words[place + length - 1][1]
            spelled = normal(_GLUED.sub(r"\1\2", text[start:end])).strip(".")
            spelled = re.sub(r"(?<=\d)g(?=-|$)", "gb", spelled)
            ids = self._names.get(spelled)
            if ids:
                return Named(start, end, ids), length
        return None
