"""The work of one engine step, as times on one accelerator: bytes to read, operations to do, per token and per sequence.

A token passes all pipeline stages one after another, so times are of the whole model spread over one stage's tensor-parallel
ranks. What an efficiency stands for is the product of several fitted factors; none of them is a property of the hardware alone.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerRequest,
    BytesPerSecond,
    BytesPerToken,
    Count,
    Flop,
    FlopPerSecond,
    Ratio,
    Seconds,
    SecondsPerRequest,
    SecondsPerToken,
    TokensPerRequest,
    log2,
    minimum,
    total,
    where,
)

_ROOFLINE = cite("williams-2009-roofline", "memory and compute bounds")
_FIT = cite("serving-measurements", "fit of serving speed")


@formula(sources=[_FIT])
def weight_bandwidth(
    memory_bandwidth: BytesPerSecond, weights_bandwidth_efficiency: Ratio, weights_bandwidth_precision_factor: Ratio
) -> BytesPerSecond:
    """Rate at which weights are really read: peak bandwidth by what kernels of this generation and format reach of it."""
    return memory_bandwidth * weights_bandwidth_efficiency * weights_bandwidth_precision_factor


@formula(sources=[_ROOFLINE])
def dense_read_time(
    layer_weights: Bytes,
    table_parameters: Count,
    table_bits: Count,
    tensor_parallel: Count,
    weight_bandwidth: BytesPerSecond,
) -> Seconds:
    """Time to read all weights but the experts once: attention, dense blocks, and the output head."""
    return (layer_weights + table_parameters * table_bits / 8) / tensor_parallel / weight_bandwidth


@formula(sources=[_ROOFLINE])
def expert_read_time(
    expert_weights: Bytes, stage_ranks: Count, weight_bandwidth: BytesPerSecond, expert_bandwidth_efficiency: Ratio
) -> Seconds:
    """Time to read every routed expert once."""
    return expert_weights / stage_ranks / (weight_bandwidth * expert_bandwidth_efficiency)


@formula(sources=[_FIT])
def stage_ranks(tensor_parallel: Count, attention_data_parallel: Count) -> Count:
    """Accelerators of one pipeline stage, over which experts are spread."""
    return tensor_parallel * attention_data_parallel


@formula(sources=[_FIT])
def layer_compute_rate(
    peak_layer_compute: FlopPerSecond, compute_efficiency: Ratio, compute_engine_factor: Ratio, layer_compute_factor: Ratio
) -> FlopPerSecond:
    """Rate of matrix multiplications outside the experts: dense peak of their number format by what kernels reach of it."""
    return peak_layer_compute * compute_efficiency * compute_engine_factor * layer_compute_factor


@formula(sources=[_FIT])
def expert_compute_rate(
    peak_expert_compute: FlopPerSecond,
    compute_efficiency: Ratio,
    compute_engine_factor: Ratio,
    expert_compute_factor: Ratio,
    expert_compute_generation_factor: Ratio,
) -> FlopPerSecond:
    """Rate of matrix multiplications in the experts, whose batches are small and ragged."""
    return (
        peak_expert_compute
        * compute_efficiency
        * compute_engine_factor
        * expert_compute_factor
        * expert_compute_generation_factor
    )


@formula(sources=[_ROOFLINE])
def active_expert_parameters(expert_parameters: Count, experts: Count, experts_per_token: Count) -> Count:
    """Parameters of the routed experts that one token visits."""
    return where(experts > 0, expert_parameters * experts_per_token / (experts + where(experts > 0, 0, 1)), 0)


@formula(sources=[_ROOFLINE])
def compute_time_per_token(
    layer_parameters: Count,
    layer_compute_rate: FlopPerSecond,
    active_expert_parameters: Count,
    expert_compute_rate: FlopPerSecond,
    stage_ranks: Count,
) -> SecondsPerToken:
    """Time of one token's matrix multiplications: two operations for every parameter it passes."""
    return 2 * (layer_parameters / layer_compute_rate + active_expert_parameters / expert_compute_rate) / stage_ranks


@formula(sources=[_ROOFLINE])
def head_time_per_token(
    table_parameters: Count, stage_ranks: Count, peak_sixteen_bit: FlopPerSecond, compute_efficiency: Ratio
) -> SecondsPerToken:
    """Time of the output head for one token that is sampled; it stays at 16 bit."""
    return 2 * table_parameters / stage_ranks / (peak_sixteen_bit * compute_efficiency)


@formula(sources=[cite("dao-2022-flashattention", "operation count")])
def prompt_attention_time(
    group_layers: Count,
    group_pair_operations: Flop,
    group_prompt_reach: TokensPerRequest,
    computed_input_tokens: TokensPerRequest,
    stage_ranks: Count,
    peak_sixteen_bit: FlopPerSecond,
    compute_efficiency: Ratio,
    attention_compute_efficiency: Ratio,
) -> Seconds:
    """Time of causal attention over one prompt, in 16-bit kernels."""
    return (
        total(group_layers * group_pair_operations * computed_input_tokens * group_prompt_reach)
        / stage_ranks
        / (peak_sixteen_bit * compute_efficiency * attention_compute_efficiency)
    )


@formula(sources=[cite("dao-2022-flashattention", "operation count")])
def group_pair_operations(heads: Count, group_head_dim: Count, group_value_head_dim: Count, group_cached: Count) -> Flop:
    """Operations of one layer for one pair of tokens, over all heads: a score and a weighted sum, two operations an element."""
    return 2 * heads * (group_head_dim + group_value_head_dim) * group_cached


@formula(sources=[cite("dao-2022-flashattention", "causal masking halves the pairs")])
def group_prompt_reach(
    group_window: Count, input_tokens: TokensPerRequest, computed_input_tokens: TokensPerRequest
) -> TokensPerRequest:
    """Earlier tokens that a computed prompt token attends to on the mean: the cached ones and half of the rest, or a window."""
    return where(
        group_window > 0,
        minimum(group_window, input_tokens - computed_input_tokens / 2),
        input_tokens - computed_input_tokens / 2,
    )


@formula(sources=[_ROOFLINE])
def context_tokens(input_tokens: TokensPerRequest, output_tokens: TokensPerRequest) -> TokensPerRequest:
    """Tokens a running request holds on the mean over its answer."""
    return input_tokens + output_tokens / 2


@formula(of="context_tokens", when="offline == 1", sources=[_FIT])
def context_tokens_offline(input_tokens: TokensPerRequest, output_tokens: TokensPerRequest) -> TokensPerRequest:
    """The same where a replica is kept full: long answers stay longest, so those running hold more than half of theirs."""
    return input_tokens + 0.75 * output_tokens


@formula(sources=[cite("deepseek-2025-v3.2", "sparse attention: an indexer picks 2,048 tokens")])
def group_attended_tokens(
    group_window: Count, group_indexer_width: Count, selected_tokens: TokensPerRequest, context_tokens: TokensPerRequest
) -> TokensPerRequest:
    """Cached tokens that one new token reads in a layer: all, a window, or what a sparse indexer selects."""
    return where(
        group_indexer_width > 0,
        minimum(selected_tokens, context_tokens),
        where(group_window > 0, minimum(group_window, context_tokens), context_tokens),
    )


@formula(sources=[_ROOFLINE])
def cache_read_per_request(
    group_layers: Count,
    group_token_bytes: BytesPerToken,
    group_indexer_bytes: BytesPerToken,
    group_attended_tokens: TokensPerRequest,
    context_tokens: TokensPerRequest,
    group_state_bytes: BytesPerRequest,
    tensor_parallel: Count,
) -> BytesPerRequest:
    """Bytes one accelerator reads of a running request in a step: keys and values attended to, indexer keys, recurrent state."""
    return total(
        group_layers
        * (
            (group_token_bytes - group_indexer_bytes) * group_attended_tokens
            + group_indexer_bytes * context_tokens
            + 2 * group_state_bytes / tensor_parallel
        )
    )


@formula(sources=[_FIT])
def cache_read_time_per_request(
    cache_read_per_request: BytesPerRequest,
    memory_bandwidth: BytesPerSecond,
    weights_bandwidth_efficiency: Ratio,
    cache_bandwidth_efficiency: Ratio,
    cache_attention_factor: Ratio,
    cache_engine_factor: Ratio,
) -> SecondsPerRequest:
    """Time to read one running request's cache in a step; scattered blocks reach less of the bandwidth than weights do."""
    return cache_read_per_request / (
        memory_bandwidth
        * weights_bandwidth_efficiency
        * cache_bandwidth_efficiency
        * cache_attention_factor
        * cache_engine_factor
    )


@formula(sources=[cite("thakur-2005-collectives", "latency and bandwidth of a ring")])
def reduce_latency(tensor_ranks: Count, all_reduce_latency: Seconds, all_reduce_latency_growth: Ratio, layers: Count) -> Seconds:
    """Start-up time of the two all-reduces in every layer of one step; it grows slower than the logarithm of the ranks."""
    return where(tensor_ranks > 1, 2 * layers * all_reduce_latency * log2(tensor_ranks) ** all_reduce_latency_growth, 0)


@formula(sources=[cite("thakur-2005-collectives", "latency and bandwidth of a ring")])
def reduce_time_per_token(
    tensor_ranks: Count, hidden: Count, layers: Count, link_bandwidth: BytesPerSecond, link_efficiency: Ratio
) -> SecondsPerToken:
    """Transfer time of those all-reduces for one token's 16-bit activations."""
    return where(
        tensor_ranks > 1,
        2 * layers * 2 * (tensor_ranks - 1) / tensor_ranks * hidden * 2 / (link_bandwidth * link_efficiency),
        0,
    )


@formula(sources=[_FIT])
def tensor_ranks(tensor_parallel: Count, attention_data_parallel: Count) -> Count:
    """Ranks that exchange activations in every layer; under data-parallel attention those of the whole stage."""
    return where(attention_data_parallel > 1, tensor_parallel * attention_data_parallel, tensor_parallel)
