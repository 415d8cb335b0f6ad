"""What an engine is told at its start: the facts behind a configuration, how one is spelled, and which cannot be said."""

from collections.abc import Collection, Iterator, Mapping
from math import ceil
from typing import Final

from advisor.catalogue.launch import Launch, Setting
from advisor.facts import Facts, FactValue, Label
from advisor.plan.plan import Configuration

Values = Mapping[str, FactValue]
# What stands for an address that nobody can know before the servers are there.
HEAD_ADDRESS: Final = "HEAD_ADDRESS"
# Facts that an engine may have to be told, in words.
_WORDS: Final[Mapping[str, str]] = {
    "dtype": "number format of the weights",
    "memory_fraction": "share of the memory",
    "max_model_len": "longest sequence",
    "max_num_seqs": "most sequences at once",
    "max_num_batched_tokens": "most tokens in one step",
    "micro_batch_tokens": "tokens of a micro batch",
    "block_tokens": "tokens in a cache block",
    "kv_precision": "cache format",
    "eager": "eager execution",
    "prefix_caching": "prefix caching",
    "chunked_prefill": "chunked prefill",
    "tensor_parallel": "tensor parallelism",
    "pipeline_parallel": "pipeline parallelism",
    "attention_data_parallel": "data parallelism of attention",
    "expert_parallel": "expert parallelism",
    "node_count": "servers of one replica",
}
# Those a table holds as zero or one.
_FLAGS: Final = ("eager", "prefix_caching", "chunked_prefill")
# An engine that cannot be told this behaves so.
_BY_ITSELF: Final[Mapping[str, tuple[FactValue, ...]]] = {
    "tensor_parallel": (1.0,),
    "pipeline_parallel": (1.0,),
    "attention_data_parallel": (1.0,),
    "expert_parallel": (1.0,),
    "eager": (False,),
    "kv_precision": ("bf16", "fp16"),
}
# The estimate took the engine's own way, so that only another one a person asked for is missed.
_OWN_WAY: Final = ("prefix_caching", "chunked_prefill", "block_tokens", "micro_batch_tokens")
_PLAIN_FORMATS: Final = ("fp32", "bf16", "fp16")


def values_of(configuration: Configuration, facts: Facts, launch: Launch) -> dict[str, FactValue]:
    """The facts that settings say, by name, beside those of the plan:

    dtype: the weight format where it is a plain one. quantization: the weight format where the model is released in another.
    slots: sequences that the cache is laid out for, where it is laid out at the start: those a replica runs at once, unless a
    person asked for more. node_count: servers of one replica, where it needs several.
    """
    stated = {name: facts[name].value for name in (*_WORDS, "native_precision") if name in facts}
    per_replica = configuration.accelerators // configuration.replicas
    stages = configuration.tensor_parallel * configuration.pipeline_parallel
    values: dict[str, FactValue] = {
        **stated,
        **{name: bool(stated[name]) for name in _FLAGS if name in stated},
        "tensor_parallel": float(configuration.tensor_parallel),
        "pipeline_parallel": float(configuration.pipeline_parallel),
        "attention_data_parallel": float(max(1, per_replica // stages)),
        "precision": configuration.precision,
        "kv_precision": configuration.kv_precision,
    }
    if configuration.precision in _PLAIN_FORMATS:
        values["dtype"] = configuration.precision
    elif values.get("native_precision", configuration.precision) != configuration.precision:
        values["quantization"] = configuration.precision
    if launch.lays_out_cache:
        values |= _slots(configuration, facts)
    per_node = configuration.accelerators_per_node
    if per_replica > per_node:
        values["node_count"] = float(ceil(per_replica / per_node))
    return values


def _slots(configuration: Configuration, facts: Facts) -> dict[str, FactValue]:
    most = facts.get("max_num_seqs")
    running = configuration.estimates.get("running_requests")
    if most is not None and (most.origin.label is Label.answered or running is None):
        return {"slots": most.value}
    return {"slots": float(max(1, ceil(running.value)))} if running is not None else {}


def with_place(values: Values, rank: int) -> dict[str, FactValue]:
    """The values for one server of several: its rank, the first one's address, and its ranks of data parallelism."""
    place: dict[str, FactValue] = {"node_rank": float(rank), "head_address": HEAD_ADDRESS}
    ranks = number(values, "attention_data_parallel", 1)
    local, rest = divmod(ranks, number(values, "node_count", 1))
    if ranks > 1 and local >= 1 and rest == 0:
        place |= {"data_parallel_local": local, "data_parallel_start": rank * local}
    return {**values, **place}


def spelled(setting: Setting, values: Values) -> str | None:
    """What a setting says of these values; None where it is left out."""
    if not all(condition.holds(values) for condition in setting.when):
        return None
    if setting.fact is None:
        return setting.value or ""
    if setting.fact not in values:
        return None
    value = values[setting.fact]
    if not isinstance(value, str):
        for name in setting.times:
            value *= number(values, name, 1)
    text = shown(value)
    if setting.values and text not in setting.values:
        return None
    text = setting.values.get(text, text)
    if text == setting.default:
        return None
    return text if setting.value is None else setting.value.replace("{value}", text)


def can_say(name: str, settings: Collection[Setting], values: Values) -> bool:
    """Whether one of these settings says a fact, or leaves it out because the engine does so by itself."""
    return any(
        name in (setting.fact, *setting.times) and (not setting.values or shown(values[name]) in setting.values)
        for setting in settings
    )


def missed(launch: Launch, settings: Collection[Setting], values: Values, facts: Facts) -> Iterator[str]:
    """What the estimate rests on and these settings cannot say, in words with the value."""
    for name, words in _WORDS.items():
        if name not in values or name in launch.silent or can_say(name, settings, values):
            continue
        own_way = name in _OWN_WAY and facts[name].origin.label is not Label.answered
        as_released = name == "dtype" and values[name] == values.get("native_precision")
        if not own_way and not as_released and values[name] not in _BY_ITSELF.get(name, ()):
            yield f"{words} = {shown(values[name])}"


def number(values: Values, name: str, otherwise: float) -> float:
    """A value that is a number, or another one where it is not known."""
    value = values.get(name, otherwise)
    return otherwise if isinstance(value, str) else float(value)


def shown(value: FactValue) -> str:
    """A value as engines read it: whole numbers without a point, truth values in lower case."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) else f"{value:.6g}"
