"""A likely cause of something that goes wrong: what is seen where it is at work, what would confirm it, and what to do first."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from advisor.catalogue.record import Entry, Record
from advisor.conditions import Condition, read_condition


class Sign(Record):
    """One thing seen that speaks for a cause: a condition on what was observed, and how much it says (against, where
    negative).
    """

    when: Annotated[Condition, BeforeValidator(read_condition)]
    weight: float = Field(default=1.0, ge=-5, le=5)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        """Written short, a sign is its condition; with a weight, {condition: weight}."""
        if isinstance(given, str):
            return {"when": given}
        if isinstance(given, dict) and len(given) == 1 and "when" not in given:
            text, weight = next(iter(given.items()))
            return {"when": text, "weight": weight}
        return given


class Symptom(Entry):
    """A cause by id, told from what is observed.

    cause: what goes wrong, in one sentence. needs: what must be seen before it is thought of at all. signs: what makes it
    likelier or less so. confirm: the measurement that would settle it, with the names of the metrics. first: what to do first.
    instead_of: what not to spend money on before. harmless: nothing is wrong where it is the
    cause. Facts are those that can be read in text; what is said to go wrong is a flag
    under its own name (out_of_memory, slow, idle, crash, killed, memory_high).
    """

    cause: str = Field(min_length=10)
    needs: tuple[Annotated[Condition, BeforeValidator(read_condition)], ...] = ()
    signs: tuple[Sign, ...] = Field(min_length=1)
    confirm: str = Field(min_length=10)
    first: str = Field(min_length=10)
    instead_of: str | None = None
    harmless: bool = False

    @property
    def facts(self) -> tuple[str, ...]:
        """The names its conditions read, in order."""
        conditions = (*self.needs, *(sign.when for sign in self.signs))
        return tuple(dict.fromkeys(name for each in conditions for name in each.facts))
