"""Phrases found in a row of words: every family of them in one pass."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.language.facts import FACTS
from advisor.language.tokens import Word

CUE_FAMILIES = ("near", "before", "after")


@dataclass(frozen=True, slots=True)
class Match:
    """A phrase in a text: its family (cue, thing, role…), what it says, and its first and last word."""

    family: str
    key: str
    first: int
    last: int

    @property
    def length(self) -> int:
        """How many words it has."""
        return self.last - self.first + 1


class PhraseTable:
    """Phrases by their first word. A word that ends in * stands for all that begin so."""

    def __init__(self, phrases: Iterable[tuple[str, str, str]]) -> None:
        self._exact: dict[str, list[tuple[tuple[str, ...], str, str]]] = {}
        self._open: list[tuple[tuple[str, ...], str, str]] = []
        self.vocabulary: set[str] = set()
        for phrase, family, key in phrases:
            parts = tuple(phrase.lower().split())
            self.vocabulary.update(part for part in parts if not part.endswith("*"))
            if parts[0].endswith("*"):
                self._open.append((parts, family, key))
            else:
                self._exact.setdefault(parts[0], []).append((parts, family, key))

    def find(self, words: Sequence[Word]) -> list[Match]:
        """All phrases of a text; of one family, none that lies within a longer one."""
        found: list[Match] = []
        for place, word in enumerate(words):
            for parts, family, key in self._exact.get(word.read, ()):
                if self._fits(parts, words, place):
                    found.append(Match(family, key, place, place + len(parts) - 1))
            if self._exact.get(word.read + ","):
                following = words[place + 1].gap if place + 1 < len(words) else ""
                if following.lstrip().startswith(","):
                    found.extend(Match(family, key, place, place) for _, family, key in self._exact[word.read + ","])
            for parts, family, key in self._open:
                if word.read.startswith(parts[0][:-1]) and self._fits(parts, words, place):
                    found.append(Match(family, key, place, place + len(parts) - 1))
        return _longest(found)

    @staticmethod
    def _fits(parts: tuple[str, ...], words: Sequence[Word], place: int) -> bool:
        if place + len(parts) > len(words):
            return False
        for offset, part in enumerate(parts):
            word = words[place + offset]
            if offset and not word.joined:
                return False
            if word.read != part and not (part.endswith("*") and word.read.startswith(part[:-1])):
                return False
        return True


def _part(match: Match) -> str:
    """What a match competes with: cues of one unit with one another ("system prompt" is no prompt), a choice with those of its
    fact.

    Roles and choices of different facts may lie within one another: "full finetune" is a method and a kind.
    """
    if match.family == "role":
        return match.key
    if match.family == "choice":
        return match.key.split(":")[0]
    return FACTS[match.key].unit if match.family in CUE_FAMILIES and match.key in FACTS else ""


def _longest(found: list[Match]) -> list[Match]:
    """Without those that lie within a longer match of their family; a family that says several things at one place keeps all."""
    families: dict[tuple[str, str], list[Match]] = {}
    for each in found:
        families.setdefault((each.family, _part(each)), []).append(each)
    kept: list[Match] = []
    for family in families.values():
        family.sort(key=lambda each: (-each.length, each.first))
        taken: list[Match] = []
        for each in family:
            within = any(other.first <= each.first and each.last <= other.last and other.length > each.length for other in taken)
            if not within:
                taken.append(each)
        kept.extend(taken)
    kept.sort(key=lambda each: (each.first, -each.length))
    return kept
