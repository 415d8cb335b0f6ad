"""What shared storage gives a run: as many servers' shares as it has, where nobody stated a figure."""

from advisor.sizing.formula import cite, formula
from advisor.units import BytesPerSecond, Count

_RUNS = cite("training-reliability-figures", "checkpoint size and write time")


@formula(sources=[_RUNS])
def checkpoint_storage_bandwidth(storage_bandwidth_per_node: BytesPerSecond, training_nodes: Count) -> BytesPerSecond:
    """Rate at which all servers of a run write a checkpoint together."""
    return storage_bandwidth_per_node * training_nodes


@formula(sources=[_RUNS])
def checkpoint_read_bandwidth(storage_bandwidth_per_node: BytesPerSecond, training_nodes: Count) -> BytesPerSecond:
    """Rate at which all servers of a run read a checkpoint together."""
    return storage_bandwidth_per_node * training_nodes
