"""A plan as short rows for a narrow panel, and what changed between two of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.plan.beside import MeasuredNeighbour, SimulationReport
from advisor.plan.plan import Configuration, LimitReport, Plan, WorkloadPlan
from advisor.report.sections import SEVERITY_MARK, carries, headline, measured_speed
from advisor.report.words import called, written
from advisor.units import number, show, show_base
from advisor_tui.ranges import written_range

_FIGURES = (
    "time_to_train",
    "accelerator_time",
    "training_tokens_per_second",
    "model_flops_utilization",
    "training_memory",
    "items_per_second",
    "item_latency",
    "item_memory",
    "time_to_first_token",
    "time_to_first_token_p95",
    "time_per_output_token",
    "time_per_output_token_p95",
    "request_latency",
    "output_token_rate",
    "weights",
    "kv_cache",
    "memory_needed",
    "memory_margin",
    "concurrency_capacity",
    "context_room",
)
_SHORT = {
    "kv_cache": "KV cache",
    "memory_needed": "memory per card",
    "concurrency_capacity": "requests at once",
    "context_room": "longest context",
}


@dataclass(frozen=True)
class Row:
    """A labelled value. key: the same row in another plan has the same key. note: said below it, or nothing."""

    key: str
    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Group:
    """Rows under a heading; the decision itself has none."""

    heading: str
    rows: tuple[Row, ...]


def groups(plan: Plan) -> tuple[Group, ...]:
    """The decision first, then what it rests on; several workloads one after another."""
    found: list[Group] = []
    for workload in plan.workloads:
        found.append(Group("" if len(plan.workloads) == 1 else workload.name, tuple(_decision(workload))))
        if workload.recommended is not None:
            found.append(Group("Figures, with 80 % ranges", tuple(_figures(workload.recommended))))
        if workload.simulation is not None:
            found.append(Group("Simulated", tuple(_simulated(workload.simulation))))
        if workload.measured:
            found.append(Group("Measured nearby", tuple(_measured(workload.measured))))
        if workload.alternatives:
            found.append(Group("Instead", tuple(_alternatives(workload.alternatives))))
        if limits := tuple(_limits(workload)):
            found.append(Group("Limits", limits))
    if plan.advice:
        counts = "  ".join(f"{mark} {count}" for severity, mark in SEVERITY_MARK.items() if (count := _count(plan, severity)))
        found.append(Group(f"Advice  {counts}", tuple(_advice(plan))))
    if plan.assumptions:
        assumed = tuple(
            Row(f"assumed/{each.workload}/{each.name}", called(each.name), written(each.name, each.value, each.unit))
            for each in plan.assumptions
        )
        found.append(Group(f"Assumed  {len(assumed)}", assumed))
    not_modelled = tuple(Row(f"not modelled/{text}", "", text) for text in plan.not_modelled)
    return (*found, Group("Not modelled", not_modelled)) if not_modelled else tuple(found)


def changes(before: Sequence[Group], after: Sequence[Group]) -> Mapping[str, str | None]:
    """Rows of `after` that are new or have another value, by key, with the value before (none where it is new)."""
    old = {row.key: row.value for group in before for row in group.rows}
    return {row.key: old.get(row.key) for group in after for row in group.rows if old.get(row.key) != row.value}


def _decision(workload: WorkloadPlan) -> Iterator[Row]:
    chosen = workload.recommended
    if chosen is None:
        binding = next((limit for limit in workload.limits if limit.binding), None)
        says = f": {binding.says}" if binding else ""
        yield Row("use", "", f"Nothing of {workload.considered:,} candidates keeps every limit{says}.")
        return
    yield Row("use", "use", f"{chosen.accelerators} × {chosen.accelerator_name}")
    yield Row("layout", "as", headline(chosen).partition(", ")[2])
    if chosen.sold is not None and chosen.sold.idle:
        idle = f"{chosen.sold.idle} idle ({number(100 * chosen.sold.idle / chosen.sold.accelerators)} %)"
        yield Row("sold", "sold as", f"{chosen.sold.nodes} × {chosen.sold.per_node}: {idle}")
    if chosen.rent is not None:
        rent = chosen.rent
        yield Row("rent", "rent", show(rent.total, "USD/month", digits=4), f"{rent.provider} {rent.instance}, {rent.as_of}")
    yield Row("model", "model", workload.model.name)
    yield Row("load", "load", carries(chosen))


def _figures(chosen: Configuration) -> Iterator[Row]:
    for name in _FIGURES:
        quantity = chosen.estimates.get(name)
        if quantity is None:
            continue
        note = ""
        if quantity.low is not None and quantity.high is not None:
            low, high = (written(name, end, quantity.unit) for end in (quantity.low, quantity.high))
            note = written_range(low, high)
        yield Row(f"figure/{name}", _SHORT.get(name, called(name)), written(name, quantity.value, quantity.unit), note)


def _simulated(run: SimulationReport) -> Iterator[Row]:
    for name in ("time_to_first_token", "time_per_output_token", "request_latency"):
        times = getattr(run, name)
        told = " / ".join("–" if value is None else show_base(value, "second") for value in (times.p50, times.p95, times.p99))
        yield Row(f"simulated/{name}", _SHORT.get(name, called(name)), told, "P50 / P95 / P99")
    served = f"{run.served:,} of {run.requests:,} served"
    yield Row("simulated/requests", "requests", served, "more arrives than is answered" if run.overloaded else "")


def _measured(rows: Sequence[MeasuredNeighbour]) -> Iterator[Row]:
    for each in rows:
        where = f"{number(each.accelerators)} × {each.accelerator}, {each.precision}, {each.engine}"
        yield Row(f"measured/{each.id}", each.model, measured_speed(each), f"{where}; {', '.join(each.differs)}")


def _alternatives(alternatives: Sequence[Configuration]) -> Iterator[Row]:
    for each in alternatives:
        rent = show_base(each.rent.total, "USD/second") if each.rent else "no dated price"
        what = f"{each.accelerators} × {each.accelerator_name}, {each.precision}, {rent}"
        yield Row(f"instead/{each.role}", each.role, what, each.against or "")


def _limits(workload: WorkloadPlan) -> Iterator[Row]:
    """The limit that decides, where nothing is left; else the refused candidate that came nearest to starting."""
    for limit in workload.limits:
        if workload.recommended is None and limit.binding:
            yield Row(f"limit/{limit.name}", limit.name, _nearest(limit), f"what would help: {limit.relax}")
        elif workload.recommended is not None and limit.nearest is not None and limit.short_by:
            yield Row("near miss", "not quite", _nearest(limit), limit.says)
            return


def _nearest(limit: LimitReport) -> str:
    if limit.nearest is None:
        return f"refused {limit.refused:,}"
    short = f", short by {written(limit.name, limit.short_by, limit.unit or '1')}" if limit.short_by else ""
    return f"{limit.nearest}{short}"


def _advice(plan: Plan) -> Iterator[Row]:
    for each in plan.advice:
        if each.severity != "note":
            yield Row(f"advice/{each.rule}", f"{SEVERITY_MARK[each.severity]} {each.rule}", each.title, each.advice)


def _count(plan: Plan, severity: str) -> int:
    return sum(each.severity == severity for each in plan.advice)
