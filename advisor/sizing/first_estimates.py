"""What an engineer works out on the spot before any plan: states, weights, caches, rates and sums of a set-up as it is told.

Coarser than a plan, which counts activations, buffers and reserves of the engine at hand; these are the figures people quote.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    BytesPerToken,
    Count,
    CountPerSecond,
    Dollars,
    DollarsPerSecond,
    FlopPerSecond,
    People,
    Ratio,
    Requests,
    Seconds,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
    Watts,
    floor,
    maximum,
)

_ZERO = cite("rajbhandari-2020-zero", "section 3: two, two and twelve bytes a parameter")
_WEIGHTS = cite("safetensors-format", "header")
_ACTIVATIONS = cite("korthikanti-2022-recomputation", "34 bytes of activations a layer, token and hidden element")


@formula(sources=[_ZERO])
def training_state(parameters: Count, training_bytes_per_parameter: Bytes) -> Bytes:
    """Weights, gradients and optimizer state of training all parameters with Adam, on all cards together.

    Activations come on top, and buffers of the optimizer step and of communication.
    """
    return parameters * training_bytes_per_parameter


@formula(sources=[_ZERO])
def state_sharded_whole(training_state: Bytes, shards: Count) -> Bytes:
    """The same on one card where weights, gradients and optimizer state are all sharded (ZeRO stage 3, FSDP)."""
    return training_state / shards


@formula(sources=[_ZERO])
def state_with_weights_whole(
    parameters: Count, whole_weight_bytes: Bytes, training_bytes_per_parameter: Bytes, shards: Count
) -> Bytes:
    """The same on one card where only gradients and optimizer state are sharded (ZeRO stage 2)."""
    return parameters * (whole_weight_bytes + (training_bytes_per_parameter - whole_weight_bytes) / shards)


@formula(sources=[_ZERO])
def state_with_gradients_whole(
    parameters: Count, whole_weight_bytes: Bytes, training_bytes_per_parameter: Bytes, shards: Count
) -> Bytes:
    """The same on one card where only the optimizer state is sharded (ZeRO stage 1)."""
    return parameters * (2 * whole_weight_bytes + (training_bytes_per_parameter - 2 * whole_weight_bytes) / shards)


@formula(sources=[_ACTIVATIONS])
def recomputed_activations(
    layers: Count, hidden: Count, micro_batch_tokens_trained: Tokens, activation_bytes_per_element: Bytes
) -> Bytes:
    """Activations of one card with checkpointing: the input of each layer at 16 bit, and one layer's own while it is recomputed.

    The sequence must fit one card; sequence or context parallelism divides it.
    """
    return micro_batch_tokens_trained * hidden * (2 * layers + activation_bytes_per_element)


@formula(sources=[_ACTIVATIONS])
def stored_activations(
    layers: Count, hidden: Count, micro_batch_tokens_trained: Tokens, activation_bytes_per_element: Bytes
) -> Bytes:
    """Activations of one card without checkpointing: those of all layers, attention scores left out."""
    return micro_batch_tokens_trained * hidden * layers * activation_bytes_per_element


@formula(sources=[cite("korthikanti-2022-recomputation", "output layer: logits in 32 bit")])
def trained_logits(vocabulary: Count, micro_batch_tokens_trained: Tokens) -> Bytes:
    """Logits of a step and their gradient in 32 bit on one card."""
    return 8 * vocabulary * micro_batch_tokens_trained


@formula(sources=[_WEIGHTS])
def plain_weights(parameters: Count, weight_bits: Count) -> Bytes:
    """Weights at a format's bits, all parameters alike."""
    return parameters * weight_bits / 8


@formula(sources=[_WEIGHTS])
def weights_of_shard(plain_weights: Bytes, shards: Count) -> Bytes:
    """Weights on one card where they are split over several."""
    return plain_weights / shards


@formula(sources=[cite("vllm-issue-4880", "the share of each card that the engine takes")])
def memory_engine_may_use(shards: Count, accelerator_memory: Bytes, memory_fraction: Ratio) -> Bytes:
    """Memory of the cards that an engine may use for weights, its own work and the cache."""
    return shards * accelerator_memory * memory_fraction


@formula(sources=[cite("kwon-2023-pagedattention", "section 3")])
def prompts_cache(kv_cache_per_token: BytesPerToken, prompt_tokens: Tokens) -> Bytes:
    """KV cache of all tokens that are in progress together."""
    return kv_cache_per_token * prompt_tokens


@formula(sources=[cite("kwon-2023-pagedattention", "section 3")])
def weights_and_cache(plain_weights: Bytes, prompts_cache: Bytes) -> Bytes:
    """Weights and KV cache together; the engine's own work takes one to a few gigabytes more."""
    return plain_weights + prompts_cache


@formula(sources=[cite("const-me-whisper-issue-179", "about 4 GB a process")])
def processes_on_card(accelerator_memory: Bytes, memory_fraction: Ratio, memory_per_process: Bytes) -> Count:
    """Processes that the memory of one card holds side by side."""
    return floor(accelerator_memory * memory_fraction / memory_per_process)


@formula(sources=[cite("tensorflow-issue-8858", "two cards and a processor")])
def design_power(accelerators_per_node: Count, power_per_accelerator: Watts, cpu_sockets: Count, power_per_cpu: Watts) -> Watts:
    """Design power of the cards and processors of a machine; peaks of tens of milliseconds go above it."""
    return accelerators_per_node * power_per_accelerator + cpu_sockets * power_per_cpu


@formula(sources=[cite("williams-2009-roofline", "share of the peak")])
def share_of_peak(observed_compute: FlopPerSecond, peak_compute_rate: FlopPerSecond) -> Ratio:
    """Operations per second that were seen, as a share of the data sheet's dense peak."""
    return observed_compute / peak_compute_rate


@formula()
def rent_of_month(accelerators: Count, rent_each: DollarsPerSecond) -> Dollars:
    """Rent of accelerators that run all of a month of 2628000 s (730 h)."""
    return accelerators * rent_each * 2628000


@formula(sources=[cite("horovod-issue-752", "gradients in 32 bit")])
def gradient_message(parameters: Count, gradient_bytes: Bytes) -> Bytes:
    """Gradients that every step exchanges."""
    return parameters * gradient_bytes


@formula()
def observed_step_time(accelerator_batch_samples: Count, observed_samples_per_second: CountPerSecond) -> Seconds:
    """Time of a step on one accelerator, from the rate that was seen."""
    return accelerator_batch_samples / observed_samples_per_second


@formula()
def observed_item_rate(chunks: Count, observed_time: Seconds) -> CountPerSecond:
    """Rate at which a pile was worked through."""
    return chunks / observed_time


@formula(sources=[cite("anthropic-multi-agent", "several calls for each request")])
def calls_in_a_second(task_rate: CountPerSecond, calls_each: Count) -> CountPerSecond:
    """Model calls that requests make where each of them is several."""
    return task_rate * calls_each


@formula(sources=[cite("kwon-2023-pagedattention", "section 3")])
def tokens_of_room(memory_engine_may_use: Bytes, plain_weights: Bytes, kv_cache_per_token: BytesPerToken) -> Tokens:
    """Tokens whose keys and values fit beside the weights; the engine's own work takes some of that room."""
    return maximum(0, memory_engine_may_use - plain_weights) / kv_cache_per_token


@formula(sources=[cite("williams-2009-roofline", "memory bound")])
def one_stream_bound(memory_bandwidth: BytesPerSecond, plain_weights: Bytes) -> TokensPerSecond:
    """Most tokens a second that one stream can get: each token reads all weights once; experts not chosen are left out of it."""
    return memory_bandwidth / plain_weights


@formula(sources=[cite("little-1961", "requests in progress")])
def first_requests_at_once(
    people: People,
    active_share: Ratio,
    requests_per_active_person_per_hour: Count,
    output_tokens: TokensPerRequest,
    token_time: Seconds,
) -> Requests:
    """Requests in progress at once from people: those that arrive in a second, times how long one takes to be written."""
    return people * active_share * requests_per_active_person_per_hour / 3600 * output_tokens * token_time


@formula(sources=[cite("kwon-2023-pagedattention", "section 3")])
def first_count_by_memory(weights_and_cache: Bytes, accelerator_memory: Bytes, memory_fraction: Ratio) -> Count:
    """Accelerators whose memory holds weights and cache; parts of one are kept, to see small differences."""
    return weights_and_cache / (accelerator_memory * memory_fraction)


@formula(sources=[cite("williams-2009-roofline", "memory bound")])
def first_count_by_token_time(weights_and_cache: Bytes, memory_bandwidth: BytesPerSecond, token_time: Seconds) -> Count:
    """Accelerators whose memory is read through once within the time that a token may take."""
    return weights_and_cache / (memory_bandwidth * token_time)


@formula(sources=[cite("narayanan-2021-megatron", "section 5.1: operations of a training run")])
def first_count_by_prompts(
    parameters: Count, prompt_rate: TokensPerSecond, peak_compute_rate: FlopPerSecond, compute_share: Ratio
) -> Count:
    """Accelerators that read the prompts which arrive in a second, two operations for each parameter and token."""
    return 2 * parameters * prompt_rate / (peak_compute_rate * compute_share)


@formula(sources=[cite("narayanan-2021-megatron", "section 5.1: operations of a training run")])
def first_count_by_training_time(
    parameters: Count, trained_tokens: Tokens, finish_within: Seconds, peak_compute_rate: FlopPerSecond, compute_share: Ratio
) -> Count:
    """Accelerators that train the tokens in time, six operations for each parameter and token."""
    return 6 * parameters * trained_tokens / (peak_compute_rate * compute_share * finish_within)


@formula(sources=[cite("little-1961", "requests in progress")])
def first_count(
    first_count_by_memory: Count, first_count_by_token_time: Count, first_count_by_prompts: Count, spare_copies: Count
) -> Count:
    """Accelerators by what binds first, at least one, and the same again for each spare copy."""
    return maximum(1, first_count_by_memory, first_count_by_token_time, first_count_by_prompts) * (1 + spare_copies)


@formula(sources=[cite("narayanan-2021-megatron", "section 5.1: operations of a training run")])
def first_training_count(first_count_by_memory: Count, first_count_by_training_time: Count) -> Count:
    """Accelerators of a run by what binds first, at least one."""
    return maximum(1, first_count_by_memory, first_count_by_training_time)
