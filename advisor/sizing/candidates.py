"""The table of candidates: every accelerator x weight format x layout that might carry a load, as columns for the formulas.

A row is one replica's configuration; how many replicas the load needs is a formula over the row. Cheap masks (legality, memory)
are looked at before anything else is computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.engine import BatchLimits, Era
from advisor.catalogue.formats import Format
from advisor.catalogue.model import LayerGroup, Model
from advisor.sizing.serving.classes import (
    accelerator_class,
    arithmetic,
    attention_class,
    cache_class,
    engine_class,
    layer_class,
    link,
    peak_compute,
    slot_rate,
    weight_class,
)

SIXTEEN_BIT = 16.0
# The latest half year of engine releases that measured rows reach.
LATEST_PERIOD = "2026-1"
# Requests of each client in steady traffic: so many that how they began does not matter.
STEADY = 1e6
# Sizes of tensor-parallel groups worth a row; which of them a model and a link allow is a limit of its own.
TENSOR_PARALLEL = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 36, 48, 64, 72)
PIPELINE_PARALLEL = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16)


@dataclass(frozen=True)
class Host:
    """An accelerator with what the candidates table needs beside its own entry.

    per_node: accelerators in one server. reported_memory: what the driver reports to a process.
    """

    accelerator: Accelerator
    per_node: int
    reported_memory: float


@dataclass(frozen=True)
class EngineSettings:
    """The engine's settings that a person gave; what is None follows the engine's own defaults for the card."""

    memory_fraction: float | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    max_model_len: int | None = None
    block_tokens: int | None = None
    micro_batch_tokens: int | None = None
    eager: bool | None = None
    pytorch_sampler: bool | None = None
    chunked_prefill: bool | None = None


@dataclass(frozen=True)
class Question:
    """What is to be sized: one model under one load, on these hosts, with these formats and layouts."""

    model: Model
    hosts: tuple[Host, ...]
    formats: tuple[Format, ...]
    kv_format: Format
    engine_family: str
    era: Era
    settings: EngineSettings
    input_tokens: float
    output_tokens: float
    concurrent_requests: float
    tensor_parallel: tuple[int, ...] = TENSOR_PARALLEL
    pipeline_parallel: tuple[int, ...] = PIPELINE_PARALLEL
    attention_data_parallel: int = 1
    longest_request: float | None = None
    owned: frozenset[str] = frozenset()
    engine_period: str = LATEST_PERIOD
    requests_per_client: float = STEADY
    all_at_once: bool = False
    arrival_process: str = "closed"
    input_p95_to_p50: float = 1.0
    output_p95_to_p50: float = 1.0
    offline: bool = False
    prefix_hit_share: float = 0.0


@dataclass(frozen=True)
class Candidates:
    """Columns by fact name, and for each row which host and format of the question it has."""

    question: Question
    columns: Mapping[str, Any]
    host: NDArray[np.int64]
    format: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.host)


def candidates(question: Question) -> Candidates:
    """Every row of the question, as columns of facts that the formulas start from."""
    shape = (len(question.hosts), len(question.formats), len(question.tensor_parallel), len(question.pipeline_parallel))
    host, form, tensor, pipeline = (index.ravel() for index in np.indices(shape))
    columns: dict[str, Any] = {
        **model_facts(question.model, pages_cross_layers=question.era.pages_cross_layers),
        **_load_facts(question),
        **_engine_facts(question),
        "tensor_parallel": np.array(question.tensor_parallel, dtype=float)[tensor],
        "pipeline_parallel": np.array(question.pipeline_parallel, dtype=float)[pipeline],
        "attention_data_parallel": float(question.attention_data_parallel),
    }
    columns["accelerators_per_replica"] = (
        columns["tensor_parallel"] * columns["pipeline_parallel"] * question.attention_data_parallel
    )
    # 0 is the format asked for or released; later ones are offered beside it.
    columns["format_rank"] = form.astype(float)
    for name, values in _host_facts(question).items():
        columns[name] = values[host]
    has_experts = bool(columns["expert_parameters"])
    for name, values in _format_facts(question.formats, str(columns["attention"]), has_experts).items():
        columns[name] = values[form]
    for name, values in _pair_facts(question, str(columns["attention"]), has_experts).items():
        columns[name] = values[host, form]
    beyond = (columns["link_class"] == "nvlink") & (columns["tensor_parallel"] > np.maximum(columns["scale_up_domain"], 1))
    columns["link_class"] = np.where(beyond, "pcie", columns["link_class"])
    columns["link_bandwidth"] = np.where(beyond, columns["slot_bandwidth"], columns["link_bandwidth"])
    return Candidates(question, columns, host, form)


def model_facts(model: Model, *, pages_cross_layers: bool = False) -> dict[str, Any]:
    """A model's facts; those of its layer groups have one row a group.

    pages_cross_layers: the engine pages layers that only attend to an encoder as if they cached every token.
    """
    experts = model.experts
    groups = model.layer_groups or (LayerGroup(count=model.layers or 1, kind="none"),)

    def caches(group: LayerGroup) -> bool:
        return group.kind in ("attention", "latent") or bool(pages_cross_layers and group.cross_tokens)

    def column(*values: float) -> NDArray[np.float64]:
        return np.array(values, dtype=float)[:, None]

    return {
        "parameters": model.parameters.total,
        "checkpoint_bytes": model.checkpoint_bytes or 0.0,
        "active_parameters": model.parameters.active or model.parameters.total,
        "expert_parameters": model.parameters.experts,
        "table_parameters": model.parameters.embedding or 0.0,
        "untied_head": 0.0 if model.tied_embeddings in (True, None) else 1.0,
        "tower_parameters": model.parameters.tower,
        "layers": float(model.layers or sum(group.count for group in groups)),
        "hidden": float(model.hidden or 0),
        "intermediate": float(model.intermediate or 0),
        "vocabulary": float(model.vocabulary or 0),
        "heads": float(model.heads or 0),
        "kv_heads": float(max((group.kv_heads or 0 for group in groups), default=0)),
        "encoder_tokens": float(max((group.cross_tokens or 0 for group in groups), default=0)),
        "experts": float(experts.count if experts else 0),
        "experts_per_token": float(experts.per_token if experts else 0),
        "shared_experts": float(experts.shared if experts else 0),
        "expert_intermediate": float(experts.intermediate if experts else 0),
        "vision": 1.0 if "vision" in model.modality else 0.0,
        "sparse_attention": 1.0 if any(group.indexer_width for group in groups) else 0.0,
        "attention": _attention_word(groups),
        "selection_class": "indexed" if any(group.indexer_width for group in groups) else "none",
        "model_class": "moe" if experts else "dense",
        "attention_class": attention_class(groups, experts is not None),
        "cache_class": cache_class(groups, model.heads),
        "group_layers": column(*(group.count for group in groups)),
        "group_kv_heads": column(*(group.kv_heads or 0 for group in groups)),
        "group_head_dim": column(*(group.head_dim or 0 for group in groups)),
        "group_value_head_dim": column(*(group.value_head_dim or group.head_dim or 0 for group in groups)),
        "group_window": column(*(group.window or 0 for group in groups)),
        "group_latent_width": column(*(group.latent_width or 0 for group in groups)),
        "group_indexer_width": column(*(group.indexer_width or 0 for group in groups)),
        "group_compressed_ratio": column(*(group.compressed_ratio or 1 for group in groups)),
        "group_state_bytes": column(*(group.state_bytes or 0 for group in groups)),
        "group_cross_tokens": column(*(group.cross_tokens or 0 for group in groups)),
        "group_cached": column(*(1.0 if caches(group) else 0.0 for group in groups)),
    }


def format_facts(form: Format, attention: str, has_experts: bool) -> dict[str, float]:
    """Bits per element that a weight format gives each class of tensors of a model with this kind of attention."""
    whole = form.applies_to == "file"
    bits = form.whole_model_bits if whole and form.whole_model_bits else form.bits
    everywhere = whole or form.applies_to == "all"
    experts_only = has_experts and (form.applies_to == "experts" or attention in form.experts_only_with)
    return {
        "expert_bits": bits,
        "layer_bits": form.rest_bits if experts_only and not everywhere else bits,
        "table_bits": bits if everywhere else SIXTEEN_BIT,
        "tower_bits": bits if form.applies_to == "all" else SIXTEEN_BIT,
    }


def batch_limits(era: Era, architecture: str, memory: float) -> BatchLimits:
    """The engine's default limits on a card of this architecture and reported memory."""
    return next(
        limits
        for limits in era.batch_limits
        if memory >= (limits.least_memory or 0)
        and not any(architecture.startswith(other) for other in limits.except_architecture)
    )


def batched_tokens(era: Era, limits: BatchLimits, max_model_len: float, chunked_prefill: bool | None) -> float:
    """Most tokens in one step by default: the limit, or the whole longest sequence where prefill is not chunked."""
    if limits.max_num_batched_tokens is not None and chunked_prefill is not False:
        return float(limits.max_num_batched_tokens)
    long = era.long_chunked_from is not None and max_model_len > era.long_chunked_from and chunked_prefill is not False
    if era.long_chunk is not None and (long or chunked_prefill):
        return float(era.long_chunk)
    return float(max(max_model_len, limits.max_num_batched_tokens or 0))


def _attention_word(groups: Sequence[LayerGroup]) -> str:
    kinds = {group.kind for group in groups if group.kind != "none"}
    if kinds == {"latent"}:
        return "latent"
    if not kinds:
        return "none"
    if "recurrent" in kinds:
        return "hybrid" if len(kinds) > 1 else "recurrent"
    return "windowed" if any(group.window for group in groups) else "full"


def _load_facts(question: Question) -> dict[str, Any]:
    longest = question.input_tokens + question.output_tokens
    return {
        "input_tokens": question.input_tokens,
        "output_tokens": question.output_tokens,
        "prefix_hit_share": question.prefix_hit_share,
        "concurrent_requests": question.concurrent_requests,
        "max_model_len": float(question.settings.max_model_len or question.longest_request or longest),
        "model_context": float(question.model.context or np.inf),
        "kv_bits": question.kv_format.bits,
        "arrival_process": question.arrival_process,
        "input_p95_to_p50": question.input_p95_to_p50,
        "output_p95_to_p50": question.output_p95_to_p50,
    }


def _engine_facts(question: Question) -> dict[str, Any]:
    era, settings = question.era, question.settings
    return {
        "engine_family": question.engine_family,
        "engine_generation": era.generation,
        "engine_era": era.since,
        "memory_fraction": settings.memory_fraction or era.memory_fraction,
        "block_tokens": float(settings.block_tokens or era.block_tokens),
        "micro_batch_tokens": float(settings.micro_batch_tokens or era.micro_batch_tokens),
        "window_aware": float(era.window_aware),
        "graphs_charged": float(era.graphs_charged),
        "eager": float(bool(settings.eager)),
        "pytorch_sampler": float(era.pytorch_sampler if settings.pytorch_sampler is None else settings.pytorch_sampler),
        "engine_period": question.engine_period,
        "engine_age": "old" if question.engine_period < "2025" else "new",
        # Steady traffic: the burst with which a benchmark starts is long forgotten.
        "requests_per_client": question.requests_per_client,
        "all_at_once": float(question.all_at_once),
        "offline": float(question.offline),
    }


def _host_facts(question: Question) -> dict[str, NDArray[Any]]:
    settings = question.settings
    longest = float(settings.max_model_len or question.longest_request or question.input_tokens + question.output_tokens)
    rows: list[dict[str, Any]] = []
    for host in question.hosts:
        part = host.accelerator
        limits = batch_limits(question.era, part.architecture, host.reported_memory)
        rows.append(
            {
                "accelerator": part.id,
                "vendor": part.vendor,
                "reported_memory": host.reported_memory,
                "scale_up_kind": part.scale_up.kind if part.scale_up else "none",
                "scale_up_domain": float(part.scale_up.domain if part.scale_up else 1),
                "accelerators_per_node": float(host.per_node),
                "power_per_accelerator": part.power or np.nan,
                "memory_bandwidth": part.memory_bandwidth or np.nan,
                "accelerator_class": accelerator_class(part),
                "engine_class": engine_class(question.engine_family, part),
                "link_class": link(part)[0],
                "link_bandwidth": link(part)[1],
                "slot_bandwidth": slot_rate(part),
                "peak_sixteen_bit": peak_compute(part, "bf16") or np.nan,
                "max_num_seqs": float(settings.max_num_seqs or limits.max_num_seqs),
                "max_num_batched_tokens": float(
                    settings.max_num_batched_tokens or batched_tokens(question.era, limits, longest, settings.chunked_prefill)
                ),
            }
        )
    return {name: np.array([row[name] for row in rows]) for name in rows[0]} if rows else {}


def _format_facts(formats: Sequence[Format], attention: str, has_experts: bool) -> dict[str, NDArray[Any]]:
    rows = [{"precision": form.id, **format_facts(form, attention, has_experts)} for form in formats]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _pair_facts(question: Question, attention: str, has_experts: bool) -> dict[str, NDArray[Any]]:
    """Facts that depend on accelerator and weight format together, by host and format."""
    pairs: list[list[dict[str, Any]]] = []
    for host in question.hosts:
        part = host.accelerator
        row: list[dict[str, Any]] = []
        for form in question.formats:
            experts_only = has_experts and (form.applies_to == "experts" or attention in form.experts_only_with)
            of_layers = layer_class(form, experts_only=experts_only)
            layers_in = {"16bit": "bf16", "fp8": "fp8"}.get(of_layers) if experts_only else arithmetic(form, part)
            row.append(
                {
                    "weight_class": weight_class(form),
                    "layer_class": of_layers,
                    "peak_expert_compute": peak_compute(part, arithmetic(form, part)) or np.nan,
                    "peak_layer_compute": peak_compute(part, layers_in or "bf16") or np.nan,
                }
            )
        pairs.append(row)
    if not pairs:
        return {}
    return {name: np.array([[each[name] for each in row] for row in pairs]) for name in pairs[0][0]}
