"""Where no layout of a run keeps every limit: each change of the run, or of what it may use, that alone would do."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from advisor.plan.plan import Relaxation
from advisor.plan.training import HostTable
from advisor.plan.training_choice import TrainingRow, describe
from advisor.plan.training_facts import Run
from advisor.sizing.training.layouts import STACKS
from advisor.units import show_base
from advisor.workload.document import Workload

Sizes = Callable[[Run, Workload], Sequence[HostTable]]
# Enough for the largest model that anybody trains.
_MANY = 65_536


def relaxed(tables: Sequence[HostTable], run: Run, workload: Workload, sizes: Sizes) -> Iterator[Relaxation]:
    """The least time of what fits; where nothing fits, smaller optimizer states, adapters, offloading, and more accelerators.

    sizes: the layouts of a changed run, or of one that may use other accelerators.
    """
    best = _fastest(tables)
    if best is not None:
        needed = float(best.value("time_to_train"))
        if needed > run.finish_within:
            yield Relaxation(
                what="finish_within", asked=run.finish_within, needed=needed, unit="second", configuration=describe(best)
            )
    free = run.without_deadline()
    if best is None:
        yield from _smaller(free, workload, sizes)
    yield from _more(run, workload, sizes)


def _smaller(run: Run, workload: Workload, sizes: Sizes) -> Iterator[Relaxation]:
    """Changes of the run itself, from the smallest on."""
    changes: list[tuple[str, str, str, Run]] = []
    if run.adapter == "none" and run.kind != "pretraining":
        lighter = replace(run, optimizer="paged-adamw-8bit", state_precision="pure")
        changes.append(("optimizer", run.optimizer, "8-bit AdamW with everything else in 16 bit", lighter))
        if run.offload == "none":
            changes.append(("offloading", "none", "optimizer states in host memory", replace(run, offload="optimizer")))
        changes.append(("method", run.method, "lora", replace(run, method="lora", adapter="lora")))
    if run.adapter in ("none", "lora") and run.kind != "pretraining" and run.base_format is None:
        small = replace(run, method="qlora", adapter="qlora", base_format="nf4", base_bits=4.0)
        changes.append(("method", run.method, "qlora", small))
    if run.stack.id == "transformers" and run.adapter == "none":
        other = replace(run, software="torchtitan", stack=STACKS["fsdp"])
        changes.append(("training software", run.software, "FSDP with tensor and context parallelism", other))
    for what, asked, needed, changed in changes:
        fitting = _fastest(sizes(changed, workload))
        if fitting is not None:
            if what == "offloading":
                host = show_base(float(fitting.value("training_host_memory")), "byte")
                needed = f"{needed}, {host} of it in each server"
            yield Relaxation(what=what, asked=asked, needed=needed, unit="1", configuration=describe(fitting))


def _more(run: Run, workload: Workload, sizes: Sizes) -> Iterator[Relaxation]:
    """The fewest accelerators of the kinds asked for with which the run, as it is, keeps its limits."""
    wish = workload.accelerators
    if wish is None or not (wish.max_count or wish.owned):
        return
    names = wish.only or tuple(each.id for each in wish.owned)
    freed = workload.model_copy(update={"accelerators": wish.model_copy(update={"max_count": _MANY, "owned": (), "only": names})})
    found: TrainingRow | None = None
    for table in sizes(run, freed):
        values, size = table.table.values, table.table.size
        kept = np.flatnonzero(table.table.kept)
        if len(kept):
            counts, times = (_column(values[name], size)[kept] for name in ("accelerators", "time_to_train"))
            row = TrainingRow(table, int(kept[np.lexsort((times, counts))[0]]))
            if found is None or row.count < found.count:
                found = row
    there = wish.max_count or sum(int(each.count) for each in wish.owned)
    if found is not None and found.count > there:
        yield Relaxation(
            what="accelerators", asked=float(there), needed=float(found.count), unit="1", configuration=describe(found)
        )


def _fastest(tables: Sequence[HostTable]) -> TrainingRow | None:
    """The fastest layout that fits, whatever its deadline."""
    best: TrainingRow | None = None
    for table in tables:
        values, size = table.table.values, table.table.size
        time, margin = (_column(values[name], size) for name in ("time_to_train", "training_memory_margin"))
        fits = np.flatnonzero(margin >= 0)
        if len(fits):
            row = TrainingRow(table, int(fits[np.argmin(time[fits])]))
            if best is None or row.value("time_to_train") < best.value("time_to_train"):
                best = row
    return best


def _column(values: Any, size: int) -> Any:
    return np.broadcast_to(np.asarray(values, dtype=float), (size,))
