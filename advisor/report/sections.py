"""A plan as sections of tables and sentences, which text and Markdown draw alike."""

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.plan.beside import MeasuredNeighbour, MeasuredRun, SecondOpinion, SimulationReport, Technique
from advisor.plan.plan import (
    Configuration,
    LaunchSettings,
    LimitReport,
    NearMiss,
    Plan,
    Relaxation,
    TrafficFigures,
    WorkloadPlan,
)
from advisor.plan.running_records import RunningReport
from advisor.plan.training_records import TrainingLayout
from advisor.report.environment import environment_sections, together_section
from advisor.report.estate import estate_sections
from advisor.report.parts import Section as Section
from advisor.report.parts import Table as Table
from advisor.report.parts import Verbatim as Verbatim
from advisor.report.words import called, interval, rent_text, written
from advisor.units import number, show_base

SEVERITY_MARK = {"error": "✖", "warning": "▲", "note": "•"}
MAIN_FIGURES = (
    "offline_finish_time",
    "offline_token_rate",
    "time_to_train",
    "accelerator_time",
    "training_tokens_per_second",
    "model_flops_utilization",
    "training_step_time",
    "pipeline_bubble",
    "exposed_communication_share",
    "goodput",
    "training_memory",
    "training_memory_margin",
    "training_weights",
    "training_gradients",
    "optimizer_states",
    "activation_memory",
    "logits_memory",
    "training_host_memory",
    "checkpoint_size",
    "checkpoint_interval",
    "training_energy",
    "items_per_second",
    "item_latency",
    "item_utilisation",
    "item_weights",
    "item_memory",
    "time_to_first_token",
    "time_to_first_token_p95",
    "time_per_output_token",
    "time_per_output_token_p95",
    "request_latency",
    "request_latency_p95",
    "output_token_rate",
    "weights",
    "kv_cache",
    "memory_needed",
    "memory_margin",
    "concurrency_capacity",
    "context_room",
)
_RUNNING = (
    "replica_request_rate",
    "peak_utilisation",
    "service_availability",
    "downtime_per_year",
    "cold_start_time",
    "least_replicas",
    "warm_replicas",
    "scale_out_utilisation",
    "queue_limit",
)
# Of more workloads than this only the decision is shown, unless everything is asked for.
MANY = 10
_SHORT = {"time_to_first_token": "TTFT", "time_per_output_token": "TPOT", "offline_token_rate": "throughput"}


@dataclass(frozen=True)
class Layout:
    """What a reader asked to see: everything, or a screenful."""

    notes: bool = False
    facts: bool = False


def sections(plan: Plan, layout: Layout) -> Iterator[Section]:
    """The decision of each workload first, then advice, assumptions, and what the plan does not cover."""
    if plan.estate is not None:
        yield from estate_sections(plan.estate, everything=layout.facts)
    brief = plan.estate is not None and len(plan.workloads) > MANY and not layout.facts
    for workload in plan.workloads:
        yield _decision(workload)
        if brief:
            continue
        if workload.recommended is not None:
            yield _figures(workload.recommended, workload)
        if workload.components:
            yield _components(workload)
        if workload.alternatives:
            yield _alternatives(workload.alternatives)
        if workload.limits and (workload.recommended is None or layout.facts):
            yield _limits(workload)
        if workload.near_misses:
            yield Section("Would not do", tuple(near_miss_text(each) for each in workload.near_misses), level=3)
        if workload.running is not None:
            yield _running(workload.running)
        if workload.around is not None:
            yield from environment_sections(workload.around, facts=layout.facts)
        if workload.measured:
            yield _measured(workload.measured)
        if workload.measured_runs:
            yield _measured_runs(workload.measured_runs)
        if workload.techniques:
            yield Section("Asked for besides", tuple(_technique(each) for each in workload.techniques), level=3)
        if workload.simulation is not None:
            yield _simulation(workload.simulation)
        if workload.second_opinion is not None:
            yield _second_opinion(workload.second_opinion)
        if workload.traffic is not None and layout.facts:
            yield _traffic(workload.traffic)
        if workload.launch is not None:
            yield _launch(workload.launch)
        if workload.other_launches and layout.facts:
            yield from (_launch(each) for each in workload.other_launches)
        elif workload.other_launches:
            names = ", ".join(dict.fromkeys(each.engine for each in workload.other_launches))
            yield Section("Or by", (f"{names}: in the plan's JSON, or with --limits",), level=3)
    if plan.together is not None:
        yield together_section(plan.together)
    yield from _advice(plan, layout)
    if plan.switched_off:
        yield _switched_off(plan)
    if plan.assumptions:
        yield _assumptions(plan)
    if plan.overridden:
        yield Section("Your own entries", plan.overridden)
    several = len(plan.workloads) > 1
    left_out = (f"{each.name}: {says}" if several else says for each in plan.workloads for says in each.not_modelled)
    yield Section("Not modelled", (*left_out, *plan.not_modelled))


def made_with(plan: Plan) -> str:
    """One line: day, code, knowledge and rules."""
    made = plan.made_with
    return f"prices as of {plan.today} · made with advisor {made.code}, knowledge {made.knowledge}, rules {made.rules}"


def headline(configuration: Configuration) -> str:
    """A configuration in one line."""
    if configuration.layout is not None:
        return _training_headline(configuration, configuration.layout)
    replicas = "one replica" if configuration.replicas == 1 else f"{configuration.replicas} replicas"
    layout = [replicas]
    if configuration.tensor_parallel > 1:
        layout.append(f"tensor parallel {configuration.tensor_parallel}")
    if configuration.pipeline_parallel > 1:
        layout.append(f"pipeline parallel {configuration.pipeline_parallel}")
    layout += [configuration.precision, f"{configuration.engine} {configuration.engine_version}"]
    return f"{configuration.accelerators} × {configuration.accelerator_name}, {', '.join(layout)}"


def _training_headline(configuration: Configuration, layout: TrainingLayout) -> str:
    named = (
        ("data parallel", layout.data_parallel),
        ("tensor parallel", layout.tensor_parallel),
        ("pipeline parallel", layout.pipeline_parallel),
        ("virtual stages", layout.virtual_stages),
        ("context parallel", layout.context_parallel),
        ("expert parallel", layout.expert_parallel),
    )
    words = [f"{says} {ways}" for says, ways in named if ways > 1]
    if layout.zero_stage:
        words.append(f"ZeRO stage {layout.zero_stage}")
    words.append(f"micro batch {layout.micro_batch} × {layout.gradient_accumulation}")
    if layout.recomputation != "none":
        words.append(f"{layout.recomputation} recomputation")
    words += [layout.precision, layout.stack]
    return f"{configuration.accelerators} × {configuration.accelerator_name}, {', '.join(words)}"


def _decision(workload: WorkloadPlan) -> Section:
    chosen = workload.recommended
    title = f"{workload.name} · {workload.kind.replace('-', ' ')}, {workload.environment} · {workload.model.name}"
    if chosen is None:
        binding = next((limit for limit in workload.limits if limit.binding), None)
        says = f"Nothing of {workload.considered:,} candidates keeps every limit" + (f": {binding.says}." if binding else ".")
        ways = tuple(relaxation_text(each) for each in workload.relaxations)
        either = ("This would do:" if len(ways) == 1 else "Any one of these alone would do:", *ways) if ways else ()
        return Section(title, (says, *(_short(binding) if binding else ()), *either))
    lines = [f"Use   {headline(chosen)}", f"      {carries(chosen)}"]
    if chosen.owned:
        lines.append("      owned already")
    if chosen.sold is not None and chosen.sold.idle:
        share = number(100 * chosen.sold.idle / chosen.sold.accelerators)
        servers = "server" if chosen.sold.nodes == 1 else "servers"
        lines.append(
            f"      bought as {chosen.sold.nodes} {servers} of {chosen.sold.per_node}: {chosen.sold.idle} idle ({share} %)"
        )
    if chosen.rent is not None:
        lines.append(f"      rent {rent_text(chosen.rent)}")
    lines.append(f"      ranked by {workload.ranked_by}; {workload.considered:,} candidates considered")
    return Section(title, tuple(lines))


def relaxation_text(each: Relaxation) -> str:
    """What would be enough if it were relaxed alone, and what would then do."""
    asked, needed = (written(each.what, value, each.unit) for value in (each.asked, each.needed))
    return f"  {called(each.what)} {needed} in place of {asked}: {each.configuration}"


def carries(chosen: Configuration) -> str:
    """What a configuration does, in a line: the requests of its fullest replica, or the time of a run."""
    if chosen.layout is None:
        load = chosen.estimates.get("running_requests")
        if load is None:
            speed, needed = chosen.estimates["items_per_second"], chosen.estimates["items_needed_per_second"]
            each = f"{show_base(speed.value, speed.unit)} each, {show_base(needed.value, needed.unit)} needed"
            return f"in batches of {chosen.estimates['item_batch'].value:g}: {each}"
        return f"holds {written('running_requests', load.value, 'request')} on its fullest replica"
    time, busy = chosen.estimates["time_to_train"], chosen.estimates["accelerator_time"]
    cost = f", {show_base(chosen.rent.total * time.value, 'USD')} a run" if chosen.rent is not None else ""
    return f"trains in {show_base(time.value, 'second')}, {number(busy.value / 3600)} accelerator hours{cost}"


def _short(limit: LimitReport) -> Iterator[str]:
    if limit.nearest is not None:
        short = f", short by {written(limit.name, limit.short_by, limit.unit or '1')}" if limit.short_by else ""
        yield f"Nearest: {limit.nearest}{short}."
    yield f"What would help: {limit.relax}."


def _figures(chosen: Configuration, workload: WorkloadPlan) -> Section:
    rows = []
    for name in MAIN_FIGURES:
        quantity = chosen.estimates.get(name)
        if quantity is None:
            continue
        rows.append((called(name), written(name, quantity.value, quantity.unit), interval(name, quantity), quantity.label.value))
    settings = ", ".join(
        f"{called(name)} {written(name, fact.value, fact.unit)}"
        for name in ("memory_fraction", "max_num_seqs", "max_num_batched_tokens", "max_model_len")
        if (fact := workload.facts.get(name)) is not None
    )
    told = (f"engine settings: {settings}",) if settings else ()
    return Section("Figures", (Table(("", "value", "80 % range", "label"), tuple(rows)), *told), level=3)


def _components(workload: WorkloadPlan) -> Section:
    """The models beside the main one, each with what it needs, and all of them together."""
    rows, total = [], workload.recommended.accelerators if workload.recommended else 0
    for each in workload.components:
        chosen = each.recommended
        if chosen is None:
            rows.append((each.role or "", each.model.name, "nothing of what was tried keeps every limit", "", ""))
            continue
        total += chosen.accelerators
        rate = next(
            (
                show_base(figure.value, figure.unit)
                for name in ("items_needed_per_second", "request_rate")
                if (figure := chosen.estimates.get(name)) is not None
            ),
            "",
        )
        latency = next(
            (
                show_base(figure.value, figure.unit)
                for name in ("item_latency", "request_latency")
                if (figure := chosen.estimates.get(name)) is not None
            ),
            "",
        )
        use = chosen.estimates.get("item_utilisation")
        what = f"{chosen.accelerators} × {chosen.accelerator_name}" + (f", {100 * use.value:.2g} % busy" if use else "")
        rows.append((each.role or "", each.model.name, what, rate, latency))
    headings = ("beside it", "model", "on", "load", "time of one")
    told = f"all of it: {total} accelerators; what is hardly busy may share one where its memory allows"
    return Section("Components", (Table(headings, tuple(rows)), told), level=3)


def _alternatives(alternatives: tuple[Configuration, ...]) -> Section:
    if alternatives[0].layout is not None:
        return _training_alternatives(alternatives)
    rows, remarks = [], []
    for each in alternatives:
        rent = show_base(each.rent.total, "USD/second") if each.rent else "no dated price"
        margin = written("memory_margin", each.estimates["memory_margin"].value, "1")
        layout = f"TP {each.tensor_parallel}" + (f" PP {each.pipeline_parallel}" if each.pipeline_parallel > 1 else "")
        what = f"{each.accelerators} × {each.accelerator_name}, {layout}, {each.precision}"
        rows.append((each.role, what, rent, margin, each.against or ""))
        if each.quality_note:
            remarks.append(f"{each.precision}: {each.quality_note}")
    headings = ("instead", "configuration", "rent", "memory left", "why not first")
    return Section("Alternatives", (Table(headings, tuple(rows)), *dict.fromkeys(remarks)), level=3)


def _training_alternatives(alternatives: tuple[Configuration, ...]) -> Section:
    rows = []
    for each in alternatives:
        time = each.estimates["time_to_train"].value
        cost = show_base(each.rent.total * time, "USD") if each.rent else "no dated price"
        rows.append((each.role, headline(each), show_base(time, "second"), cost, each.against or ""))
    return Section("Alternatives", (Table(("instead", "configuration", "time", "a run", "why not first"), tuple(rows)),), level=3)


def near_miss_text(near: NearMiss) -> str:
    """A configuration that is just too small, and by how much."""
    each = " on each accelerator" if near.unit == "byte" else ""
    short = f" (short by {written(near.limit, near.short_by, near.unit or '1')}{each})" if near.short_by else ""
    return f"{near.configuration}: {near.says}{short}"


def _running(running: RunningReport) -> Section:
    rows = tuple(
        (called(name), written(name, figure.value, figure.unit))
        for name, figure in running.figures.items()
        if name in _RUNNING and not (name == "warm_replicas" and figure.value == 0)
    )
    spares = []
    if running.spares:
        spares.append(
            f"{running.spares} spare, {running.accelerators_with_spares} accelerators with it, for the availability target"
        )
    elif running.spares == 0:
        spares.append("No spare is needed for the availability target.")
    return Section("Running it", (Table(("", "value"), rows), *spares, *running.notes), level=3)


def _measured(rows: tuple[MeasuredNeighbour, ...]) -> Section:
    """The nearest measurements; the last column is how far the formulas are off on that row when they have not seen its like."""
    cells = []
    for each in rows:
        where = f"{number(each.accelerators)} × {each.accelerator}, {each.precision}, {each.engine} {each.engine_version}".strip()
        load = f"{number(each.input_tokens)} + {number(each.output_tokens)}, {number(each.requests) if each.requests else 'full'}"
        speed = measured_speed(each)
        off = ", ".join(f"{_SHORT[name]} {100 * (ratio - 1):+.0f} %" for name, ratio in each.estimated_over_measured.items())
        cells.append((each.model, where, load, speed, off, each.source))
    headings = ("model", "on", "tokens, at once", "measured", "estimate is off by", "source")
    return Section("Measured nearby", (Table(headings, tuple(cells)),), level=3)


def _measured_runs(runs: tuple[MeasuredRun, ...]) -> Section:
    rows = tuple(
        (
            each.model,
            f"{number(each.accelerators)} × {each.accelerator}",
            show_base(each.tokens_per_second_per_accelerator, "token/second"),
            ", ".join(each.differs) or "nothing stated",
            each.source,
        )
        for each in runs
    )
    headings = ("model", "on", "measured, one accelerator", "differs in", "source")
    return Section("Measured nearby", (Table(headings, rows),), level=3)


def measured_speed(each: MeasuredNeighbour) -> str:
    """What a row measured, shortly: its times, or its rate where it has none."""
    times = ("time_to_first_token", "time_per_output_token")
    said = [f"{_SHORT[name]} {show_base(value, 'second')}" for name in times if (value := getattr(each, name)) is not None]
    if not said and each.output_token_rate is not None:
        said.append(show_base(each.output_token_rate, "token/second"))
    return ", ".join(said)


def _technique(each: Technique) -> str:
    figures = ", ".join(f"{called(name)} {written(name, one.value, one.unit)}" for name, one in each.figures.items())
    return f"{each.name} {'pays' if each.pays else 'does not pay'}: {each.says} ({figures})"


def _simulation(run: SimulationReport) -> Section:
    rows = []
    for name in ("time_to_first_token", "time_per_output_token", "request_latency"):
        times = getattr(run, name)
        cells = (times.mean, times.p50, times.p95, times.p99)
        rows.append((called(name), *("–" if value is None else show_base(value, "second") for value in cells)))
    said = [
        f"{run.served:,} of {run.requests:,} requests served at {show_base(run.requests_per_second, 'request/second')}, "
        f"{run.rejected:,} never admitted, {run.preempted:,} preempted; "
        f"KV cache at most {100 * run.busiest_cache_share:.0f} % full"
    ]
    if run.overloaded:
        said.append("Overloaded: more arrives than is answered, so these times grow with the length of the run.")
    return Section("Simulated", (Table(("", "mean", "P50", "P95", "P99"), tuple(rows)), *said, run.method), level=3)


def _second_opinion(other: SecondOpinion) -> Section:
    title = f"Second opinion: {other.tool}" + (f" {other.version}" if other.version else "")
    if other.refused is not None:
        return Section(title, (f"None: {other.refused}",), level=3)
    rows = tuple(
        (
            called(name),
            "–" if figure.ours is None else show_base(figure.ours, figure.unit),
            show_base(figure.peers, figure.unit),
            "–" if figure.difference is None else f"{100 * figure.difference:+.0f} %",
        )
        for name, figure in other.figures.items()
    )
    notes = [f"its tables: {other.database}"] if other.database else []
    notes += [other.caution] if other.caution else []
    return Section(title, (Table(("", "ours", "theirs", "theirs against ours"), rows), *notes), level=3)


def _traffic(traffic: TrafficFigures) -> Section:
    rows = []
    for name in TrafficFigures.model_fields:
        figure = getattr(traffic, name)
        if figure is not None:
            made = figure.filled or figure.because or ""
            rows.append((called(name), written(name, figure.value, figure.unit), figure.label.value, made))
    return Section("Traffic at the peak", (Table(("", "value", "label", "from"), tuple(rows)),), level=3)


def _launch(launch: LaunchSettings) -> Section:
    return Section(f"Start {launch.engine} {launch.version}", (*map(Verbatim, launch.text.splitlines()), *launch.notes), level=3)


def _limits(workload: WorkloadPlan) -> Section:
    rows = tuple(
        (
            limit.name,
            f"{limit.refused:,}",
            limit.nearest or "–",
            written(limit.name, limit.short_by, limit.unit or "1") if limit.short_by else "–",
            limit.relax,
        )
        for limit in workload.limits
    )
    return Section("Limits", (Table(("limit", "refused", "nearest", "short by", "what would help"), rows),), level=3)


def _switched_off(plan: Plan) -> Section:
    several = len(plan.workloads) > 1
    return Section(
        "Rules switched off",
        tuple(
            f"{each.rule}  {f'{each.workload}: ' if several else ''}{each.title}. Reason given: {each.reason}"
            for each in plan.switched_off
        ),
    )


def _advice(plan: Plan, layout: Layout) -> Iterator[Section]:
    if not plan.advice:
        return
    counts = {severity: sum(each.severity == severity for each in plan.advice) for severity in SEVERITY_MARK}
    shown = [each for each in plan.advice if layout.notes or each.severity != "note"]
    several = len(plan.workloads) > 1
    named = {id(each): f"{each.workload}: " if several and each.workload else "" for each in shown}
    lines = [
        f"{SEVERITY_MARK[each.severity]} {each.rule}  {named[id(each)]}{each.title}. {each.advice}"
        + (f" {each.because} [{'; '.join(each.sources)}]" if layout.notes else "")
        + (f" (See also {', '.join(each.also)}.)" if each.also else "")
        for each in shown
    ]
    hidden = len(plan.advice) - len(shown)
    if hidden:
        lines.append(f"… {hidden} {'note' if hidden == 1 else 'notes'}: add --notes")
    heading = "  ".join(f"{SEVERITY_MARK[severity]} {count}" for severity, count in counts.items() if count)
    yield Section(f"Advice  {heading}", tuple(lines))


def _assumptions(plan: Plan) -> Section:
    several = len(plan.workloads) > 1
    rows = tuple(
        (
            f"{each.workload}: {called(each.name)}" if several else called(each.name),
            written(each.name, each.value, each.unit),
            each.because,
        )
        for each in plan.assumptions
    )
    return Section("Assumed", (Table(("", "value", "because"), rows),))
