"""Days in a quote: written in full or as a month."""

import re
from datetime import date

_DAY = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_EUROPEAN = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b")


def day_in(text: str) -> date | None:
    """The first day a text names; the first of a month where only that is given."""
    try:
        if match := _DAY.search(text):
            return date(int(match[1]), int(match[2]), int(match[3] or 1))
        if match := _EUROPEAN.search(text):
            return date(int(match[3]), int(match[2]), int(match[1]))
    except ValueError:
        return None
    return None


def days_between(start: str, end: str, today: date) -> int | None:
    """Days from the first text's day (today where it names none) to the second's; None where that names none."""
    last = day_in(end)
    if last is None:
        return None
    return (last - (day_in(start) or today)).days
