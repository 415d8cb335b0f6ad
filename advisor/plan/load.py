"""What a workload says of its load, its number formats and its engine, as facts on its sheet."""

from collections.abc import Mapping

import numpy as np

from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.catalogue.preset import Preset
from advisor.evidence.traces import RequestTrace, read_trace
from advisor.facts import Label
from advisor.library import Library
from advisor.plan.configuration import Row
from advisor.plan.models import Access
from advisor.plan.plan import Configuration, TrafficFigures
from advisor.plan.presets import PresetDefault, preset_defaults
from advisor.plan.sheet import FactSheet
from advisor.plan.traffic import LOADS, traffic_figures
from advisor.sizing.candidates import EngineSettings
from advisor.sizing.formula import formulas
from advisor.sizing.size import OfflineWork
from advisor.units import show_base
from advisor.workload.document import Workload
from advisor.workload.traffic import Traffic

# How long a queue may grow before people notice; the trace's rate is taken over its fullest such window.
_PEAK_WINDOW = 60.0
# A public trace of a coding agent's service: calls of one turn, and share of prompt tokens found in the cache
# (knowledge/sources/github-copilot-agent-2026.yaml).
_AGENT_CALLS, _AGENT_HITS = 7.83, 0.857
_START_UP, _PRODUCTIVE = 300.0, 0.95


def preset_facts(library: Library, workload: Workload, where: str) -> Mapping[str, PresetDefault]:
    """What a workload's preset says, by fact; its mean targets under the names that questions use. Raises for unknown names."""
    if workload.preset is None:
        return {}
    said = preset_defaults(library.find(Preset, workload.preset, where=f"{where}.preset"))
    named = {"ttft_mean": "first_token_target", "tpot_mean": "token_target"}
    return {named.get(name, name): default for name, default in said.items()}


def take_load(sheet: FactSheet, workload: Workload, access: Access, where: str) -> None:
    """Lengths and requests in flight, and the rate where the load was stated as one."""
    traffic = workload.traffic or Traffic()
    trace = (
        read_trace(traffic.trace, sheet.library, files=access.files, where=f"{where}.traffic.trace") if traffic.trace else None
    )
    _take_lengths(sheet, workload, trace)
    if (targets := workload.targets) is not None:
        stated = (
            ("first_token_target", targets.ttft_mean, "second"),
            ("token_target", targets.tpot_mean, "second"),
            ("availability_target", targets.availability, "1"),
        )
        for name, value, unit in stated:
            if value is not None:
                sheet.answer(name, value, unit)
    if workload.calls_per_request is not None or "calls_per_request" in sheet.defaults:
        sheet.take("calls_per_request", workload.calls_per_request)
    elif workload.kind == "agent":
        sheet.assume("calls_per_request", _AGENT_CALLS, "1", because="model calls of one turn of a measured coding agent")
    _take_prefix(sheet, workload)
    if traffic.growth_per_year is not None:
        sheet.answer("growth_per_year", traffic.growth_per_year)
    for name in ("peak_to_mean", "active_share", "requests_per_active_person_per_hour"):
        if (habit := getattr(traffic, name)) is not None:
            sheet.answer(name, habit)
    if traffic.people is not None:
        sheet.answer("people", traffic.people, "person")
    rate = None if traffic.concurrent_requests is not None else _rate(sheet, traffic, trace)
    if rate is None:
        sheet.take("concurrent_requests", traffic.concurrent_requests, "request")
        return
    for name in ("first_token_target", "token_target"):
        if name not in sheet.facts:
            sheet.take(name, None, "second")
    duration = sheet.derive(
        "request_duration",
        sheet.number("first_token_target") + sheet.number("output_tokens") * sheet.number("token_target"),
        "second",
        because="a request at its slowest allowed: time to first token and every output token at their targets",
    )
    calls = sheet.number("calls_per_request") if "calls_per_request" in sheet.facts else 1.0
    sheet.derive(
        "concurrent_requests",
        max(1.0, rate * calls * float(duration)),
        "request",
        because="Little's law: model calls per second x time each one takes",
    )


def _take_prefix(sheet: FactSheet, workload: Workload) -> None:
    """Share of prompt tokens that engines find in their cache: zero where that is off or nothing is known in common."""
    settings = workload.engine_settings
    if settings is not None and settings.prefix_caching is False:
        sheet.derive("prefix_hit_share", 0.0, "1", because="prefix caching is switched off")
    elif workload.shared_prefix_tokens is not None:
        facts = {
            "prefix_from": "shared",
            "shared_prefix_tokens": sheet.answer("shared_prefix_tokens", float(workload.shared_prefix_tokens), "token"),
            "input_tokens": sheet.number("input_tokens"),
            "prefix_kept_share": 1.0,
        }
        share = float(formulas().evaluate(("prefix_hit_share",), facts)["prefix_hit_share"])
        sheet.derive("prefix_hit_share", share, "1", because="the tokens that all requests begin with, over those of a prompt")
    elif (default := sheet.defaults.get("prefix_hit_rate")) is not None:
        sheet.assume("prefix_hit_share", float(default.value), "1", because=default.because)
    elif workload.kind == "agent":
        sheet.assume(
            "prefix_hit_share", _AGENT_HITS, "1", because="prompt tokens that a measured coding agent found in the cache"
        )
    else:
        sheet.derive("prefix_hit_share", 0.0, "1", because="nothing is known that prompts have in common")


def stated_rate(sheet: FactSheet, traffic: Traffic, access: Access, where: str) -> float | None:
    """Requests per second at the peak where they are stated, by people or by a trace too; none where requests at once are."""
    trace = (
        read_trace(traffic.trace, sheet.library, files=access.files, where=f"{where}.traffic.trace") if traffic.trace else None
    )
    if traffic.people is not None:
        sheet.answer("people", traffic.people, "person")
    return None if traffic.concurrent_requests is not None else _rate(sheet, traffic, trace)


def offline_work(sheet: FactSheet, workload: Workload) -> OfflineWork | None:
    """The batch of a workload that nobody waits for, where its size and its deadline are stated; else none."""
    if workload.kind not in ("batch-inference", "evaluation") or workload.dataset is None:
        return None
    within = workload.finish_within or (workload.targets.finish_within if workload.targets else None)
    requests = workload.dataset.samples
    if requests is None and workload.dataset.tokens is not None:
        requests = workload.dataset.tokens / sheet.number("input_tokens")
    if within is None or requests is None:
        return None
    return OfflineWork(
        float(sheet.answer("offline_requests", requests, "request")),
        float(sheet.answer("finish_within", within, "second")),
        float(sheet.assume("start_up_time", _START_UP, "second", because="loading weights and capturing graphs")),
        float(sheet.assume("productive_share", _PRODUCTIVE, "1", because="what restarts and the last, half-empty round leave")),
    )


def _take_lengths(sheet: FactSheet, workload: Workload, trace: RequestTrace | None) -> None:
    """Typical tokens in and out, and the longest request where the spread of lengths is known."""
    long = 0.0
    for name, stated in (("input_tokens", workload.input_tokens), ("output_tokens", workload.output_tokens)):
        spread, ratio = sheet.defaults.get(f"{name}_p95"), f"{name.split('_')[0]}_p95_to_p50"
        if stated is None and trace is not None:
            tokens = getattr(trace, name)
            sheet.derive(name, float(tokens.mean()), "token", because=f"mean of the {len(trace):,} requests in {trace.name}")
            middle, high = np.quantile(tokens, (0.5, 0.95)).tolist()
            sheet.derive(ratio, max(1.0, high / middle), because=f"lengths in {trace.name}")
            long += high
            continue
        sheet.take(name, stated.typical if stated is not None else None, "token")
        typical = sheet.number(name)
        high = spread.value if stated is None and spread is not None else stated.long if stated is not None else typical
        long += max(high, stated.max or 0) if stated is not None else high
        middle = stated.p50 if stated is not None and stated.p50 is not None else typical
        if high > middle:
            sheet.derive(ratio, high / middle, because="the length that one request in twenty exceeds, over the middle one")
        else:
            sheet.assume(ratio, 1.0, because="all requests alike, since no spread of lengths is stated")
    if long > sheet.number("input_tokens") + sheet.number("output_tokens"):
        sheet.derive("longest_request", long, "token", because="the longest prompt and the longest answer, together")


def _rate(sheet: FactSheet, traffic: Traffic, trace: RequestTrace | None) -> float | None:
    """Requests per second at the peak, where the load is stated as a rate, as people, or by a trace."""
    if traffic.requests_per_second is not None:
        return float(sheet.answer("requests_per_second", traffic.requests_per_second, "request/second"))
    if traffic.people is not None:
        sheet.take("active_share", traffic.active_share)
        sheet.take("requests_per_active_person_per_hour", traffic.requests_per_active_person_per_hour)
        hourly = sheet.number("requests_per_active_person_per_hour")
        rate = sheet.number("people") * sheet.number("active_share") * hourly / 3600
        return float(
            sheet.derive("requests_per_second", rate, "request/second", because="people x active share x requests an hour")
        )
    if trace is None:
        return None
    window = min(_PEAK_WINDOW, trace.span)
    return float(
        sheet.derive(
            "requests_per_second",
            trace.requests_per_second * trace.peak_to_mean(window),
            "request/second",
            because=f"the fullest {show_base(window, 'second')} of {trace.name}",
        )
    )


def traffic_of(sheet: FactSheet, recommended: Configuration, term: float | None, where: str) -> TrafficFigures | None:
    """The load in all four ways at the latency of the recommended configuration; none where no latency is estimated.

    Behaviour that nobody stated is taken here without becoming an assumption of the plan, since no size rests on it.
    """
    latency = recommended.estimates.get("request_latency")
    if latency is None:
        return None
    side = FactSheet(sheet.workload, sheet.library, dict(sheet.facts), sheet.defaults)
    for name in ("active_share", "requests_per_active_person_per_hour"):
        if name not in side.facts:
            side.take(name, None)
    if term is not None:
        side.answer("term", term, "second")
    elif "growth_per_year" in side.facts:
        side.take("term", None, "second")
    loads = {name: fact for name in LOADS if (fact := sheet.facts.get(name)) and fact.origin.label is not Label.derived}
    if not loads:
        loads["requests_per_second"] = sheet.facts["requests_per_second"]
    behaviour = {name: fact for name, fact in side.facts.items() if name not in LOADS}
    return traffic_figures(loads, latency.value, behaviour, where=f"{where}.traffic")


def take_formats(
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


def take_engine(sheet: FactSheet, workload: Workload, row: Row | None, engine: Engine) -> None:
    """The engine, its version and its settings on the row; without a row only the first two."""
    if workload.engine:
        sheet.answer("engine", engine.id)
    else:
        sheet.assume("engine", engine.id, because="the engine most accelerators run; name another to size for it")
    if workload.engine_version:
        sheet.answer("engine_version", workload.engine_version)
    else:
        sheet.assume("engine_version", engine.current, because="its current version, whose defaults are used")
    if row is None:
        return
    settings = row.table.candidates.question.settings
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
