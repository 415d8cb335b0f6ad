"""The words an entry is searched by, and what to say of words that no entry holds."""

import re
from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from advisor.catalogue.names import nearest, normal
from advisor.errors import UnknownNameError
from advisor.library.kinds import Kind

# What people search by beside an entry's names.
_SEARCHED_KEYS = (
    "title",
    "authors",
    "vendor",
    "family",
    "task",
    "architecture",
    "system",
    "product",
    "provider",
    "instance",
    "region",
    "sold_as",
    "accelerator",
    "ask",
)
_PARTS = re.compile(r"[ .]")


def searched_text(record: BaseModel, names: Sequence[str]) -> str:
    """The words of an entry in normal form. `names`: its id and other spellings, and those of an accelerator it names."""
    told = [str(value) for key in _SEARCHED_KEYS if (value := getattr(record, key, None))]
    return " ".join(dict.fromkeys(normal(each).replace("-", " ") for each in (*names, *told)))


def nothing_found(kind: Kind, text: str, searched: Iterable[str]) -> UnknownNameError:
    """The error for a search without a result. `searched`: what was looked through, a text an entry."""
    known: set[str] = set()
    for each in searched:
        known.update(each.split(" "), _PARTS.split(each))
    words = normal(text).split("-")
    unknown = [word for word in words if not any(each.startswith(word) for each in known)]
    error = UnknownNameError(f'no {kind.singular} is found by "{text}"', nearest=_corrected(words, unknown, known))
    if not unknown:
        error.hint = f"no {kind.singular} holds all of these words; leave one out"
    elif not error.nearest:
        said = " and ".join(f'"{word}"' for word in unknown)
        error.hint = f"no {kind.singular} holds {said}; fewer or other words find more"
    return error


def _corrected(words: list[str], unknown: list[str], known: set[str]) -> tuple[str, ...]:
    """The words again with each unknown one replaced; several such texts only where one word is unknown."""
    close = {word: nearest(word, known) for word in unknown}
    if not unknown or not all(close.values()):
        return ()
    if len(unknown) > 1:
        return (" ".join(close[word][0] if word in close else word for word in words),)
    return tuple(" ".join(each if word in close else word for word in words) for each in close[unknown[0]])
