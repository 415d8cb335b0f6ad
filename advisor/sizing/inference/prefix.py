"""Prefix caching: how much of a prompt is found instead of computed, what is left to compute, and the memory that keeps it.

The fact `prefix_from` says why prompts begin alike: "shared" (instructions, tools and examples that all requests begin with),
"turns" (a conversation or an agent whose context grows by what was said), or "none".
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerToken,
    Count,
    Ratio,
    Requests,
    Tokens,
    TokensPerRequest,
    maximum,
    minimum,
    where,
)

_RADIX = cite("zheng-2023-sglang", "shared prefixes in a radix tree")
_TRACES = cite("mooncake-traces", "prefixes are reused")
_WILD = cite("kv-cache-in-the-wild-2025", "reuse is skewed, moderate caches suffice")


@formula(of="prefix_hit_share", when='prefix_from == "shared"', sources=[_RADIX])
def prefix_hit_share_of_shared(
    shared_prefix_tokens: TokensPerRequest, input_tokens: TokensPerRequest, prefix_kept_share: Ratio
) -> Ratio:
    """Share of prompt tokens found in the cache when all requests begin with the same tokens.

    prefix_kept_share: share of requests that still find them, near one while the replica is busy. Requests must reach a replica
    that has the prefix, and blocks are found whole only.
    """
    return prefix_kept_share * minimum(shared_prefix_tokens, input_tokens) / input_tokens


@formula(of="prefix_hit_share", when='prefix_from == "turns"', sources=[_TRACES, _WILD])
def prefix_hit_share_of_turns(task_input_tokens: Tokens, new_input_tokens: Tokens, prefix_kept_share: Ratio) -> Ratio:
    """Share of prompt tokens found in the cache when each turn repeats all before it and adds to it.

    prefix_kept_share: share of turns whose past is still in the cache, which needs a session to come back to its replica before
    its blocks are dropped.
    """
    return prefix_kept_share * maximum(0, 1 - new_input_tokens / task_input_tokens)


@formula(of="prefix_hit_share", sources=[_RADIX])
def prefix_hit_share_of_nothing(input_tokens: TokensPerRequest) -> Ratio:
    """Nothing is found where prompts have nothing in common."""
    return 0 * input_tokens


@formula(sources=[_TRACES])
def new_input_tokens(turns: Count, base_context_tokens: Tokens, added_tokens_per_turn: Tokens) -> Tokens:
    """Prompt tokens of a task that no earlier turn computed: the first context, and what each later turn adds.

    added_tokens_per_turn: the last answer with the tool's result or the next question.
    """
    return base_context_tokens + added_tokens_per_turn * maximum(turns - 1, 0)


@formula(sources=[_RADIX])
def computed_input_tokens(input_tokens: TokensPerRequest, prefix_hit_share: Ratio) -> TokensPerRequest:
    """Prompt tokens that a request really has computed; what prefill time and compute follow, while its cache holds them all."""
    return input_tokens * (1 - prefix_hit_share)


@formula(sources=[_RADIX])
def shared_prefix_memory(shared_prefix_tokens: TokensPerRequest, kv_cache_per_token: BytesPerToken) -> Bytes:
    """Cache of a prefix that all requests share: it stands once on each accelerator, however many requests use it."""
    return shared_prefix_tokens * kv_cache_per_token


@formula(sources=[_RADIX])
def cache_saved_by_prefix(shared_prefix_memory: Bytes, running_requests: Requests, prefix_kept_share: Ratio) -> Bytes:
    """Cache that sharing a prefix frees on one accelerator, against each running request holding a copy."""
    return shared_prefix_memory * prefix_kept_share * maximum(0, running_requests - 1)


@formula(sources=[_WILD])
def waiting_sessions_cache(
    waiting_sessions: Requests, session_tokens: TokensPerRequest, kv_cache_per_token: BytesPerToken
) -> Bytes:
    """Cache that sessions hold while nothing of theirs runs (people type, tools work), were all to find their past again.

    On the replicas' accelerators together, or in host memory where the engine can move it there.
    """
    return waiting_sessions * session_tokens * kv_cache_per_token


@formula(sources=[_WILD])
def kept_sessions_share(idle_cache: Bytes, waiting_sessions_cache: Bytes) -> Ratio:
    """Share of waiting sessions whose past the idle cache keeps, were each as likely to come back as the next."""
    return where(waiting_sessions_cache > 0, minimum(1, idle_cache / maximum(waiting_sessions_cache, 1)), 1)
