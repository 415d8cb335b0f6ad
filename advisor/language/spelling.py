"""Misspelt words: read as the one word they can only be, and left alone where there are two, or where a digit would change."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from advisor.language.tokens import Word

_LETTERS = re.compile(r"([^\W\d_]{4,})(\d[\w.]*)?")


class SpellingTable:
    """The words that texts are read by, to hold misspelt ones against.

    names: the letters that names of products begin with. others: every other word with a meaning here.
    known: words that are right as they are, such as all other parts of names.
    """

    def __init__(self, names: Iterable[str], others: Iterable[str], known: Iterable[str] = ()) -> None:
        self._names = {name for name in names if len(name) >= 4}
        others = set(others)
        self._known = others | self._names | set(known)
        self._by_initial: dict[str, list[str]] = {}
        for word in sorted(self._names | {word for word in others if len(word) >= 5 and word.isalpha()}):
            self._by_initial.setdefault(word[0], []).append(word)
        self._remembered: dict[tuple[str, bool], str | None] = {}

    def corrected(self, words: Sequence[Word]) -> list[Word]:
        """The words, each unknown one with the known word it is read as."""
        found = list(words)
        for place, word in enumerate(words):
            match = _LETTERS.fullmatch(word.low)
            if match is None or match[1] in self._known or word.low in self._known:
                continue
            following = words[place + 1] if place + 1 < len(words) else None
            versioned = bool(match[2]) or (following is not None and following.joined and following.low[:1].isdigit())
            if (meant := self._meant(match[1], versioned)) is not None:
                found[place] = replace(word, read=meant + (match[2] or ""))
        return found

    def _meant(self, letters: str, versioned: bool) -> str | None:
        """The one known word that differs by a slip; none where several do.

        A slip is one letter too many, too few or swapped; in longer words, or before a version number as models carry it, also a
        wrong one. Two slips are taken only in long names.
        """
        key = (letters, versioned)
        if key not in self._remembered:
            self._remembered[key] = self._search(letters, versioned)
        return self._remembered[key]

    def _search(self, letters: str, versioned: bool) -> str | None:
        near: dict[int, set[str]] = {}
        for word in self._by_initial.get(letters[0], ()):
            if abs(len(word) - len(letters)) > 2:
                continue
            distance = OSA.distance(letters, word, score_cutoff=2)
            named = word in self._names
            if distance == 1:
                swapped = len(word) == len(letters) and sorted(word) == sorted(letters)
                replaced = len(word) == len(letters) and not swapped
                if replaced and not (len(letters) >= 7 or (named and versioned)):
                    continue
                # A plural or an inflected form of a known word is not a slip.
                if letters == word + "s" or word == letters + "s" or letters == word + "e":
                    continue
                if len(letters) == 4 and not (named and versioned):
                    continue
                near.setdefault(1, set()).add(word)
            elif distance == 2 and len(letters) >= 8 and named:
                near.setdefault(2, set()).add(word)
        best = near.get(1) or near.get(2) or set()
        return next(iter(best)) if len(best) == 1 else None
