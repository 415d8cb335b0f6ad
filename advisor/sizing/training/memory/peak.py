"""The peak of a step on the fullest accelerator, and what of the card it leaves."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Ratio, maximum, minimum, where

_ROWS = cite("training-memory-measurements", "peaks of the fms rows")


@formula(sources=[_ROWS])
def early_gradients(
    training_gradients: Bytes, gradients_held: Ratio, gradient_accumulation: Count, step_in_backward: Count
) -> Bytes:
    """Gradients that already stand when activations are at their largest.

    All of them where they accumulate over micro batches or live in buffers of their own; none where a step has one micro batch
    and gradients are freed after it.
    """
    return training_gradients * where((gradient_accumulation > 1) & (step_in_backward == 0), 1, gradients_held)


@formula(sources=[_ROWS])
def pass_peak(training_states: Bytes, early_gradients: Bytes, communication_buffers: Bytes, passing_memory: Bytes) -> Bytes:
    """Allocated bytes at the turn from forward to backward pass."""
    return training_states + early_gradients + communication_buffers + passing_memory


@formula(sources=[_ROWS])
def step_peak(training_states: Bytes, training_gradients: Bytes, step_buffers: Bytes) -> Bytes:
    """Allocated bytes while the optimizer steps: activations are gone, gradients stand in full."""
    return training_states + training_gradients + step_buffers


@formula(sources=[cite("training-memory-measurements", "LitGPT rows with FSDP")])
def load_peak(parameters_per_rank: Count, parameters_per_shard: Count, weight_element_size: Bytes, loads_whole: Ratio) -> Bytes:
    """Allocated bytes while weights load, where a stack puts the whole model on each accelerator before it is sharded."""
    return loads_whole * (parameters_per_rank + parameters_per_shard) * weight_element_size


@formula(sources=[_ROWS])
def training_allocated(pass_peak: Bytes, step_peak: Bytes, load_peak: Bytes) -> Bytes:
    """Peak of allocated tensors over a step and the start."""
    return maximum(pass_peak, step_peak, load_peak)


@formula(sources=[cite("training-memory-measurements", "device readings beside allocated peaks")])
def training_overhead(training_context: Bytes, passing_memory: Bytes, fragmentation: Ratio, training_allocated: Bytes) -> Bytes:
    """Contexts, communicators, and gaps between tensors that no other tensor fits into."""
    return training_context + fragmentation * minimum(passing_memory, training_allocated)


@formula(sources=[_ROWS])
def training_memory(training_allocated: Bytes, training_overhead: Bytes) -> Bytes:
    """Memory the fullest accelerator needs at the peak of a step."""
    return training_allocated + training_overhead


@formula(sources=[cite("training-memory-measurements", "device readings beside allocated peaks")])
def cached_memory(working_activations: Bytes, logits_memory: Bytes, cached_share: Ratio) -> Bytes:
    """Freed memory that the allocator keeps while the card has room, and gives back when it has none.

    It is what logits and the working layer leave behind: blocks that batches of another length do not fit into.
    """
    return maximum(working_activations, logits_memory) * cached_share


@formula(sources=[cite("training-memory-measurements", "device readings beside allocated peaks")])
def reserved_memory(training_memory: Bytes, training_context: Bytes, cached_memory: Bytes, usable_memory: Bytes) -> Bytes:
    """What the framework's allocator reports as reserved."""
    return where(
        usable_memory > training_memory,
        minimum(training_memory + cached_memory, usable_memory) - training_context,
        training_memory - training_context,
    )


@formula(sources=[cite("training-memory-measurements", "device readings beside allocated peaks")])
def device_memory(reserved_memory: Bytes, training_context: Bytes) -> Bytes:
    """What the driver's tool shows of the accelerator at the peak."""
    return reserved_memory + training_context


@formula(sources=[_ROWS])
def training_memory_margin(usable_memory: Bytes, training_memory: Bytes) -> Bytes:
    """Memory left on the fullest accelerator; negative where the run ends out of memory."""
    return usable_memory - training_memory
