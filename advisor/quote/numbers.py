"""Numbers as people of several countries write them: which mark is the decimal one, and what a cell or a phrase is worth."""

import re
from collections.abc import Iterable
from typing import Literal

Mark = Literal[".", ","]
# In running text a space may stand between two numbers ("ConnectX-7 400 Gb/s"), so only prices take it for thousands.
PLAIN_NUMBER = r"\d+(?:[.,]\d+)*"
NUMBER = r"\d{1,3}(?:[ '’\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
# Longer ones are serial numbers.
_LONGEST = 24
_GROUPED_POINT = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.]|,\d{3})")
_GROUPED_COMMA = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]|\.\d{3})")
_DECIMAL_POINT = re.compile(r"(?<![\d.,])\d+\.\d{1,2}(?![\d.,])")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d+,\d{1,2}(?![\d.,])")
_BOTH_POINT = re.compile(r"\d,\d{3}\.\d+(?![\d,])")
_BOTH_COMMA = re.compile(r"\d\.\d{3},\d+(?![\d.])")
_MONEY = re.compile(rf"^[^\d-]{{0,6}}\s*-?\s*({NUMBER})\s*(?:,-|\.-|,--)?\s*[^\d]{{0,6}}$")


def decimal_mark(texts: Iterable[str], *, comma_usual: bool = False) -> Mark:
    """The decimal mark a document uses, by all its numbers together. comma_usual: which wins where nothing tells."""
    point = comma = 0
    for text in texts:
        point += 5 * len(_BOTH_POINT.findall(text)) + len(_GROUPED_COMMA.findall(text))
        comma += 5 * len(_BOTH_COMMA.findall(text)) + len(_GROUPED_POINT.findall(text))
        point += len(_DECIMAL_POINT.findall(text))
        comma += len(_DECIMAL_COMMA.findall(text))
    if point == comma:
        return "," if comma_usual else "."
    return "," if comma > point else "."


def number_in(text: str, decimal: Mark) -> float | None:
    """A number as written under this decimal mark; None where it is none.

    A mark that can only be one thing counts as that thing: "6.4" is a decimal in any country, "1.299" is not under a comma.
    """
    plain = re.sub(r"[\s'’\u00a0\u202f_]", "", text)
    if len(plain) > _LONGEST or not re.fullmatch(r"[+-]?\d+(?:[.,]\d+)*", plain):
        return None
    marks = re.findall(r"[.,]", plain)
    if not marks:
        return float(plain)
    last = marks[-1]
    after = len(plain) - plain.rfind(last) - 1
    if len(set(marks)) == 2:
        if plain.count(last) > 1:
            return None
        other = "," if last == "." else "."
        return float(plain.replace(other, "").replace(last, "."))
    if len(marks) > 1 or (after == 3 and last != decimal and not plain.startswith("0")):
        return float(plain.replace(last, ""))
    return float(plain.replace(last, "."))


def amount_in(text: str, decimal: Mark) -> float | None:
    """The amount of money a cell holds, with or without a currency beside it; None where it is no amount."""
    found = _MONEY.match(text.strip())
    if found is None:
        return None
    value = number_in(found[1], decimal)
    return -value if value is not None and re.match(r"^[^\d]*-", text.strip()) else value
