"""Constants from knowledge as columns: each efficiency's case that applies on a row, at its low, typical or high value."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from advisor.catalogue.efficiency import Efficiency, Level
from advisor.conditions import condition
from advisor.errors import KnowledgeError
from advisor.sizing.formula import at

End = Literal["low", "typical", "high"]


def efficiency_columns(efficiencies: Iterable[Efficiency], columns: Mapping[str, Any], end: End = "typical") -> dict[str, Any]:
    """The value of every efficiency on every row. Raises KnowledgeError where no case applies to a row."""
    return {each.id: _column(each, columns, end) for each in efficiencies}


def applied_level(efficiency: Efficiency, columns: Mapping[str, Any], row: int) -> Level:
    """The case that applies on one row."""
    for level in efficiency.cases:
        if all(bool(at(condition(text).mask(columns), row)) for text in level.when):
            return level
    raise KnowledgeError(f'no case of "{efficiency.id}" applies', where="knowledge/efficiencies")


def _column(efficiency: Efficiency, columns: Mapping[str, Any], end: End) -> Any:
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
        f'no case of "{efficiency.id}" applies to every row',
        where="knowledge/efficiencies",
        hint="end its cases with one without `when`",
    )
