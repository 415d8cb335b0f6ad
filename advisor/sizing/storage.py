"""Storage in three tiers: object store, shared file system, and drives inside the nodes; how much each holds and how fast it is.

Sizes are what applications see; usable_fraction and redundancy turn them into what is bought.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerRequest,
    BytesPerSecond,
    BytesPerSecondPerByte,
    Count,
    CountPerSecond,
    Ratio,
    RequestsPerSecond,
    Seconds,
    ceil,
    maximum,
    minimum,
)

_BEKMAN = cite("stas-2026-ml-engineering", "storage")
_READS = cite("distributed-training-book", "chapter 3a")
_MLPERF = cite("mlperf-storage", "configs/dlio/workload")


@formula(sources=[_MLPERF, _READS])
def loader_read_rate(
    accelerators: Count,
    samples_per_accelerator: CountPerSecond,
    sample_bytes: Bytes,
    read_amplification: Ratio,
    accelerator_busy_share: Ratio,
) -> BytesPerSecond:
    """Bytes a second that data loaders read from storage, over all accelerators.

    accelerator_busy_share: the part of their time that accelerators are to compute; a benchmark passes at 0.9 or 0.7. Samples
    that stay in the page cache after the first epoch are read from it and not counted out here.
    """
    return accelerators * samples_per_accelerator * sample_bytes * read_amplification * accelerator_busy_share


@formula(sources=[cite("distributed-training-book", "chapter 3a, exercise 3")])
def staging_time(staged_bytes: Bytes, staging_rate: BytesPerSecond) -> Seconds:
    """Time to copy a data set from a slow tier to a fast one before work can begin."""
    return staged_bytes / staging_rate


@formula(sources=[_BEKMAN])
def block_amplification(file_bytes: Bytes, block_bytes: Bytes) -> Ratio:
    """Space that small files take over their own size where a file system gives out whole blocks."""
    return ceil(file_bytes / block_bytes) * block_bytes / file_bytes


@formula()
def log_bytes_per_day(mean_requests_per_second: RequestsPerSecond, log_bytes_per_request: BytesPerRequest) -> Bytes:
    """Logs written in a day of 86400 s; prompts and answers dominate where they are kept."""
    return mean_requests_per_second * log_bytes_per_request * 86400


@formula()
def snapshot_share(daily_change_share: Ratio, snapshot_days: Count) -> Ratio:
    """Space that snapshots take beside the data, when each day changes as much of it and every version is kept so long."""
    return daily_change_share * snapshot_days


@formula(sources=[_BEKMAN])
def shared_file_data(
    hot_data: Bytes,
    data_copies: Count,
    checkpoint_size: Bytes,
    checkpoints_kept: Count,
    artefact_bytes: Bytes,
    log_bytes_per_day: Bytes,
    log_days: Count,
    index_storage: Bytes,
) -> Bytes:
    """What stands on the shared file system at once: active data, checkpoints within reach, artefacts, logs, vector indexes."""
    return (
        hot_data * data_copies
        + checkpoint_size * checkpoints_kept
        + artefact_bytes
        + log_bytes_per_day * log_days
        + index_storage
    )


@formula(sources=[cite("stas-2026-ml-engineering", "storage: 80 % of a distributed file system is reliably usable")])
def shared_file_capacity(shared_file_data: Bytes, snapshot_share: Ratio, usable_fraction: Ratio) -> Bytes:
    """Capacity of the shared file system to provision: distributed file systems slow down and fail when nearly full."""
    return shared_file_data * (1 + snapshot_share) / usable_fraction


@formula(of="redundancy_efficiency", when='redundancy == "erasure"')
def redundancy_efficiency_of_shards(data_shards: Count, parity_shards: Count) -> Ratio:
    """Share of raw capacity that holds data under erasure coding or RAID 5 and 6: data shards over all shards."""
    return data_shards / (data_shards + parity_shards)


@formula(of="redundancy_efficiency", when='redundancy == "replicas"')
def redundancy_efficiency_of_replicas(storage_replicas: Count) -> Ratio:
    """Share of raw capacity that holds data when every byte is kept several times; a mirror keeps two."""
    return 1 / storage_replicas


@formula(of="redundancy_efficiency", when='redundancy == "none"')
def redundancy_efficiency_without(storage_replicas: Count) -> Ratio:
    """Nothing is lost to redundancy in a stripe (RAID 0), and one failed drive loses all: for caches only."""
    return 1 + 0 * storage_replicas


@formula()
def shared_file_raw_capacity(shared_file_capacity: Bytes, redundancy_efficiency: Ratio) -> Bytes:
    """Raw capacity of the drives behind the shared file system; cloud services include it in their price."""
    return shared_file_capacity / redundancy_efficiency


@formula()
def object_capacity(
    dataset_bytes: Bytes,
    dataset_versions: Count,
    model_file_bytes: Bytes,
    model_versions: Count,
    checkpoint_size: Bytes,
    checkpoints_archived: Count,
    backup_bytes: Bytes,
) -> Bytes:
    """What long-lived copies take in an object store: every version of data sets and models, archived checkpoints, backups."""
    return (
        dataset_bytes * dataset_versions
        + model_file_bytes * model_versions
        + checkpoint_size * checkpoints_archived
        + backup_bytes
    )


@formula()
def local_capacity(
    system_disk: Bytes,
    model_file_bytes: Bytes,
    local_models: Count,
    staged_bytes: Bytes,
    local_checkpoint_bytes: Bytes,
    local_log_bytes: Bytes,
) -> Bytes:
    """Capacity of the drives inside one node: the system, each model twice (the running and the next version), staged data.

    local_checkpoint_bytes: what this node keeps of recent checkpoints, to restart without reading the shared file system.
    """
    return system_disk + 2 * model_file_bytes * local_models + staged_bytes + local_checkpoint_bytes + local_log_bytes


@formula()
def local_drives(
    local_capacity: Bytes, drive_capacity: Bytes, local_read_rate: BytesPerSecond, drive_read_rate: BytesPerSecond
) -> Count:
    """Drives of one node that hold its data and together are fast enough, striped without redundancy."""
    return ceil(maximum(local_capacity / drive_capacity, local_read_rate / drive_read_rate))


@formula(sources=[cite("minio-network", "10 to 100 Gbit/s"), cite("nvidia-superpod-h100", "storage fabric of a node")])
def node_storage_rate(storage_ports: Count, storage_port_rate: BytesPerSecond, achieved_line_share: Ratio) -> BytesPerSecond:
    """Bytes a second one node can exchange with storage over its ports; at a share of one it is the ceiling."""
    return storage_ports * storage_port_rate * achieved_line_share


@formula(sources=[cite("stas-2026-ml-engineering", "network: host links")])
def load_bandwidth(
    storage_read_rate: BytesPerSecond,
    node_storage_rate: BytesPerSecond,
    host_link_bandwidth: BytesPerSecond,
    accelerators_per_node: Count,
) -> BytesPerSecond:
    """Rate at which weights reach the accelerators of a node: the narrowest of storage, network and host links."""
    return minimum(storage_read_rate, node_storage_rate, host_link_bandwidth * accelerators_per_node)


@formula(sources=[cite("modelplane-issue-204", "894 GiB in 43 minutes"), cite("vllm-issue-3182", "194 s against 6 s")])
def model_load_time(model_file_bytes: Bytes, load_bandwidth: BytesPerSecond) -> Seconds:
    """Time to read a model into the accelerators with large sequential reads.

    Loaders that read small pieces or one file at a time stay far below: thirty times was seen with one model on the same disk.
    """
    return model_file_bytes / load_bandwidth


@formula(
    of="model_load_time", when='load_method == "mapped-over-network"', sources=[cite("comfyui-issue-2288", "30 to 50 times")]
)
def model_load_time_mapped(model_file_bytes: Bytes, load_bandwidth: BytesPerSecond, mapped_read_penalty: Ratio) -> Seconds:
    """Weights mapped into memory from a network disk are read page by page, each waiting for the one before."""
    return model_file_bytes / load_bandwidth * mapped_read_penalty


@formula(sources=[cite("modelplane-issue-204", "894 GiB in 43 minutes")])
def effective_read_rate(read_bytes: Bytes, read_time: Seconds) -> BytesPerSecond:
    """Rate at which something was really read, to hold against what was provisioned."""
    return read_bytes / read_time


@formula(sources=[cite("vllm-issue-3182", "194 s against 6 s")])
def loader_speedup(load_time_before: Seconds, load_time_after: Seconds) -> Ratio:
    """How many times faster a model loads after a change, on the same storage: what the loader cost, not the disk."""
    return load_time_before / load_time_after


@formula()
def start_read_rate(replicas_starting: Count, model_file_bytes: Bytes, start_time_target: Seconds) -> BytesPerSecond:
    """Bytes a second that replicas starting together read from the shared tier, when each is to be loaded within the target."""
    return replicas_starting * model_file_bytes / start_time_target


@formula(sources=[_BEKMAN])
def shared_read_rate(loader_read_rate: BytesPerSecond, start_read_rate: BytesPerSecond) -> BytesPerSecond:
    """Read rate the shared tier must sustain; training and the start of replicas may come together."""
    return loader_read_rate + start_read_rate


@formula(sources=[_BEKMAN])
def shared_write_rate(
    checkpoint_write_bandwidth: BytesPerSecond,
    log_bytes_per_day: Bytes,
) -> BytesPerSecond:
    """Write rate the shared tier must take in bursts: a checkpoint as fast as it asks, beside the logs of a day of 86400 s."""
    return checkpoint_write_bandwidth + log_bytes_per_day / 86400


@formula(sources=[cite("aws-fsx-throughput", "throughput per TiB provisioned")])
def capacity_for_rate(shared_read_rate: BytesPerSecond, rate_per_capacity: BytesPerSecondPerByte) -> Bytes:
    """Capacity to provision where a service sells throughput by the terabyte."""
    return shared_read_rate / rate_per_capacity


@formula(sources=[cite("aws-fsx-throughput", "throughput per TiB provisioned")])
def shared_file_provisioned(shared_file_capacity: Bytes, capacity_for_rate: Bytes) -> Bytes:
    """Capacity to provision on such a service: for what it holds, or for how fast it must be, whichever is more."""
    return maximum(shared_file_capacity, capacity_for_rate)
