"""Rules that are not to be told of, each with the reason that whoever switched it off gives."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from advisor.catalogue.record import Record
from advisor.workload.refusal import refusal, show_given
from advisor.workload.words import Note


def _rule_id(given: Any) -> str:
    """An id such as PAR-002, in any case; whether there is such a rule is for the plan, which knows them."""
    id = given.strip().upper() if isinstance(given, str) else ""
    letters, dash, number = id.partition("-")
    if not (dash and letters.isalpha() and 2 <= len(letters) <= 5 and number.isdigit() and len(number) == 3):
        raise refusal(f"{show_given(given)} is not the id of a rule", hint="write for example PAR-002: the reason")
    return id


RuleId = Annotated[str, BeforeValidator(_rule_id)]


class RuleSettings(Record):
    """off: the reason by rule id; the plan shows what was switched off, and why."""

    off: dict[RuleId, Note] = Field(
        default_factory=dict, description="rules that are not to be told of, each with the reason: off: {PAR-002: one rack only}"
    )
