"""Separate replicas for prompts and for answers: the cache that moves between, how many of each balance, and when it pays."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    BytesPerRequest,
    BytesPerSecond,
    BytesPerToken,
    Count,
    Ratio,
    Requests,
    RequestsPerSecond,
    Seconds,
    TokensPerRequest,
    ceil,
    maximum,
    where,
)

_DISTSERVE = cite("zhong-2024-distserve", "§3: queues of prompts; §3.3: 1.13 GB for 512 tokens of OPT-66B")
_SPLITWISE = cite("patel-2024-splitwise", "transfer of the cache, pools of each phase")


@formula(sources=[_DISTSERVE])
def cache_bytes_per_token(kv_cache_per_token: BytesPerToken, tensor_parallel: Count, pipeline_parallel: Count) -> BytesPerToken:
    """Cache of one token over all accelerators of a replica; copies of heads and latent vectors count each."""
    return kv_cache_per_token * tensor_parallel * pipeline_parallel


@formula(sources=[_DISTSERVE])
def transferred_cache(input_tokens: TokensPerRequest, cache_bytes_per_token: BytesPerToken) -> BytesPerRequest:
    """Cache of a prompt that moves to the replica which answers."""
    return input_tokens * cache_bytes_per_token


@formula(sources=[_DISTSERVE, cite("stas-2026-ml-engineering", "88 % of line rate measured")])
def cache_transfer_time(
    transferred_cache: BytesPerRequest, cache_link_bandwidth: BytesPerSecond, cache_transfer_efficiency: Ratio
) -> Seconds:
    """Time to move one prompt's cache over the link between two replicas, when nothing else is on it.

    cache_link_bandwidth: of all links that a replica sends over together. Layers can be sent while later ones are computed; then
    only the last layer's share of it is felt.
    """
    return transferred_cache / (cache_link_bandwidth * cache_transfer_efficiency)


@formula(sources=[_DISTSERVE])
def cache_transfer_rate(model_calls_per_second: RequestsPerSecond, transferred_cache: BytesPerRequest) -> BytesPerSecond:
    """Bytes a second that caches put on the network between the two pools, all replicas together."""
    return model_calls_per_second * transferred_cache


@formula(sources=[_DISTSERVE])
def prompt_pool_load(model_calls_per_second: RequestsPerSecond, prompt_pool_time: Seconds) -> Count:
    """Replicas that prompts keep busy: calls a second times the seconds of one prompt alone on a replica."""
    return model_calls_per_second * prompt_pool_time


@formula(sources=[_DISTSERVE])
def prompt_replicas(prompt_pool_load: Count, prompt_pool_utilisation: Ratio) -> Count:
    """Replicas that work on prompts, none fuller than the stated share: queues grow fast beyond it."""
    return maximum(1, ceil(prompt_pool_load / prompt_pool_utilisation))


@formula(sources=[_SPLITWISE])
def answer_replicas(
    model_calls_per_second: RequestsPerSecond,
    output_tokens: TokensPerRequest,
    answer_pool_token_time: Seconds,
    answer_batch: Requests,
) -> Count:
    """Replicas that write answers: requests in that phase at once (Little's law), over how many a replica writes at once.

    answer_pool_token_time: seconds per output token at that batch, undisturbed by prompts.
    """
    return maximum(1, ceil(model_calls_per_second * output_tokens * answer_pool_token_time / answer_batch))


@formula(sources=[_DISTSERVE])
def prompt_queue_wait(prompt_pool_load: Count, prompt_replicas: Count, prompt_pool_time: Seconds) -> Seconds:
    """Mean wait for a free prompt replica: random arrivals, prompts of one length, each replica with a queue of its own.

    Without bound where the load is as much as the replicas.
    """
    return where(
        prompt_pool_load < prompt_replicas,
        prompt_pool_load * prompt_pool_time / maximum(2 * (prompt_replicas - prompt_pool_load), 1e-12),
        1e12,
    )


@formula(sources=[_DISTSERVE])
def split_time_to_first_token(prompt_queue_wait: Seconds, prompt_pool_time: Seconds) -> Seconds:
    """Mean time to the first token, which the prompt replica hands out before its cache moves."""
    return prompt_queue_wait + prompt_pool_time


@formula(sources=[_DISTSERVE])
def split_time_per_output_token(
    answer_pool_token_time: Seconds, cache_transfer_time: Seconds, output_tokens: TokensPerRequest
) -> Seconds:
    """Mean time per output token after the first: steps without prompts, and the transfer spread over the answer."""
    return answer_pool_token_time + cache_transfer_time / maximum(output_tokens - 1, 1)


@formula(sources=[_DISTSERVE])
def split_accelerators(
    prompt_replicas: Count, accelerators_per_prompt_replica: Count, answer_replicas: Count, accelerators_per_answer_replica: Count
) -> Count:
    """Accelerators of both pools."""
    return prompt_replicas * accelerators_per_prompt_replica + answer_replicas * accelerators_per_answer_replica


@formula(sources=[_DISTSERVE])
def split_gain(accelerators: Count, split_accelerators: Count) -> Ratio:
    """Accelerators that replicas doing both need, over those of split pools, at the same load and targets.

    Above one the split pays. It does where both targets are tight, since prompts no longer disturb answers; with few replicas it
    seldom does, since each pool is rounded up on its own.
    """
    return accelerators / split_accelerators


@formula(sources=[_SPLITWISE])
def transfer_share(cache_transfer_time: Seconds, prompt_pool_time: Seconds) -> Ratio:
    """Transfer over prompt time; where it comes near one, the link is too slow for splitting."""
    return cache_transfer_time / prompt_pool_time
