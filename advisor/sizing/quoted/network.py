"""Network of a quoted cluster: what each accelerator gets, what the switches can join, and how long an exchange takes."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerSecond, Count, FlopPerSecond, Ratio, Seconds, maximum

_REFERENCE = cite("nvidia-superpod-h100", "one 400 Gbit/s port an accelerator; leaf and spine counts")
_RING = cite("thakur-2005-collectives", "ring all-reduce")


@formula(sources=[_REFERENCE])
def quoted_fabric_per_gpu(quoted_fabric_bandwidth: BytesPerSecond, quoted_gpus_per_node: Count) -> BytesPerSecond:
    """Bandwidth between nodes that each accelerator has for itself, one way."""
    return quoted_fabric_bandwidth / quoted_gpus_per_node


@formula(sources=[_REFERENCE])
def quoted_reference_share(quoted_fabric_per_gpu: BytesPerSecond, quoted_reference_per_gpu: BytesPerSecond) -> Ratio:
    """The same as a share of the validated designs' one port an accelerator."""
    return quoted_fabric_per_gpu / quoted_reference_per_gpu


@formula(sources=[_REFERENCE])
def quoted_switch_excess(
    quoted_switch_bandwidth: BytesPerSecond, quoted_fabric_bandwidth: BytesPerSecond, quoted_nodes: Count
) -> Ratio:
    """Bandwidth of all switch ports over that of all node ports: one switch joins at 1, two tiers without blocking at 3."""
    return quoted_switch_bandwidth / (quoted_fabric_bandwidth * quoted_nodes)


@formula(sources=[_REFERENCE])
def quoted_ports_of_largest_switch(quoted_fabric_ports: Count, quoted_nodes: Count, quoted_switch_ports: Count) -> Ratio:
    """Ports of all nodes over those of one switch: above one it takes a second tier."""
    return quoted_fabric_ports * quoted_nodes / quoted_switch_ports


@formula(sources=[_RING])
def quoted_gradient_sync_time(wanted_parameters: Count, quoted_nodes: Count, quoted_fabric_bandwidth: BytesPerSecond) -> Seconds:
    """Time of one ring all-reduce of the gradients, in 16 bits, over the nodes."""
    return 2 * (quoted_nodes - 1) / quoted_nodes * 2 * wanted_parameters / quoted_fabric_bandwidth


@formula(sources=[cite("stas-2026-ml-engineering", "network: communication hidden behind computation")])
def quoted_gradient_compute_time(
    wanted_parameters: Count,
    quoted_tokens_per_gpu_step: Count,
    quoted_gpus_per_node: Count,
    quoted_gpu_compute: FlopPerSecond,
    quoted_compute_share: Ratio,
) -> Seconds:
    """Time a node computes on one step: six operations for each parameter and token, at the share of the peak that is reached."""
    return 6 * wanted_parameters * quoted_tokens_per_gpu_step * quoted_gpus_per_node / (quoted_gpu_compute * quoted_compute_share)


@formula(sources=[cite("stas-2026-ml-engineering", "network: communication hidden behind computation")])
def quoted_sync_over_compute(quoted_gradient_sync_time: Seconds, quoted_gradient_compute_time: Seconds) -> Ratio:
    """Time of the exchange over the time of computing; above one it cannot be hidden."""
    return quoted_gradient_sync_time / quoted_gradient_compute_time


@formula(sources=[cite("skypilot-issue-8391", "20 of about 78 GB/s")])
def quoted_bandwidth_reached(quoted_measured_bandwidth: BytesPerSecond, quoted_expected_bandwidth: BytesPerSecond) -> Ratio:
    """Measured bandwidth as a share of what was expected or sold."""
    return quoted_measured_bandwidth / quoted_expected_bandwidth


@formula(sources=[cite("stas-2026-ml-engineering", "storage: loading weights")])
def quoted_model_load_time(quoted_gpu_memory: Bytes, quoted_storage_link: BytesPerSecond) -> Seconds:
    """Time to fill a node's accelerators through its link to the storage."""
    return quoted_gpu_memory / maximum(quoted_storage_link, 1)


@formula(sources=[_REFERENCE])
def quoted_compute_per_gpu(quoted_gpu_compute: FlopPerSecond, quoted_gpus_per_node: Count) -> FlopPerSecond:
    """Peak rate of one accelerator."""
    return quoted_gpu_compute / quoted_gpus_per_node
