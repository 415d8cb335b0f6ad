"""A term of the field, in our words."""

from pydantic import Field

from advisor.catalogue.record import Citation, Record


class GlossaryTerm(Record):
    """A term by id. term: as it is usually written. also: other spellings and what people call it. meaning: what it is and why
    it matters in a plan.
    """

    id: str
    term: str = Field(min_length=2)
    also: tuple[str, ...] = ()
    meaning: str = Field(min_length=20)
    sources: tuple[Citation, ...] = ()
