"""Communication of a training step: what each parallelism sends, over which link, and how much of it computing does not hide.

Links inside a domain run at the scale-up rate of one direction, beyond it at the network's rate per accelerator. Exposed shares
are fitted; where a transfer is longer than all the computing it could hide behind, what is left over is exposed as well.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerSecond, Count, Ratio, Seconds, Tokens, maximum, minimum, total, where

_FIT = cite("training-measurements", "fit of training speed")
_MEGATRON = cite("narayanan-2021-megatron", "§3, communication of each parallelism")
_COLLECTIVES = cite("thakur-2005-collectives", "ring and recursive halving")
_ZERO = cite("rajbhandari-2020-zero", "§7, communication analysis")


@formula(sources=[_MEGATRON])
def fast_domain(scale_up_domain: Count, accelerators_per_node: Count) -> Count:
    """Accelerators that reach one another without the network."""
    return maximum(scale_up_domain, accelerators_per_node)


@formula(sources=[_COLLECTIVES])
def ring_all_reduce_time(ranks: Count, message: Bytes, ring_bandwidth: BytesPerSecond, hop_latency: Seconds) -> Seconds:
    """Time of an all-reduce around a ring; a reduce-scatter or an all-gather takes half."""
    return 2 * (ranks - 1) * hop_latency + 2 * (ranks - 1) / ranks * message / ring_bandwidth


@formula(sources=[_COLLECTIVES])
def hierarchical_all_reduce_time(
    ranks_inside: Count,
    ranks_outside: Count,
    message: Bytes,
    inside_bandwidth: BytesPerSecond,
    outside_bandwidth: BytesPerSecond,
) -> Seconds:
    """All-reduce in two levels: scattered and gathered inside a node, reduced between nodes on a share of the message each."""
    return (
        2 * (ranks_inside - 1) / ranks_inside * message / inside_bandwidth
        + 2 * (ranks_outside - 1) / ranks_outside * message / ranks_inside / outside_bandwidth
    )


@formula(sources=[_COLLECTIVES, cite("nccl-issue-527", "rates as printed by nccl-tests")])
def bus_bandwidth(message: Bytes, collective_time: Seconds, ranks: Count) -> BytesPerSecond:
    """Rate on the busiest link of an all-reduce that took so long, comparable over numbers of ranks."""
    return message / collective_time * 2 * (ranks - 1) / ranks


@formula(sources=[_MEGATRON, _FIT])
def tensor_exchange_time(
    layers: Count,
    pipeline_parallel: Count,
    micro_batch_tokens_trained: Tokens,
    context_parallel: Count,
    hidden: Count,
    tensor_parallel: Count,
    fast_domain: Count,
    link_bandwidth: BytesPerSecond,
    inter_node_bandwidth: BytesPerSecond,
    tensor_exchange_share: Ratio,
) -> Seconds:
    """Exposed exchange of activations among tensor-parallel ranks for one micro batch: four 16-bit all-reduces a layer."""
    return (
        layers
        / pipeline_parallel
        * 4
        * 2
        * (tensor_parallel - 1)
        / tensor_parallel
        * micro_batch_tokens_trained
        / context_parallel
        * hidden
        * 2
        / where(tensor_parallel > fast_domain, inter_node_bandwidth, link_bandwidth)
        * tensor_exchange_share
    )


@formula(sources=[_FIT])
def expert_exchange_time(
    expert_layers: Count,
    pipeline_parallel: Count,
    micro_batch_tokens_trained: Tokens,
    tensor_parallel: Count,
    context_parallel: Count,
    experts_per_token: Count,
    expert_parallel: Count,
    routed_expert_width: Count,
    fast_domain: Count,
    link_bandwidth: BytesPerSecond,
    inter_node_bandwidth: BytesPerSecond,
    expert_exchange_share: Ratio,
) -> Seconds:
    """Exposed all-to-all of routed tokens for one micro batch: sent and returned, forward and backward, in sixteen bit."""
    return (
        expert_layers
        / pipeline_parallel
        * 4
        * micro_batch_tokens_trained
        / (tensor_parallel * context_parallel)
        * minimum(experts_per_token, expert_parallel)
        * routed_expert_width
        * 2
        * (expert_parallel - 1)
        / expert_parallel
        / where(expert_parallel * tensor_parallel > fast_domain, inter_node_bandwidth, link_bandwidth)
        * expert_exchange_share
    )


@formula(sources=[_MEGATRON])
def group_context_width(group_kv_heads: Count, group_head_dim: Count, group_latent_width: Count) -> Count:
    """Elements of a token's key and value in one layer, as context-parallel ranks pass them on."""
    return group_kv_heads * group_head_dim * 2 + group_latent_width


@formula(sources=[_FIT])
def context_exchange_time(
    group_layers: Count,
    group_context_width: Count,
    pipeline_parallel: Count,
    micro_batch_tokens_trained: Tokens,
    context_parallel: Count,
    tensor_parallel: Count,
    fast_domain: Count,
    link_bandwidth: BytesPerSecond,
    inter_node_bandwidth: BytesPerSecond,
    context_exchange_share: Ratio,
) -> Seconds:
    """Exposed exchange of keys and values around context-parallel ranks for one micro batch, three passes in sixteen bit."""
    return (
        total(group_layers * group_context_width)
        / pipeline_parallel
        / minimum(tensor_parallel, 8)
        * 3
        * micro_batch_tokens_trained
        * (context_parallel - 1)
        / context_parallel
        * 2
        / where(context_parallel * tensor_parallel > fast_domain, inter_node_bandwidth, link_bandwidth)
        * context_exchange_share
    )


@formula(sources=[_ZERO])
def gradient_bandwidth(
    accelerators: Count, fast_domain: Count, link_bandwidth: BytesPerSecond, inter_node_bandwidth: BytesPerSecond
) -> BytesPerSecond:
    """Rate at which replicas exchange gradients and weights: the network's as soon as the run leaves one domain."""
    return where(accelerators > fast_domain, inter_node_bandwidth, link_bandwidth)


@formula(sources=[_ZERO])
def gathered_bytes(parameters_on_rank: Count, gathered_weight_bytes: Bytes, data_parallel: Count, zero_stage: Count) -> Bytes:
    """Bytes a rank exchanges for each micro batch under full sharding: weights gathered twice, gradients scattered once."""
    return where((zero_stage >= 3) & (data_parallel > 1), parameters_on_rank * gathered_weight_bytes * 3, 0)


@formula(sources=[_ZERO])
def reduced_bytes(
    parameters_on_rank: Count, trained_share: Ratio, gradient_bytes: Bytes, data_parallel: Count, zero_stage: Count
) -> Bytes:
    """Bytes a rank exchanges for each step where weights are whole: gradients reduced, and updated weights gathered."""
    return where(
        (zero_stage < 3) & (data_parallel > 1),
        parameters_on_rank * trained_share * gradient_bytes * 2 * (data_parallel - 1) / data_parallel,
        0,
    )


@formula(sources=[_FIT])
def gather_time(
    gathered_bytes: Bytes, gradient_bandwidth: BytesPerSecond, gradient_exchange_share: Ratio, busy_time: Seconds
) -> Seconds:
    """Exposed gathering of sharded weights for one micro batch."""
    return maximum(gathered_bytes / gradient_bandwidth * gradient_exchange_share, gathered_bytes / gradient_bandwidth - busy_time)


@formula(sources=[_FIT])
def reduce_time(
    reduced_bytes: Bytes,
    gradient_bandwidth: BytesPerSecond,
    gradient_exchange_share: Ratio,
    busy_time: Seconds,
    gradient_accumulation: Count,
) -> Seconds:
    """Exposed exchange of gradients and updated weights for one step."""
    return maximum(
        reduced_bytes / gradient_bandwidth * gradient_exchange_share,
        reduced_bytes / gradient_bandwidth - busy_time * gradient_accumulation,
    )
