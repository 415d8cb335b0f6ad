"""Facts that formulas of training speed start from: a model, a part, the software and many layouts at once, as columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.sizing.candidates import model_facts
from advisor.sizing.serving.classes import accelerator_class, link, peak_compute

# The latest half year of training software that measured rows reach.
LATEST_TRAINING_PERIOD = "2026-2"
# Usual words for software, to those by which its constants are keyed.
TRAINING_STACKS = {
    "megatron": "megatron-vendor",
    "megatron-lm": "megatron-vendor",
    "megatron-core": "megatron-vendor",
    "megatron-bridge": "megatron-vendor",
    "nemo": "megatron-vendor",
    "fsdp": "fsdp-tuned",
    "fsdp2": "fsdp-tuned",
    "torchtitan": "fsdp-tuned",
    "llm-foundry": "fsdp-tuned",
    "trl": "hf-trainer",
    "transformers": "hf-trainer",
    "axolotl": "hf-trainer",
    "llama-factory": "hf-trainer",
    "torchtune": "other",
    "maxtext": "jax",
}
_DATED = "megatron-vendor"
_ADAPTERS = ("lora", "qlora", "dora", "rslora")
# Preference methods that keep a frozen copy of the model beside the trained one.
_REFERENCE = ("dpo", "kto")
_FUSED = ("fused", "chunked", "linear-fused", "liger")
_PEAKS = {"mxfp8": "fp8", "fp8-rowwise": "fp8", "nvfp4": "fp4", "mxfp4": "fp4", "fp16": "bf16"}


@dataclass(frozen=True)
class TrainingSetup:
    """What a layout search holds fixed.

    accelerators_per_node: in one server. inter_node_bandwidth: byte/s of one direction per accelerator beyond its domain.
    training_stack: megatron-vendor, fsdp-tuned, hf-trainer, deepspeed, jax or other, or a usual word for one of them.
    training_precision: bf16, fp8, mxfp8, nvfp4, ... method: full, lora, qlora, dpo, ... base_format: of a frozen quantised base
    ("bnb", "gptq"), or "none". recomputation: none, selective or full. loss_kernel: plain, or fused, chunked, linear-fused.
    trained_share: trained parameters over all; None: all of them, or a hundredth under adapters. cluster_maturity: settled or
    young. checkpoint_mode: synchronous or asynchronous.
    """

    model: Model
    accelerator: Accelerator
    accelerators_per_node: int
    inter_node_bandwidth: float
    sequence_length: float
    training_stack: str = "megatron-vendor"
    training_precision: str = "bf16"
    method: str = "full"
    adapters: bool | None = None
    base_format: str = "none"
    recomputation: str = "none"
    loss_kernel: str = "fused"
    training_period: str = LATEST_TRAINING_PERIOD
    trained_share: float | None = None
    cluster_maturity: str = "settled"
    checkpoint_mode: str = "synchronous"


def speed_facts(setup: TrainingSetup, layout: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of facts for layouts of one run.

    layout: columns (or plain numbers) tensor_parallel, pipeline_parallel, data_parallel, micro_batch, gradient_accumulation, and
    where they are not 1: virtual_stages, context_parallel, expert_parallel; zero_stage where it is not 1. `recomputation` may
    be a column of words; without it the setup's holds.
    """
    ones = {name: 1.0 for name in ("virtual_stages", "context_parallel", "expert_parallel", "zero_stage")}
    columns: dict[str, Any] = {**ones, **{name: _numbers(values) for name, values in layout.items()}}
    accelerators = (
        columns["tensor_parallel"] * columns["pipeline_parallel"] * columns["context_parallel"] * columns["data_parallel"]
    )
    columns.setdefault("recomputation", setup.recomputation)
    columns |= {**model_speed_columns(setup.model), **software_columns(setup), **part_columns(setup)}
    columns["accelerators"] = accelerators
    columns["sequence_length"] = float(setup.sequence_length)
    fast = max(columns["scale_up_domain"], columns["accelerators_per_node"])
    crosses = columns["expert_parallel"] * columns["tensor_parallel"] > fast
    columns["expert_link"] = np.where(crosses, "network", "domain")
    columns["sharding_class"] = np.where(np.asarray(columns["zero_stage"]) >= 3, "gathered", "whole")
    return columns


def model_speed_columns(model: Model) -> dict[str, Any]:
    """A model's facts for training speed, those that serving and memory name too included."""
    groups = model.layer_groups
    return {
        **model_facts(model),
        "expert_layers": float(model.experts.layers if model.experts else 0),
        "recurrent_layers": float(sum(group.count for group in groups if group.kind == "recurrent")),
        "flops_per_item": float(model.flops_per_item or 0),
        "counts_items": float(counts_items(model)),
        "item_class": item_class(model),
    }


def counts_items(model: Model) -> bool:
    """Whether training is counted in images, seconds of audio or denoising steps rather than in tokens."""
    return model.flops_per_item is not None and not model.vocabulary


def item_class(model: Model) -> str:
    """How a model that counts items computes: denoising, transformer or convolution."""
    if (model.flops_unit or "").startswith("denoising"):
        return "denoising"
    return "transformer" if model.heads else "convolution"


def software_columns(setup: TrainingSetup) -> dict[str, Any]:
    """Words by which constants of the software are keyed, and what the method trains."""
    stack = TRAINING_STACKS.get(setup.training_stack, setup.training_stack)
    adapters = setup.method in _ADAPTERS if setup.adapters is None else setup.adapters
    period = setup.training_period if stack == _DATED else "any"
    share = setup.trained_share if setup.trained_share is not None else (0.01 if adapters else 1.0)
    kernels = "built-in" if stack != "hf-trainer" else ("fused" if setup.loss_kernel in _FUSED else "plain")
    quantized = setup.base_format != "none"
    return {
        "method": setup.method,
        "cluster_maturity": setup.cluster_maturity,
        "checkpoint_mode": setup.checkpoint_mode,
        "training_stack_class": stack,
        "training_precision": setup.training_precision,
        "training_period": period,
        "launch_class": f"moe-{period}" if setup.model.experts else "dense",
        "kernel_class": kernels,
        "base_format": setup.base_format,
        "quantized_base": float(quantized),
        "trains_adapters": float(adapters),
        "adapter_class": "adapters" if adapters else "everything",
        "reference_model": float(setup.method in _REFERENCE),
        "trained_share": share,
        "gathered_weight_bytes": 0.5 if quantized else 2.0,
        "gradient_bytes": 2.0,
        "item_gradient_bytes": 4.0,
    }


def part_columns(setup: TrainingSetup) -> dict[str, Any]:
    """An accelerator's facts for training speed, and its links."""
    part = setup.accelerator
    generation = accelerator_class(part)
    precision = _PEAKS.get(setup.training_precision, setup.training_precision)
    return {
        "accelerator": part.id,
        "accelerator_class": generation,
        "training_generation": f"{generation}-ultra" if part.architecture == "Blackwell Ultra" else generation,
        "peak_sixteen_bit": peak_compute(part, "bf16") or np.nan,
        "peak_training": peak_compute(part, precision) or np.nan,
        "memory_bandwidth": part.memory_bandwidth or np.nan,
        "power_per_accelerator": part.power or np.nan,
        "link_bandwidth": link(part)[1],
        "scale_up_domain": float(part.scale_up.domain if part.scale_up else 1),
        "accelerators_per_node": float(setup.accelerators_per_node),
        "inter_node_bandwidth": float(setup.inter_node_bandwidth),
    }


def _numbers(values: Any) -> Any:
    array = np.asarray(values)
    return array if array.dtype.kind in "US" else array.astype(float)
