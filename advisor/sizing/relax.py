"""What would have to give where nothing keeps every limit: for each target alone, the least value that some row would keep.

Looked at only where there is no recommendation. Of each row as many replicas are taken as the accelerators allowed hold, since
more of them never make a request slower.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from advisor.sizing.choose import keep
from advisor.sizing.formula import formulas
from advisor.sizing.limits import MEMORY_LIMITS
from advisor.sizing.serving.targets import Target
from advisor.sizing.size import Sized, rows_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Relaxation:
    """One thing relaxed alone, all others kept: the row that would do, with how many replicas, and the value it needs.

    target: the target that gives way; none where it is the load, whose value is then the requests that can be held at once.
    """

    target: Target | None
    value: float
    row: int
    replicas: float


def relaxations(sized: Sized, targets: Sequence[Target], allowed: Array) -> tuple[Relaxation, ...]:
    """The smallest relaxation of every target, and of the load, on rows in the format asked for.

    allowed: accelerators that each row may take, infinite where nothing bounds them.
    """
    size = len(sized.rows)
    started, _ = keep(sized.values, MEMORY_LIMITS, size)
    rank = np.broadcast_to(np.asarray(sized.values["format_rank"]), (size,))
    per_replica = _column(sized.values["accelerators_per_replica"], size)
    rows = np.flatnonzero(started & (rank == 0) & (allowed >= per_replica))
    if not len(rows):
        return ()
    load = _column(sized.values["concurrent_requests"], size)[rows]
    replicas = np.minimum(np.floor(allowed[rows] / per_replica[rows]), np.ceil(load))
    capacity = _column(sized.values["concurrency_capacity"], size)[rows] * replicas
    carries = capacity >= load
    found: list[Relaxation] = []
    if not carries.any():
        best = int(np.argmax(capacity))
        found.append(Relaxation(None, float(capacity[best]), int(rows[best]), float(replicas[best])))
        return tuple(found)
    rows, replicas = rows[carries], replicas[carries]
    facts = {name: rows_of(sized.values[name], rows, size) for name in sized.facts}
    values = formulas().evaluate(tuple(target.quantity for target in targets), {**facts, "replicas": replicas})
    holds = {target: np.broadcast_to(target.holds(values[target.quantity]), rows.shape) for target in targets}
    for target in targets:
        others = np.logical_and.reduce([holds[other] for other in targets if other is not target] or [np.ones(len(rows), bool)])
        reached = _column(values[target.quantity], len(rows))
        fits = np.flatnonzero(others & ~holds[target] & np.isfinite(reached))
        if holds[target].all() or not len(fits):
            continue
        best = fits[np.argmax(reached[fits]) if target.at_least else np.argmin(reached[fits])]
        found.append(Relaxation(target, float(reached[best]), int(rows[best]), float(replicas[best])))
    return tuple(found)


def _column(values: object, size: int) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=float), (size,))
