"""Host memory of a training node: weights while they load, what is offloaded, and the gathering of a checkpoint."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Ratio, maximum, minimum

_OFFLOAD = cite("ren-2021-zero-offload", "§4")
_ISSUE = cite("deepspeed-issue-3448", "33B at 750 to 800 GB")


@formula(sources=[cite("huggingface-blog-pr-1412", "70B on eight ranks: 2 TB of host memory")])
def host_load_memory(
    parameters: Count, load_element_size: Bytes, loading_ranks: Count, accelerators: Count, accelerators_per_node: Count
) -> Bytes:
    """Host memory of a node while weights load: a full copy for every rank that reads them.

    One rank a node where the others wait on a meta device (loading_ranks 1), every rank of it with naive loading.
    """
    return parameters * load_element_size * minimum(loading_ranks, accelerators, accelerators_per_node)


@formula(sources=[_OFFLOAD])
def host_share(accelerators: Count, accelerators_per_node: Count) -> Ratio:
    """Share of the run's states that one node holds for its accelerators."""
    return minimum(1, accelerators_per_node / accelerators)


@formula(sources=[_OFFLOAD])
def offloaded_parameters(trained_per_rank: Count, tensor_parallel: Count, pipeline_parallel: Count) -> Count:
    """Trained parameters of the whole run whose states lie outside the accelerators."""
    return trained_per_rank * tensor_parallel * pipeline_parallel


@formula(sources=[_OFFLOAD])
def host_optimizer_memory(
    offloaded_parameters: Count,
    optimizer_moments: Count,
    moment_element_size: Bytes,
    gradient_element_size: Bytes,
    host_share: Ratio,
) -> Bytes:
    """Optimizer states in the host memory of a node; none where they are not offloaded to it."""
    return 0 * offloaded_parameters * optimizer_moments * moment_element_size * gradient_element_size * host_share


@formula(of="host_optimizer_memory", when='optimizer_offload == "cpu"', sources=[_OFFLOAD])
def host_optimizer_memory_cpu(
    offloaded_parameters: Count,
    optimizer_moments: Count,
    moment_element_size: Bytes,
    gradient_element_size: Bytes,
    host_share: Ratio,
) -> Bytes:
    """Moments, the master copy in four bytes, and gradients of a node's share."""
    return offloaded_parameters * (optimizer_moments * moment_element_size + 4 + gradient_element_size) * host_share


@formula(of="host_optimizer_memory", when='optimizer_offload == "nvme"', sources=[cite("rajbhandari-2021-zero-infinity", "§5")])
def host_optimizer_memory_nvme(
    offloaded_parameters: Count, gradient_element_size: Bytes, nvme_buffer_share: Ratio, host_share: Ratio
) -> Bytes:
    """Gradients, and the pinned buffers through which states stream to NVMe and back."""
    return offloaded_parameters * (gradient_element_size + nvme_buffer_share * 12) * host_share


@formula(sources=[cite("rajbhandari-2021-zero-infinity", "§5")])
def host_parameter_memory(parameters: Count, weight_element_size: Bytes, host_share: Ratio) -> Bytes:
    """Weights in the host memory of a node; none where they are not offloaded to it."""
    return 0 * parameters * weight_element_size * host_share


@formula(of="host_parameter_memory", when='parameter_offload == "cpu"', sources=[cite("rajbhandari-2021-zero-infinity", "§5")])
def host_parameter_memory_cpu(parameters: Count, weight_element_size: Bytes, host_share: Ratio) -> Bytes:
    """A node's share of the weights, which layers fetch when they run."""
    return parameters * weight_element_size * host_share


@formula(sources=[_ISSUE])
def host_running_memory(
    host_optimizer_memory: Bytes,
    host_parameter_memory: Bytes,
    pinned_factor: Ratio,
    process_memory: Bytes,
    accelerators: Count,
    accelerators_per_node: Count,
) -> Bytes:
    """Host memory of a node between saves: what is offloaded with its pinned buffers, and each rank's process."""
    return (host_optimizer_memory + host_parameter_memory) * pinned_factor + process_memory * minimum(
        accelerators, accelerators_per_node
    )


@formula(sources=[cite("ms-swift-issue-6473", "1.7 TiB at saving")])
def host_save_memory(
    host_running_memory: Bytes,
    host_optimizer_memory: Bytes,
    saved_copies: Ratio,
    parameters: Count,
    weight_element_size: Bytes,
) -> Bytes:
    """Host memory of a node while a checkpoint is saved: gathered weights, and copies of states that lie there."""
    return host_running_memory + maximum(2, weight_element_size) * parameters + saved_copies * host_optimizer_memory


@formula(sources=[_ISSUE])
def training_host_memory(host_load_memory: Bytes, host_running_memory: Bytes, host_save_memory: Bytes) -> Bytes:
    """Host memory a node must have: the most of loading, running and saving."""
    return maximum(host_load_memory, host_running_memory, host_save_memory)
