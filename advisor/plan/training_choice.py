"""The choice among sized layouts: the cheapest run that meets the deadline, real alternatives, and what refused the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.facts import Label
from advisor.library import Library
from advisor.plan.plan import Configuration, LimitReport, NearMiss, Rent
from advisor.plan.quantity import Quantity
from advisor.plan.rents import Rents
from advisor.plan.training import DEADLINE, HostTable
from advisor.plan.training_facts import Run
from advisor.plan.training_records import TrainingLayout
from advisor.sizing.choose import Refusal
from advisor.sizing.efficiencies import applied_level
from advisor.sizing.formula import Values, at, formulas
from advisor.sizing.training.table import MEMORY_LIMIT
from advisor.units import number, show_base

_ALTERNATIVES = 3
# What is uncertain with which band; a time is as uncertain as the rate it is made of, the other way round.
_BANDS = {
    "training_memory": ("training_memory_band", False),
    "training_tokens_per_second": ("training_tokens_per_second_band", False),
    "training_tokens_per_second_per_accelerator": ("training_tokens_per_second_band", False),
    "model_flops_utilization": ("training_tokens_per_second_band", False),
    "training_step_time": ("training_tokens_per_second_band", True),
    "time_to_train": ("training_tokens_per_second_band", True),
    "accelerator_time": ("training_tokens_per_second_band", True),
    "campaign_accelerator_time": ("training_tokens_per_second_band", True),
    "training_energy": ("training_tokens_per_second_band", True),
}


@dataclass(frozen=True)
class TrainingRow:
    """One sized layout on its host."""

    of: HostTable
    row: int

    def value(self, name: str) -> Any:
        """The bare value of a fact or quantity."""
        return at(self.of.table.values[name], self.row)

    @property
    def accelerator(self) -> str:
        return self.of.host.accelerator.id

    @property
    def count(self) -> int:
        return int(self.value("accelerators"))

    def rent(self, rents: Rents, owned: frozenset[str]) -> Rent | None:
        """The cheapest dated rent of all its accelerators; none for what is owned."""
        return None if self.accelerator in owned else rents.of(self.accelerator, 1, self.count)

    @cached_property
    def ends(self) -> Values:
        """The row with uncertain constants at their low ends, and at their high ends as a second row."""
        return self.of.table.ends(self.row)


def in_order(tables: Sequence[HostTable], rents: Rents, library: Library, owned: frozenset[str]) -> list[TrainingRow]:
    """Kept rows, best first: those that fit even where memory is under-estimated before those that may not; then by the rent of
    the whole run, by accelerator time where there is no dated price, and by time."""
    rows: list[tuple[tuple[Any, ...], TrainingRow]] = []
    # Half way to the end of the band: a layout that is out of memory is found out in its first minute, a slow one is paid for.
    high = library.get(Efficiency, "training_memory_band").cases[0].high ** 0.5
    for place, table in enumerate(tables):
        values, size = table.table.values, table.table.size
        kept = np.flatnonzero(table.table.kept)
        time, busy, need, room, count = (
            np.broadcast_to(np.asarray(values[name], dtype=float), (size,))[kept]
            for name in ("time_to_train", "accelerator_time", "training_memory", "usable_memory", "accelerators")
        )
        id = table.host.accelerator.id
        rates = {each: _rate(rents, id, each, owned) for each in dict.fromkeys(count.tolist())}
        cost = time * np.array([rates[each] for each in count.tolist()])
        tight = need * high > room
        order = np.lexsort((time, count, busy, np.where(np.isnan(cost), np.inf, cost), np.isnan(cost), tight))
        for rank, index in enumerate(order[:200].tolist()):
            key = (
                bool(tight[index]),
                bool(np.isnan(cost[index])),
                float(np.nan_to_num(cost[index])),
                float(busy[index]),
                place,
                rank,
            )
            rows.append((key, TrainingRow(table, int(kept[index]))))
    rows.sort(key=lambda each: each[0])
    return [row for _, row in rows]


def _rate(rents: Rents, accelerator: str, count: float, owned: frozenset[str]) -> float:
    """Rent per second of so many accelerators; nothing for owned ones, NaN without a dated price."""
    if accelerator in owned:
        return 0.0
    rent = rents.of(accelerator, 1, int(count))
    return float("nan") if rent is None else rent.total


def training_configuration(
    row: TrainingRow,
    role: str,
    run: Run,
    rents: Rents,
    library: Library,
    owned: frozenset[str],
    *,
    best: TrainingRow | None = None,
) -> Configuration:
    """A kept layout as a configuration. best: the recommended row, for what speaks against this one."""
    layout = layout_of(row, run)
    return Configuration(
        role=role,
        accelerator=row.accelerator,
        accelerator_name=row.of.host.accelerator.name,
        accelerators=row.count,
        accelerators_per_node=row.of.host.per_node,
        replicas=layout.data_parallel,
        tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel,
        precision=run.precision,
        engine=run.software,
        layout=layout,
        sold=None if row.accelerator in owned else rents.sold(row.accelerator, 1, row.count),
        owned=row.accelerator in owned,
        estimates={name: _quantity(row, name, library) for name in row.of.table.shown if np.isfinite(float(row.value(name)))},
        rent=row.rent(rents, owned),
        against=_against(row, best, rents, owned) if best is not None else None,
    )


def layout_of(row: TrainingRow, run: Run) -> TrainingLayout:
    """How a row spreads the run."""

    def whole(name: str) -> int:
        return int(float(row.value(name)))

    return TrainingLayout(
        stack=run.software,
        method=run.method,
        adapter=run.adapter,
        optimizer=run.optimizer,
        precision=run.precision,
        weight_format=run.base_format,
        tensor_parallel=whole("tensor_parallel"),
        pipeline_parallel=whole("pipeline_parallel"),
        virtual_stages=whole("virtual_stages"),
        context_parallel=whole("context_parallel"),
        expert_parallel=whole("expert_parallel"),
        data_parallel=whole("data_parallel"),
        zero_stage=whole("zero_stage"),
        sharding_library=str(row.value("sharding_library")),
        sharded_over=whole("sharded_over"),
        micro_batch=whole("micro_batch"),
        gradient_accumulation=whole("gradient_accumulation"),
        global_batch=run.global_batch,
        sequence_length=run.sequence_length,
        recomputation=str(row.value("recomputation")),
        attention_kernel=run.attention_kernel,
        loss_kernel=run.loss_kernel,
        optimizer_offload="cpu" if run.offload in ("optimizer", "all") else "none",
        parameter_offload="cpu" if run.offload in ("parameters", "all") else "none",
        lora_rank=run.lora_rank if run.adapter != "none" else None,
        lora_targets="all-linear" if run.adapter != "none" else None,
    )


def _quantity(row: TrainingRow, name: str, library: Library) -> Quantity:
    value = float(row.value(name))
    ends = [float(at(row.ends[name], end)) for end in (0, 1)]
    low, high = min(*ends, value), max(*ends, value)
    if name in _BANDS:
        below, above = band(row, name, library)
        low, high = value * below, value * above
    exact = low == high
    unit = formulas().units[name]
    return Quantity(value=value, unit=unit, low=None if exact else low, high=None if exact else high, label=Label.estimated)


def band(row: TrainingRow, name: str, library: Library) -> tuple[float, float]:
    """Measured over estimated, between which four of five values stand."""
    id, inverse = _BANDS[name]
    level = applied_level(library.get(Efficiency, id), row.of.table.values, row.row)
    return (1 / level.high, 1 / level.low) if inverse else (level.low, level.high)


def alternatives(
    best: TrainingRow, ordered: Sequence[TrainingRow], run: Run, rents: Rents, library: Library, owned: frozenset[str]
) -> tuple[Configuration, ...]:
    """Up to three that differ in what matters: another accelerator, faster, fewer accelerators, more memory left."""
    chosen: list[tuple[TrainingRow, str]] = []
    seen = {(best.accelerator, best.count)}

    def offer(rows: Sequence[TrainingRow], role: str) -> None:
        for row in rows:
            if (row.accelerator, row.count) not in seen:
                seen.add((row.accelerator, row.count))
                chosen.append((row, role))
                return

    offer([row for row in ordered if row.accelerator != best.accelerator], "next best")
    offer(sorted(ordered, key=lambda row: float(row.value("time_to_train"))), "fastest")
    fewer = [row for row in ordered if row.count < best.count]
    offer(sorted(fewer, key=lambda row: (row.count, float(row.value("time_to_train")))), "fewest accelerators")
    return tuple(training_configuration(row, role, run, rents, library, owned, best=best) for row, role in chosen[:_ALTERNATIVES])


def _against(row: TrainingRow, best: TrainingRow, rents: Rents, owned: frozenset[str]) -> str:
    mine, theirs = row.rent(rents, owned), best.rent(rents, owned)
    time, best_time = float(row.value("time_to_train")), float(best.value("time_to_train"))
    if mine is not None and theirs is not None:
        cost, best_cost = mine.total * time, theirs.total * best_time
        if cost > best_cost:
            return f"a run costs {show_base(cost, 'USD')} against {show_base(best_cost, 'USD')}"
    elif theirs is not None:
        return "no dated price in the catalogue"
    if time > best_time:
        return f"takes {show_base(time, 'second')} against {show_base(best_time, 'second')}"
    busy, best_busy = float(row.value("accelerator_time")), float(best.value("accelerator_time"))
    return f"{number(busy / 3600)} accelerator hours against {number(best_busy / 3600)}"


def describe(row: TrainingRow) -> str:
    """A layout in words."""
    words = [f"{row.count} × {row.of.host.accelerator.name}"]
    for name, says in (
        ("data_parallel", "data parallel"),
        ("tensor_parallel", "tensor parallel"),
        ("pipeline_parallel", "pipeline parallel"),
        ("context_parallel", "context parallel"),
        ("expert_parallel", "expert parallel"),
    ):
        if row.value(name) > 1:
            words.append(f"{says} {row.value(name):g}")
    if row.value("zero_stage"):
        words.append(f"ZeRO {row.value('zero_stage'):g}")
    words.append(f"micro batch {row.value('micro_batch'):g}")
    if row.value("recomputation") != "none":
        words.append(f"{row.value('recomputation')} recomputation")
    return ", ".join(words)


def limit_reports(tables: Sequence[HostTable], found: bool) -> tuple[LimitReport, ...]:
    """Each limit over all hosts: how many layouts it refused, and which came nearest."""
    merged: dict[str, LimitReport] = {}
    for table in tables:
        last = table.table.refusals[-1] if table.table.refusals else None
        for refusal in table.table.refusals:
            report = _limit_report(table, refusal, binding=not found and refusal is last)
            earlier = merged.get(report.name)
            if earlier is not None:
                better = earlier if (earlier.short_by or np.inf) <= (report.short_by or np.inf) else report
                report = better.model_copy(
                    update={"refused": earlier.refused + refusal.rows, "binding": earlier.binding or report.binding}
                )
            merged[report.name] = report
    return tuple(merged.values())


def _limit_report(table: HostTable, refusal: Refusal, *, binding: bool) -> LimitReport:
    nearest = TrainingRow(table, int(refusal.nearest)) if refusal.nearest is not None else None
    return LimitReport(
        name=refusal.limit.name,
        says=refusal.limit.says,
        refused=refusal.rows,
        binding=binding,
        nearest=describe(nearest) if nearest else None,
        short_by=refusal.short_by,
        unit=refusal.limit.unit if refusal.short_by is not None else None,
        relax=refusal.limit.relax,
    )


def near_misses(best: TrainingRow, run: Run) -> tuple[NearMiss, ...]:
    """On the recommended accelerator, the next smaller counts and why none of them would do."""
    table, values = best.of.table, best.of.table.values
    counts = np.broadcast_to(np.asarray(values["accelerators"], dtype=float), (table.size,))
    found: list[NearMiss] = []
    for count in sorted({each for each in counts.tolist() if each < best.count}, reverse=True)[:3]:
        rows = np.flatnonzero(counts == count)
        if table.kept[rows].any():
            continue
        miss = _near_miss(best.of, rows, run)
        found.append(miss)
    return tuple(found)


def _near_miss(of: HostTable, rows: Any, run: Run) -> NearMiss:
    """The layout of a count that comes nearest: the one that fits and is fastest, or else the one that lacks least memory."""
    values, size = of.table.values, of.table.size
    margin, time = (
        np.broadcast_to(np.asarray(values[name], dtype=float), (size,))[rows]
        for name in ("training_memory_margin", "time_to_train")
    )
    fits = margin >= 0
    if fits.any():
        row = TrainingRow(of, int(rows[np.argmin(np.where(fits, time, np.inf))]))
        short, limit, says, unit = (
            float(row.value("time_to_train")) - run.finish_within,
            DEADLINE,
            "it takes longer than it may",
            "second",
        )
    else:
        row = TrainingRow(of, int(rows[np.argmax(margin)]))
        short, limit, says, unit = -float(row.value("training_memory_margin")), MEMORY_LIMIT.name, MEMORY_LIMIT.says, "byte"
    return NearMiss(configuration=describe(row), accelerators=row.count, limit=limit, says=says, short_by=short, unit=unit)
