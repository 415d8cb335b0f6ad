"""Engine steps: one that only decodes, and one that carries a piece of a prompt beside it (chunked prefill)."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerRequest,
    BytesPerSecond,
    BytesPerToken,
    Count,
    Ratio,
    Requests,
    Seconds,
    SecondsPerRequest,
    SecondsPerToken,
    Tokens,
    TokensPerRequest,
    maximum,
    minimum,
    total,
    where,
)

_FIT = cite("serving-measurements", "fit of serving speed")
_OCCUPANCY = cite("serving-measurements", "expected distinct experts")
_SARATHI = cite("agrawal-2024-sarathi-serve", "chunked prefill beside decodes")


@formula(sources=[_FIT])
def held_per_request(
    group_layers: Count,
    group_token_bytes: BytesPerToken,
    group_attended_tokens: TokensPerRequest,
    group_state_per_request: BytesPerRequest,
    stage_share: Ratio,
) -> BytesPerRequest:
    """Cache a running request holds on the mean."""
    return total(group_layers * group_token_bytes * group_attended_tokens + group_state_per_request) * stage_share


@formula(sources=[_FIT])
def batch_room(kv_room: Bytes, least_room_share: Ratio, usable_memory: Bytes) -> Bytes:
    """Room for running requests' caches; whoever runs an engine sets it up so that some is left."""
    return maximum(kv_room, least_room_share * usable_memory)


@formula(sources=[_FIT])
def running_batch(
    running_requests: Requests,
    batch_room: Bytes,
    held_per_request: BytesPerRequest,
    max_num_seqs: Requests,
    attention_data_parallel: Count,
) -> Requests:
    """Requests a replica runs at once: those there are, as far as cache and the engine's limit let them in; the rest wait."""
    return minimum(
        running_requests,
        max_num_seqs * attention_data_parallel,
        maximum(1, where(held_per_request > 0, batch_room / maximum(held_per_request, 1), 1e9)) * attention_data_parallel,
    )


@formula(of="running_batch", when="offline == 1", sources=[_FIT])
def running_batch_offline(
    batch_room: Bytes, held_per_request: BytesPerRequest, offline_sequence_cap: Requests, attention_data_parallel: Count
) -> Requests:
    """Requests a replica that is kept full runs at once: what its cache holds, up to what benchmarks at full load let it run."""
    return (
        minimum(offline_sequence_cap, maximum(1, where(held_per_request > 0, batch_room / maximum(held_per_request, 1), 1e9)))
        * attention_data_parallel
    )


@formula(sources=[_FIT])
def step_batch(running_batch: Requests, pipeline_parallel: Count) -> Requests:
    """Requests in one step: pipeline stages work on different parts of the batch."""
    return maximum(1, running_batch / pipeline_parallel)


@formula(sources=[_OCCUPANCY])
def decode_expert_coverage(experts: Count, experts_per_token: Count, step_batch: Requests, routing_evenness: Ratio) -> Ratio:
    """Share of experts that a decode step reads: those its tokens visit, which choose alike more than chance would have it."""
    return where(experts > 0, 1 - (1 - experts_per_token / maximum(experts, 1)) ** maximum(step_batch * routing_evenness, 1), 0)


@formula(sources=[cite("williams-2009-roofline", "memory bound")])
def least_step_time(
    layer_weights: Bytes,
    expert_weights: Bytes,
    experts: Count,
    experts_per_token: Count,
    stage_ranks: Count,
    memory_bandwidth: BytesPerSecond,
) -> Seconds:
    """No step can be shorter: one token's weights at nine tenths of the peak bandwidth, on the accelerators of a stage."""
    return (
        0.9
        * (layer_weights + expert_weights * where(experts > 0, experts_per_token / maximum(experts, 1), 0))
        / stage_ranks
        / memory_bandwidth
    )


@formula(sources=[_FIT])
def decode_memory_time(dense_read_time: Seconds, expert_read_time: Seconds, decode_expert_coverage: Ratio) -> Seconds:
    """Time to read the weights that a decode step needs."""
    return dense_read_time + expert_read_time * decode_expert_coverage


@formula(sources=[_FIT])
def decode_compute_time(
    step_batch: Requests,
    compute_time_per_token: SecondsPerToken,
    decode_compute_factor: Ratio,
    head_time_per_token: SecondsPerToken,
) -> Seconds:
    """Time of a decode step's matrix multiplications: one token for every running request."""
    return step_batch * (compute_time_per_token / decode_compute_factor + head_time_per_token)


@formula(sources=[_FIT])
def decode_matrix_time(decode_memory_time: Seconds, decode_compute_time: Seconds, roofline_sharpness: Ratio) -> Seconds:
    """Weights and compute of a decode step together; near one, the sharpness says that the two hardly overlap."""
    return (decode_memory_time**roofline_sharpness + decode_compute_time**roofline_sharpness) ** (1 / roofline_sharpness)


@formula(sources=[_FIT])
def cache_read_time(
    step_batch: Requests, cache_read_time_per_request: SecondsPerRequest, attention_data_parallel: Count
) -> Seconds:
    """Time to read the running requests' caches once."""
    return step_batch * cache_read_time_per_request / attention_data_parallel


@formula(sources=[_FIT])
def decode_reduce_time(
    reduce_latency: Seconds, reduce_time_per_token: SecondsPerToken, step_batch: Requests, attention_data_parallel: Count
) -> Seconds:
    """Time of a decode step's all-reduces."""
    return reduce_latency + reduce_time_per_token * step_batch / attention_data_parallel


@formula(sources=[_FIT])
def layer_time(
    layers: Count,
    layer_overhead: Seconds,
    layer_overhead_precision_factor: Ratio,
    layer_overhead_engine_factor: Ratio,
    layer_overhead_generation_factor: Ratio,
    layer_overhead_age_factor: Ratio,
) -> Seconds:
    """Time that layers take whatever the batch: kernel launches, small kernels, synchronisation."""
    return (
        layers
        * layer_overhead
        * layer_overhead_precision_factor
        * layer_overhead_engine_factor
        * layer_overhead_generation_factor
        * layer_overhead_age_factor
    )


@formula(sources=[_FIT])
def decode_step_time(
    decode_matrix_time: Seconds,
    cache_read_time: Seconds,
    decode_reduce_time: Seconds,
    layer_time: Seconds,
    step_overhead: Seconds,
    sequence_overhead: SecondsPerRequest,
    step_batch: Requests,
    attention_data_parallel: Count,
) -> Seconds:
    """One step that gives every running request its next token."""
    return (
        decode_matrix_time
        + cache_read_time
        + decode_reduce_time
        + layer_time
        + step_overhead
        + sequence_overhead * step_batch / attention_data_parallel
    )


@formula(sources=[_SARATHI])
def mixed_prompt_tokens(
    computed_input_tokens: TokensPerRequest, output_tokens: TokensPerRequest, step_batch: Requests, max_num_batched_tokens: Tokens
) -> Tokens:
    """Prompt tokens in a step that carries some: one prompt, or all that arrive in a step, at most the engine's limit."""
    return minimum(computed_input_tokens * maximum(step_batch / maximum(output_tokens, 1), 1), max_num_batched_tokens)


@formula(sources=[_OCCUPANCY])
def mixed_expert_coverage(
    experts: Count, experts_per_token: Count, step_batch: Requests, mixed_prompt_tokens: Tokens, routing_evenness: Ratio
) -> Ratio:
    """Share of experts that a step with prompt tokens reads."""
    return where(
        experts > 0,
        1 - (1 - experts_per_token / maximum(experts, 1)) ** maximum((step_batch + mixed_prompt_tokens) * routing_evenness, 1),
        0,
    )


@formula(sources=[_FIT])
def mixed_memory_time(dense_read_time: Seconds, expert_read_time: Seconds, mixed_expert_coverage: Ratio) -> Seconds:
    """Time to read the weights that a step with prompt tokens needs."""
    return dense_read_time + expert_read_time * mixed_expert_coverage


@formula(sources=[_FIT])
def mixed_compute_time(
    step_batch: Requests,
    mixed_prompt_tokens: Tokens,
    compute_time_per_token: SecondsPerToken,
    head_time_per_token: SecondsPerToken,
) -> Seconds:
    """Time of the matrix multiplications of a step with prompt tokens."""
    return (step_batch + mixed_prompt_tokens) * compute_time_per_token + step_batch * head_time_per_token


@formula(sources=[_FIT])
def mixed_matrix_time(mixed_memory_time: Seconds, mixed_compute_time: Seconds, roofline_sharpness: Ratio) -> Seconds:
    """Weights and compute of a step with prompt tokens together."""
    return (mixed_memory_time**roofline_sharpness + mixed_compute_time**roofline_sharpness) ** (1 / roofline_sharpness)


@formula(sources=[_SARATHI])
def mixed_step_extra(
    mixed_matrix_time: Seconds,
    decode_matrix_time: Seconds,
    reduce_time_per_token: SecondsPerToken,
    mixed_prompt_tokens: Tokens,
    attention_data_parallel: Count,
    prompt_attention_time: Seconds,
    computed_input_tokens: TokensPerRequest,
    layers: Count,
    mixed_layer_overhead: Seconds,
) -> Seconds:
    """What prompt tokens add to a step: their matrices, all-reduces and attention, and kernels of their own in every layer."""
    return maximum(
        0,
        mixed_matrix_time
        - decode_matrix_time
        + reduce_time_per_token * mixed_prompt_tokens / attention_data_parallel
        + prompt_attention_time * mixed_prompt_tokens / computed_input_tokens
        + layers * mixed_layer_overhead,
    )


@formula(sources=[_SARATHI])
def prompt_extra_time(mixed_step_extra: Seconds, computed_input_tokens: TokensPerRequest, mixed_prompt_tokens: Tokens) -> Seconds:
    """Time that one prompt adds to the steps it is spread over."""
    return mixed_step_extra * computed_input_tokens / mixed_prompt_tokens
