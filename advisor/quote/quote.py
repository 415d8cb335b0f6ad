"""A quote as it was read: lines with their parts and prices, totals, statements, and what was not understood.

Quantities of parts are in base units, named by `ATTRIBUTE_UNITS`. Amounts of money stay in the quote's own currency.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from advisor.catalogue.record import Record

Form = Literal["yaml", "json", "table", "workbook", "text"]
Basis = Literal["node", "total"]
TotalKind = Literal["subtotal", "total", "tax", "shipping", "discount"]


def clean(text: str) -> str:
    """Text without anything that would move a cursor, colour a terminal or hide what it says; line breaks become spaces."""
    if text.isprintable():
        return text
    spaced = " ".join(text.split())
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in spaced)


Words = Annotated[str, AfterValidator(clean)]
AttributeValue = float | Words

ATTRIBUTE_UNITS: dict[str, str] = {
    "memory": "byte",
    "capacity": "byte",
    "module_size": "byte",
    "total_memory": "byte",
    "total_capacity": "byte",
    "power": "watt",
    "power_limit": "watt",
    "port_speed": "byte/second",
    "bandwidth": "byte/second",
    "ports": "1",
    "cores": "1",
    "modules": "1",
    "units": "1",
    "raw_capacity": "byte",
    "gpus_per_server": "1",
    "memory_channels": "1",
    "compute": "FLOP/second",
    "mass": "kilogram",
}


class Sureness(StrEnum):
    """How sure a reading is: as written, likely from what stands around it, or a guess that the person should look at."""

    sure = "sure"
    likely = "likely"
    guessed = "guessed"


class PartReading(Record):
    """One part of a line. count: how many of it one unit of the line holds. id: its entry in the catalogue or among the parts;
    others: entries its name could mean as well."""

    kind: Words
    text: Words
    count: float = Field(default=1, ge=0)
    id: Words | None = None
    others: tuple[Words, ...] = ()
    attributes: dict[Words, AttributeValue] = Field(default_factory=dict)
    sure: Sureness = Sureness.sure


class QuoteLine(Record):
    """One line of the quote. basis: whether `quantity` is of each node or of the whole quote. price_note: included, on-request
    or open where the line says so instead of a price. where: the place it was read from."""

    text: Words
    where: Words
    parts: tuple[PartReading, ...] = ()
    quantity: float = Field(default=1, ge=0)
    basis: Basis = "total"
    unit: str = "each"
    unit_price: float | None = None
    total_price: float | None = None
    currency: Words | None = None
    price_note: Words | None = None
    remark: Words | None = None
    sure: Sureness = Sureness.sure
    doubts: tuple[Words, ...] = ()

    @property
    def amount(self) -> float | None:
        """What the line costs: its own total, or quantity times unit price. None where it has no price."""
        if self.total_price is not None:
            return self.total_price
        if self.unit_price is not None:
            return self.unit_price * self.quantity
        return 0.0 if self.price_note == "included" else None

    @property
    def main(self) -> PartReading | None:
        """The part the line is about."""
        return self.parts[0] if self.parts else None


class Total(Record):
    """An amount that the quote states for several lines together."""

    kind: TotalKind
    amount: float
    currency: Words | None = None
    where: Words


class Statement(Record):
    """Something the quote says beside its lines: a limit of the site, a term, a measured figure, a count.

    value: true where the words themselves are the statement; else a number in `unit`, or a word.
    """

    name: Words
    value: float | Words | bool
    unit: Words = ""
    text: Words
    where: Words
    sure: Sureness = Sureness.sure


class Unread(Record):
    """A piece of the quote that was not understood, and why."""

    text: Words
    where: Words
    why: Words


class Wanted(Record):
    """A model the buyer wants to run, as far as the words about the workload say: parameters, and bits per weight."""

    text: Words
    parameters: float
    bits: float | None = None
    tokens: float | None = None


class Quote(Record):
    """A quote as read. about: what the quote says of itself (title, kind, date). workload: the buyer's words about the use.
    work: training, inference, fine-tuning or mixed, as far as known."""

    title: Words = ""
    form: Form
    kind: Words = ""
    date: Words = ""
    languages: tuple[Words, ...] = ()
    decimal: Literal[".", ","] = "."
    delimiter: str | None = None
    heading_line: int | None = None
    currency: Words | None = None
    lines: tuple[QuoteLine, ...] = ()
    totals: tuple[Total, ...] = ()
    statements: tuple[Statement, ...] = ()
    workload: Words = ""
    work: Words | None = None
    wanted: tuple[Wanted, ...] = ()
    precision: Words | None = None
    not_understood: tuple[Unread, ...] = ()

    def stated(self, name: str) -> Statement | None:
        """The first statement of this name."""
        return next((each for each in self.statements if each.name == name), None)

    @property
    def lines_total(self) -> float | None:
        """What the priced lines come to; None where no line has a price."""
        amounts = [each.amount for each in self.lines if each.amount is not None and each.price_note != "included"]
        return sum(amounts) if amounts else None

    def total_of(self, *kinds: TotalKind) -> Total | None:
        """The first stated total of one of these kinds, in the order given."""
        for kind in kinds:
            for each in self.totals:
                if each.kind == kind:
                    return each
        return None
