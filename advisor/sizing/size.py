"""Sizing a table: cheap limits first, formulas for the rows that are left, then the limits that need them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.sizing.candidates import Candidates
from advisor.sizing.choose import Refusal, keep
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import Values, formulas
from advisor.sizing.limits import LAYOUT_LIMITS, MEMORY_LIMITS, Limit
from advisor.sizing.serving.tails import TAIL_QUANTITIES
from advisor.sizing.serving.targets import Target, replicas_for

# What every plan shows, by subject.
MEMORY: tuple[str, ...] = (
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
SPEED: tuple[str, ...] = (
    "time_to_first_token",
    "time_per_output_token",
    "request_latency",
    "request_rate",
    "output_token_rate",
    "decode_step_time",
    "prefill_time",
    *TAIL_QUANTITIES,
    "seat_headroom",
)
SHOWN = (*MEMORY, *SPEED)


@dataclass(frozen=True)
class OfflineWork:
    """A batch that must be done in time: requests, seconds until the deadline, seconds to start, share of time that counts."""

    offline_requests: float
    finish_within: float
    start_up_time: float
    productive_share: float


OFFLINE = ("offline_token_rate", "offline_finish_time")


@dataclass(frozen=True)
class Sized:
    """A table whose rows kept the layout limits, evaluated; `kept` are those that keep every limit.

    targets: those that kept rows meet. rows: for each row of this table, its row in the candidates table. shown: the quantities
    a plan prints of it. facts: names of what the formulas started from.
    """

    candidates: Candidates
    values: Values
    rows: NDArray[np.int64]
    kept: NDArray[np.bool_]
    refusals: tuple[Refusal, ...]
    efficiencies: tuple[Efficiency, ...]
    shown: tuple[str, ...]
    facts: frozenset[str]
    targets: tuple[Target, ...] = ()

    def facts_of(self, row: int) -> Values:
        """What one row's quantities start from, as columns of one row."""
        return {name: _one_row(self.values[name], row, len(self.rows)) for name in self.facts}

    def ends(self, row: int) -> Values:
        """One row's quantities with the uncertain constants at their low ends, and at their high ends as a second row."""
        return self.ends_of((row,))[0]

    def ends_of(self, rows: Sequence[int]) -> list[Values]:
        """The same of several rows, evaluated together, which takes little longer than one."""
        number, size = len(rows), len(self.rows)
        some = np.array(rows, dtype=np.int64)
        uncertain = {each.id for each in self.efficiencies}
        fixed = {name: rows_of(self.values[name], some, size) for name in self.facts if name not in uncertain}
        twice = {name: _twice(value, number) for name, value in fixed.items()}
        low, high = (efficiency_columns(self.efficiencies, fixed, end) for end in ("low", "high"))
        both = {name: np.concatenate([_column(value, number), _column(high[name], number)]) for name, value in low.items()}
        values = formulas().evaluate((*self.shown, "start_request"), {**twice, **both})
        places = np.array([[place, number + place] for place in range(number)])
        return [{name: rows_of(value, pair, 2 * number) for name, value in values.items()} for pair in places]


def _twice(value: Any, number: int) -> Any:
    array = np.asarray(value)
    return np.concatenate([array, array]) if array.ndim == 1 and array.shape[0] == number else value


def _column(value: Any, number: int) -> NDArray[Any]:
    return np.broadcast_to(np.asarray(value), (number,))


def size(
    table: Candidates,
    efficiencies: Sequence[Efficiency],
    limits: Sequence[Limit] = (),
    layout: Sequence[Limit] = LAYOUT_LIMITS,
    *,
    targets: Sequence[Target] = (),
    speed: bool = False,
    work: OfflineWork | None = None,
) -> Sized:
    """Evaluate a table: layout limits before any formula, then memory, then replicas for the targets, then `limits`.

    speed: whether to estimate latency and throughput as well; efficiencies must then hold the serving constants. work: a batch
    with a deadline; each replica is then kept full, and there are as many as the deadline asks for.
    """
    legal, refused_layouts = keep(table.columns, layout, len(table))
    rows = np.flatnonzero(legal)
    facts = {name: rows_of(column, rows, len(table)) for name, column in table.columns.items()}
    facts |= efficiency_columns(efficiencies, facts)
    shown = SHOWN if speed else MEMORY
    values = formulas().evaluate((*MEMORY, "start_request"), facts)
    started, refused_memory = keep(values, MEMORY_LIMITS, len(rows))
    if work is not None:
        facts |= _kept_full(facts, values, work)
        shown = (*shown, *OFFLINE)
    if targets:
        facts["replicas"] = _for_targets(facts, values, started, targets, len(rows))
    if targets or speed:
        values = formulas().evaluate((*shown, "start_request", *(target.quantity for target in targets)), facts)
    ordered = (*(target.limit() for target in targets), *limits)
    kept, refused = keep(values, ordered, len(rows), among=started)
    return Sized(
        table,
        values,
        rows,
        kept,
        (*refused_layouts, *refused_memory, *refused),
        tuple(efficiencies),
        shown,
        frozenset(facts),
        tuple(targets),
    )


def _kept_full(facts: Mapping[str, Any], values: Values, work: OfflineWork) -> dict[str, Any]:
    """Facts of replicas that always run as many requests as their cache holds, as many of them as finish in time."""
    given = {name: value for name, value in vars(work).items()}
    full = np.maximum(np.floor(np.asarray(values["concurrency_capacity"], dtype=float)), 1.0)
    alone = {**facts, **given, "replicas": 1.0, "concurrent_requests": full}
    needed = np.asarray(formulas().evaluate(("deadline_replicas",), alone)["deadline_replicas"], dtype=float)
    return {**given, "replicas": needed, "concurrent_requests": needed * full}


def _for_targets(
    facts: Mapping[str, Any], values: Values, started: NDArray[np.bool_], targets: Sequence[Target], size: int
) -> NDArray[np.float64]:
    least = np.broadcast_to(np.asarray(values["replicas"], dtype=float), (size,))
    most = float(np.max(np.asarray(facts["concurrent_requests"])))
    wanted = tuple(target.quantity for target in targets)

    def evaluate(replicas: NDArray[np.float64], rows: NDArray[np.int64]) -> Values:
        some = {name: rows_of(column, rows, size) for name, column in facts.items()}
        return formulas().evaluate(wanted, {**some, "replicas": replicas})

    return replicas_for(least, most, started & np.isfinite(least), targets, evaluate)


def rows_of(column: Any, rows: NDArray[np.int64], size: int) -> Any:
    """A column's rows, of a table of `size`; scalars and group columns stay as they are."""
    array = np.asarray(column)
    return array[rows] if array.ndim == 1 and array.shape[0] == size else column


def _one_row(column: Any, row: int, size: int) -> Any:
    array = np.asarray(column)
    return array[row : row + 1] if array.ndim == 1 and array.shape[0] == size else column
