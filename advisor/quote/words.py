"""The words of one language that quotes are read by: headings, units, totals, kinds of part, phrases. One file a language."""

import re
from functools import cached_property

from pydantic import Field, field_validator

from advisor.catalogue.record import Record

Patterns = dict[str, tuple[str, ...]]
HEADINGS = (
    *("position", "part_number", "description", "quantity", "unit", "unit_price", "total_price", "currency", "remark"),
    *("per", "kind"),
)


class QuoteWords(Record):
    """A language's words.

    headings: column -> what its heading says. units, totals, price_notes: meaning -> words. kinds: kind of part -> patterns,
    tried in the order they stand in. works: kind of work -> patterns. phrases: statement -> patterns; the group `value` (and
    `unit`) of a pattern is what the statement says, and without a group the words themselves are. ignored: patterns of lines
    that hold nothing to read (greetings, rulers).
    """

    id: str
    name: str
    headings: Patterns = Field(default_factory=dict)
    units: Patterns = Field(default_factory=dict)
    totals: Patterns = Field(default_factory=dict)
    price_notes: Patterns = Field(default_factory=dict)
    per_node: tuple[str, ...] = ()
    kinds: Patterns = Field(default_factory=dict)
    works: Patterns = Field(default_factory=dict)
    phrases: Patterns = Field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    @field_validator("headings")
    @classmethod
    def _known_columns(cls, given: Patterns) -> Patterns:
        for name in given:
            if name not in HEADINGS:
                raise ValueError(f'"{name}" is no column of a quote; columns are {", ".join(HEADINGS)}')
        return given

    @field_validator("units", "totals", "price_notes", "kinds", "works", "phrases")
    @classmethod
    def _patterns_compile(cls, given: Patterns) -> Patterns:
        for name, patterns in given.items():
            for pattern in patterns:
                try:
                    re.compile(pattern)
                except re.error as error:
                    raise ValueError(f'{name}: the pattern "{pattern}" cannot be read: {error}') from None
        return given

    @cached_property
    def compiled(self) -> dict[str, dict[str, re.Pattern[str]]]:
        """Each group's words as one pattern by meaning; letters' case does not count."""
        groups = {name: getattr(self, name) for name in ("units", "totals", "price_notes", "kinds", "works")}
        groups["per_node"] = {"node": self.per_node} if self.per_node else {}
        groups["ignored"] = {"ignored": self.ignored} if self.ignored else {}
        return {
            group: {
                meaning: re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)
                for meaning, patterns in words.items()
            }
            for group, words in groups.items()
        }

    @cached_property
    def compiled_phrases(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """Every phrase's pattern with the name of its statement."""
        return tuple(
            (name, re.compile(pattern, re.IGNORECASE)) for name, patterns in self.phrases.items() for pattern in patterns
        )
