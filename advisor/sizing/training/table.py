"""Sizing training layouts: facts of all layouts as one table, their memory and speed, and the limits that refuse some."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.sizing.choose import Refusal, keep
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import Values, at, formulas
from advisor.sizing.limits import Limit
from advisor.sizing.size import rows_of
from advisor.sizing.training.facts import with_constants

MEMORY_LIMIT = Limit(
    "memory",
    "the run ends out of memory",
    "more accelerators to shard over, recomputation, adapters in place of all weights, shorter sequences, or offloading",
    ("training_memory_margin",),
    lambda columns: np.asarray(columns["training_memory_margin"]) >= 0,
    lambda columns: np.maximum(0, -np.asarray(columns["training_memory_margin"], dtype=float)),
    "byte",
    cheap=False,
)


@dataclass(frozen=True)
class TrainingTable:
    """Sized layouts. kept: those that keep every limit. facts: names of what the formulas started from, constants apart."""

    values: Values
    size: int
    kept: NDArray[np.bool_]
    refusals: tuple[Refusal, ...]
    efficiencies: tuple[Efficiency, ...]
    shown: tuple[str, ...]
    facts: frozenset[str]

    def ends(self, row: int) -> Values:
        """One row's quantities with the uncertain constants at their low ends, and at their high ends as a second row."""
        own = {name: rows_of(self.values[name], np.array([row]), self.size) for name in self.facts}
        low, high = (efficiency_columns(self.efficiencies, own, end) for end in ("low", "high"))
        both = {name: np.array([at(value, 0), at(high[name], 0)]) for name, value in low.items()}
        return formulas().evaluate(self.shown, with_constants(own, both))


def size_layouts(
    facts: Mapping[str, Any],
    size: int,
    efficiencies: Sequence[Efficiency],
    shown: tuple[str, ...],
    limits: Sequence[Limit],
) -> TrainingTable:
    """Evaluate `size` layouts. facts: columns of every row or plain values; shown: quantities that a plan prints."""
    values = formulas().evaluate(shown, with_constants(facts, efficiency_columns(efficiencies, facts)))
    kept, refused = keep(
        {"accelerators_per_replica": values["accelerators"], **values, "format_rank": np.zeros(size)},
        (MEMORY_LIMIT, *limits),
        size,
    )
    return TrainingTable(values, size, kept, refused, tuple(efficiencies), shown, frozenset(facts))
