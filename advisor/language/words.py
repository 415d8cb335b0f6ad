"""The words of one natural language: how its writers put numbers, units, things, questions and wishes.

A language is one file of knowledge; nothing in the reader knows a word of any.
"""

from typing import Literal

from pydantic import Field

from advisor.catalogue.record import Record

Phrases = tuple[str, ...]


class Cues(Record):
    """Phrases that tell what a figure beside them means.

    near: on either side of it. before: only before it. after: only directly after it, as in "4k in".
    """

    near: Phrases = ()
    before: Phrases = ()
    after: Phrases = ()


class LanguageWords(Record):
    """The words of one language, in lower case.

    decimal: the sign before decimals. currency: what a cent is part of where none is named. joins: words inside a number ("one
    hundred and two"). stop_words: by which the language is told. numbers, scales, fractions: what number words stand for.
    determiners: words that make one of a thing named after them. abbreviations: words whose point ends nothing.
    months: by name. units: spellings of each unit. things: what a number counts. cues: what a figure means, by fact. choices: the
    words of each choice, by fact. flags: things that are there or not. percentiles: of which requests a target speaks. roles:
    other words that change a reading, such as negations. ordinary: names of products that are everyday words as well. common:
    everyday words close to one that means something here, which are no slips of it. intents: by
    what a question is known.
    """

    id: str
    name: str
    decimal: Literal[".", ","]
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    joins: Phrases = ()
    stop_words: Phrases = Field(min_length=1)
    numbers: dict[str, float] = Field(default_factory=dict)
    scales: dict[str, float] = Field(default_factory=dict)
    fractions: dict[str, float] = Field(default_factory=dict)
    determiners: Phrases = ()
    abbreviations: Phrases = ()
    months: dict[str, int] = Field(default_factory=dict)
    units: dict[str, Phrases] = Field(default_factory=dict)
    things: dict[str, Phrases] = Field(default_factory=dict)
    cues: dict[str, Cues] = Field(default_factory=dict)
    choices: dict[str, dict[str, Phrases]] = Field(default_factory=dict)
    flags: dict[str, Phrases] = Field(default_factory=dict)
    percentiles: dict[str, Phrases] = Field(default_factory=dict)
    roles: dict[str, Phrases] = Field(default_factory=dict)
    ordinary: Phrases = ()
    common: Phrases = ()
    intents: dict[str, Phrases] = Field(default_factory=dict)
