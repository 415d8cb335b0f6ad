"""What a conversation says and asks: statements with their sources, questions back, and terms with their meaning."""

import string
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from advisor.catalogue.record import Citation, Entry, Record
from advisor.conditions import Condition, read_condition

Conditions = tuple[Annotated[Condition, BeforeValidator(read_condition)], ...]


class Statement(Entry):
    """A sentence that answers are built from, with placeholders for figures ("{weights}").

    topic: what it belongs to; a subject tells every statement of its topic whose conditions hold on what is known (`when`), in
    the order of the file, and fills in the figures it worked out. One whose placeholders it has no figure for is left out.
    """

    topic: str = Field(pattern=r"^[a-z][a-z-]*$")
    text: str = Field(min_length=10)
    when: Conditions = ()

    @property
    def placeholders(self) -> frozenset[str]:
        """The names in braces."""
        return frozenset(name for _, name, _, _ in string.Formatter().parse(self.text) if name)


class Inquiry(Record):
    """A question back about something that decides the answer.

    fact: what it asks for, by the name facts have in conversations. words: other words for it, by which people and checks know
    it. when: conditions under which it is worth asking. known_by: facts that make it needless, beside the fact itself.
    telling: how much the answer moves the verdict; the most telling is asked first.
    """

    id: str
    fact: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    ask: str = Field(min_length=5, pattern=r"\?$")
    words: tuple[str, ...] = ()
    when: Conditions = ()
    known_by: tuple[str, ...] = ()
    telling: float = Field(default=1.0, gt=0, le=10)


class Term(Record):
    """A term with what it means in plain words. also: statements of which topic are told with it. sources: none where it only
    says what a word stands for."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    meaning: str = Field(min_length=10)
    also: tuple[str, ...] = ()
    sources: tuple[Citation, ...] = ()

    @model_validator(mode="after")
    def _a_sentence(self) -> "Term":
        if not self.meaning.endswith("."):
            raise ValueError("a meaning is a sentence")
        return self
