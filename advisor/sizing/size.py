"""Sizing a table: cheap limits first, formulas for the rows that are left, then the limits that need them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.sizing.candidates import Candidates
from advisor.sizing.choose import Refusal, keep
from advisor.sizing.efficiencies import End, efficiency_columns
from advisor.sizing.formula import Values, formulas
from advisor.sizing.limits import LAYOUT_LIMITS, MEMORY_LIMITS, Limit

# What every plan shows; later subjects add theirs.
SHOWN: tuple[str, ...] = (
    "weights",
    "kv_cache",
    "kv_cache_per_token",
    "weights_per_accelerator",
    "activation_peak",
    "non_torch_memory",
    "charged_graphs",
    "kv_room",
    "kv_needed",
    "kv_tokens",
    "concurrency_room",
    "concurrency_capacity",
    "context_room",
    "memory_needed",
    "memory_margin",
    "replicas",
    "running_requests",
    "accelerators",
    "accelerator_power",
)


@dataclass(frozen=True)
class Sized:
    """A table whose rows kept the layout limits, evaluated; `kept` are those that keep every limit.

    rows: for each row of this table, its row in the candidates table. ends: the same columns at the low and at the high end of
    every uncertain constant, for intervals.
    """

    candidates: Candidates
    values: Values
    rows: NDArray[np.int64]
    kept: NDArray[np.bool_]
    refusals: tuple[Refusal, ...]
    efficiencies: tuple[Efficiency, ...]

    def ends(self, row: int) -> tuple[Values, Values]:
        """One row's quantities with the uncertain constants at their low and at their high ends."""
        facts = {name: _one_row(self.values[name], row, len(self.rows)) for name in self.candidates.columns}
        return _evaluated(facts, self.efficiencies, "low"), _evaluated(facts, self.efficiencies, "high")


def size(
    table: Candidates, efficiencies: Sequence[Efficiency], limits: Sequence[Limit] = (), layout: Sequence[Limit] = LAYOUT_LIMITS
) -> Sized:
    """Evaluate a table. `limits` come after those of memory; `layout` are the cheap ones before any formula."""
    legal, refused_layouts = keep(table.columns, layout, len(table))
    rows = np.flatnonzero(legal)
    facts = {name: _take(column, rows, len(table)) for name, column in table.columns.items()}
    values = _evaluated(facts, tuple(efficiencies), "typical")
    kept, refused = keep(values, (*MEMORY_LIMITS, *limits), len(rows))
    return Sized(table, values, rows, kept, (*refused_layouts, *refused), tuple(efficiencies))


def _evaluated(facts: Mapping[str, Any], efficiencies: tuple[Efficiency, ...], end: End) -> Values:
    return formulas().evaluate((*SHOWN, "start_request"), {**facts, **efficiency_columns(efficiencies, facts, end)})


def _take(column: Any, rows: NDArray[np.int64], size: int) -> Any:
    """A column's rows; scalars and group columns stay as they are."""
    array = np.asarray(column)
    return array[rows] if array.ndim == 1 and array.shape[0] == size else column


def _one_row(column: Any, row: int, size: int) -> Any:
    array = np.asarray(column)
    return array[row : row + 1] if array.ndim == 1 and array.shape[0] == size else column
