"""Names as people spell them: one normal form to look them up by, and the nearest ones when nothing is found."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_SEPARATORS = re.compile(r"[\s_/\-–—:,()]+")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


def normal(name: str) -> str:
    """The form names are compared in: lower case, every run of separators one dash ("Llama 3.1_70B" -> "llama-3.1-70b")."""
    return _SEPARATORS.sub("-", name.casefold()).strip("-")


def nearest(name: str, known: Iterable[str], *, count: int = 3) -> tuple[str, ...]:
    """Up to `count` known names close to `name`, best first; names that share its numbers come before those that do not.

    Numbers tell models and accelerators apart (70B is not 7B), so they weigh more than letters.
    """
    wanted = normal(name)
    numbers = set(_DIGITS.findall(wanted))
    scored: list[tuple[float, str]] = []
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for candidate in set(known):
        matcher.set_seq1(normal(candidate))
        if matcher.real_quick_ratio() < 0.5 or matcher.quick_ratio() < 0.5:
            continue
        ratio = matcher.ratio()
        if ratio >= 0.5:
            found = set(_DIGITS.findall(normal(candidate)))
            shared = len(numbers & found) / max(1, len(numbers | found))
            scored.append((-(ratio + 0.3 * shared), candidate))
    scored.sort()
    return tuple(candidate for _, candidate in scored[:count])
