"""The choice among kept rows: their order, real alternatives, and what refused the rest."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from advisor.catalogue.engine import Engine
from advisor.library import Library
from advisor.plan.configuration import Banded, Row, configuration, describe, evaluate_ends
from advisor.plan.plan import Configuration, LimitReport, NearMiss
from advisor.plan.rents import Rents
from advisor.sizing.choose import Refusal, ranked
from advisor.sizing.formula import at
from advisor.sizing.limits import MEMORY_LIMITS
from advisor.sizing.size import Sized
from advisor.workload.document import Workload

_ALTERNATIVES = 3
# Rows looked at behind the best; alternatives are among them.
_RANKED = 400
_NEAR_MISSES = 3


def in_order(tables: Sequence[Sized], rents: Rents) -> list[Row]:
    """Kept rows of all tables, best first; rows in the format asked for (or released) come before smaller ones."""
    rows: list[tuple[tuple[Any, ...], Row]] = []
    for number, table in enumerate(tables):
        totals = rents.totals(table.values)
        counts = np.asarray(table.values["accelerators"])
        for rank, row in enumerate(ranked(table.values, table.kept, totals)[:_RANKED].tolist()):
            form = int(table.candidates.format[table.rows[row]])
            count, total = float(counts[row]), float(totals[row])
            rows.append(((form > 0, np.isnan(total), 0.0 if np.isnan(total) else total, count, number, rank), Row(table, row)))
    rows.sort(key=lambda each: each[0])
    return [row for _, row in rows]


def alternatives(
    library: Library, best: Row, ordered: list[Row], rents: Rents, workload: Workload, banded: Banded
) -> tuple[Configuration, ...]:
    """Up to three that differ in what matters: another accelerator, a smaller format, fewer accelerators, more room."""
    chosen: list[tuple[Row, str]] = []
    seen = {(best.accelerator, best.format.id)}

    def offer(rows: Sequence[Row], role: str) -> None:
        for row in rows:
            if (row.accelerator, row.format.id) not in seen:
                seen.add((row.accelerator, row.format.id))
                chosen.append((row, role))
                return

    places = [row.format_place for row in ordered]
    released = [row for row, place in zip(ordered, places, strict=True) if place == 0]
    smaller = [row for row, place in zip(ordered, places, strict=True) if place > 0]
    count = best.count
    offer(released, "next best")
    offer(sorted(smaller, key=lambda row: (row.count, row.format_place)), "smaller weight format")
    offer([row for row in sorted(released, key=lambda row: row.count) if row.count < count], "fewest accelerators")
    offer(sorted(released, key=lambda row: -row.value("memory_margin"))[:20], "most memory left")
    chosen = chosen[:_ALTERNATIVES]
    evaluate_ends((best, *(row for row, _ in chosen)))
    engines = {engine.family: engine for engine in reversed(library.all(Engine))}
    return tuple(
        configuration(
            row,
            role,
            library.find(Engine, workload.engine) if workload.engine else engines[row.table.candidates.question.engine_family],
            workload.engine_version or engines[row.table.candidates.question.engine_family].current,
            rents,
            banded,
            best=best,
        )
        for row, role in chosen
    )


def limit_reports(tables: Sequence[Sized], found: bool) -> tuple[LimitReport, ...]:
    reports: dict[str, LimitReport] = {}
    for table in tables:
        # What decides is the limit that took the last row in the format asked for.
        last = next((refusal for refusal in reversed(table.refusals) if refusal.asked_for), None)
        for refusal in table.refusals:
            report = _limit_report(table, refusal, binding=not found and refusal is last)
            earlier = reports.get(report.name)
            if earlier is not None:
                better = earlier if (earlier.short_by or np.inf) <= (report.short_by or np.inf) else report
                report = better.model_copy(
                    update={"refused": earlier.refused + refusal.rows, "binding": earlier.binding or report.binding}
                )
            reports[report.name] = report
    return tuple(reports.values())


def _limit_report(table: Sized, refusal: Refusal, *, binding: bool) -> LimitReport:
    limit = refusal.limit
    in_table = refusal.nearest is not None and not limit.cheap
    nearest = Row(table, int(refusal.nearest)) if in_table and refusal.nearest is not None else None
    return LimitReport(
        name=limit.name,
        says=limit.says,
        refused=refusal.rows,
        binding=binding,
        nearest=describe(nearest) if nearest else None,
        short_by=refusal.short_by,
        unit=limit.unit if refusal.short_by is not None else None,
        relax=limit.relax,
    )


def near_misses(best: Row) -> tuple[NearMiss, ...]:
    """Of the recommended accelerator and format, the next smaller replicas and why none would do: what a buyer asks next."""
    values = best.table.values
    same = (np.asarray(values["accelerator"]) == best.accelerator) & (np.asarray(values["precision"]) == best.format.id)
    per_replica = np.asarray(values["accelerators_per_replica"])
    smaller = np.flatnonzero(same & (per_replica < best.per_replica))
    sizes = sorted(set(per_replica[smaller].tolist()), reverse=True)
    rows = (Row(best.table, int(smaller[np.argmax(per_replica[smaller] == size)])) for size in sizes)
    return tuple(miss for row in rows if (miss := _near_miss(row, best)) is not None)[:_NEAR_MISSES]


def _near_miss(row: Row, best: Row) -> NearMiss | None:
    """Why a smaller replica would not do; none where it would do, and costs more."""
    values, table = best.table.values, best.table
    limits = (*MEMORY_LIMITS, *(refusal.limit for refusal in table.refusals if not refusal.limit.cheap))
    refusing = next((limit for limit in limits if not bool(at(np.asarray(limit.holds(values)), row.row))), None)
    requests = float(best.value("running_requests"))
    short: float | None = float(row.value("kv_cache_per_request")) * requests - float(row.value("kv_room"))
    unit, says = "byte", f"one replica holds {row.value('concurrency_capacity'):,g} of the {requests:,g} requests at once"
    name = "the load"
    if refusing is not None:
        name, says, unit = refusing.name, refusing.says, refusing.unit
        short = float(at(refusing.short_by(values), row.row)) if refusing.short_by else None
    elif short is not None and short <= 0:
        return None
    return NearMiss(
        configuration=describe(row, per_replica=True),
        accelerators=row.per_replica,
        limit=name,
        says=says,
        short_by=short,
        unit=unit if short is not None else None,
    )


def nearest_row(tables: Sequence[Sized]) -> Row | None:
    """The row that came nearest to being kept: refused by the last limit that refused any."""
    for table in tables:
        for refusal in reversed(table.refusals):
            if refusal.nearest is not None and refusal.asked_for and not refusal.limit.cheap:
                return Row(table, refusal.nearest)
    return next((Row(table, 0) for table in tables if len(table.rows)), None)


def ranked_by(recommended: Configuration) -> str:
    if recommended.rent is None:
        return "count of accelerators, then memory left, then power; none of them has a dated price"
    return f"dated rent ({recommended.rent.as_of}), then count, memory left and power"
