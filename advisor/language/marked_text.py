"""A text with its words and the phrases found in it, from which readings are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from advisor.language.phrases import Match
from advisor.language.readings import Reading
from advisor.language.tokens import Word


@dataclass(frozen=True)
class MarkedText:
    """A text, its words, and its phrases."""

    text: str
    words: Sequence[Word]
    matches: Sequence[Match]

    @cached_property
    def _by_role(self) -> dict[str, list[Match]]:
        found: dict[str, list[Match]] = {}
        for each in self.matches:
            if each.family == "role":
                found.setdefault(each.key, []).append(each)
        return found

    def roles(self, *keys: str) -> list[Match]:
        """The phrases of these roles."""
        return [each for key in keys for each in self._by_role.get(key, ())]

    def of(self, family: str) -> list[Match]:
        """The phrases of one family."""
        return [each for each in self.matches if each.family == family]

    def part(self, first: int, last: int) -> str:
        """The text from one word to another."""
        return self.text[self.words[first].start : self.words[last].end]

    def reading(
        self,
        fact: str,
        value: float | str | bool | None,
        first: int,
        last: int,
        *,
        upper: float | None = None,
        unit: str = "",
        written: str = "",
        sure: bool = True,
        because: str = "",
        among: tuple[str, ...] = (),
        negated: bool = False,
        owned: bool = False,
    ) -> Reading:
        """A reading with its span."""
        start, end = self.words[first].start, self.words[last].end
        return Reading(
            fact=fact,
            value=value,
            upper=upper,
            unit=unit,
            start=start,
            end=end,
            text=self.text[start:end],
            sure=sure,
            negated=negated,
            owned=owned,
            among=among,
            because=because,
            written=written,
        )
