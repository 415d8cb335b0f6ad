"""What a conversation hands out: sentences with their evidence, figures, questions back, and a whole reply."""

from typing import Any, Literal

from advisor.catalogue.record import Record
from advisor.language.readings import Intent

Verdict = Literal["does-not-fit", "works-badly", "fits", "ok", "not-applicable"]


class Sentence(Record):
    """A sentence of an answer, and the ids of the entries it comes from ("statements/lora-first", "formulas/plain_weights")."""

    text: str
    evidence: tuple[str, ...] = ()


class Figure(Record):
    """A number that was worked out: what it is, its value in the base unit, as written, and how it was made."""

    name: str
    what: str
    value: float
    unit: str
    shown: str
    equation: str | None = None
    filled: str | None = None
    sources: tuple[str, ...] = ()


class Ask(Record):
    """A question back: the fact it is about, and its words."""

    fact: str
    text: str


class Part(Record):
    """What one subject has to say: sentences, figures, and its verdict on the set-up as it was described."""

    sentences: tuple[Sentence, ...] = ()
    figures: tuple[Figure, ...] = ()
    verdict: Verdict | None = None


class Reply(Record):
    """One answer. facts: everything understood so far, by name. numbers: the figures behind the text. asks: at most one question.

    evidence: ids of the entries that sentences come from, in their order.
    """

    text: str
    facts: dict[str, Any]
    intent: Intent | None
    verdict: Verdict
    numbers: tuple[Figure, ...] = ()
    asks: tuple[Ask, ...] = ()
    evidence: tuple[str, ...] = ()
