"""Names as people spell them: one normal form to look them up by, and the nearest ones when nothing is found."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_SEPARATORS = re.compile(r"[\s_/\-–—:,()]+")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
# Share of letters in common, in order, from which two names count as close.
_CLOSE = 0.6


def normal(name: str) -> str:
    """The form names are compared in: lower case, every run of separators one dash ("Llama 3.1_70B" -> "llama-3.1-70b")."""
    return _SEPARATORS.sub("-", name.casefold()).strip("-")


def nearest(name: str, known: Iterable[str], *, count: int = 3) -> tuple[str, ...]:
    """Up to `count` known names close to `name`, best first; names that share its numbers come before those that do not.

    Numbers tell models and accelerators apart (70B is not 7B), so they weigh more than letters.
    """
    return nearest_meant(name, ((each, each) for each in sorted(set(known))), count=count)


def nearest_meant(name: str, spellings: Iterable[tuple[str, str]], *, count: int = 3) -> tuple[str, ...]:
    """The same of (spelling, what it stands for): up to `count` different things of which one spelling or more is close."""
    meant: dict[str, list[str]] = {}
    for spelling, thing in spellings:
        meant.setdefault(normal(spelling), []).append(thing)
    wanted = normal(name)
    numbers = set(_DIGITS.findall(wanted))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    scored: list[tuple[float, str]] = []
    for spelling in meant:
        matcher.set_seq1(spelling)
        if matcher.real_quick_ratio() < _CLOSE or matcher.quick_ratio() < _CLOSE:
            continue
        ratio = matcher.ratio()
        if ratio >= _CLOSE:
            found = set(_DIGITS.findall(spelling))
            shared = len(numbers & found) / max(1, len(numbers | found))
            # A name that was cut short ("h10" for "h100") is as telling as the same numbers.
            begun = spelling.startswith(wanted)
            scored.append((-(ratio + 0.3 * shared + 0.3 * begun), spelling))
    scored.sort()
    return tuple(dict.fromkeys(thing for _, spelling in scored for thing in meant[spelling]))[:count]


def part_of(name: str, whole: str) -> bool:
    """Whether every word of a name begins a word of another ("llama 70b" is part of "llama-3.1-70b", "7b model" is not)."""
    words = normal(whole).split("-")
    return all(any(word.startswith(own) for word in words) for own in normal(name).split("-"))
