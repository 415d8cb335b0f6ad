"""Room for the cache: what each engine's own accounting leaves, and how many tokens and requests that holds."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerRequest,
    BytesPerToken,
    Count,
    Ratio,
    Requests,
    Tokens,
    TokensPerRequest,
    ceil,
    floor,
    maximum,
    minimum,
    total,
    where,
)

_BUDGET = cite("vllm-startup-logs", "budget equation, 15 rows to 0.01 GiB")
_BASES = cite("vllm-startup-logs", "what the fraction means, by engine")


@formula(sources=[cite("vllm-startup-logs", "total memory as reported")])
def usable_memory(reported_memory: Bytes) -> Bytes:
    """Memory of one accelerator as its driver reports it to a process; less than the number on the box."""
    return reported_memory


@formula(sources=[_BUDGET])
def kv_room(
    memory_fraction: Ratio,
    usable_memory: Bytes,
    weights_per_accelerator: Bytes,
    non_torch_memory: Bytes,
    activation_peak: Bytes,
    charged_graphs: Bytes,
    unexplained_share: Ratio,
) -> Bytes:
    """Memory left for the cache on the fullest accelerator, by vLLM's start-up accounting; negative when it cannot start."""
    return (
        memory_fraction * usable_memory
        - weights_per_accelerator
        - non_torch_memory
        - activation_peak
        - charged_graphs
        - unexplained_share * usable_memory
    )


@formula(of="kv_room", when='engine_family == "sglang"', sources=[_BASES])
def kv_room_sglang(
    memory_fraction: Ratio,
    usable_memory: Bytes,
    weights_per_accelerator: Bytes,
    non_torch_memory: Bytes,
    unexplained_share: Ratio,
) -> Bytes:
    """SGLang's static pool less the weights; activations, graphs and workspaces live in the share outside the fraction."""
    return memory_fraction * (usable_memory - non_torch_memory) - weights_per_accelerator - unexplained_share * usable_memory


@formula(of="kv_room", when="engine_family in [tensorrt-llm, lmdeploy]", sources=[_BASES])
def kv_room_of_free(
    memory_fraction: Ratio,
    usable_memory: Bytes,
    weights_per_accelerator: Bytes,
    non_torch_memory: Bytes,
    activation_peak: Bytes,
    unexplained_share: Ratio,
) -> Bytes:
    """A share of the memory still free once weights and activation buffers are loaded, as TensorRT-LLM and LMDeploy count it."""
    return (
        memory_fraction * (usable_memory - weights_per_accelerator - non_torch_memory - activation_peak)
        - unexplained_share * usable_memory
    )


@formula(of="kv_room", when='engine_family == "llama.cpp"', sources=[_BASES])
def kv_room_llama_cpp(
    usable_memory: Bytes,
    weights_per_accelerator: Bytes,
    non_torch_memory: Bytes,
    activation_peak: Bytes,
    unexplained_share: Ratio,
) -> Bytes:
    """Everything that weights, compute buffer and context leave; llama.cpp has no budget and allocates what it is told to."""
    return usable_memory - weights_per_accelerator - non_torch_memory - activation_peak - unexplained_share * usable_memory


@formula(sources=[cite("vllm-startup-logs", "accounting up to 0.20")])
def group_tokens_at_start(max_model_len: TokensPerRequest, group_window: Count) -> TokensPerRequest:
    """Tokens per layer that the engine demands room for before it starts: one request of the longest length, in every layer."""
    return max_model_len + 0 * group_window


@formula(
    of="group_tokens_at_start",
    when="window_aware == 1",
    sources=[cite("vllm-source", "SlidingWindowSpec.max_memory_usage_bytes")],
)
def group_tokens_at_start_windowed(
    max_model_len: TokensPerRequest, group_window: Count, max_num_batched_tokens: Tokens, block_tokens: TokensPerRequest
) -> TokensPerRequest:
    """The same where windows are freed: a windowed layer needs its window, one step's tokens and one more block."""
    return where(
        group_window > 0,
        minimum(max_model_len, group_window - 1 + max_num_batched_tokens) + block_tokens,
        max_model_len,
    )


@formula(sources=[_BUDGET])
def start_request(
    group_layers: Count,
    group_token_bytes: BytesPerToken,
    group_tokens_at_start: TokensPerRequest,
    group_state_per_request: BytesPerRequest,
    block_tokens: TokensPerRequest,
    stage_share: Ratio,
) -> BytesPerRequest:
    """Cache of one request of the longest length, which must fit or the engine refuses to start."""
    return (
        total(
            group_layers * group_token_bytes * ceil(group_tokens_at_start / block_tokens) * block_tokens + group_state_per_request
        )
        * stage_share
    )


@formula(sources=[_BUDGET])
def kv_tokens(kv_room: Bytes, padded_token_bytes: BytesPerToken, block_tokens: TokensPerRequest) -> Tokens:
    """Tokens the engine reports for its pool: whole blocks at the bytes one token takes in all layers."""
    return maximum(0, floor(kv_room / padded_token_bytes / block_tokens) * block_tokens)


@formula(
    of="kv_tokens",
    when='engine_generation == "vllm-v1-graphs-counted"',
    sources=[cite("vllm-startup-logs", "newer versions print concurrency x length")],
)
def kv_tokens_by_concurrency(kv_room: Bytes, start_request: BytesPerRequest, max_model_len: TokensPerRequest) -> Tokens:
    """Tokens newer vLLM reports: requests of the longest length that fit, times that length."""
    return maximum(0, kv_room / start_request * max_model_len)


@formula(sources=[_BUDGET])
def concurrency_room(kv_room: Bytes, kv_cache_per_request: BytesPerRequest) -> Requests:
    """Requests at their full length that one group of ranks holds at once; unbounded for models that cache nothing."""
    return where(kv_cache_per_request > 0, maximum(0, floor(kv_room / kv_cache_per_request)), where(kv_room > 0, 1e9, 0))


@formula(sources=[_BUDGET])
def concurrency_capacity(concurrency_room: Requests, max_num_seqs: Requests, attention_data_parallel: Count) -> Requests:
    """Requests one replica runs at once: what the cache holds, and no more than the engine's limit on sequences."""
    return minimum(concurrency_room, max_num_seqs) * attention_data_parallel


@formula(sources=[_BUDGET])
def context_room(kv_room: Bytes, kv_cache_per_token: BytesPerToken, running_requests: Requests) -> TokensPerRequest:
    """Longest sequence that every running request could reach at once, were no layer windowed."""
    return where(kv_cache_per_token > 0, maximum(0, kv_room / (kv_cache_per_token * running_requests)), 1e9)
