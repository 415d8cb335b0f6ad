"""The ways one workload could be carried in an estate: for each accelerator the fewest of it that keep every limit."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from advisor.plan.configuration import Row
from advisor.plan.plan import Configuration
from advisor.plan.running import most_within
from advisor.sizing.size import Sized

if TYPE_CHECKING:
    # Reading what plans training runs is a tenth of a start, and a served model needs none of it.
    from advisor.plan.training_choice import TrainingRow


@dataclass(frozen=True)
class Option:
    """`replicas` of `accelerators` each; spares are not counted here.

    time: seconds of one run, for what runs and ends. load: what the load is over what one replica carries within memory and
    targets, so replicas in fractions; asked for only when the load grows.
    """

    accelerator: str
    accelerators: int
    replicas: int
    precision: str
    time: float | None = None
    load: Callable[[], float] | None = field(default=None, compare=False, repr=False)


def served_options(tables: Sequence[Sized]) -> tuple[Option, ...]:
    """For each accelerator the kept row of the format asked for with the fewest of it; then the smallest replica, most room."""
    found: dict[str, tuple[float, Option]] = {}
    for table in tables:
        values = table.values
        rows = np.flatnonzero(table.kept & (np.asarray(values["format_rank"]) == 0))
        if not len(rows):
            continue
        size = len(table.rows)
        count, each, margin = (
            np.broadcast_to(np.asarray(values[name], dtype=float), (size,))[rows]
            for name in ("accelerators", "accelerators_per_replica", "memory_margin")
        )
        names, formats = np.asarray(values["accelerator"]), np.asarray(values["precision"])
        for place in np.lexsort((rows, -np.round(margin, 6), each, count)).tolist():
            row, number = int(rows[place]), float(count[place])
            name = str(names[row])
            if np.isfinite(number) and (name not in found or number < found[name][0]):
                per_replica = int(each[place])
                load = cache(partial(_load, Row(table, row)))
                found[name] = number, Option(name, per_replica, round(number) // per_replica, str(formats[row]), load=load)
    return tuple(option for _, option in found.values())


def _load(row: Row) -> float:
    most, _ = most_within(row, row.table.targets)
    return float(row.value("concurrent_requests")) / most


def training_options(ordered: Iterable["TrainingRow"], precision: str) -> tuple[Option, ...]:
    """For each accelerator the layout that is ranked first, and the one on the fewest accelerators."""
    first: dict[str, TrainingRow] = {}
    fewest: dict[str, TrainingRow] = {}
    for row in ordered:
        first.setdefault(row.accelerator, row)
        known = fewest.get(row.accelerator)
        if known is None or row.count < known.count:
            fewest[row.accelerator] = row
    rows = {(row.accelerator, row.count): row for row in (*first.values(), *fewest.values())}
    return tuple(
        Option(row.accelerator, row.count, 1, precision, time=float(row.value("time_to_train"))) for row in rows.values()
    )


def option_of(configuration: Configuration) -> Option:
    """A configuration of a plan as an option."""
    time = configuration.estimates.get("time_to_train") if configuration.layout is not None else None
    replicas = 1 if configuration.layout is not None else max(1, configuration.replicas)
    return Option(
        configuration.accelerator,
        configuration.accelerators // replicas,
        replicas,
        configuration.precision,
        time=time.value if time is not None else None,
    )
