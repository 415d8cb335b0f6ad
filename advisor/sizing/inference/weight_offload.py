"""Weights that stand outside the accelerator: in host memory or on a drive, moved over the link or computed on by the processor.

Each step reads all weights that its tokens need. What does not stand in accelerator memory has to come over a link tens of times
slower, so that a step takes as long as that transfer, whatever the accelerator. The formulas say so instead of scaling a fast
estimate down.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    Ratio,
    Requests,
    Seconds,
    TokensPerSecond,
    maximum,
    minimum,
)

_FLEXGEN = cite("flexgen-benchmark", "OPT-6.7B and OPT-30B on a T4 with weights in host memory")
_LINK = cite("stas-2026-ml-engineering", "55 of 63 GB/s over PCI Express 5.0")
_HOST = cite("llama-cpp-issue-11744", "two EPYC 9175F, Llama-3.1-70B at 16 bit")


@formula(sources=[_FLEXGEN])
def offloaded_weights(weights: Bytes, weight_room: Bytes) -> Bytes:
    """Weights that do not stand in accelerator memory: what is left when the room for weights is full."""
    return maximum(0, weights - weight_room)


@formula(sources=[_FLEXGEN])
def offloaded_read_per_step(offloaded_weights: Bytes, step_weight_share: Ratio) -> Bytes:
    """Offloaded bytes that one step needs.

    step_weight_share: share of the offloaded weights that a step's tokens visit: 1 for dense models, for a mixture of experts the
    share of experts that the batch chooses, when experts are what is offloaded.
    """
    return offloaded_weights * step_weight_share


@formula(sources=[_LINK, _FLEXGEN])
def offload_rate(
    host_link_bandwidth: BytesPerSecond, offload_source_bandwidth: BytesPerSecond, offload_transfer_efficiency: Ratio
) -> BytesPerSecond:
    """Rate at which offloaded weights arrive: the slower of the accelerators' links together and of where they stand.

    offload_source_bandwidth: bandwidth of host memory, or of the drives where weights stand on them.
    """
    return minimum(host_link_bandwidth, offload_source_bandwidth) * offload_transfer_efficiency


@formula(sources=[_FLEXGEN])
def offload_transfer_time(offloaded_read_per_step: Bytes, offload_rate: BytesPerSecond) -> Seconds:
    """Time to bring in what one step needs of the offloaded weights."""
    return offloaded_read_per_step / offload_rate


@formula(sources=[_FLEXGEN])
def offloaded_step_time(resident_step_time: Seconds, offload_transfer_time: Seconds) -> Seconds:
    """Time of a step: the longer of the transfer and of what runs on the accelerator, which overlap at best.

    resident_step_time: a step with all weights in accelerator memory.
    """
    return maximum(resident_step_time, offload_transfer_time)


@formula(sources=[_FLEXGEN])
def offloaded_token_rate(running_batch: Requests, offloaded_step_time: Seconds) -> TokensPerSecond:
    """Tokens a second of all running requests together, one each in every step.

    A larger batch shares the transfer; so offloading suits work without anyone waiting, never a conversation.
    """
    return running_batch / offloaded_step_time


@formula(sources=[_FLEXGEN])
def offload_host_memory(offloaded_weights: Bytes, weights_on_drive: Bytes, offload_buffers: Bytes) -> Bytes:
    """Host memory that offloading takes: weights that stand there, and buffers for those from a drive."""
    return maximum(0, offloaded_weights - weights_on_drive) + offload_buffers


@formula(sources=[_HOST])
def processor_token_rate(processor_decode_rate: TokensPerSecond, host_decode_efficiency: Ratio) -> TokensPerSecond:
    """Tokens a second that one sequence really gets from a processor, of what its memory's peak bandwidth would allow.

    processor_decode_rate: bandwidth over the bytes of active weights, at the peak of the memory; where the bandwidth was measured
    it is nearer to one. Holds while threads are pinned to the memory they read and prompts are short; a batch adds until
    arithmetic binds.
    """
    return processor_decode_rate * host_decode_efficiency


@formula(sources=[_HOST])
def split_step_time(
    offloaded_read_per_step: Bytes,
    processor_bandwidth: BytesPerSecond,
    host_decode_efficiency: Ratio,
    resident_part_time: Seconds,
) -> Seconds:
    """Time of a step when the processor computes the offloaded layers or experts where they stand, and nothing is moved.

    The two work one after another. resident_part_time: what runs on the accelerator. Better than moving weights wherever host
    memory is faster than the link, which it nearly always is.
    """
    return offloaded_read_per_step / (processor_bandwidth * host_decode_efficiency) + resident_part_time


@formula(sources=[_HOST])
def split_token_rate(running_batch: Requests, split_step_time: Seconds) -> TokensPerSecond:
    """Tokens a second of all running requests when accelerator and processor share the layers.

    Valid for the few requests at which the processor is still bound by its memory.
    """
    return running_batch / split_step_time
