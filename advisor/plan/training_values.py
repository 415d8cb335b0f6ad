"""What a training tool is told at its start: the facts of a layout, how they stand in files, and which cannot be said."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from math import ceil
from typing import Any, Final

from advisor.catalogue.model import Model
from advisor.catalogue.training_tool import ToolSetting, TrainingFile, TrainingTool
from advisor.errors import InputError
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.launch_values import HEAD_ADDRESS, Values, can_say, shown, spelled
from advisor.plan.plan import Configuration
from advisor.plan.training_records import TrainingLayout

# Facts that memory and speed of a run rest on, in words, and what a tool does that is told nothing.
_SHAPE: Final[Mapping[str, tuple[str, FactValue | None]]] = {
    "adapter": ("adapter", "none"),
    "optimizer": ("optimizer", None),
    "precision": ("precision", None),
    "weight_format": ("format of frozen weights", "bf16"),
    "tensor_parallel": ("tensor parallelism", 1.0),
    "pipeline_parallel": ("pipeline parallelism", 1.0),
    "virtual_stages": ("virtual pipeline stages", 1.0),
    "context_parallel": ("context parallelism", 1.0),
    "expert_parallel": ("expert parallelism", 1.0),
    "zero_stage": ("ZeRO stage", 0.0),
    "shard_replicas": ("copies of the sharded states", 1.0),
    "micro_batch": ("micro batch", None),
    "gradient_accumulation": ("gradient accumulation", 1.0),
    "sequence_length": ("sequence length", None),
    "recomputation": ("recomputation of activations", "none"),
    "optimizer_offload": ("offload of the optimizer", "none"),
    "parameter_offload": ("offload of parameters", "none"),
    "lora_rank": ("rank of the adapter", None),
    "lora_targets": ("matrices with an adapter", None),
}
# Those that change the estimate a little, so that a tool that cannot be told them still runs the layout.
_KERNELS: Final[Mapping[str, tuple[str, FactValue | None]]] = {
    "attention_kernel": ("attention kernel", None),
    "loss_kernel": ("loss kernel", "plain"),
}


def training_values(
    layout: TrainingLayout, configuration: Configuration, model_name: str, library: Library
) -> dict[str, FactValue]:
    """The facts that settings say, by name, beside those of the layout that are known:

    model: its name. accelerators: of the run; node_count: its servers, with head_address where they are several;
    processes_per_node: accelerators of one of them; uneven: whether they are not the same on all.
    shard_replicas: copies of the states, each spread over sharded_over ranks; data_shards: data-parallel ranks of one copy;
    mesh: whether ranks differ along more than those. sequence_parallel: whether activations between tensor-parallel blocks are
    split too. Where the catalogue knows the model: model_layers, model_hidden, model_intermediate, model_heads, model_kv_heads,
    model_context, model_experts, model_experts_per_token, model_expert_intermediate, tied_embeddings, and tables_as_layers
    (whether pipeline stages divide evenly only with the vocabulary tables counted as a layer at either end).
    """
    stated = {name: value for name, value in layout.model_dump().items() if value is not None}
    values: dict[str, FactValue] = {
        name: value if isinstance(value, str | bool) else float(value) for name, value in stated.items()
    }
    accelerators = configuration.accelerators
    nodes = ceil(accelerators / configuration.accelerators_per_node)
    values |= {
        # A word that begins with a dash would be read as an option; a path may begin so.
        "model": f"./{model_name}" if model_name.startswith("-") else model_name,
        "accelerators": float(accelerators),
        "node_count": float(nodes),
        "processes_per_node": float(ceil(accelerators / nodes)),
        "uneven": accelerators % nodes != 0,
        "sequence_parallel": layout.tensor_parallel > 1,
    }
    if nodes > 1:
        values["head_address"] = HEAD_ADDRESS
    if layout.adapter == "none":
        values = {name: value for name, value in values.items() if name not in ("lora_rank", "lora_targets", "weight_format")}
    if layout.zero_stage > 0:
        replicas = max(1, layout.data_parallel * layout.context_parallel // layout.sharded_over)
        values |= {
            "shard_replicas": float(replicas),
            "data_shards": float(max(1, layout.data_parallel // replicas)),
            "mesh": replicas * layout.tensor_parallel * layout.context_parallel > 1,
        }
    return values | _shape_of(model_name, layout, library)


def _shape_of(model_name: str, layout: TrainingLayout, library: Library) -> dict[str, FactValue]:
    try:
        model = library.find(Model, model_name)
    except InputError:
        return {}
    attending = next((group for group in model.layer_groups if group.kv_heads), None)
    experts = model.experts
    shape: dict[str, float | None] = {
        "model_layers": model.layers,
        "model_hidden": model.hidden,
        "model_intermediate": model.intermediate,
        "model_heads": model.heads,
        "model_kv_heads": attending.kv_heads if attending else None,
        "model_context": model.context,
        "model_experts": experts.count if experts else None,
        "model_experts_per_token": experts.per_token if experts else None,
        "model_expert_intermediate": experts.intermediate if experts else None,
    }
    known: dict[str, FactValue] = {name: float(value) for name, value in shape.items() if value is not None}
    if model.tied_embeddings is not None:
        known["tied_embeddings"] = model.tied_embeddings
    if model.layers is not None:
        stages = layout.pipeline_parallel * layout.virtual_stages
        known["tables_as_layers"] = model.layers % stages != 0 and (model.layers + 2) % stages == 0
    return known


def in_force(settings: Iterable[ToolSetting], values: Values) -> tuple[ToolSetting, ...]:
    """The settings whose conditions hold."""
    return tuple(setting for setting in settings if all(condition.holds(values) for condition in setting.when))


def unsaid(tool: TrainingTool, settings: Collection[ToolSetting], values: Values) -> tuple[str, ...]:
    """Facts a run's memory and speed rest on that these settings cannot say, in words with the value."""
    return tuple(_missed(_SHAPE, tool, settings, values))


def unsaid_kernels(tool: TrainingTool, settings: Collection[ToolSetting], values: Values) -> tuple[str, ...]:
    """Kernels that these settings cannot choose, in words with the value."""
    return tuple(_missed(_KERNELS, tool, settings, values))


def _missed(
    facts: Mapping[str, tuple[str, FactValue | None]], tool: TrainingTool, settings: Collection[ToolSetting], values: Values
) -> Iterator[str]:
    for name, (words, otherwise) in facts.items():
        if name not in values or name in tool.silent or can_say(name, settings, values):
            continue
        if tool.by_default.get(name) != shown(values[name]) and (values[name] != otherwise or name in tool.by_default):
            yield f"{words} = {shown(values[name])}"


def file_bodies(files: Iterable[TrainingFile], settings: Mapping[str, Collection[ToolSetting]], values: Values) -> dict[str, str]:
    """The text of each file that a setting has something to say in. settings: of each file by its name."""
    bodies = {}
    for file in files:
        tree = _tree(settings.get(file.name, ()), values)
        if tree:
            bodies[file.name] = _dumped(tree, file.form)
    return bodies


def _tree(settings: Collection[ToolSetting], values: Values) -> dict[str, Any]:
    """Settings with dotted keys as nested mappings; a key said twice keeps what was said last."""
    tree: dict[str, Any] = {}
    for setting in settings:
        if setting.key is None or spelled(setting, values) is None:
            continue
        *parents, last = setting.key.split(".")
        branch = tree
        for parent in parents:
            branch = branch.setdefault(parent, {})
        branch[last] = _typed(setting, values)
    return tree


def _typed(setting: ToolSetting, values: Values) -> Any:
    """What a setting says as a value of YAML or JSON; a word that a person gave stays the word it is."""
    import yaml  # a plan without training does not need it

    text = spelled(setting, values)
    if setting.fact is not None and isinstance(values[setting.fact], str) and setting.value is None and not setting.values:
        return text
    return yaml.safe_load(text or "")


def _dumped(tree: Mapping[str, Any], form: str) -> str:
    if form == "json":
        return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"
    import yaml

    text: str = yaml.safe_dump(tree, sort_keys=False, width=130, allow_unicode=True)
    return text
