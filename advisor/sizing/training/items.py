"""Training speed of models that take images, seconds of audio or denoising steps instead of tokens.

Work is three forward passes' worth an item: one forward, two backward. The share of the peak that a run reaches is knowledge by
kind of model, from published runs; every accelerator holds the whole model, and gradients hide behind the backward pass as far as
it is long.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerSecond, Count, CountPerSecond, Flop, FlopPerSecond, Ratio, Seconds, maximum

_RUNS = cite("training-measurements", "samples per second of ResNet-50 and Stable Diffusion")
_RING = cite("thakur-2005-collectives", "ring all-reduce")
_PALM = cite("chowdhery-2022-palm", "appendix B, model FLOPs utilization")


@formula(sources=[_PALM])
def training_flops_per_item(flops_per_item: Flop) -> Flop:
    """Model FLOPs of training on one item: a forward pass, and a backward pass of twice its work."""
    return 3 * flops_per_item


@formula(sources=[_RUNS])
def item_compute_time(
    micro_batch: Count,
    gradient_accumulation: Count,
    training_flops_per_item: Flop,
    peak_sixteen_bit: FlopPerSecond,
    item_compute_utilization: Ratio,
) -> Seconds:
    """An accelerator's computing for one optimizer step."""
    return micro_batch * gradient_accumulation * training_flops_per_item / (peak_sixteen_bit * item_compute_utilization)


@formula(sources=[_RING])
def item_gradient_time(
    parameters: Count, item_gradient_bytes: Bytes, data_parallel: Count, gradient_bandwidth: BytesPerSecond
) -> Seconds:
    """Exchange of all gradients around a ring."""
    return 2 * (data_parallel - 1) / data_parallel * parameters * item_gradient_bytes / gradient_bandwidth


@formula(sources=[_RING])
def item_step_time(
    item_compute_time: Seconds, item_gradient_time: Seconds, gradient_accumulation: Count, scale_slowdown: Ratio
) -> Seconds:
    """One optimizer step: computing, and the gradients that the last backward pass, two thirds of the work, does not hide."""
    return (
        item_compute_time + maximum(0, item_gradient_time - item_compute_time / gradient_accumulation * 2 / 3)
    ) * scale_slowdown


@formula(sources=[_RUNS])
def training_items_per_second(sequences_per_step: Count, item_step_time: Seconds) -> CountPerSecond:
    """Images, seconds of audio or denoising steps that the whole run trains on in a second."""
    return sequences_per_step / item_step_time


@formula(sources=[_RUNS])
def items_for_epochs(dataset_items: Count, epochs: Ratio) -> Count:
    """Items that a run reads, every pass counted."""
    return dataset_items * epochs


@formula(sources=[_RUNS])
def item_training_time(items_for_epochs: Count, training_items_per_second: CountPerSecond) -> Seconds:
    """Time of all passes over the items while nothing interrupts."""
    return items_for_epochs / training_items_per_second
