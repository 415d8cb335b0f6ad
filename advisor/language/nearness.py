"""How near phrases stand to the figures of a text, which decides what they tell about."""

from collections.abc import Sequence

from advisor.language.measures import Quantity
from advisor.language.phrases import CUE_FAMILIES, Match
from advisor.language.tokens import Word, parting

# Beyond everything.
FAR = 99.0


class Nearness:
    """Distances in one text."""

    def __init__(self, words: Sequence[Word], matches: Sequence[Match], quantities: Sequence[Quantity]) -> None:
        self.words = words
        self.quantities = quantities
        self.cues = [each for each in matches if each.family in CUE_FAMILIES]
        self._roles = [each for each in matches if each.family == "role"]
        self._percentiles = [each for each in matches if each.family == "percentile"]

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
        aside = 1.0 if cue.family in ("before", "after") else 0.0
        cost = aside + apart + parting(self.words, first, last) + (0.4 if cue.first > quantity.last and apart else 0.0)
        between = [each for each in self.quantities if first < each.first < last and _alike(each, quantity)]
        return cost + 3 * len(between) - 0.3 * (cue.length - 1)

    def near(self, quantity: Quantity, role: str, within: float) -> bool:
        """Whether a phrase of this role stands so near."""
        return any(each.key == role and self.distance(quantity, each) <= within for each in self._roles)

    def before(self, quantity: Quantity, role: str) -> bool:
        """Whether a phrase of this role stands directly before, with at most one word between."""
        return any(each.key == role and 0 <= quantity.first - each.last - 1 <= 1 for each in self._roles)

    def apart(self, quantity: Quantity, first: int, last: int) -> float:
        """How many words part a figure from a name, a comma counting as one."""
        if last < quantity.first:
            return quantity.first - last - 1 + parting(self.words, last, quantity.first) / 2
        return first - quantity.last - 1 + parting(self.words, quantity.last, first) / 2

    def percentile(self, quantity: Quantity) -> str | None:
        """The percentile that stands nearest to this figure, and to no other of its kind."""
        best: tuple[float, str] | None = None
        for each in self._percentiles:
            cost = self.distance(quantity, each)
            others = [other for other in self.quantities if other is not quantity and other.unit == quantity.unit]
            if any(self.distance(other, each) < cost for other in others):
                continue
            if cost <= 8 and (best is None or cost < best[0]):
                best = (cost, each.key)
        return best[1] if best else None


def _alike(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit or one.unit == "" or other.unit == ""
