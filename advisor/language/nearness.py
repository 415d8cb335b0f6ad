"""How near phrases stand to the figures of a text, which decides what they tell about."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeVar

from advisor.language.measures import Quantity
from advisor.language.phrases import CUE_FAMILIES, Match
from advisor.language.tokens import Word, parting

# Beyond everything.
FAR = 99.0
# How many words around a figure are looked at; a thought is shorter, and a long text stays quick to read.
_WINDOW = 40


class Nearness:
    """Distances in one text."""

    def __init__(self, words: Sequence[Word], matches: Sequence[Match], quantities: Sequence[Quantity]) -> None:
        self.words = words
        self._quantities = sorted(quantities, key=lambda each: each.first)
        self._cues = [each for each in matches if each.family in CUE_FAMILIES]
        self._roles = [each for each in matches if each.family == "role"]
        self._percentiles = [each for each in matches if each.family == "percentile"]

    def cues(self, quantity: Quantity) -> Sequence[Match]:
        """The cues around a figure."""
        return _around(self._cues, quantity.first)

    def figures(self, quantity: Quantity) -> Sequence[Quantity]:
        """The figures around a figure, itself among them."""
        return _around(self._quantities, quantity.first)

    def distance(self, quantity: Quantity, cue: Match) -> float:
        """How far a phrase stands from a figure: words between, more for signs and for another figure of the kind in between."""
        if cue.last < quantity.first:
            first, last, apart = cue.last, quantity.first, quantity.first - cue.last - 1
            if cue.family == "after":
                return FAR
        elif cue.first > quantity.last:
            first, last, apart = quantity.last, cue.first, cue.first - quantity.last - 1
            if cue.family == "before" or (cue.family == "after" and apart > 0):
                return FAR
        else:
            return 0.0
        if apart > _WINDOW:
            return FAR
        aside = 1.0 if cue.family in ("before", "after") else 0.0
        cost = aside + apart + parting(self.words, first, last) + (0.4 if cue.first > quantity.last and apart else 0.0)
        between = [each for each in self.figures(quantity) if first < each.first < last and _alike(each, quantity)]
        return cost + 3 * len(between) - 0.3 * (cue.length - 1)

    def near(self, quantity: Quantity, role: str, within: float) -> bool:
        """Whether a phrase of this role stands so near."""
        return any(each.key == role and self.distance(quantity, each) <= within for each in _around(self._roles, quantity.first))

    def before(self, quantity: Quantity, role: str) -> bool:
        """Whether a phrase of this role stands directly before, with at most one word between."""
        return any(each.key == role and 0 <= quantity.first - each.last - 1 <= 1 for each in _around(self._roles, quantity.first))

    def apart(self, quantity: Quantity, first: int, last: int) -> float:
        """How many words part a figure from a name, a comma counting as one."""
        if abs(first - quantity.first) > _WINDOW:
            return FAR
        if last < quantity.first:
            return quantity.first - last - 1 + parting(self.words, last, quantity.first) / 2
        return first - quantity.last - 1 + parting(self.words, quantity.last, first) / 2

    def percentile(self, quantity: Quantity) -> str | None:
        """The percentile that stands nearest to this figure, and to no other of its kind."""
        best: tuple[float, str] | None = None
        for each in _around(self._percentiles, quantity.first):
            cost = self.distance(quantity, each)
            others = [other for other in self.figures(quantity) if other is not quantity and other.unit == quantity.unit]
            if any(self.distance(other, each) < cost for other in others):
                continue
            if cost <= 8 and (best is None or cost < best[0]):
                best = (cost, each.key)
        return best[1] if best else None


P = TypeVar("P", Match, Quantity)


def _around(found: Sequence[P], place: int) -> Sequence[P]:
    """Those of a row, in the order of the text, that stand around a place."""
    low = bisect_left(found, place - _WINDOW, key=lambda each: each.first)
    high = bisect_right(found, place + _WINDOW, key=lambda each: each.first)
    return found[low:high]


def _alike(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit or one.unit == "" or other.unit == ""
