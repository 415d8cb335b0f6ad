"""The key-value cache: bytes per token and per request on one accelerator, by attention kind, format and engine.

Group quantities have one value per group of equal layers. Latent (MLA) vectors and recurrent state stand in groups of their own.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerRequest,
    BytesPerToken,
    Count,
    Ratio,
    Requests,
    TokensPerRequest,
    ceil,
    maximum,
    minimum,
    smallest,
    total,
    where,
)

_PAGED = cite("kwon-2023-pagedattention", "§3")
_LOGS = cite("vllm-startup-logs", "cache bytes per token")


@formula(sources=[_PAGED, _LOGS])
def group_attention_bytes(
    group_kv_heads: Count, group_head_dim: Count, group_value_head_dim: Count, kv_bits: Count, tensor_parallel: Count
) -> BytesPerToken:
    """Keys and values of one token in one layer, on one accelerator.

    Under grouped-query attention the KV heads are fewer than the query heads. When tensor parallelism exceeds them, each
    accelerator keeps a copy of one head, so more of it saves no cache.
    """
    return (
        where(group_kv_heads > 0, maximum(1, group_kv_heads / tensor_parallel), 0)
        * (group_head_dim + group_value_head_dim)
        * kv_bits
        / 8
    )


@formula(sources=[cite("vllm-startup-logs", "MLA rows m022, m175")])
def group_latent_bytes(group_latent_width: Count, kv_bits: Count) -> BytesPerToken:
    """The compressed vector that latent attention (MLA) keeps per token and layer; every tensor-parallel rank holds all of it."""
    return group_latent_width * kv_bits / 8


@formula(
    of="group_latent_bytes",
    when=['engine_family == "vllm"', "kv_bits == 8", "sparse_attention == 1"],
    sources=[cite("vllm-startup-logs", "row m027: 656 bytes")],
)
def group_latent_bytes_packed(group_latent_width: Count, kv_bits: Count) -> BytesPerToken:
    """vLLM's 8-bit layout for sparse latent attention: 512 bytes, four 4-byte scales, and the 64 rope elements at 16 bit."""
    return where(group_latent_width > 0, group_latent_width * kv_bits / 8 + 4 * 4 + 64, 0)


@formula(
    of="group_latent_bytes", when='engine_generation == "vllm-v0"', sources=[cite("vllm-startup-logs", "row m151: 78080 bytes")]
)
def group_latent_bytes_padded(group_latent_width: Count, kv_bits: Count) -> BytesPerToken:
    """vLLM's first engine padded the latent vector to a multiple of 128 elements: 576 became 640."""
    return ceil(group_latent_width / 128) * 128 * kv_bits / 8


@formula(sources=[cite("vllm-startup-logs", "row m027: 132 bytes")])
def group_indexer_bytes(group_indexer_width: Count) -> BytesPerToken:
    """Keys of a sparse-attention indexer per token and layer: 8 bit an element and one 4-byte scale."""
    return where(group_indexer_width > 0, group_indexer_width + 4, 0)


@formula(sources=[_LOGS])
def group_token_bytes(
    group_attention_bytes: BytesPerToken,
    group_latent_bytes: BytesPerToken,
    group_indexer_bytes: BytesPerToken,
    group_compressed_ratio: Ratio,
    group_cached: Count,
) -> BytesPerToken:
    """What one token adds to the cache in one layer of the group, on one accelerator, before any window is full."""
    return group_cached * (group_attention_bytes + group_latent_bytes + group_indexer_bytes) / group_compressed_ratio


@formula(sources=[_PAGED, _LOGS])
def kv_cache_per_token(group_layers: Count, group_token_bytes: BytesPerToken, stage_share: Ratio) -> BytesPerToken:
    """Cache that one token takes on the fullest accelerator while the sequence is shorter than every window."""
    return total(group_layers * group_token_bytes) * stage_share


@formula(sources=[_LOGS])
def sequence_tokens(input_tokens: TokensPerRequest, output_tokens: TokensPerRequest) -> TokensPerRequest:
    """Tokens of a request at its end: prompt and answer together."""
    return input_tokens + output_tokens


@formula(sources=[cite("vllm-startup-logs", "sliding-window accounting by version")])
def group_tokens_kept(group_window: Count, window_aware: Count, sequence_tokens: TokensPerRequest) -> TokensPerRequest:
    """Tokens of one request that a layer keeps: all, or the window where the engine frees what slid out of it."""
    return where((group_window > 0) & (window_aware > 0), minimum(group_window, sequence_tokens), sequence_tokens)


@formula(sources=[_LOGS])
def group_state_per_request(
    group_layers: Count,
    group_state_bytes: BytesPerRequest,
    group_cross_tokens: TokensPerRequest,
    group_attention_bytes: BytesPerToken,
    tensor_parallel: Count,
) -> BytesPerRequest:
    """What a request holds whatever its length: recurrent state, and the keys and values of an encoder's output."""
    return group_layers * (group_state_bytes / tensor_parallel + group_cross_tokens * group_attention_bytes)


@formula(sources=[_PAGED, _LOGS])
def kv_cache_per_request(
    group_layers: Count,
    group_token_bytes: BytesPerToken,
    group_tokens_kept: TokensPerRequest,
    group_state_per_request: BytesPerRequest,
    block_tokens: TokensPerRequest,
    stage_share: Ratio,
) -> BytesPerRequest:
    """Cache one request holds at its end on the fullest accelerator: whole blocks in every layer, and its fixed state."""
    return (
        total(group_layers * group_token_bytes * ceil(group_tokens_kept / block_tokens) * block_tokens + group_state_per_request)
        * stage_share
    )


@formula(sources=[_LOGS])
def kv_cache(
    kv_cache_per_request: BytesPerRequest,
    concurrent_requests: Requests,
    accelerators_per_replica: Count,
    attention_data_parallel: Count,
) -> Bytes:
    """Cache of the whole load, over all accelerators together, were it on one replica.

    Copies of shared heads and of latent vectors on tensor-parallel ranks are counted as often as they exist.
    """
    return kv_cache_per_request * concurrent_requests * accelerators_per_replica / attention_data_parallel


@formula(sources=[cite("vllm-startup-logs", "gemma-3 row m155: 62 layers counted as 70")])
def rarest_cached_layers(group_layers: Count, group_cached: Count) -> Count:
    """Layers of the smallest group that caches tokens; vLLM sizes its page groups by it."""
    return smallest(where(group_cached > 0, group_layers, 1e9))


@formula(sources=[cite("vllm-startup-logs", "gemma-3 row m155: 62 layers counted as 70")])
def padded_token_bytes(
    group_layers: Count, group_token_bytes: BytesPerToken, rarest_cached_layers: Count, stage_share: Ratio
) -> BytesPerToken:
    """Bytes per token by which vLLM up to 0.20 reports a pool: every kind of layer rounded up to the rarest kind's count."""
    return total(ceil(group_layers / rarest_cached_layers) * rarest_cached_layers * group_token_bytes) * stage_share
