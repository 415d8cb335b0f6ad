"""One training workload's plan: its run, the layouts on every host, the choice, and the trace of what was chosen."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.facts import Fact, Label, Origin
from advisor.library import Library
from advisor.plan.estate_options import training_options
from advisor.plan.measured_runs import measured_runs
from advisor.plan.models import Access, model_of
from advisor.plan.one_workload import PlannedWorkload
from advisor.plan.plan import Configuration, LaunchSettings, ModelReport, Step, WorkloadPlan
from advisor.plan.rents import Rents
from advisor.plan.sheet import FactSheet
from advisor.plan.tracing import fact_step, walked
from advisor.plan.training import HostTable, sized_layouts
from advisor.plan.training_choice import (
    TrainingRow,
    alternatives,
    in_order,
    limit_reports,
    near_misses,
    training_configuration,
)
from advisor.plan.training_facts import Run, take_run
from advisor.plan.training_launch import training_launch
from advisor.plan.training_relaxing import relaxed
from advisor.sizing.efficiencies import applied_level
from advisor.sizing.formula import formulas
from advisor.sizing.trace import Trace
from advisor.sizing.training.facts import TrainingSettings
from advisor.workload.document import Document, Workload

# Facts that follow from the method and the software.
_SETTINGS = frozenset(field.name for field in fields(TrainingSettings)) | {
    "training_kind",
    "stack_family",
    "training_stack_class",
}


def plan_training(library: Library, document: Document, index: int, rents: Rents, access: Access) -> PlannedWorkload:
    """Plan one training workload. Raises InputError, naming the field, for what cannot be planned as asked."""
    workload = document.workloads[index]
    where = f"workloads[{index}]"
    sheet = FactSheet(workload.name or f"workload {index + 1}", library)
    model = model_of(library, workload.model, f"{where}.model", access)
    sheet.answer("kind", workload.kind)
    run = take_run(sheet, workload, model, library, where)
    owned = frozenset(
        library.find(Accelerator, each.id).id for each in (workload.accelerators.owned if workload.accelerators else ())
    )

    def sizes(changed: Run, of: Workload) -> tuple[HostTable, ...]:
        return sized_layouts(library, document, of, model, changed, sheet, where)

    tables = sizes(run, workload)
    ordered = in_order(tables, rents, library, owned)
    if not ordered and not run.deadline_stated:
        # A deadline that was only proposed yields: the fastest layout that fits is taken.
        tables = sizes(run.without_deadline(), workload)
        ordered = sorted(in_order(tables, rents, library, owned), key=lambda row: float(row.value("time_to_train")))
    best = ordered[0] if ordered else None
    shown = best or _nearest(tables)
    recommended = training_configuration(best, "recommended", run, rents, library, owned) if best else None
    launches: tuple[LaunchSettings, ...] = ()
    if recommended is not None and recommended.layout is not None and isinstance(workload.model, str):
        launches = training_launch(recommended.layout, recommended, model.name, library)
    plan = WorkloadPlan(
        name=sheet.workload,
        kind=workload.kind,
        environment=workload.environment or "training",
        model=_model_report(model),
        recommended=recommended,
        ranked_by=_ranked_by(recommended) if recommended else None,
        alternatives=alternatives(best, ordered, run, rents, library, owned) if best else (),
        limits=limit_reports(tables, bool(best)),
        near_misses=near_misses(best, run) if best else (),
        relaxations=() if best else tuple(relaxed(tables, run, workload, sizes)),
        measured_runs=measured_runs(library, best, model) if best else (),
        not_modelled=tuple(_left_out(run, workload)),
        launch=launches[0] if launches else None,
        other_launches=launches[1:],
        considered=sum(table.table.size for table in tables),
        facts=dict(sheet.facts),
        trace=_steps(shown, model, sheet, recommended) if shown else {},
    )
    return PlannedWorkload(plan, sheet, _row_facts(best, run) if best else {}, training_options(ordered, run.precision))


def _left_out(run: Run, workload: Workload) -> Iterator[str]:
    """What a run of this method has beside what is sized."""
    if run.method in ("ppo", "grpo", "rloo"):
        yield "writing the answers that are learnt from (rollouts): the time of learning alone is estimated"
    if run.method == "distillation":
        yield "the teacher: a model of the same size is held beside the trained one, and its passes take no time here"
    if run.method == "freeze":
        yield "frozen layers: the run is sized as if all weights were trained"
    if workload.runs_per_month is not None:
        yield "runs a month: one run is sized"


def _nearest(tables: tuple[HostTable, ...]) -> TrainingRow | None:
    for table in tables:
        for refusal in reversed(table.table.refusals):
            if refusal.nearest is not None:
                return TrainingRow(table, int(refusal.nearest))
    return None


def _ranked_by(recommended: Configuration) -> str:
    if recommended.owned:
        return "accelerator time, then time; the accelerators are owned"
    if recommended.rent is None:
        return "accelerator time, then time; none has a dated price"
    return f"rent of the whole run at dated prices ({recommended.rent.as_of}), then accelerator time"


def _model_report(model: Model) -> ModelReport:
    return ModelReport(
        id=model.id,
        name=model.name,
        parameters=model.parameters.total,
        active_parameters=model.parameters.active,
        context=model.context,
        attention=model.layer_groups[0].kind if model.layer_groups else "unknown",
        basis=model.basis,
        sources=tuple(str(source) for source in model.sources),
    )


def _steps(row: TrainingRow, model: Model, sheet: FactSheet, chosen: Configuration | None) -> dict[str, Step]:
    """Every quantity shown and everything it was made from; what is shown has the range it has in the plan."""
    table = row.of.table
    trace = Trace(formulas(), table.values, row.row, {**_origins(row, model), **sheet.facts}, row.ends)
    found = walked(trace, table.shown)
    for name, shown in (chosen.estimates if chosen else {}).items():
        found[name] = found[name].model_copy(update={"low": shown.low, "high": shown.high})
    for name, fact in sheet.facts.items():
        found.setdefault(name, fact_step(fact))
    return found


def _origins(row: TrainingRow, model: Model) -> dict[str, Fact]:
    """Where the facts of a row came from: model, accelerator, and constants."""
    part, values = row.of.host.accelerator, row.of.table.values
    origins: dict[str, Origin] = {}
    catalogued = tuple(str(source) for source in part.sources)
    for name in (
        *("peak_sixteen_bit", "peak_training", "memory_bandwidth", "power_per_accelerator", "usable_memory", "reported_memory"),
        *("link_bandwidth", "scale_up_domain", "accelerators_per_node", "inter_node_bandwidth"),
    ):
        origins[name] = Origin(label=Label.catalogue, because=f"accelerator {part.id}", sources=catalogued)
    for efficiency in row.of.table.efficiencies:
        level = applied_level(efficiency, values, row.row)
        when = f" where {' and '.join(level.when)}" if level.when else ""
        sources = tuple(str(source) for source in level.sources or efficiency.sources)
        origins[efficiency.id] = Origin(label=Label.catalogue, because=f"{efficiency.meaning.rstrip('.')}{when}", sources=sources)
    layout = Origin(label=Label.derived, because="the layout")
    shape = Origin(label=Label.catalogue, because=f"model {model.id}", sources=tuple(str(source) for source in model.sources))
    for name in row.of.table.facts:
        origins.setdefault(name, layout if name in row.of.layouts.columns or name in _SETTINGS else shape)
    return {
        name: Fact(name=name, value=_plain(row.value(name)), origin=origin) for name, origin in origins.items() if name in values
    }


def _plain(value: Any) -> float | str:
    return value if isinstance(value, str) else 0.0 if isinstance(value, tuple) else float(value)


def _row_facts(row: TrainingRow, run: Run) -> dict[str, Any]:
    """Facts of the recommended layout that check rules read."""
    names = (
        *("tensor_parallel", "pipeline_parallel", "data_parallel", "context_parallel", "expert_parallel", "accelerators"),
        *("micro_batch", "gradient_accumulation", "zero_stage", "recomputation", "training_memory_margin", "pipeline_bubble"),
        *("exposed_communication_share", "model_flops_utilization", "goodput", "time_to_train"),
    )
    return {
        **{name: row.value(name) for name in names},
        "gpus_per_node": float(row.of.host.per_node),
        "kind": run.kind,
    }
