"""What a whole plan puts back for the check rules: what its document stated, what was sized, and the shares these make.

rule_facts(document, index, plan) -> facts by name, all of them declared in advisor.reasoning.plan_facts.
"""

import math

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.formats import Format
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.plan import Configuration, WorkloadPlan
from advisor.plan.running import SERVED
from advisor.plan.training_records import TRAINING_KINDS
from advisor.reasoning.plan_facts import SHARES, TRACED, TRACED_SHARES
from advisor.units import parse
from advisor.workload.document import Document, Workload
from advisor.workload.engine_settings import EngineSettings
from advisor.workload.targets import Targets
from advisor.workload.traffic import Traffic

RuleFacts = dict[str, FactValue]

_YEAR = parse("365 days", "second")
_LOAD = ("people", "concurrent_requests", "requests_per_second", "requests_per_active_person_per_hour", "trace")
_SWITCHES = ("prefix_caching", "chunked_prefill", "enforce_eager", "disaggregated")
_SETTINGS = ("speculative_tokens", "cpu_offload")


def rule_facts(library: Library, document: Document, index: int, plan: WorkloadPlan) -> RuleFacts:
    """Facts of one planned workload for the check rules, beside those of its sheet and of its recommended row."""
    workload = document.workloads[index]
    return {
        **_asked(workload),
        **_settings(workload.engine_settings or EngineSettings()),
        **_together(document, workload),
        **_sized(plan),
        **_chosen(library, plan),
    }


def _asked(workload: Workload) -> RuleFacts:
    """What the workload states, and which of the figures that decide a plan it leaves open."""
    traffic, targets = workload.traffic or Traffic(), workload.targets or Targets()
    stated = {name for name in Targets.model_fields if getattr(targets, name) is not None}
    latency = {name for name in stated if name.startswith(("ttft", "tpot", "latency"))}
    lengths = (workload.input_tokens, workload.output_tokens)
    wish = workload.accelerators
    facts: RuleFacts = {
        "user_facing": workload.kind in SERVED,
        "load_stated": any(getattr(traffic, name) is not None for name in _LOAD),
        "lengths_stated": workload.preset is not None or all(length is not None for length in lengths),
        "spread_stated": workload.preset is not None or any(length is not None and length.p95 for length in lengths),
        "latency_target_stated": bool(latency),
        "percentile_target_stated": any(not name.endswith("mean") for name in latency),
        "deadline_stated": workload.finish_within is not None or "finish_within" in stated,
        "availability_stated": "availability" in stated,
        "growth_stated": traffic.growth_per_year is not None,
        "peak_stated": traffic.peak_to_mean is not None or traffic.trace is not None,
        "calls_stated": workload.calls_per_request is not None,
        "dataset_stated": workload.dataset is not None,
        "model_chosen": isinstance(workload.model, str),
        "hardware_named": wish is not None and bool(wish.only or wish.owned),
        "count_limited": wish is not None and wish.max_count is not None,
        "embedder_named": any(each.role == "embedder" for each in workload.components),
        "owned_accelerators": float(sum(each.count for each in wish.owned)) if wish is not None else 0.0,
    }
    known = {
        "calls_per_request": workload.calls_per_request,
        "prefix_tokens": workload.shared_prefix_tokens,
    }
    return facts | {name: value for name, value in known.items() if value is not None}


def _settings(settings: EngineSettings) -> RuleFacts:
    """Engine settings that rules judge; what was not set is left out."""
    found: RuleFacts = {name: value for name in _SWITCHES if (value := getattr(settings, name)) is not None}
    return found | {name: float(value) for name in _SETTINGS if (value := getattr(settings, name)) is not None}


def _together(document: Document, workload: Workload) -> RuleFacts:
    """How this workload stands among those of its document."""
    kinds = [each.kind for each in document.workloads]
    environments = {each.environment for each in document.workloads}
    training, served = sum(kind in TRAINING_KINDS for kind in kinds), sum(kind in SERVED for kind in kinds)
    servers = document.estate.servers if document.estate else ()
    owned = bool(servers) or any(each.accelerators is not None and each.accelerators.owned for each in document.workloads)
    return {
        "workloads_together": float(len(kinds)),
        "training_workloads": float(training),
        "served_workloads": float(served),
        "production_beside_experiments": owned and bool(served) and bool(training or "development" in environments),
    }


def _sized(plan: WorkloadPlan) -> RuleFacts:
    """Quantities of the calculation that rules name, and the shares they make; of a refused candidate nothing is judged."""
    if plan.recommended is None:
        return {}
    figures: dict[str, float] = {}
    for name, step in plan.trace.items():
        if isinstance(step.value, float | int) and not isinstance(step.value, bool) and math.isfinite(step.value):
            figures[name] = float(step.value)
    if plan.running is not None:
        figures |= {name: figure.value for name, figure in plan.running.figures.items() if math.isfinite(figure.value)}
    facts: RuleFacts = {name: figures[name] for name in (*TRACED, *TRACED_SHARES) if name in figures}
    for name, (part, whole) in SHARES.items():
        if part in figures and figures.get(whole, 0) > 0:
            facts[name] = figures[part] / figures[whole]
    if "training_memory_margin" in figures and figures.get("usable_memory"):
        facts["training_margin_share"] = figures["training_memory_margin"] / figures["usable_memory"]
    if figures.get("trained_tokens") and plan.model.parameters:
        facts["tokens_per_parameter"] = figures["trained_tokens"] / plan.model.parameters
    growth, use = figures.get("growth_per_year", 0.0), figures.get("peak_utilisation", 0.0)
    if growth > 0 and 0 < use < 1:
        facts["headroom_lasts"] = math.log(1 / use) / math.log1p(growth) * _YEAR
    return facts


def _chosen(library: Library, plan: WorkloadPlan) -> RuleFacts:
    """The model, and the configuration that is recommended for it."""
    chosen, model = plan.recommended, plan.model
    facts: RuleFacts = {"plan_found": chosen is not None, "model_name": model.name, "parameters": model.parameters}
    if model.context:
        facts["model_context"] = float(model.context)
    if model.active_parameters:
        facts["resident_to_active"] = model.parameters / model.active_parameters
    binding = next((limit.name for limit in plan.limits if limit.binding), None)
    if binding is not None:
        facts["binding_limit"] = binding
    return facts | (_configured(library, plan, chosen) if chosen is not None else {})


def _configured(library: Library, plan: WorkloadPlan, chosen: Configuration) -> RuleFacts:
    part = library.get(Accelerator, chosen.accelerator)
    facts: RuleFacts = {
        "accelerator_name": chosen.accelerator_name,
        "accelerator_kind": part.kind,
        "accelerator_architecture": part.architecture,
        "scale_up_kind": part.scale_up.kind if part.scale_up else "none",
        "measured_nearby": bool(plan.measured or plan.measured_runs),
        "engine": chosen.engine,
    }
    if chosen.kv_precision:
        facts["kv_bits"] = library.get(Format, chosen.kv_precision).bits
    if plan.kind not in TRAINING_KINDS:
        facts["weight_bits"] = library.find(Format, chosen.precision).bits
    if chosen.sold is not None:
        facts["sold_accelerators"] = float(chosen.sold.accelerators)
        facts["idle_share"] = chosen.sold.idle / chosen.sold.accelerators
    if chosen.layout is not None:
        facts["recomputation"] = chosen.layout.recomputation
        facts["global_batch"] = float(chosen.layout.global_batch)
        facts["optimizer_on_host"] = chosen.layout.optimizer_offload != "none"
    return facts
