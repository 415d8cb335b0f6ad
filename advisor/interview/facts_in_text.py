"""Readings of one or more texts put into a workload document: what was said later counts, and what is doubtful is asked back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from advisor.catalogue.record import Record
from advisor.language.intents import intent_of_conversation
from advisor.language.readings import Intent, Reading, Readings
from advisor.units import show

_SPREADS = ("mean", "p50", "p90", "p95", "p99")
_TARGETS = {f"{measure}_{spread}" for measure in ("ttft", "tpot", "latency") for spread in _SPREADS} | {
    "availability",
    "output_tokens_per_second",
    "recovery_time",
    "cost_per_million_tokens",
}
# Where a fact goes in the document, by steps; None: said for its own sake (observed, offered), not part of a workload.
_PATHS: dict[str, tuple[str, ...]] = {
    **{fact: ("workload", "targets", fact) for fact in sorted(_TARGETS)},
    **{
        fact: ("workload", "traffic", fact)
        for fact in (
            "people", "active_share", "requests_per_active_person_per_hour", "concurrent_requests", "requests_per_second",
            "peak_to_mean", "growth_per_year",
        )
    },
    **{
        fact: ("workload", fact)
        for fact in (
            "kind", "environment", "precision", "kv_precision", "engine", "engine_version", "calls_per_request",
            "shared_prefix_tokens",
            "method", "epochs", "sequence_length", "batch", "finish_within", "runs_per_month",
        )
    },
    **{
        fact: ("workload", "engine_settings", fact)
        for fact in (
            "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "gpu_memory_utilization", "max_num_seqs",
            "micro_batch", "gradient_accumulation", "lora_rank", "sharding", "offload", "optimizer",
        )
    },
    "input_tokens": ("workload", "input_tokens", "mean"),
    "input_tokens_p50": ("workload", "input_tokens", "p50"),
    "input_tokens_p95": ("workload", "input_tokens", "p95"),
    "input_tokens_max": ("workload", "input_tokens", "max"),
    "output_tokens": ("workload", "output_tokens", "mean"),
    "output_tokens_p50": ("workload", "output_tokens", "p50"),
    "output_tokens_p95": ("workload", "output_tokens", "p95"),
    "output_tokens_max": ("workload", "output_tokens", "max"),
    "dataset_tokens": ("workload", "dataset", "tokens"),
    "dataset_samples": ("workload", "dataset", "samples"),
    "tokens_per_sample": ("workload", "dataset", "tokens_per_sample"),
    "dataset_size": ("workload", "dataset", "size"),
    "max_count": ("workload", "accelerators", "max_count"),
    "documents": ("workload", "data", "documents"),
    "data_size": ("workload", "data", "size"),
    "chunk_tokens": ("workload", "data", "chunk_tokens"),
    "vector_width": ("workload", "data", "vector_width"),
    "retention": ("workload", "data", "retention"),
    "log_retention": ("workload", "data", "log_retention"),
    "residency": ("workload", "data", "residency"),
    "sensitivity": ("workload", "data", "sensitivity"),
    "storage": ("workload", "data", "location"),
    "deployment": ("site", "deployment"),
    "region": ("site", "region"),
    "electricity": ("site", "electricity"),
    "pue": ("site", "pue"),
    "power": ("site", "power"),
    "rack_power": ("site", "rack_power"),
    "racks": ("site", "racks"),
    "rack_units": ("site", "rack_units"),
    "cooling": ("site", "cooling"),
    "network": ("site", "network"),
    "internet": ("site", "internet"),
    "voltage": ("site", "circuit", "voltage"),
    "current": ("site", "circuit", "current"),
    "term": ("budget", "term"),
    "purchase_limit": ("budget", "purchase_limit"),
    "monthly_limit": ("budget", "monthly_limit"),
    "yearly_limit": ("budget", "yearly_limit"),
}  # fmt: skip
_WHOLE = {
    "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel", "max_num_seqs", "micro_batch", "batch",
    "lora_rank", "gradient_accumulation", "max_count", "racks", "rack_units", "vector_width",
}  # fmt: skip
_BARE = {"1", "", "token", "request", "person", "request/second", "token/second"}
_UNITS = {"second": "s", "byte": "B", "watt": "W", "byte/second": "B/s", "volt": "V", "ampere": "A"}
_TRAINING = {"pretraining", "fine-tuning"}


class Doubt(Record):
    """A reading that has to be asked back: the fact, what was written, what it may be, and why it is in doubt."""

    fact: str
    text: str
    among: tuple[str, ...] = ()
    because: str


class Understood(Record):
    """What several texts together say.

    document: fields of a workload document, as far as they were said; it may still lack a kind or a model. facts: every reading
    that counts, the last said of each fact. doubts: what to ask back before it is used. outside: readings that no document holds,
    such as observed speeds and offered prices. intent: what the person is after.
    """

    document: dict[str, Any]
    facts: tuple[Reading, ...]
    doubts: tuple[Doubt, ...] = ()
    outside: tuple[Reading, ...] = ()
    symptoms: tuple[str, ...] = ()
    intent: Intent | None = None


def understood(turns: Sequence[Readings], *, exchange_rates: Mapping[str, float] | None = None) -> Understood:
    """What a conversation's turns say, put together.

    A later value of a fact replaces an earlier one; a later model or accelerator stands beside it, unless the turn corrects or
    changes. Of a range its upper end is planned for. Money in another currency enters only with a rate (dollars for one of it).
    """
    facts = said(turns)
    workload: dict[str, Any] = {}
    document: dict[str, Any] = {"workloads": [workload]}
    doubts: list[Doubt] = []
    outside: list[Reading] = []
    rates = dict(exchange_rates or {})
    for each in facts:
        if not each.sure:
            doubts.append(
                Doubt(fact=each.fact, text=each.text, among=each.among, because=each.because or "it can be read in several ways")
            )
        if each.negated or each.value is None:
            continue
        path = _PATHS.get(each.fact)
        value = _written(each, rates) if path else None
        if path is None or value is None or not each.sure:
            outside.append(each)
            continue
        place = workload if path[0] == "workload" else document.setdefault(path[0], {})
        for step in path[1:-1]:
            place = place.setdefault(step, {})
        place[path[-1]] = value
    if rates and any("EUR" in each.unit or "GBP" in each.unit or "CHF" in each.unit for each in facts):
        used = {each.unit.split("/")[0] for each in facts} & set(rates)
        document.setdefault("budget", {})["exchange_rates"] = {code: f"{rates[code]} USD" for code in sorted(used)}
    _models(workload, facts)
    _hardware(workload, facts)
    _kind(workload)
    _one_load(workload)
    symptoms = tuple(dict.fromkeys(symptom for turn in turns for symptom in turn.symptoms))
    return Understood(
        document=document,
        facts=facts,
        doubts=tuple(doubts),
        outside=tuple(outside),
        symptoms=symptoms,
        intent=_intent(turns),
    )


def said(turns: Sequence[Readings]) -> tuple[Reading, ...]:
    """The readings that count: of each fact the last turn that states it, of names also the earlier turns' unless corrected."""
    kept: list[Reading] = []
    for turn in turns:
        named = {"model", "accelerator", "server"}
        stated = {each.fact for each in turn.readings if not each.negated}
        replaced = stated - named
        if turn.corrects:
            replaced |= stated & named
        excluded = {(each.fact, id) for each in turn.readings if each.negated for id in each.among or (str(each.value),)}
        kept = [
            each
            for each in kept
            if each.fact not in replaced and not any((each.fact, id) in excluded for id in (each.among[:1] or (str(each.value),)))
        ]
        known = {(each.fact, each.among or each.value) for each in kept if each.fact in named and not each.negated}
        kept.extend(each for each in turn.readings if each.negated or (each.fact, each.among or each.value) not in known)
    return tuple(kept)


def _written(reading: Reading, rates: Mapping[str, float]) -> Any:
    """The value as a document has it; None where it cannot be written without more."""
    value = reading.upper if reading.upper is not None else reading.value
    if reading.fact == "offload" and value == "kv":
        return None  # the cache's offload is the engine's own, and no state of training
    if not isinstance(value, float):
        return value
    if reading.fact in _WHOLE:
        return int(value) if value.is_integer() else None
    unit = reading.unit
    if unit in _BARE:
        return int(value) if value.is_integer() else value
    currency, _, per = unit.partition("/")
    if currency in ("EUR", "GBP", "CHF", "JPY"):
        if currency not in rates:
            return None
    if currency in ("USD", "EUR", "GBP", "CHF", "JPY"):
        shown = {"": "USD", "second": "USD/month", "joule": "USD/kWh"}[per]
        return show(value, shown, digits=9).replace(",", "").replace("USD", currency)
    return f"{value:.12g} {_UNITS[unit]}" if unit in _UNITS else value


def _models(workload: dict[str, Any], facts: Iterable[Reading]) -> None:
    models = [each for each in facts if each.fact == "model" and not each.negated and each.value is not None]
    sizes = [each for each in facts if each.fact == "parameters" and not each.negated]
    if models:
        workload["model"] = models[0].value
    elif sizes and isinstance(sizes[0].value, float):
        modality = next((each.value for each in facts if each.fact == "modality" and not each.negated), None)
        workload["model"] = {"parameters": f"{sizes[0].value / 1e9:g}B", **({"modality": modality} if modality else {})}


def _hardware(workload: dict[str, Any], facts: Sequence[Reading]) -> None:
    """Owned accelerators, those asked for, and those ruled out."""
    parts = [each for each in facts if each.fact == "accelerator"]
    wanted = [each for each in parts if not each.negated and each.sure and isinstance(each.value, str)]
    excluded = [id for each in parts if each.negated for id in each.among]
    wish: dict[str, Any] = workload.get("accelerators", {})
    count, per_node = _count(facts)
    if wanted and wanted[0].owned and count:
        owned: dict[str, Any] = {"id": wanted[0].value, "count": int(count)}
        wish["owned"] = [{**owned, **({"per_node": int(per_node)} if per_node and per_node <= count else {})}]
    if wanted:
        wish["only"] = list(dict.fromkeys(str(each.value) for each in wanted))
        if count and "max_count" not in wish:
            wish["max_count"] = int(count)
    if excluded:
        wish["exclude"] = [id for id in dict.fromkeys(excluded) if id not in wish.get("only", ())]
    if wish:
        workload["accelerators"] = wish


def accelerators_in_all(facts: Sequence[Reading]) -> float | None:
    """How many accelerators were spoken of: those in a node times the nodes, or the count itself."""
    return _count(facts)[0]


def _count(facts: Sequence[Reading]) -> tuple[float | None, float | None]:
    def first(fact: str) -> float | None:
        value = next((each.value for each in facts if each.fact == fact and not each.negated), None)
        return value if isinstance(value, float) else None

    per_node, nodes, count = first("accelerators_per_node"), first("node_count"), first("accelerator_count")
    if per_node is not None:
        return (per_node * nodes if nodes else per_node), per_node
    return count, None


def _kind(workload: dict[str, Any]) -> None:
    """The kind that follows from what was said, where nobody named one."""
    if "kind" in workload:
        return
    method = workload.get("method")
    if method:
        workload["kind"] = "pretraining" if method == "pretraining" else "fine-tuning"
    elif "dataset" in workload or "epochs" in workload:
        return
    elif {"traffic", "targets", "input_tokens", "output_tokens"} & set(workload):
        workload["kind"] = "realtime-inference"


def _one_load(workload: dict[str, Any]) -> None:
    """Concurrency and arrivals cannot both be given; what was said of requests at once goes first, being measured."""
    traffic = workload.get("traffic", {})
    if "concurrent_requests" in traffic:
        for other in ("requests_per_second", "requests_per_active_person_per_hour"):
            traffic.pop(other, None)
    if workload.get("kind") in _TRAINING and "max_num_seqs" in workload.get("engine_settings", {}):
        workload["engine_settings"].pop("max_num_seqs")


def _intent(turns: Sequence[Readings]) -> Intent | None:
    """What the words say; where they say nothing, what the facts are mostly stated for."""
    spoken = intent_of_conversation([turn.intents for turn in turns])
    if spoken is not None:
        return spoken
    if any(turn.symptoms for turn in turns):
        return "diagnose"
    stated = {each.fact for turn in turns for each in turn.readings}
    if "price" in stated and stated & {"accelerator", "server"}:
        return "check"
    return "size" if stated & {"model", "parameters", "people", "concurrent_requests", "requests_per_second"} else None
