"""Buffers: layers gathered for the moment under ZeRO-3, buckets of collectives, contexts, and what the allocator wastes."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Ratio, minimum, where

_FSDP = cite("zhao-2023-fsdp", "§4")
_DEEPSPEED = cite("deepspeed-config", "zero_optimization")


@formula(sources=[_FSDP])
def gathered_weights(layers: Count) -> Bytes:
    """Weights that a rank gathers from the others for the layers that run; none below ZeRO stage 3."""
    return 0 * layers


@formula(sources=[_FSDP])
def weights_of_others(parameters_per_rank: Count, parameters_per_shard: Count, weight_element_size: Bytes) -> Bytes:
    """Weights a rank works with and others keep: more than these are never gathered."""
    return (parameters_per_rank - parameters_per_shard) * weight_element_size


@formula(of="gathered_weights", when=["zero_stage >= 3", 'sharding_library == "deepspeed"'], sources=[_DEEPSPEED])
def gathered_weights_deepspeed(
    parameters_per_rank: Count, live_parameters: Count, compute_weight_size: Bytes, weights_of_others: Bytes
) -> Bytes:
    """DeepSpeed gathers up to a set number of parameters and keeps them while they may be used again."""
    return minimum(minimum(parameters_per_rank, live_parameters) * compute_weight_size, weights_of_others)


@formula(
    of="gathered_weights", when=["zero_stage >= 3", "pipeline_parallel > 1"], sources=[cite("torchtitan-benchmarks", "405B")]
)
def gathered_weights_of_stage(
    parameters_per_rank: Count, compute_weight_size: Bytes, gradient_element_size: Bytes, weights_of_others: Bytes
) -> Bytes:
    """A pipeline stage stays gathered over its micro batches, and its gradients are reduced after the last of them."""
    return minimum(parameters_per_rank * (compute_weight_size + gradient_element_size), weights_of_others)


@formula(of="gathered_weights", when="zero_stage >= 3", sources=[_FSDP])
def gathered_weights_fsdp(
    parameters_per_rank: Count,
    tables_per_rank: Count,
    layers: Count,
    stage_share: Ratio,
    gathered_layers: Count,
    compute_weight_size: Bytes,
    table_element_size: Bytes,
    weights_of_others: Bytes,
) -> Bytes:
    """FSDP gathers the layer that runs and prefetches the next; the outermost unit with a vocabulary table stays gathered."""
    return minimum(
        gathered_layers * (parameters_per_rank - tables_per_rank) / (layers * stage_share) * compute_weight_size
        + 0.5 * tables_per_rank * minimum(table_element_size, 2),
        weights_of_others,
    )


@formula(sources=[_DEEPSPEED])
def gradient_buckets(
    bucket_bytes: Bytes, trained_per_rank: Count, gradient_element_size: Bytes, data_parallel: Count, zero_stage: Count
) -> Bytes:
    """Buckets in which gradients are reduced, never larger than the gradients; from stage 3 on they go layer by layer."""
    return where(zero_stage >= 3, 0, 1) * where(
        data_parallel > 1, minimum(bucket_bytes, trained_per_rank * gradient_element_size), 0
    )


@formula(sources=[_DEEPSPEED])
def communication_buffers(gathered_weights: Bytes, gradient_buckets: Bytes) -> Bytes:
    """Weights gathered for the moment, and the buckets in which gradients are reduced."""
    return gathered_weights + gradient_buckets


@formula(sources=[cite("training-memory-measurements", "device readings beside allocated peaks")])
def training_context(context_bytes: Bytes, link_buffers: Bytes, accelerators: Count) -> Bytes:
    """The driver's context and libraries, and communicators where several accelerators work together."""
    return context_bytes + where(accelerators > 1, link_buffers, 0)
