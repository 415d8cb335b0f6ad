"""Days in running text: 2027-01-31, 31.03.2027, 15 March 2027, 1. Juli 2027."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from advisor.language.tokens import Word

_POINTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(20\d\d)")


def days_in(words: Sequence[Word], months: Mapping[str, int]) -> list[tuple[date, int, int]]:
    """The days of a text, each with its first and last word. 03/04/2027 is not read: it is two different days."""
    found: list[tuple[date, int, int]] = []
    place = 0
    while place < len(words):
        read = _at(words, place, months)
        if read is None:
            place += 1
            continue
        found.append((read[0], place, read[1]))
        place = read[1] + 1
    return found


def _at(words: Sequence[Word], place: int, months: Mapping[str, int]) -> tuple[date, int] | None:
    low = [word.low for word in words[place : place + 3]]
    if match := _POINTED.fullmatch(low[0]):
        return _day(int(match[3]), int(match[2]), int(match[1]), place)
    if len(low) < 3:
        return None
    if (
        re.fullmatch(r"20\d\d", low[0])
        and low[1].isdecimal()
        and low[2].isdecimal()
        and words[place + 1].gap == words[place + 2].gap == "-"
    ):
        return _day(int(low[0]), int(low[1]), int(low[2]), place + 2)
    number = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", low[0])
    if number and low[1] in months and re.fullmatch(r"20\d\d", low[2]):
        return _day(int(low[2]), months[low[1]], int(number[1]), place + 2)
    number = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", low[1])
    if low[0] in months and number and re.fullmatch(r"20\d\d", low[2]):
        return _day(int(low[2]), months[low[0]], int(number[1]), place + 2)
    return None


def _day(year: int, month: int, day: int, last: int) -> tuple[date, int] | None:
    try:
        return date(year, month, day), last
    except ValueError:
        return None
