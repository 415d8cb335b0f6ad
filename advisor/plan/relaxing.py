"""Where nothing keeps every limit: the smallest change of each thing asked for that alone would do."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from advisor.plan.configuration import Row, describe
from advisor.plan.plan import Relaxation
from advisor.sizing.formula import at
from advisor.sizing.limits import Limit
from advisor.sizing.relax import Array, relaxations
from advisor.sizing.serving.targets import Target
from advisor.sizing.size import Sized

# Limits on how many accelerators there may be; each is relaxed to the least count that would do.
COUNT_LIMITS = ("accelerators allowed", "accelerators owned")


def relaxed(
    tables: Sequence[Sized], ordered: Sequence[Row], targets: Sequence[Target], allowed: Mapping[str, float], most: float | None
) -> tuple[Relaxation, ...]:
    """One relaxation of each kind, the least of all tables.

    ordered: kept rows, all in smaller weight formats than asked for. allowed: accelerators there are of each kind, where that
    is a limit; most: accelerators allowed together.
    """
    found = list(_smaller_format(ordered))
    for table in tables:
        found += _of_table(table, targets, allowed, most)
    least: dict[str, Relaxation] = {}
    for each in found:
        earlier = least.get(each.what)
        if earlier is None or _distance(each) < _distance(earlier):
            least[each.what] = each
    return tuple(least.values())


def _of_table(table: Sized, targets: Sequence[Target], allowed: Mapping[str, float], most: float | None) -> Iterator[Relaxation]:
    size = len(table.rows)
    room = np.array([allowed.get(id, np.inf) for id in np.broadcast_to(table.values["accelerator"], (size,)).tolist()])
    room = np.minimum(room, np.inf if most is None else most)
    load = float(at(table.values["concurrent_requests"], 0))
    for found in relaxations(table, targets, room):
        row = Row(table, found.row)
        count = int(found.replicas * row.per_replica)
        says = f"{count} × {describe(row, per_replica=True).partition(' × ')[2]}"
        if found.target is None:
            yield Relaxation(what="requests at once", asked=load, needed=found.value, unit="request", configuration=says)
        else:
            target = found.target
            needed = _rounded(found.value, up=not target.at_least)
            yield Relaxation(what=target.name, asked=target.most, needed=needed, unit=target.unit, configuration=says)
    for refusal in table.refusals:
        if refusal.limit.name in COUNT_LIMITS:
            yield from _count(table, refusal.limit, targets, room)


def _count(table: Sized, limit: Limit, targets: Sequence[Target], room: Array) -> Iterator[Relaxation]:
    """The fewest accelerators with which every target holds, on the row that lacks least."""
    size = len(table.rows)
    holds = np.ones(size, dtype=bool)
    for target in targets:
        holds &= np.broadcast_to(target.holds(table.values[target.quantity]), (size,))
    counts = np.broadcast_to(np.asarray(table.values["accelerators"], dtype=float), (size,))
    rank = np.broadcast_to(np.asarray(table.values["format_rank"]), (size,))
    fitting = holds & np.isfinite(counts) & (rank == 0) & (np.asarray(table.values["kv_room"]) > 0) & (counts > room)
    rows = np.flatnonzero(fitting & (np.asarray(table.values["concurrency_capacity"]) >= 1))
    if len(rows):
        best = int(rows[np.argmin(counts[rows])])
        row = Row(table, best)
        yield Relaxation(what=limit.name, asked=float(room[best]), needed=float(row.count), unit="1", configuration=describe(row))


def _smaller_format(ordered: Sequence[Row]) -> Iterator[Relaxation]:
    if ordered:
        row = ordered[0]
        yield Relaxation(
            what="weight format", asked=row.formats[0].id, needed=row.format.id, unit="1", configuration=describe(row)
        )


def _rounded(value: float, *, up: bool) -> float:
    """Three digits, rounded to the side on which the target holds, so that what is shown would do as it stands."""
    step = 10.0 ** (np.floor(np.log10(value)) - 2)
    return float((np.ceil if up else np.floor)(value / step) * step)


def _distance(relaxation: Relaxation) -> float:
    """How far a relaxation is from what was asked, as a ratio."""
    asked, needed = relaxation.asked, relaxation.needed
    if isinstance(asked, str) or isinstance(needed, str):
        return 0.0
    return abs(float(np.log(max(needed, 1e-12) / max(asked, 1e-12))))
