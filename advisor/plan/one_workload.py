"""One inference workload: its facts, the table of candidates, the choice, and the trace of what was chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine, version_key
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import DocumentError
from advisor.library import Library
from advisor.plan.configuration import Row, configuration, describe
from advisor.plan.models import Access, model_of
from advisor.plan.plan import Configuration, LimitReport, ModelReport, NearMiss, WorkloadPlan
from advisor.plan.pool import Pool, native_format, order_of, pools, runs_format
from advisor.plan.rents import Rents
from advisor.plan.sheet import FactSheet
from advisor.plan.tracing import steps
from advisor.sizing.candidates import Candidates, EngineSettings, Question, candidates
from advisor.sizing.choose import Refusal, ranked
from advisor.sizing.formula import at
from advisor.sizing.limits import MEMORY_LIMITS, Limit, within
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.size import Sized, size
from advisor.workload.document import Document, Workload

_ENVIRONMENT = {"evaluation": "evaluation", "pretraining": "training", "fine-tuning": "training"}
_ALTERNATIVES = 3
# Rows looked at behind the best; alternatives are among them.
_RANKED = 400


@dataclass(frozen=True)
class PlannedWorkload:
    """A workload's plan, and the facts of its recommended row for the check rules (none when nothing keeps the limits)."""

    plan: WorkloadPlan
    sheet: FactSheet
    row_facts: Mapping[str, Any]


def plan_workload(library: Library, document: Document, index: int, rents: Rents, access: Access) -> PlannedWorkload:
    """Plan one workload of a document.

    Raises UnknownNameError, AmbiguousNameError, ModelConfigError and DocumentError for what cannot be sized as asked.
    """
    workload = document.workloads[index]
    where = f"workloads[{index}]"
    sheet = FactSheet(workload.name or f"workload {index + 1}", library)
    model = model_of(library, workload.model, f"{where}.model", access)
    native, unknown_format = native_format(library, model)
    _take_load(sheet, workload)
    sheet.answer("kind", workload.kind)
    environment = workload.environment or _ENVIRONMENT.get(workload.kind, "production")
    workstation = bool(document.site and document.site.deployment in ("workstation", "edge"))
    _take_formats(sheet, workload, library, model, native, unknown_format, where)
    found = pools(library, workload, model, native, workstation=workstation, where=where)
    limits = _limits(workload)
    tables = [_size(library, pool, model, native, workload, sheet, limits, where) for pool in found]
    ordered = _in_order(tables, rents)
    plan = _report(library, workload, sheet, model, environment, tables, ordered, rents)
    row_facts = _row_facts(ordered[0], plan) if plan.recommended is not None else {}
    return PlannedWorkload(plan, sheet, row_facts)


def _take_load(sheet: FactSheet, workload: Workload) -> None:
    lengths = {"input_tokens": workload.input_tokens, "output_tokens": workload.output_tokens}
    for name, length in lengths.items():
        sheet.take(name, length.typical if length is not None else None, "token")
    traffic = workload.traffic
    rate = None
    if traffic is not None and traffic.concurrent_requests is None:
        if traffic.requests_per_second is not None:
            rate = sheet.answer("requests_per_second", traffic.requests_per_second, "request/second")
        elif traffic.people is not None:
            sheet.answer("people", traffic.people, "person")
            sheet.take("active_share", traffic.active_share)
            sheet.take("requests_per_active_person_per_hour", traffic.requests_per_active_person_per_hour)
            rate = sheet.derive(
                "requests_per_second",
                sheet.number("people")
                * sheet.number("active_share")
                * sheet.number("requests_per_active_person_per_hour")
                / 3600,
                "request/second",
                because="people x active share x requests an hour",
            )
    if rate is None:
        sheet.take("concurrent_requests", traffic.concurrent_requests if traffic else None, "request")
        return
    targets = workload.targets
    sheet.take("first_token_target", targets.ttft_mean if targets else None, "second")
    sheet.take("token_target", targets.tpot_mean if targets else None, "second")
    duration = sheet.derive(
        "request_duration",
        sheet.number("first_token_target") + sheet.number("output_tokens") * sheet.number("token_target"),
        "second",
        because="a request at its slowest allowed: time to first token and every output token at their targets",
    )
    sheet.derive(
        "concurrent_requests",
        max(1.0, float(rate) * float(duration)),
        "request",
        because="Little's law: requests per second x time each one takes",
    )


def _take_formats(
    sheet: FactSheet, workload: Workload, library: Library, model: Model, native: Format, unknown: str | None, where: str
) -> None:
    if workload.precision is not None:
        sheet.answer("precision", library.find(Format, workload.precision, where=f"{where}.precision").id)
    elif unknown is not None:
        sheet.assume("precision", native.id, because=unknown)
    else:
        sheet.catalogue("precision", native.id, sources=tuple(str(source) for source in model.sources))
    sheet.catalogue("native_precision", native.id)
    if workload.kv_precision is not None:
        sheet.answer("kv_precision", library.find(Format, workload.kv_precision, where=f"{where}.kv_precision").id)
    elif model.kv_format is not None:
        sheet.catalogue("kv_precision", model.kv_format, sources=tuple(str(source) for source in model.sources))
    else:
        sheet.assume("kv_precision", "bf16", because="engines keep the cache at 16 bit unless told otherwise")


def _limits(workload: Workload) -> tuple[Limit, ...]:
    wish = workload.accelerators
    limits: list[Limit] = []
    most = wish.max_count if wish else None
    if wish and wish.owned:
        owned = sum(each.count for each in wish.owned)
        most = owned if most is None else min(most, owned)
    if most is not None:
        limits.append(
            within(
                "accelerators allowed",
                f"it takes more than the {most:g} accelerators allowed",
                "allow more accelerators",
                "accelerators",
                most,
            )
        )
    return tuple(limits)


def _size(
    library: Library,
    pool: Pool,
    model: Model,
    native: Format,
    workload: Workload,
    sheet: FactSheet,
    limits: Sequence[Limit],
    where: str,
) -> Sized:
    version = workload.engine_version or pool.engine.current
    if not version_key(version):
        raise DocumentError(
            f'"{version}" is not a version', where=f"{where}.engine_version", hint=f"write for example {pool.engine.current}"
        )
    era = pool.engine.era(version)
    settings = engine_settings(workload)
    given = workload.engine_settings
    question = Question(
        model=model,
        hosts=pool.hosts,
        formats=pool.formats,
        kv_format=library.get(Format, str(sheet.facts["kv_precision"].value)),
        engine_family=pool.engine.family,
        era=era,
        settings=settings,
        input_tokens=sheet.number("input_tokens"),
        output_tokens=sheet.number("output_tokens"),
        concurrent_requests=sheet.number("concurrent_requests"),
        **({"tensor_parallel": (int(given.tensor_parallel),)} if given and given.tensor_parallel else {}),
        **({"pipeline_parallel": (int(given.pipeline_parallel),)} if given and given.pipeline_parallel else {}),
    )
    table = candidates(question)
    efficiencies = [library.get(Efficiency, id) for id in MEMORY_CONSTANTS]
    return size(table, efficiencies, (_format_limit(table, pool), *limits))


def engine_settings(workload: Workload) -> EngineSettings:
    """The settings a workload states, under one name for all engines."""
    given = workload.engine_settings
    if given is None:
        return EngineSettings()
    fractions = (
        given.gpu_memory_utilization,
        given.mem_fraction_static,
        given.free_gpu_memory_fraction,
        given.cache_max_entry_count,
    )
    return EngineSettings(
        memory_fraction=next((fraction for fraction in fractions if fraction is not None), None),
        max_num_seqs=given.max_num_seqs or given.parallel_slots,
        max_num_batched_tokens=given.max_num_batched_tokens,
        max_model_len=given.max_model_len or given.context,
        block_tokens=given.block_size,
        eager=given.enforce_eager,
        pytorch_sampler=None if given.sampler is None else given.sampler == "pytorch",
        chunked_prefill=given.chunked_prefill,
    )


def _format_limit(table: Candidates, pool: Pool) -> Limit:
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


def _in_order(tables: Sequence[Sized], rents: Rents) -> list[Row]:
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


def _report(
    library: Library,
    workload: Workload,
    sheet: FactSheet,
    model: Model,
    environment: str,
    tables: Sequence[Sized],
    ordered: list[Row],
    rents: Rents,
) -> WorkloadPlan:
    released = [row for row in ordered if order_of(row.formats, row.format) == 0]
    best = released[0] if released else None
    _take_engine(sheet, workload, best or _nearest_row(tables), library)
    engine = library.find(Engine, str(sheet.facts["engine"].value))
    version = str(sheet.facts["engine_version"].value)
    recommended = configuration(best, "recommended", engine, version, rents) if best else None
    alternatives = _alternatives(library, best, ordered, rents, workload) if best else ()
    shown = best or _nearest_row(tables)
    return WorkloadPlan(
        name=sheet.workload,
        kind=workload.kind,
        environment=environment,
        model=_model_report(model, tables),
        recommended=recommended,
        ranked_by=_ranked_by(recommended) if recommended else None,
        alternatives=alternatives,
        limits=_limit_reports(tables, bool(best)),
        near_miss=_near_miss(best) if best else None,
        considered=sum(len(table.candidates) for table in tables),
        facts=dict(sheet.facts),
        trace=steps(shown, sheet) if shown is not None else {},
    )


def _take_engine(sheet: FactSheet, workload: Workload, row: Row | None, library: Library) -> None:
    if row is None:
        return
    question = row.table.candidates.question
    engines = {engine.family: engine for engine in reversed(library.all(Engine))}
    engine = library.find(Engine, workload.engine) if workload.engine else engines[question.engine_family]
    if workload.engine:
        sheet.answer("engine", engine.id)
    else:
        sheet.assume("engine", engine.id, because="the engine most accelerators run; name another to size for it")
    if workload.engine_version:
        sheet.answer("engine_version", workload.engine_version)
    else:
        sheet.assume("engine_version", engine.current, because="its current version, whose defaults are used")
    settings = question.settings
    given = {
        "memory_fraction": settings.memory_fraction,
        "max_num_seqs": settings.max_num_seqs,
        "max_num_batched_tokens": settings.max_num_batched_tokens,
        "max_model_len": settings.max_model_len,
    }
    units = {
        "memory_fraction": "1",
        "max_num_seqs": "request",
        "max_num_batched_tokens": "token",
        "max_model_len": "token/request",
    }
    for name, value in given.items():
        if value is not None:
            sheet.answer(name, float(value), units[name])
        else:
            because = (
                "just long enough for the requests stated" if name == "max_model_len" else f"{engine.name}'s default on this card"
            )
            sheet.assume(name, float(row.value(name)), units[name], because=because)


def _alternatives(library: Library, best: Row, ordered: list[Row], rents: Rents, workload: Workload) -> tuple[Configuration, ...]:
    """Up to three that differ in what matters: another accelerator, a smaller format, fewer accelerators, more room."""
    chosen: list[tuple[Row, str]] = []
    seen = {(best.accelerator, best.format.id)}

    def offer(rows: Sequence[Row], role: str) -> None:
        for row in rows:
            if (row.accelerator, row.format.id) not in seen:
                seen.add((row.accelerator, row.format.id))
                chosen.append((row, role))
                return

    released = [row for row in ordered if order_of(row.formats, row.format) == 0]
    smaller = [row for row in ordered if order_of(row.formats, row.format) > 0]
    count = best.count
    offer(released, "next best")
    offer(sorted(smaller, key=lambda row: (row.count, order_of(row.formats, row.format))), "smaller weight format")
    offer([row for row in sorted(released, key=lambda row: row.count) if row.count < count], "fewest accelerators")
    offer(sorted(released, key=lambda row: -row.value("memory_margin"))[:20], "most memory left")
    engines = {engine.family: engine for engine in reversed(library.all(Engine))}
    return tuple(
        configuration(
            row,
            role,
            library.find(Engine, workload.engine) if workload.engine else engines[row.table.candidates.question.engine_family],
            workload.engine_version or engines[row.table.candidates.question.engine_family].current,
            rents,
            best=best,
        )
        for row, role in chosen[:_ALTERNATIVES]
    )


def _limit_reports(tables: Sequence[Sized], found: bool) -> tuple[LimitReport, ...]:
    reports: dict[str, LimitReport] = {}
    for table in tables:
        last = table.refusals[-1] if table.refusals else None
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


def _near_miss(best: Row) -> NearMiss | None:
    """Of the recommended accelerator and format, the next smaller replica and why it would not do: what a buyer asks next."""
    values, table = best.table.values, best.table
    same = (np.asarray(values["accelerator"]) == best.accelerator) & (np.asarray(values["precision"]) == best.format.id)
    per_replica = np.asarray(values["accelerators_per_replica"])
    smaller = np.flatnonzero(same & (per_replica < best.per_replica))
    if not len(smaller):
        return None
    row = Row(table, int(smaller[np.argmax(per_replica[smaller])]))
    refusing = next((limit for limit in MEMORY_LIMITS if not bool(at(limit.holds(values), row.row))), None)
    if refusing is not None:
        short = float(at(refusing.short_by(values), row.row)) if refusing.short_by else None
        says = refusing.says
    else:
        requests = float(best.value("running_requests"))
        short = float(row.value("kv_cache_per_request")) * requests - float(row.value("kv_room"))
        says = f"one replica holds {row.value('concurrency_capacity'):g} of the {requests:g} requests at once"
    return NearMiss(
        configuration=describe(row, per_replica=True),
        accelerators=row.per_replica,
        limit=refusing.name if refusing else "the load",
        says=says,
        short_by=short,
        unit="byte" if short is not None else None,
    )


def _nearest_row(tables: Sequence[Sized]) -> Row | None:
    """The row that came nearest to being kept: refused by the last limit that refused any."""
    for table in tables:
        for refusal in reversed(table.refusals):
            if refusal.nearest is not None and not refusal.limit.cheap:
                return Row(table, refusal.nearest)
    return next((Row(table, 0) for table in tables if len(table.rows)), None)


def _ranked_by(recommended: Configuration) -> str:
    if recommended.rent is None:
        return "count of accelerators, then memory left, then power; none of them has a dated price"
    return f"dated rent ({recommended.rent.as_of}), then count, memory left and power"


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
        "sold_accelerators": float(recommended.sold.accelerators),
        "idle_accelerators": float(recommended.sold.idle),
        "context_length": facts.pop("max_model_len"),
    }
