"""One inference workload: its facts, the table of candidates, the choice, and the trace of what was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine, version_key
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import DocumentError
from advisor.facts import assumed
from advisor.library import Library
from advisor.plan.choice import alternatives, in_order, limit_reports, near_misses, nearest_row, ranked_by
from advisor.plan.configuration import Row, configuration
from advisor.plan.coverage import not_covered
from advisor.plan.estate_options import Option, served_options
from advisor.plan.further import Further, second_opinion_of, simulated
from advisor.plan.items import item_load, plan_items
from advisor.plan.launching import launch_command
from advisor.plan.load import engine_settings, offline_work, preset_facts, take_engine, take_formats, take_load, traffic_of
from advisor.plan.measured import measured_neighbours
from advisor.plan.models import Access, model_of
from advisor.plan.plan import Configuration, LaunchSettings, ModelReport, WorkloadPlan
from advisor.plan.pool import Pool, native_format, pools, runs_format, supports
from advisor.plan.relaxing import relaxed
from advisor.plan.rents import Rents
from advisor.plan.running import SERVED, running_report
from advisor.plan.sheet import FactSheet
from advisor.plan.speed import FACT_OF_TARGET, bands, generates, proposed_targets, targets_of
from advisor.plan.techniques import techniques
from advisor.plan.tracing import rent_step, steps
from advisor.sizing.candidates import PIPELINE_PARALLEL, TENSOR_PARALLEL, Question, candidates
from advisor.sizing.inference.item_facts import item_kind
from advisor.sizing.limits import LAYOUT_LIMITS, SENSIBLE, Limit, within
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.serving.constants import SERVING_CONSTANTS
from advisor.sizing.serving.tails import TAIL_CONSTANTS
from advisor.sizing.size import Sized, size
from advisor.workload.document import Document, Workload

_ENVIRONMENT = {"evaluation": "evaluation", "pretraining": "training", "fine-tuning": "training"}


@dataclass(frozen=True)
class PlannedWorkload:
    """A workload's plan, and the facts of its recommended row for the check rules (none when nothing keeps the limits).

    options: the ways it could be carried, for a plan of many workloads.
    """

    plan: WorkloadPlan
    sheet: FactSheet
    row_facts: Mapping[str, Any]
    options: tuple[Option, ...] = ()


def plan_workload(
    library: Library, document: Document, index: int, rents: Rents, access: Access, further: Further
) -> PlannedWorkload:
    """Plan one workload of a document.

    Raises UnknownNameError, AmbiguousNameError, ModelConfigError and DocumentError for what cannot be sized as asked.
    """
    workload = document.workloads[index]
    where = f"workloads[{index}]"
    sheet = FactSheet(workload.name or f"workload {index + 1}", library, defaults=preset_facts(library, workload, where))
    model = model_of(library, workload.model, f"{where}.model", access)
    for number, guess in enumerate(model.assumed):
        sheet.assume(
            f"model, {number + 1}" if len(model.assumed) > 1 else "model",
            guess,
            because=f"the config of {model.name} does not say",
        )
    sheet.answer("kind", workload.kind)
    environment = workload.environment or _ENVIRONMENT.get(workload.kind, "production")
    workstation = bool(document.site and document.site.deployment in ("workstation", "edge"))
    if item_kind(model) is not None:
        load = item_load(sheet, workload, model, access, where)
        alone = plan_items(library, workload, model, sheet, load, rents, environment, where, workstation=workstation)
        return PlannedWorkload(alone, sheet, {})
    native, unknown_format = native_format(library, model)
    take_load(sheet, workload, access, where)
    take_formats(sheet, workload, library, model, native, unknown_format, where)
    found = pools(library, workload, model, native, workstation=workstation, where=where)
    owned = _owned(library, workload)
    tables = [_size(library, pool, model, workload, sheet, owned, where) for pool in found]
    ordered = in_order(tables, rents)
    plan = _report(library, workload, sheet, model, environment, found, tables, ordered, rents)
    if plan.recommended is None:
        most = workload.accelerators.max_count if workload.accelerators else None
        ways = relaxed(tables, ordered, targets_of(workload.targets) if generates(model) else (), owned, most)
        return PlannedWorkload(plan.model_copy(update={"relaxations": ways}), sheet, {})
    term = document.budget.term if document.budget else None
    plan = plan.model_copy(
        update={
            "traffic": traffic_of(sheet, plan.recommended, term, where),
            "measured": measured_neighbours(library, ordered[0], plan.recommended, offline=workload.kind == "batch-inference")
            if generates(model)
            else (),
            "launch": _launch(library, workload, sheet, model, ordered[0], plan.recommended),
        }
    )
    chosen = plan.recommended
    if chosen is not None and plan.traffic is not None and workload.kind in SERVED and generates(model):
        running, steps_of_running = running_report(library, document, workload, sheet, ordered[0], chosen, plan.traffic)
        plan = plan.model_copy(update={"running": running, "trace": {**steps_of_running, **plan.trace}})
    plan = plan.model_copy(
        update={
            "simulation": simulated(further, library, workload, plan, ordered[0], access, where),
            "second_opinion": second_opinion_of(further, library, plan),
            "techniques": tuple(techniques(library, workload, sheet, ordered[0], chosen, plan.traffic, access, where))
            if chosen is not None and generates(model)
            else (),
        }
    )
    return PlannedWorkload(plan, sheet, _row_facts(ordered[0], plan), served_options(tables))


def _launch(
    library: Library, workload: Workload, sheet: FactSheet, model: Model, row: Row, chosen: Configuration
) -> LaunchSettings | None:
    """How the engine is started; not for a model that is still to be chosen."""
    if not isinstance(workload.model, str):
        return None
    # Settings of the row that nobody stated and its estimate rests on.
    names = ("eager", "block_tokens", "micro_batch_tokens", "expert_parallel")
    settings = {name: assumed(name, float(row.value(name)), because="as estimated") for name in names if name in row.table.values}
    name = str(Path(workload.model).parent) if workload.model.endswith(".json") else model.name
    return launch_command(chosen, {**settings, **sheet.facts}, name, library)


def _owned(library: Library, workload: Workload) -> dict[str, int]:
    """Accelerators that are there already, by id."""
    counts: dict[str, int] = {}
    for each in workload.accelerators.owned if workload.accelerators else ():
        id = library.find(Accelerator, each.id).id
        counts[id] = counts.get(id, 0) + int(each.count)
    return counts


def _limits(workload: Workload, owned: Mapping[str, int]) -> tuple[Limit, ...]:
    limits: list[Limit] = []
    if owned:
        limits.append(_owned_limit(owned))
    most = workload.accelerators.max_count if workload.accelerators else None
    if most is not None:
        says = f"it takes more than the {most:g} accelerators allowed"
        limits.append(within("accelerators allowed", says, "allow more accelerators", "accelerators", most))
    return tuple(limits)


def _owned_limit(owned: Mapping[str, int]) -> Limit:
    def spare(columns: Mapping[str, Any]) -> Any:
        there = np.array([owned.get(id, np.inf) for id in columns["accelerator"].tolist()], dtype=float)
        return np.asarray(columns["accelerators"], dtype=float) - there

    return Limit(
        "accelerators owned",
        "it takes more of these accelerators than are owned",
        "a smaller weight format, a smaller load, or more accelerators",
        ("accelerators",),
        lambda columns: spare(columns) <= 0,
        lambda columns: np.maximum(0, spare(columns)),
        cheap=False,
    )


def _size(
    library: Library, pool: Pool, model: Model, workload: Workload, sheet: FactSheet, owned: Mapping[str, int], where: str
) -> Sized:
    version = workload.engine_version or pool.engine.current
    if not version_key(version):
        raise DocumentError(
            f'"{version}" is not a version', where=f"{where}.engine_version", hint=f"write for example {pool.engine.current}"
        )
    settings, given = engine_settings(workload), workload.engine_settings
    request = sheet.number("input_tokens") + sheet.number("output_tokens")
    if settings.max_model_len is not None and settings.max_model_len < request:
        raise DocumentError(
            f"the longest sequence ({settings.max_model_len:,} tokens) is shorter than a request ({request:,.0f} tokens)",
            where=f"{where}.engine_settings.max_model_len",
            hint="raise it, or state shorter requests",
        )
    longest = sheet.facts.get("longest_request")
    work = offline_work(sheet, workload)
    question = Question(
        model=model,
        hosts=pool.hosts,
        formats=pool.formats,
        kv_format=library.get(Format, str(sheet.facts["kv_precision"].value)),
        engine_family=pool.engine.family,
        era=pool.engine.era(version),
        settings=settings,
        input_tokens=sheet.number("input_tokens"),
        output_tokens=sheet.number("output_tokens"),
        concurrent_requests=sheet.number("concurrent_requests"),
        tensor_parallel=(int(given.tensor_parallel),) if given and given.tensor_parallel else TENSOR_PARALLEL,
        pipeline_parallel=(int(given.pipeline_parallel),) if given and given.pipeline_parallel else PIPELINE_PARALLEL,
        longest_request=float(longest.value) if longest is not None else None,
        owned=frozenset(owned),
        arrival_process="open" if "requests_per_second" in sheet.facts else "closed",
        input_p95_to_p50=sheet.number("input_p95_to_p50"),
        output_p95_to_p50=sheet.number("output_p95_to_p50"),
        prefix_hit_share=sheet.number("prefix_hit_share"),
        offline=work is not None,
    )
    table = candidates(question)
    speed = generates(model)
    constants = (*MEMORY_CONSTANTS, *SERVING_CONSTANTS, *TAIL_CONSTANTS) if speed else MEMORY_CONSTANTS
    efficiencies = [library.get(Efficiency, id) for id in constants]
    own_layout = bool(given and (given.tensor_parallel or given.pipeline_parallel))
    layout = (
        _support_limit(pool),
        _format_limit(pool),
        *(limit for limit in LAYOUT_LIMITS if not (own_layout and limit.name in SENSIBLE)),
    )
    limits = _limits(workload, owned)
    stated, proposed = targets_of(workload.targets), proposed_targets(library, workload)
    if not speed:
        return size(table, efficiencies, limits, layout)
    sized = size(table, efficiencies, limits, layout, targets=(*stated, *proposed), speed=True, work=work)
    if proposed and not (sized.kept & (np.asarray(sized.values["format_rank"]) == 0)).any():
        return size(table, efficiencies, limits, layout, targets=stated, speed=True)
    for target in proposed:
        sheet.take(FACT_OF_TARGET[target.name], None, "second")
    return sized


def _support_limit(pool: Pool) -> Limit:
    """The engine runs on the part, as the catalogue has it."""
    served = {host.accelerator.id: supports(pool.engine, host.accelerator, variants=True) for host in pool.hosts}
    return Limit(
        "engine runs there",
        f"{pool.engine.name} does not run on this accelerator, as far as the catalogue knows",
        "name an engine that does, or another accelerator",
        (),
        lambda columns: np.array([served[id] for id in columns["accelerator"].tolist()], dtype=bool),
    )


def _format_limit(pool: Pool) -> Limit:
    """Parts have the arithmetic that a format's kernels use, and file-format engines get formats they load."""
    runs = np.array([[runs_format(host.accelerator, form) for form in pool.formats] for host in pool.hosts])
    allowed = {
        (host.accelerator.id, form.id) for h, host in enumerate(pool.hosts) for f, form in enumerate(pool.formats) if runs[h, f]
    }

    def holds(columns: Mapping[str, Any]) -> Any:
        pairs = zip(columns["accelerator"].tolist(), columns["precision"].tolist(), strict=True)
        return np.array([pair in allowed for pair in pairs])

    return Limit(
        "number format",
        "the accelerator lacks the arithmetic of this weight format",
        "choose a weight format that it runs, or another accelerator",
        (),
        holds,
    )


def _report(
    library: Library,
    workload: Workload,
    sheet: FactSheet,
    model: Model,
    environment: str,
    found: Sequence[Pool],
    tables: Sequence[Sized],
    ordered: list[Row],
    rents: Rents,
) -> WorkloadPlan:
    best = next((row for row in ordered if row.format_place == 0), None)
    engine_of = {id(table): pool.engine for pool, table in zip(found, tables, strict=True)}
    nearest = best or nearest_row(tables)
    take_engine(sheet, workload, nearest, engine_of[id(nearest.table)] if nearest else found[0].engine)
    engine = library.find(Engine, str(sheet.facts["engine"].value))
    version = str(sheet.facts["engine_version"].value)
    banded = bands(library)
    others = alternatives(library, best, ordered, rents, workload, banded) if best else ()
    recommended = configuration(best, "recommended", engine, version, rents, banded) if best else None
    trace = steps(nearest, sheet, banded) if nearest is not None else {}
    if recommended is not None and recommended.rent is not None:
        trace["rent"] = rent_step(recommended.rent)
    return WorkloadPlan(
        name=sheet.workload,
        kind=workload.kind,
        environment=environment,
        model=_model_report(model, tables),
        recommended=recommended,
        ranked_by=ranked_by(recommended) if recommended else None,
        alternatives=others,
        limits=limit_reports(tables, bool(best)),
        # A batch takes as many requests at once as fit, so that no smaller configuration is short of room for them.
        near_misses=near_misses(best) if best and "offline_finish_time" not in best.table.shown else (),
        not_modelled=tuple(not_covered(workload, model)),
        considered=sum(len(table.candidates) for table in tables),
        facts=dict(sheet.facts),
        trace=trace,
    )


def _model_report(model: Model, tables: Sequence[Sized]) -> ModelReport:
    return ModelReport(
        id=model.id,
        name=model.name,
        parameters=model.parameters.total,
        active_parameters=model.parameters.active,
        context=model.context,
        attention=str(tables[0].values["attention"]) if tables else "unknown",
        basis=model.basis,
        sources=tuple(str(source) for source in model.sources),
    )


def _row_facts(row: Row, plan: WorkloadPlan) -> dict[str, Any]:
    """Facts of the recommended row that check rules read."""
    recommended = plan.recommended
    assert recommended is not None
    names = (
        "tensor_parallel",
        "pipeline_parallel",
        "replicas",
        "accelerators",
        "kv_heads",
        "attention",
        "scale_up_kind",
        "memory_margin",
        "memory_fraction",
        "concurrent_requests",
        "concurrency_capacity",
        "precision",
        "max_model_len",
    )
    facts = {name: row.value(name) for name in names}
    return {
        **facts,
        "gpus_per_node": float(row.value("accelerators_per_node")),
        **(
            {
                "sold_accelerators": float(recommended.sold.accelerators),
                "idle_accelerators": float(recommended.sold.idle),
            }
            if recommended.sold is not None
            else {}
        ),
        **(
            {"spare_replicas": float(plan.running.spares)} if plan.running is not None and plan.running.spares is not None else {}
        ),
        "context_length": facts.pop("max_model_len"),
    }


def _spares(plan: WorkloadPlan) -> dict[str, float]:
    running = plan.running
    return {} if running is None or running.spares is None else {"spare_replicas": float(running.spares)}
