"""Facts that follow from the wording without being stated: counts over machines, the usual method, whole months."""

import re
from typing import Any

from advisor.chat.situation import Situation
from advisor.units import parse

_WHOLE = re.compile(r"\b(?:all|whole|full|entire|every hour of the) (day|week|month|year)\b")


def inferred(situation: Situation) -> dict[str, dict[str, Any]]:
    """Each with its value in base units, and the reason it was taken."""
    found: dict[str, dict[str, Any]] = {}
    if situation.accelerators:
        found["accelerators_in_all"] = {"value": situation.accelerators, "because": "counted over all machines"}
    if situation.full and situation.method is None:
        found["method"] = {"value": "full", "because": "training without another method trains all parameters"}
    if match := _WHOLE.search(situation.text):
        found["duration"] = {"value": parse(f"1 {match[1]}", "second"), "unit": "second", "because": f'"{match[0]}"'}
    return found
