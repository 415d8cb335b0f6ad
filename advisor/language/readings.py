"""What was understood of a text: every fact with its value, its span, and how sure it is."""

from typing import Literal

from pydantic import Field

from advisor.catalogue.record import Record

Intent = Literal["size", "fits", "check", "why", "what-if", "compare", "what-is", "diagnose", "what-next"]


class Reading(Record):
    """One fact read in a text.

    value: in the base unit; an id for names; None where a name is known to be one but not whose. upper: the end of a range.
    unit: base unit; money keeps its currency ("EUR/second"). start, end, text: where it stands. sure: it can be taken without
    asking; else `because` says what is doubtful and `among` what it may be, likeliest first. negated: it is ruled out, not
    asked for. owned: the person has it. kind: of a name, which of the catalogue. written: unit as the person wrote it.
    """

    fact: str
    value: float | str | bool | None
    upper: float | None = None
    unit: str = ""
    start: int
    end: int
    text: str
    sure: bool = True
    negated: bool = False
    owned: bool = False
    among: tuple[str, ...] = ()
    because: str = ""
    written: str = ""


class Readings(Record):
    """Everything read in one text: its language, the facts in their order, and what it is after.

    intents: likeliest first, with how much speaks for each. symptoms: what is said to go wrong.
    """

    text: str
    language: str
    readings: tuple[Reading, ...] = ()
    intents: tuple[tuple[Intent, float], ...] = ()
    symptoms: tuple[str, ...] = ()
    corrects: bool = Field(default=False, description="the text takes back something said before")

    def of(self, fact: str) -> tuple[Reading, ...]:
        """The readings of one fact that are not ruled out."""
        return tuple(each for each in self.readings if each.fact == fact and not each.negated)

    def first(self, fact: str) -> Reading | None:
        """The first of them."""
        return next(iter(self.of(fact)), None)

    @property
    def doubtful(self) -> tuple[Reading, ...]:
        """What has to be asked back."""
        return tuple(each for each in self.readings if not each.sure)

    @property
    def intent(self) -> Intent | None:
        """What the text is most likely after; None where nothing speaks for any."""
        return self.intents[0][0] if self.intents else None
