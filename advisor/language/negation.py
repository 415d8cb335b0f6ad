"""What a text rules out or takes back: "no NVLink", "anything but MI250X", "FP8 instead of BF16", "300 users, not 200"."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from advisor.language.measures import Quantity
from advisor.language.phrases import Match
from advisor.language.tokens import Word, parting

_REACH = 3


class NegationReader:
    """Tells what lies behind a negation."""

    def __init__(self, words: Sequence[Word], matches: Sequence[Match]) -> None:
        self.words = words
        self.roles = [each for each in matches if each.family == "role"]
        self.negations = [each for each in self.roles if each.key == "negation" and not self._part_of_limit(each)]
        self.insteads = [each for each in self.roles if each.key == "instead" and not self._part_of_limit(each)]
        self.refusals = [each for each in self.roles if each.key == "refused_after"]

    def _part_of_limit(self, negation: Match) -> bool:
        """Whether a negation only belongs to a longer phrase: "no more than", "no, wait"."""
        return any(
            each.key in ("most", "least", "correction", "refused_after")
            and each.first <= negation.first
            and negation.last <= each.last
            and (each.length > negation.length or (each.key == "correction" and negation.length == each.length))
            for each in self.roles
        )

    def excludes(self, first: int, last: int, others: Sequence[tuple[int, int]] = ()) -> bool:
        """Whether what stands from `first` to `last` is ruled out; others: spans of its like, which end a negation's reach."""
        if any(self._reaches(each, first, others) for each in (*self.negations, *self.insteads)):
            return True
        return any(0 <= each.first - last - 1 <= 1 and parting(self.words, last, each.first) == 0 for each in self.refusals)

    def _reaches(self, negation: Match, first: int, others: Sequence[tuple[int, int]]) -> bool:
        apart = first - negation.last - 1
        if not 0 <= apart <= _REACH or parting(self.words, negation.last, first) > 0:
            return False
        if any(each.key == "correction" and negation.last < each.first and each.last < first for each in self.roles):
            return False
        return not any(negation.last < begin < first for begin, _ in others)

    def negated(self, quantity: Quantity) -> bool:
        """Whether a figure is one that is not meant: directly behind "not" or "instead of"."""
        for each in (*self.negations, *self.insteads):
            if each.last + 1 == quantity.first and parting(self.words, each.last, quantity.first) == 0:
                # "no more than", "not more than" are limits and told as such.
                return True
        return False

    def corrected(self, quantities: Sequence[Quantity]) -> list[Quantity]:
        """The figures without those that a later one of their kind takes back: "32 cards, no, 24", "from 8 to 32".

        A bare figure that does so counts or measures what the first one did.
        """
        kept = list(quantities)
        corrections = [
            each
            for each in self.roles
            if each.key == "correction" and not any(other.first <= each.first <= other.last for other in self.insteads)
        ]
        for quantity, later in pairwise(quantities):
            if later.unit not in ("", quantity.unit) or (later.thing and later.thing != quantity.thing):
                continue
            if any(quantity.last < each.first and each.last < later.first <= each.last + 3 for each in corrections):
                kept.remove(quantity)
                if later.unit == "" and not later.thing and later in kept:
                    kept[kept.index(later)] = replace(later, unit=quantity.unit, thing=quantity.thing)
        return kept

    def changes(self, quantity: Quantity) -> bool:
        """Whether a range is a change from one value to another: "increase from 8 to 32"."""
        return quantity.upper is not None and any(
            each.key == "change" and 0 <= quantity.first - each.last - 1 <= 6 for each in self.roles
        )
