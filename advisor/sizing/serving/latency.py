"""What users see: time to first token, time per output token, request latency and throughput, as benchmark tools define them."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Count,
    Ratio,
    Requests,
    RequestsPerSecond,
    Seconds,
    SecondsPerToken,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
    maximum,
    minimum,
    where,
)

_FIT = cite("serving-measurements", "fit of serving speed")
_SARATHI = cite("agrawal-2024-sarathi-serve", "chunked prefill beside decodes")
_DEFINITIONS = cite("serving-measurements", "definitions of the benchmark tools")


@formula(sources=[_SARATHI, _DEFINITIONS])
def time_per_output_token(
    decode_step_time: Seconds,
    prefill_interference: Ratio,
    step_batch: Requests,
    output_tokens: TokensPerRequest,
    prompt_extra_time: Seconds,
) -> Seconds:
    """Mean time of a request's output tokens after the first: a decode step, lengthened by other requests' prompts.

    In steady state one new prompt comes with every output_tokens steps of each other request.
    """
    return decode_step_time + prefill_interference * maximum(step_batch - 1, 0) / maximum(output_tokens, 1) * prompt_extra_time


@formula(sources=[_FIT])
def prompt_chunk(computed_input_tokens: TokensPerRequest, max_num_batched_tokens: Tokens) -> Tokens:
    """Tokens of a prompt that one step takes at the most."""
    return minimum(computed_input_tokens, max_num_batched_tokens)


@formula(sources=[_FIT])
def chunk_expert_coverage(experts: Count, experts_per_token: Count, prompt_chunk: Tokens, routing_evenness: Ratio) -> Ratio:
    """Share of experts that a piece of a prompt visits."""
    return where(experts > 0, 1 - (1 - experts_per_token / maximum(experts, 1)) ** maximum(prompt_chunk * routing_evenness, 1), 0)


@formula(sources=[_FIT])
def chunk_memory_time(dense_read_time: Seconds, expert_read_time: Seconds, chunk_expert_coverage: Ratio) -> Seconds:
    """Time to read the weights that a piece of a prompt needs."""
    return dense_read_time + expert_read_time * chunk_expert_coverage


@formula(sources=[_FIT])
def prefill_time(
    computed_input_tokens: TokensPerRequest,
    prompt_chunk: Tokens,
    chunk_memory_time: Seconds,
    compute_time_per_token: SecondsPerToken,
    roofline_sharpness: Ratio,
    reduce_latency: Seconds,
    reduce_time_per_token: SecondsPerToken,
    prompt_attention_time: Seconds,
    layers: Count,
    prefill_layer_overhead: Seconds,
    stage_ranks: Count,
    prefill_rank_growth: Ratio,
) -> Seconds:
    """Time to read one prompt on an idle replica, in as many pieces as the engine's limit makes of it."""
    return (
        computed_input_tokens
        / prompt_chunk
        * (
            (chunk_memory_time**roofline_sharpness + (prompt_chunk * compute_time_per_token) ** roofline_sharpness)
            ** (1 / roofline_sharpness)
            + reduce_latency
            + reduce_time_per_token * prompt_chunk
        )
        + prompt_attention_time
        + layers * prefill_layer_overhead * stage_ranks**prefill_rank_growth
    )


@formula(sources=[_FIT])
def waiting_rounds(running_requests: Requests, running_batch: Requests, all_at_once: Ratio) -> Ratio:
    """Whole requests in front of a new one, where more clients ask than the replica runs; half as many where all came at once."""
    return maximum(running_requests / running_batch - 1, 0) * where(all_at_once > 0, 0.5, 1)


@formula(sources=[_FIT])
def burst_share(queue_share: Ratio, requests_per_client: Count, all_at_once: Ratio) -> Ratio:
    """Share of the other clients' prompts that stand in front of a request on the mean.

    Benchmarks start all clients at once and send ten requests with each, so a tenth of the requests waits behind that burst;
    steady traffic forgets it.
    """
    return queue_share * 10 / requests_per_client + where(all_at_once > 0, 0.5, 0)


@formula(sources=[_SARATHI])
def prompt_turn_time(
    decode_step_time: Seconds, mixed_step_extra: Seconds, computed_input_tokens: TokensPerRequest, mixed_prompt_tokens: Tokens
) -> Seconds:
    """Time that one prompt in front takes: the steps that it is spread over, each with the decodes beside it."""
    return (decode_step_time + mixed_step_extra) * computed_input_tokens / mixed_prompt_tokens


@formula(sources=[_FIT, _DEFINITIONS])
def time_to_first_token(
    request_overhead: Seconds,
    prompt_token_overhead: SecondsPerToken,
    input_tokens: TokensPerRequest,
    prefill_time: Seconds,
    steps_waited: Count,
    decode_step_time: Seconds,
    burst_share: Ratio,
    step_batch: Requests,
    prompt_turn_time: Seconds,
    waiting_rounds: Ratio,
    output_tokens: TokensPerRequest,
    time_per_output_token: Seconds,
) -> Seconds:
    """From sending a request to its first token: fixed cost, its own prompt, steps under way, prompts and requests in front."""
    return (
        request_overhead
        + prompt_token_overhead * input_tokens
        + prefill_time
        + steps_waited * time_per_output_token
        + burst_share * maximum(step_batch - 1, 0) * prompt_turn_time
        + waiting_rounds * (prefill_time + (output_tokens - 1) * time_per_output_token)
    )


@formula(sources=[_DEFINITIONS])
def request_latency(time_to_first_token: Seconds, output_tokens: TokensPerRequest, time_per_output_token: Seconds) -> Seconds:
    """From sending a request to its last token."""
    return time_to_first_token + maximum(output_tokens - 1, 0) * time_per_output_token


@formula(sources=[cite("little-1961", "L = λ W")])
def request_rate(running_requests: Requests, replicas: Count, request_latency: Seconds) -> RequestsPerSecond:
    """Requests per second that all replicas finish when as many are always in flight."""
    return running_requests * replicas / request_latency


@formula(sources=[cite("little-1961", "L = λ W")])
def output_token_rate(request_rate: RequestsPerSecond, output_tokens: TokensPerRequest) -> TokensPerSecond:
    """Output tokens per second of all replicas at this load."""
    return request_rate * output_tokens


@formula(sources=[_FIT])
def offline_token_rate(
    replicas: Count,
    step_batch: Requests,
    pipeline_parallel: Count,
    output_tokens: TokensPerRequest,
    decode_step_time: Seconds,
    prefill_interference: Ratio,
    prompt_extra_time: Seconds,
    achieved_share: Ratio,
    pipeline_efficiency: Ratio,
) -> TokensPerSecond:
    """Output tokens per second of replicas that are always full: a batch's answers over its steps and its prompts."""
    return (
        replicas
        * achieved_share
        * step_batch
        * output_tokens
        / (output_tokens * decode_step_time + step_batch * prefill_interference * prompt_extra_time)
        * where(pipeline_parallel > 1, pipeline_parallel * pipeline_efficiency, 1)
    )


@formula(sources=[_FIT])
def batch_prefill_time(
    step_batch: Requests,
    computed_input_tokens: TokensPerRequest,
    max_num_batched_tokens: Tokens,
    dense_read_time: Seconds,
    expert_read_time: Seconds,
    compute_time_per_token: SecondsPerToken,
    head_time_per_token: SecondsPerToken,
    reduce_latency: Seconds,
    reduce_time_per_token: SecondsPerToken,
    prompt_attention_time: Seconds,
    layers: Count,
    prefill_layer_overhead: Seconds,
) -> Seconds:
    """Time to read all prompts of a static batch."""
    return (
        maximum(1, step_batch * computed_input_tokens / maximum(max_num_batched_tokens, computed_input_tokens))
        * (dense_read_time + expert_read_time + reduce_latency)
        + step_batch * computed_input_tokens * (compute_time_per_token + reduce_time_per_token)
        + step_batch * (head_time_per_token + prompt_attention_time)
        + layers * prefill_layer_overhead
    )


@formula(sources=[_FIT])
def batch_first_token(call_overhead: Seconds, batch_prefill_time: Seconds) -> Seconds:
    """Time until a static batch has its first tokens."""
    return call_overhead + batch_prefill_time


@formula(sources=[_FIT])
def batch_latency(
    call_overhead: Seconds,
    running_requests: Requests,
    running_batch: Requests,
    batch_prefill_time: Seconds,
    output_tokens: TokensPerRequest,
    decode_step_time: Seconds,
) -> Seconds:
    """Time of a static batch from start to end, in several rounds where it does not fit at once."""
    return call_overhead + maximum(running_requests / running_batch, 1) * (
        batch_prefill_time + maximum(output_tokens - 1, 0) * decode_step_time
    )
