"""Facts of training runs as columns: what a model and a layout's settings say, in the names that training formulas take.

A setting may be one value or an array of one a layout, so that a search over tens of thousands of layouts is one table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.model import Model
from advisor.sizing.candidates import model_facts

Setting = float | NDArray[np.float64]
Word = str | NDArray[np.str_]
GATED, PLAIN = 3.0, 2.0
# Stacks built on one another count alike: those on the Transformers trainer, and those on Megatron's core.
FAMILIES = {
    "trl": "transformers",
    "axolotl": "transformers",
    "llama-factory": "transformers",
    "ms-swift": "transformers",
    "fms": "transformers",
    "deepspeed": "transformers",
    "nemo": "megatron",
    "megatron-deepspeed": "megatron",
}
# What shards states where a stack leaves no choice, and else by its usual choice.
SHARDING = {"megatron": "megatron", "nemo": "megatron", "megatron-deepspeed": "deepspeed", "deepspeed": "deepspeed"}


@dataclass(frozen=True)
class TrainingSettings:
    """A run's layout and method; each field is the fact of that name, one value or one a layout.

    sharded_over: ranks over which ZeRO or FSDP spreads states (data x context parallel ranks, fewer under hybrid sharding).
    sharding_library: "none", "fsdp", "deepspeed" or "megatron"; blank follows the stack.
    state_precision: "mixed" keeps moments and a copy of trained weights in four bytes, "pure" everything in two.
    weight_bits, table_element_size: of frozen weights under adapters; 0 means 16 bit. kbit_prepared: 1 where vocabulary tables
    and the residual stream of a quantized model are raised to fp32, as PEFT prepares them for bitsandbytes formats.
    lora_targets: "query-value", "attention" or "all-linear". trained_tables: 1 where adapters train the vocabulary tables too.
    checkpoints_offloaded, step_in_backward: 1 where kept activations wait in host memory, and where the optimizer steps within
    the backward pass. reward_models: of GRPO. rollout_memory_share: of a card, for an engine beside the trainer.
    loading_ranks: ranks of a node that read the whole model into host memory.
    """

    method: Word = "full"
    adapter: Word = "none"
    training_stack: Word = "transformers"
    sharding_library: Word = ""
    state_precision: Word = "mixed"
    optimizer: Word = "adamw"
    recomputation: Word = "full"
    attention_kernel: Word = "flash"
    loss_kernel: Word = "plain"
    optimizer_offload: Word = "none"
    parameter_offload: Word = "none"
    lora_targets: Word = "all-linear"
    tensor_parallel: Setting = 1.0
    pipeline_parallel: Setting = 1.0
    virtual_stages: Setting = 1.0
    context_parallel: Setting = 1.0
    expert_parallel: Setting = 1.0
    data_parallel: Setting = 1.0
    accelerators: Setting = 1.0
    accelerators_per_node: Setting = 8.0
    zero_stage: Setting = 0.0
    sharded_over: Setting = 1.0
    micro_batch: Setting = 1.0
    gradient_accumulation: Setting = 1.0
    sequence_length: Setting = 4096.0
    sequence_parallel: Setting = 0.0
    lora_rank: Setting = 16.0
    weight_bits: Setting = 0.0
    kbit_prepared: Setting = 0.0
    trained_tables: Setting = 0.0
    checkpoints_offloaded: Setting = 0.0
    step_in_backward: Setting = 0.0
    reward_models: Setting = 0.0
    rollout_memory_share: Setting = 0.0
    loading_ranks: Setting = 1.0


_DERIVED = ("weight_bits", "kbit_prepared", "sharding_library")
_FLOAT, _HALF = 4.0, 2.0
_BITS = 8.0


def model_columns(model: Model) -> dict[str, Any]:
    """A model's facts as training formulas take them; those of its layer groups have one row a group."""
    facts = model_facts(model)
    experts = model.experts
    expert_layers = float(experts.layers if experts else 0)
    return {**facts, "expert_layers": expert_layers, "feed_forward_matrices": _matrices(model, facts, expert_layers)}


def training_columns(model: Model, settings: TrainingSettings, usable_memory: Setting) -> dict[str, Any]:
    """Every fact that training memory starts from: the model's, the settings', and what follows from both.

    usable_memory: bytes of one accelerator that its driver reports to a process. Constants of knowledge come on top; facts that
    this gives (element sizes of frozen weights) take their place.
    """
    given = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name not in _DERIVED}
    return {**model_columns(model), **given, "usable_memory": usable_memory, **derived_columns(settings)}


def derived_columns(settings: TrainingSettings) -> dict[str, Any]:
    """What follows from settings alone: the family of the stack, what shards, and the sizes of frozen weights' elements."""
    stack = np.asarray(settings.training_stack)
    adapted = np.asarray(settings.adapter) != "none"
    bits = np.asarray(settings.weight_bits, dtype=float)
    prepared = np.asarray(settings.kbit_prepared, dtype=float) > 0
    library = _words(np.asarray(settings.sharding_library), stack, settings)
    # Adapters under FSDP keep their residual stream in fp32: their own parts are fp32 and nothing casts between them.
    wide = prepared | (adapted & (library == "fsdp"))
    return {
        "stack_family": _mapped(stack, FAMILIES),
        "sharding_library": library,
        "quantized_weights": np.where((bits > 0) & (bits < 16), 1.0, 0.0),
        "residual_element_size": np.where(wide, _FLOAT, _HALF),
        "table_element_size": np.where(prepared, _FLOAT, _HALF),
        "training_kind": np.where(adapted, "adapter", "full"),
        "frozen_weight_size": np.where(bits > 0, bits / _BITS, _HALF),
    }


def with_constants(columns: Mapping[str, Any], constants: Mapping[str, Any]) -> dict[str, Any]:
    """The columns with constants of knowledge beside them; frozen weights under adapters keep the size their format gives."""
    both = {**constants, **columns}
    adapted = np.asarray(both["adapter"]) != "none"
    if np.any(adapted):
        both["weight_element_size"] = np.where(adapted, both["frozen_weight_size"], both["weight_element_size"])
        both["master_weight_element_size"] = np.where(adapted, 0.0, both["master_weight_element_size"])
        both["compute_weight_size"] = np.where(adapted, both["frozen_weight_size"], both["compute_weight_size"])
        both["gradient_element_size"] = np.where(adapted, both["adapter_element_size"], both["gradient_element_size"])
    both["table_element_size"] = np.where(adapted, both["table_element_size"], both["weight_element_size"])
    return both


def _matrices(model: Model, facts: Mapping[str, Any], expert_layers: float) -> float:
    """Matrices of a feed-forward block, three where it is gated: whichever count the model's parameters are closer to."""
    layers, hidden, width = facts["layers"], facts["hidden"], facts["intermediate"]
    dense = layers - expert_layers
    if dense <= 0 or not (hidden and width) or facts["attention"] not in ("full", "windowed"):
        return GATED
    left = facts["parameters"] - facts["expert_parameters"] - facts["tower_parameters"]
    left -= facts["table_parameters"] * (1 + facts["untied_head"])
    attention = sum(
        group.count * hidden * (group.head_dim or 0) * (2 * (model.heads or 0) + 2 * (group.kv_heads or 0))
        for group in model.layer_groups
    )
    matrices = (left - attention) / (dense * hidden * width)
    return PLAIN if matrices < (GATED + PLAIN) / 2 else GATED


def _words(library: NDArray[Any], stack: NDArray[Any], settings: TrainingSettings) -> NDArray[Any]:
    """What shards: as given, else by the stack; FSDP where the stack has a choice, nothing where nothing is sharded."""
    usual = np.where(np.asarray(settings.zero_stage) > 0, _mapped(stack, SHARDING, "fsdp"), "none")
    return np.where(library == "", usual, library)


def _mapped(words: NDArray[Any], to: Mapping[str, str], otherwise: str | None = None) -> NDArray[Any]:
    distinct, places = np.unique(words, return_inverse=True)
    found = np.array([to.get(str(word), otherwise or str(word)) for word in distinct])
    return found[places].reshape(words.shape)
