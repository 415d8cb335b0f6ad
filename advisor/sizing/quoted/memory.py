"""Memory of a quoted configuration against the models it is bought for, and the speed that memory bounds."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerSecond, Count, FlopPerSecond, Ratio, Seconds, Tokens, TokensPerSecond, maximum

_STATES = cite("rajbhandari-2020-zero", "section 3: 2 + 2 + 12 bytes a parameter")
_SPARK = cite("dgx-spark-playbooks-79", "40.6 GB a token at 273 GB/s")


@formula(sources=[cite("deepseek-r1-issue-588", "671 GB of FP8 weights on 640 GB")])
def quoted_memory_use(wanted_memory: Bytes, quoted_gpu_memory_total: Bytes) -> Ratio:
    """Weights of the largest model wanted, as a share of all accelerators' memory."""
    return wanted_memory / quoted_gpu_memory_total


@formula(sources=[cite("deepseek-r1-issue-588", "671 GB of FP8 weights on 640 GB")])
def quoted_smallest_memory_use(smallest_wanted_memory: Bytes, quoted_gpu_memory_total: Bytes) -> Ratio:
    """Weights of the smallest model wanted, as a share of all accelerators' memory."""
    return smallest_wanted_memory / quoted_gpu_memory_total


@formula(sources=[cite("nixos-config-1395", "18 GB of weights on 8 + 12 GB")])
def quoted_stated_weights_share(quoted_stated_weights: Bytes, quoted_gpu_memory_total: Bytes) -> Ratio:
    """Stated size of the weights, as a share of all accelerators' memory."""
    return quoted_stated_weights / quoted_gpu_memory_total


@formula(sources=[_STATES])
def quoted_training_state(wanted_parameters: Count, quoted_training_bytes_per_parameter: Bytes) -> Bytes:
    """Weights, gradients and optimizer state of mixed-precision training with Adam."""
    return wanted_parameters * quoted_training_bytes_per_parameter


@formula(sources=[_STATES])
def quoted_training_memory_use(quoted_training_state: Bytes, quoted_gpu_memory_total: Bytes) -> Ratio:
    """Training state, as a share of all accelerators' memory, sharded over all of them."""
    return quoted_training_state / quoted_gpu_memory_total


@formula(sources=[_STATES])
def quoted_checkpoint_size(wanted_parameters: Count, quoted_checkpoint_bytes_per_parameter: Bytes) -> Bytes:
    """One checkpoint: weights and optimizer state."""
    return wanted_parameters * quoted_checkpoint_bytes_per_parameter


@formula(sources=[_STATES])
def quoted_checkpoints_share(
    quoted_checkpoint_size: Bytes, quoted_kept_checkpoint_count: Count, quoted_total_storage: Bytes
) -> Ratio:
    """The checkpoints kept, as a share of all storage quoted."""
    return quoted_checkpoint_size * quoted_kept_checkpoint_count / quoted_total_storage


@formula(sources=[cite("stas-2026-ml-engineering", "compute/cpu: host memory at least that of the accelerators")])
def quoted_memory_ratio(quoted_host_memory: Bytes, quoted_gpu_memory: Bytes) -> Ratio:
    """Host memory of a node over the memory of its accelerators."""
    return quoted_host_memory / quoted_gpu_memory


@formula(sources=[_SPARK])
def quoted_token_rate_bound(quoted_gpu_bandwidth: BytesPerSecond, smallest_wanted_memory: Bytes) -> TokensPerSecond:
    """Most tokens per second of one request of a dense model: every weight is read once a token."""
    return quoted_gpu_bandwidth / smallest_wanted_memory


@formula(sources=[cite("kwon-2023-pagedattention", "section 2")])
def quoted_prefill_time(
    smallest_wanted_parameters: Count,
    quoted_context_tokens: Tokens,
    quoted_gpu_compute: FlopPerSecond,
    quoted_compute_share: Ratio,
) -> Seconds:
    """Time to read a whole prompt: two operations for each parameter and token, at the share of the peak that is reached."""
    return 2 * smallest_wanted_parameters * quoted_context_tokens / (quoted_gpu_compute * quoted_compute_share)


@formula(sources=[cite("deepseek-r1-issue-588", "weights and cache share the memory")])
def quoted_memory_over_need(quoted_gpu_memory_total: Bytes, wanted_parameters: Count) -> Ratio:
    """All accelerators' memory over the weights of the largest model wanted in 16 bits."""
    return quoted_gpu_memory_total / (2 * wanted_parameters)


@formula(sources=[cite("gem-bid-2025", "2 x 140 GB or 4 x 94 GB")])
def quoted_option_ratio(quoted_least_option_memory: Bytes, quoted_most_option_memory: Bytes) -> Ratio:
    """Memory of the smallest option over that of the largest."""
    return quoted_least_option_memory / maximum(quoted_most_option_memory, 1)


@formula(sources=[cite("deepseek-r1-issue-588", "weights of 671 GB")])
def quoted_storage_use(wanted_memory: Bytes, quoted_total_storage: Bytes) -> Ratio:
    """Weights of the largest model wanted, as a share of all storage quoted."""
    return wanted_memory / quoted_total_storage
