"""How many of each accelerator and server a text speaks of: "8x H100", "H100 x 8", "T4s, 3 of them", "two nodes with 8 each"."""

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.language.measures import Quantity
from advisor.language.mentions import Mention
from advisor.language.phrases import Match
from advisor.language.tokens import Word, parting

_FARTHEST_BEFORE = 5


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of one mention there are. quantity: the figure that says so, none where "a" or "my" does. each: in every node."""

    mention: Mention
    value: float
    first: int
    last: int
    quantity: Quantity | None = None
    each: bool = False


class HardwareReader:
    """Counts of accelerators and servers, and what stands beside their names."""

    def __init__(
        self, words: Sequence[Word], matches: Sequence[Match], quantities: Sequence[Quantity], determiners: frozenset[str]
    ) -> None:
        self.words = words
        self.quantities = quantities
        self.determiners = determiners
        self.each = [each for each in matches if each.family == "role" and each.key == "each"]
        self.nodes = [each for each in matches if each.family == "thing" and each.key == "nodes"]
        self.starts = {(each.key, each.first) for each in matches if each.family in ("role", "thing")}

    def counts(self, mentions: Sequence[Mention]) -> list[Counted]:
        """The count of each accelerator and server that has one."""
        found: list[Counted] = []
        used: set[int] = set()
        taken = {place: each for each in mentions for place in range(each.first, each.last + 1)}
        for mention in mentions:
            if mention.kind not in ("accelerator", "server", "cpu"):
                continue
            counted = self._before(mention, taken, used) or self._after(mention, taken, used)
            if counted is not None:
                found.append(counted)
                if counted.quantity is not None:
                    used.add(id(counted.quantity))
        return found

    def _before(self, mention: Mention, taken: dict[int, Mention], used: set[int]) -> Counted | None:
        """A bare number or a determiner before the name, with nothing but a few words of description between."""
        for place in range(mention.first - 1, max(mention.first - _FARTHEST_BEFORE, -1), -1):
            if not self.words[place + 1].joined:
                return None
            quantity = next((each for each in self.quantities if each.first <= place <= each.last), None)
            if quantity is not None and place not in mention.qualifiers:
                bare = (quantity.unit == "" and not quantity.thing) or quantity.thing == "accelerators" or quantity.suffix == "x"
                if bare and id(quantity) not in used and quantity.value == int(quantity.value) and quantity.value >= 1:
                    each = self._each(quantity.first, mention.last)
                    return Counted(mention, quantity.value, quantity.first, mention.last, quantity, each)
                return None
            if place in taken:
                return None
            if self.words[place].read in self.determiners and not mention.plural:
                return Counted(mention, 1, place, mention.last)
            if (
                any((key, place) in self.starts for key in ("instead", "negation", "range_to", "stops", "nodes"))
                and place < mention.first - 1
            ):
                return None
            if ("nodes", place) in self.starts or ("negation", place) in self.starts or ("instead", place) in self.starts:
                return None
        return None

    def _after(self, mention: Mention, taken: dict[int, Mention], used: set[int]) -> Counted | None:
        """A number after the name: "x 16", or "6 pieces" behind a comma."""
        last = max((mention.last, *mention.qualifiers))
        for quantity in self.quantities:
            if id(quantity) in used or quantity.first <= last:
                continue
            apart = quantity.first - last - 1
            times = apart == 1 and self.words[last + 1].read in ("x", "×")
            if times and quantity.unit == "" and not quantity.thing:
                return Counted(mention, quantity.value, mention.first, quantity.last, quantity)
            nearby = (
                apart <= 4
                and parting(self.words, last, quantity.first) <= 2
                and not any(place in taken for place in range(last + 1, quantity.first))
            )
            if nearby and quantity.thing == "accelerators":
                return Counted(
                    mention, quantity.value, mention.first, quantity.last, quantity, self._each(quantity.first, quantity.last)
                )
            return None
        place = last + 1
        if (
            place < len(self.words)
            and self.words[place].joined
            and self.words[place].read[:1] == "x"
            and self.words[place].read[1:].isdecimal()
        ):
            return Counted(mention, float(self.words[place].read[1:]), mention.first, place)
        return None

    def _each(self, first: int, last: int) -> bool:
        """Whether so many stand in every node: "each" beside the count, in a text that counts nodes."""
        several = any(each.thing == "nodes" and each.value > 1 for each in self.quantities)
        if not several:
            return False
        if first >= 2 and self.words[first - 1].read in ("x", "×") and any(each.last == first - 2 for each in self.nodes):
            return True
        return any(0 <= first - each.last - 1 <= 1 or 0 <= each.first - last - 1 <= 2 for each in self.each) or (
            first >= 2 and self.words[first - 1].read in self.determiners and any(each.last == first - 2 for each in self.nodes)
        )

    def per_node(self, quantity: Quantity) -> bool:
        """The same of cards that are counted without a name: "4 nodes with 8 gpus each"."""
        return quantity.thing == "accelerators" and self._each(quantity.first, quantity.last)
