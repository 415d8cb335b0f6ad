"""What planning guides say, row by row, and what carries each row here: a rule, a question, a formula, a preset or a section."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from advisor.catalogue.record import Record

CarrierKind = Literal["rule", "question", "formula", "preset", "section"]
Carrier = Annotated[str, StringConstraints(pattern=r"^(rule|question|formula|preset|section):[A-Za-z0-9._-]+$")]
Work = Literal["all", "training", "fine-tuning", "inference", "rag", "agent", "edge"]


class Guidance(Record):
    """One statement of a planning guide.

    id: G and a number, for life. topic: what it is about. applies_to: kinds of work. carriers: what says or does it here, as
    kind and id, such as rule:PAR-002 or formula:kv_cache_per_token; a statement that is out of date is carried by what computes
    the figure that holds.
    """

    id: str = Field(pattern=r"^G\d{3}$")
    statement: str = Field(min_length=10)
    topic: str
    applies_to: tuple[Work, ...] = Field(min_length=1)
    carriers: tuple[Carrier, ...] = ()
