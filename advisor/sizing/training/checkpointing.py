"""Checkpoints: their size, the time they stop a run, how often to save, and the space they take.

Gradients are not saved. A synchronous save stops the run until storage has it all; an asynchronous one only until it is copied
to host memory, and storage must be done before the next.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerSecond, Count, Ratio, Seconds, maximum

_SIZES = cite("training-reliability-figures", "checkpoint sizes")
_BOOK = cite("distributed-training-book", "ch. 26, checkpointing")
_YOUNG = cite("young-1974-checkpoint", "first-order optimum")
_DALY = cite("daly-2006-checkpoint", "higher-order estimate")
_SAXENA = cite("saxena-2024-checkpointing", "availability")


@formula(sources=[_SIZES])
def checkpoint_size(parameters: Count, trained_share: Ratio, checkpoint_bytes_per_parameter: Bytes) -> Bytes:
    """One checkpoint that training can go on from: trained weights with their master copies and optimizer state."""
    return parameters * trained_share * checkpoint_bytes_per_parameter


@formula(sources=[_SIZES])
def exported_weights_size(parameters: Count) -> Bytes:
    """Weights alone, in sixteen bit, as they go to evaluation and serving."""
    return parameters * 2


@formula(sources=[_BOOK])
def checkpoint_write_time(checkpoint_size: Bytes, checkpoint_storage_bandwidth: BytesPerSecond) -> Seconds:
    """Time until storage has a checkpoint."""
    return checkpoint_size / checkpoint_storage_bandwidth


@formula(sources=[_BOOK])
def checkpoint_stall(checkpoint_write_time: Seconds) -> Seconds:
    """Time a save stops the run: all of the writing."""
    return maximum(checkpoint_write_time, 0)


@formula(of="checkpoint_stall", when='checkpoint_mode == "asynchronous"', sources=[_BOOK])
def checkpoint_stall_asynchronous(checkpoint_size: Bytes, accelerators: Count, host_copy_bandwidth: BytesPerSecond) -> Seconds:
    """Time a save stops the run: the copy of each accelerator's share to host memory."""
    return checkpoint_size / accelerators / host_copy_bandwidth


@formula(sources=[_BOOK])
def checkpoint_write_bandwidth(checkpoint_size: Bytes, checkpoint_stall_budget: Seconds) -> BytesPerSecond:
    """Write bandwidth that storage needs so that a synchronous save stops the run no longer than its budget."""
    return checkpoint_size / checkpoint_stall_budget


@formula(of="checkpoint_write_bandwidth", when='checkpoint_mode == "asynchronous"', sources=[_BOOK])
def checkpoint_write_bandwidth_asynchronous(checkpoint_size: Bytes, checkpoint_interval: Seconds) -> BytesPerSecond:
    """Write bandwidth that storage needs so that one save is done before the next begins."""
    return checkpoint_size / checkpoint_interval


@formula(sources=[_YOUNG])
def best_interval(checkpoint_stall: Seconds, mean_time_between_interruptions: Seconds) -> Seconds:
    """Interval at which saving and lost work cost least together, to first order."""
    return (2 * checkpoint_stall * mean_time_between_interruptions) ** 0.5


@formula(sources=[_DALY])
def best_interval_with_recovery(
    checkpoint_stall: Seconds, mean_time_between_interruptions: Seconds, recovery_time: Seconds
) -> Seconds:
    """The same with the time to recover counted."""
    return (2 * (mean_time_between_interruptions + recovery_time) * checkpoint_stall) ** 0.5


@formula(sources=[_SAXENA])
def best_interval_for_availability(
    checkpoint_stall: Seconds, mean_time_between_interruptions: Seconds, recovery_time: Seconds
) -> Seconds:
    """Interval from save to save that keeps the run making progress for the largest share of time."""
    return (
        checkpoint_stall + (2 * (mean_time_between_interruptions + recovery_time) * checkpoint_stall + checkpoint_stall**2) ** 0.5
    )


@formula(sources=[_YOUNG, _BOOK])
def checkpoint_interval(best_interval_with_recovery: Seconds, least_checkpoint_interval: Seconds) -> Seconds:
    """Time between saves: the best one, not shorter than people or tools allow."""
    return maximum(best_interval_with_recovery, least_checkpoint_interval)


@formula(of="checkpoint_interval", when='checkpoint_mode == "asynchronous"', sources=[_YOUNG, _BOOK])
def checkpoint_interval_asynchronous(
    best_interval_with_recovery: Seconds, least_checkpoint_interval: Seconds, checkpoint_write_time: Seconds
) -> Seconds:
    """Time between saves: the best one, not shorter than storage takes to write one."""
    return maximum(best_interval_with_recovery, least_checkpoint_interval, checkpoint_write_time)


@formula(sources=[_BOOK])
def checkpoint_space(
    checkpoint_size: Bytes, checkpoints_kept: Count, exported_weights_size: Bytes, milestones_kept: Count
) -> Bytes:
    """Space for the last checkpoints, and for the weights of milestones that are kept for good."""
    return checkpoint_size * checkpoints_kept + exported_weights_size * milestones_kept


@formula(sources=[_BOOK])
def checkpoint_write_load(checkpoint_size: Bytes, checkpoint_interval: Seconds) -> BytesPerSecond:
    """Mean rate at which a run writes checkpoints."""
    return checkpoint_size / checkpoint_interval


@formula(sources=[_BOOK])
def checkpoint_read_time(checkpoint_size: Bytes, checkpoint_read_bandwidth: BytesPerSecond) -> Seconds:
    """Time to load a checkpoint after an interruption."""
    return checkpoint_size / checkpoint_read_bandwidth
