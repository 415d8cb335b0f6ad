"""Constants from knowledge as columns: the value that applies on each row, at its low, typical or high end."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from advisor.catalogue.efficiency import Efficiency, Level
from advisor.conditions import condition
from advisor.errors import KnowledgeError
from advisor.sizing.formula import at

End = Literal["low", "typical", "high"]
_PLACE = "knowledge/efficiencies"


def efficiency_columns(efficiencies: Iterable[Efficiency], columns: Mapping[str, Any], end: End = "typical") -> dict[str, Any]:
    """The value of every efficiency on every row. Raises KnowledgeError where none applies to a row."""
    found: dict[str, Any] = {}
    keys: dict[tuple[str, ...], tuple[list[str], Any]] = {}
    for each in efficiencies:
        if not each.otherwise:
            found[each.id] = _by_cases(each, columns, end)
            continue
        if each.by not in keys:
            keys[each.by] = _keys(each.by, columns)
        words, index = keys[each.by]
        at_end = "typical" if each.joint else end
        levels = [getattr(each.values.get(word, each.otherwise), at_end) for word in words]
        found[each.id] = levels[0] if index is None else np.array(levels)[index]
    return found


def applied_level(efficiency: Efficiency, columns: Mapping[str, Any], row: int) -> Level:
    """The value that applies on one row, with its ends and what it rests on."""
    if efficiency.otherwise:
        return efficiency.values.get(key_of(efficiency, columns, row), efficiency.otherwise)
    for level in efficiency.cases:
        if all(bool(at(condition(text).mask(columns), row)) for text in level.when):
            return level
    raise KnowledgeError(f'no case of "{efficiency.id}" applies', where=_PLACE)


def key_of(efficiency: Efficiency, columns: Mapping[str, Any], row: int) -> str:
    """The key by which a row looks its value up."""
    return "/".join(str(at(columns[name], row)) for name in efficiency.by) if efficiency.by else "all"


def _keys(by: tuple[str, ...], columns: Mapping[str, Any]) -> tuple[list[str], Any]:
    """The distinct keys of a table, and for each row which of them it has (None where all have the same)."""
    words: list[str] = ["all"]
    index: Any = None
    for name in by:
        column = np.asarray(columns[name])
        if column.ndim == 0 or column.shape[-1] == 1:
            word = str(at(column, 0))
            words = [word if known == "all" else f"{known}/{word}" for known in words]
            continue
        distinct = list(dict.fromkeys(column.tolist()))
        places = {word: place for place, word in enumerate(distinct)}
        here = np.fromiter((places[word] for word in column.tolist()), dtype=np.int64, count=len(column))
        words = [str(word) if known == "all" else f"{known}/{word}" for known in words for word in distinct]
        index = here if index is None else index * len(distinct) + here
    return words, index


def _by_cases(efficiency: Efficiency, columns: Mapping[str, Any], end: End) -> Any:
    result: Any = None
    left: Any = True
    for level in efficiency.cases:
        mask: Any = left
        for text in level.when:
            mask = mask & condition(text).mask(columns)
        if not np.any(mask):
            continue
        value = getattr(level, end)
        result = value if np.all(mask) else np.where(mask, value, np.nan if result is None else result)
        left = left & ~np.asarray(mask)
        if not np.any(left):
            return result
    raise KnowledgeError(
        f'no case of "{efficiency.id}" applies to every row', where=_PLACE, hint="end its cases with one without `when`"
    )
