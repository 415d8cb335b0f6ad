"""What planning guides say, statement by statement, and which question, formula, preset or section carries each, beside rules."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from advisor.catalogue.record import Record

Carrier = Annotated[str, StringConstraints(pattern=r"^(question|formula|preset|section):[A-Za-z0-9._-]+$")]
Work = Literal["all", "training", "fine-tuning", "inference", "rag", "agent", "edge"]


class Guidance(Record):
    """One statement of a planning guide.

    id: G and a number, for life. topic: what it is about. applies_to: kinds of work. carriers: what asks, computes or shows it
    here, as kind and id, such as formula:kv_cache_per_token. Rules that carry it name it in their own file; a statement that is
    out of date is carried by what computes the figure that holds.
    """

    id: str = Field(pattern=r"^G\d{3}$")
    statement: str = Field(min_length=10)
    topic: str
    applies_to: tuple[Work, ...] = Field(min_length=1)
    carriers: tuple[Carrier, ...] = ()
