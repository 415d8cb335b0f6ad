"""Host processors and memory of a node: data loading, tokenising, engine processes, offload, and models that run on the CPU."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    Count,
    CountPerSecond,
    Ratio,
    Seconds,
    TokensPerSecond,
    ceil,
    maximum,
    where,
)

_CORES = cite("stas-2026-ml-engineering", "compute/cpu")
_HOST_MEMORY = cite("stas-2026-ml-engineering", "compute/cpu-memory")
_ENGINE = cite("vllm-optimization-docs", "CPU resources for GPU deployments")
_RATES = cite("host-measurements", "rates of one core")


@formula(sources=[_CORES])
def training_host_cores(accelerators_per_node: Count, loader_workers_per_accelerator: Count, system_cores: Count) -> Count:
    """Physical cores a training node needs by the number of its processes: a trainer and its loader workers per accelerator.

    Says nothing of how fast the workers are; node_loader_cores does, and the larger of the two counts.
    """
    return accelerators_per_node * (loader_workers_per_accelerator + 1) + system_cores


@formula(sources=[cite("mlperf-storage", "batch and time of a step")])
def samples_per_accelerator(accelerator_batch_samples: Count, accelerator_step_time: Seconds) -> CountPerSecond:
    """Samples one accelerator takes in a second while it never waits for data."""
    return accelerator_batch_samples / accelerator_step_time


@formula(sources=[cite("mlperf-storage", "batch and time of a step")])
def node_samples_per_second(accelerators_per_node: Count, samples_per_accelerator: CountPerSecond) -> CountPerSecond:
    """Samples the loaders of one node must hand over in a second to keep its accelerators busy."""
    return accelerators_per_node * samples_per_accelerator


@formula(sources=[_RATES])
def loader_core_load(node_samples_per_second: CountPerSecond, samples_per_core: CountPerSecond) -> Count:
    """Cores kept fully busy by decoding and preparing samples.

    The rate of one core holds for one decoder, size of picture and chain of transformations: measure it. Many workers are slower
    than as many times one, since they share memory bandwidth.
    """
    return node_samples_per_second / samples_per_core


@formula(sources=[_RATES, cite("pytorch-examples-issue-387", "32 CPUs and more for eight GPUs")])
def node_loader_cores(loader_core_load: Count, core_utilisation: Ratio) -> Count:
    """Cores to plan for data loading, so that they need not be busy all the time."""
    return ceil(loader_core_load / core_utilisation)


@formula(sources=[_ENGINE])
def engine_processes(accelerators_per_node: Count, engines_per_node: Count) -> Count:
    """Processes that serving engines run on a node: a worker per accelerator, and a front end and a scheduler per engine.

    The scheduler spins; with fewer physical cores than processes, time to first token and throughput suffer at once.
    """
    return accelerators_per_node + 2 * engines_per_node


@formula(sources=[_RATES])
def tokenising_core_load(node_token_rate: TokensPerSecond, tokenised_tokens_per_core: TokensPerSecond) -> Count:
    """Cores kept busy by turning text into tokens and back; node_token_rate counts prompt and answer."""
    return node_token_rate / tokenised_tokens_per_core


@formula(sources=[_ENGINE])
def serving_host_cores(
    engine_processes: Count, tokenising_core_load: Count, processing_cores: Count, core_utilisation: Ratio, system_cores: Count
) -> Count:
    """Physical cores a serving node needs; processing_cores is what other work on requests takes (documents, images, guards)."""
    return engine_processes + ceil((tokenising_core_load + processing_cores) / core_utilisation) + system_cores


@formula(sources=[cite("huggingface-tokenizers", "a gigabyte of text in under 20 seconds")])
def tokenising_time(corpus_bytes: Bytes, tokenising_bandwidth: BytesPerSecond) -> Seconds:
    """Time to tokenise a corpus once, on all cores together."""
    return corpus_bytes / tokenising_bandwidth


@formula()
def service_nodes(
    service_cores: Count,
    service_memory: Bytes,
    service_node_cores: Count,
    service_node_memory: Bytes,
    standing_service_nodes: Count,
) -> Count:
    """Nodes without accelerators for gateways, schedulers, monitoring, databases and preprocessing.

    standing_service_nodes: the least that must stand so that one may fail. On accelerator nodes these services would compete with
    data loading for cores.
    """
    return maximum(ceil(service_cores / service_node_cores), ceil(service_memory / service_node_memory), standing_service_nodes)


@formula()
def node_accelerator_memory(accelerators_per_node: Count, accelerator_memory: Bytes) -> Bytes:
    """Memory of all accelerators of a node."""
    return accelerators_per_node * accelerator_memory


@formula(sources=[_HOST_MEMORY])
def host_memory_floor(node_accelerator_memory: Bytes, host_memory_floor_ratio: Ratio) -> Bytes:
    """Least host memory of a node, whatever runs on it: weights and optimizer states pass through it on load and save."""
    return node_accelerator_memory * host_memory_floor_ratio


@formula(sources=[cite("huggingface-blog-pr-1412", "2 TB for 70B parameters on eight ranks")])
def loading_memory(loading_ranks: Count, parameters: Count, loading_element_size: Bytes) -> Bytes:
    """Host memory taken while a model loads; loading_ranks is how many processes of the node build the whole model.

    One where the first rank loads and the others wait, all ranks where a script loads naively, none on a meta device.
    """
    return loading_ranks * parameters * loading_element_size


@formula(sources=[cite("deepspeed-issue-3448", "33B parameters"), cite("ms-swift-issue-6473", "peak while saving")])
def offload_memory(offloaded_parameters: Count, offload_bytes_per_parameter: Bytes) -> Bytes:
    """Host memory of optimizer states and parameters offloaded from the accelerators of a node.

    The states alone are 12 to 18 bytes a parameter; pinned buffers take as much again, and gathering for a save more than that.
    """
    return offloaded_parameters * offload_bytes_per_parameter


@formula()
def loader_memory(
    accelerators_per_node: Count,
    loader_workers_per_accelerator: Count,
    prefetched_batches: Count,
    accelerator_batch_samples: Count,
    decoded_sample_bytes: Bytes,
    worker_memory: Bytes,
) -> Bytes:
    """Host memory of loader workers: the process of each, and the decoded batches it holds ready."""
    return (
        accelerators_per_node
        * loader_workers_per_accelerator
        * (worker_memory + prefetched_batches * accelerator_batch_samples * decoded_sample_bytes)
    )


@formula(sources=[_HOST_MEMORY])
def host_memory_needed(
    system_memory: Bytes,
    page_cache: Bytes,
    loading_memory: Bytes,
    loader_memory: Bytes,
    offload_memory: Bytes,
    host_cache_memory: Bytes,
) -> Bytes:
    """Host memory the work of a node takes.

    page_cache: files worth keeping in memory (model weights for quick restarts, a hot data set); host_cache_memory: key-value
    cache or a vector index held there. Engines may load beside running ones, so loading counts as well.
    """
    return system_memory + page_cache + loading_memory + loader_memory + offload_memory + host_cache_memory


@formula(sources=[_HOST_MEMORY])
def host_memory_planned(host_memory_needed: Bytes, host_memory_floor: Bytes) -> Bytes:
    """Host memory to plan for a node: what its work takes, but not less than the floor."""
    return maximum(host_memory_needed, host_memory_floor)


@formula(sources=[cite("llama-cpp-issue-1437", "channels of each board")])
def memory_modules(host_memory_planned: Bytes, memory_module_size: Bytes, cpu_sockets: Count, memory_channels: Count) -> Count:
    """Memory modules of a node with all channels of all sockets filled alike; an empty channel costs bandwidth."""
    return ceil(host_memory_planned / (memory_module_size * cpu_sockets * memory_channels)) * cpu_sockets * memory_channels


@formula()
def host_memory_installed(memory_modules: Count, memory_module_size: Bytes) -> Bytes:
    """Host memory of a node as its modules make it."""
    return memory_modules * memory_module_size


@formula(sources=[_HOST_MEMORY])
def host_memory_per_accelerator_memory(host_memory: Bytes, node_accelerator_memory: Bytes) -> Ratio:
    """Host memory of a node over the memory of its accelerators."""
    return host_memory / node_accelerator_memory


@formula(sources=[cite("llama-cpp-issue-1437", "51, 154 and 922 GB/s")])
def socket_memory_bandwidth(memory_channels: Count, memory_transfers_per_second: CountPerSecond) -> BytesPerSecond:
    """Peak bandwidth of the memory of one socket.

    A channel is 8 bytes wide, and DDR5-4800 makes 4800 million transfers a second.
    """
    return memory_channels * memory_transfers_per_second * 8


@formula(sources=[cite("llama-cpp-issue-1437", "51, 154 and 922 GB/s")])
def host_memory_bandwidth(cpu_sockets: Count, socket_memory_bandwidth: BytesPerSecond) -> BytesPerSecond:
    """Peak bandwidth of the memory of all sockets; a process that spans sockets does not see it."""
    return cpu_sockets * socket_memory_bandwidth


@formula(sources=[cite("vllm-issue-7379", "8B parameters in fp32 at 40 GB/s"), cite("williams-2009-roofline", "memory bound")])
def processor_decode_bound(processor_bandwidth: BytesPerSecond, active_weights: Bytes) -> TokensPerSecond:
    """Most tokens a second that one sequence can get from a processor: each reads the active weights once.

    processor_bandwidth is that of the socket the process is pinned to, at the rate it was measured at, or its peak for a bound.
    """
    return processor_bandwidth / active_weights


@formula(sources=[cite("llamafile-issue-765", "4 tokens/s on two sockets, 8 on one")])
def processor_decode_rate(
    processor_decode_bound: TokensPerSecond, sockets_spanned: Count, cross_socket_factor: Ratio
) -> TokensPerSecond:
    """The same when the process spans sockets: traffic between them makes it slower, not faster."""
    return processor_decode_bound * where(sockets_spanned > 1, cross_socket_factor, 1)
