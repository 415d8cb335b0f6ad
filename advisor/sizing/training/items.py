"""Training speed of models that take images, seconds of audio or denoising steps instead of tokens.

Work is three forward passes' worth an item: one forward, two backward. The share of the peak that a run reaches is knowledge by
kind of model, from published runs; layout and network are not modelled beyond the loss with scale.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, CountPerSecond, Flop, FlopPerSecond, Ratio, Seconds

_RUNS = cite("training-measurements", "samples per second of ResNet-50 and Stable Diffusion")
_PALM = cite("chowdhery-2022-palm", "appendix B, model FLOPs utilization")


@formula(sources=[_PALM])
def training_flops_per_item(flops_per_item: Flop) -> Flop:
    """Model FLOPs of training on one item: a forward pass, and a backward pass of twice its work."""
    return 3 * flops_per_item


@formula(sources=[_RUNS])
def training_items_per_second(
    accelerators: Count,
    peak_sixteen_bit: FlopPerSecond,
    item_compute_utilization: Ratio,
    training_flops_per_item: Flop,
    scale_slowdown: Ratio,
) -> CountPerSecond:
    """Images, seconds of audio or denoising steps that the whole run trains on in a second."""
    return accelerators * peak_sixteen_bit * item_compute_utilization / training_flops_per_item / scale_slowdown


@formula(sources=[_RUNS])
def item_step_time(items_per_step: Count, training_items_per_second: CountPerSecond) -> Seconds:
    """One optimizer step over so many items."""
    return items_per_step / training_items_per_second


@formula(sources=[_RUNS])
def items_for_epochs(dataset_items: Count, epochs: Ratio) -> Count:
    """Items that a run reads, every pass counted."""
    return dataset_items * epochs


@formula(sources=[_RUNS])
def item_training_time(items_for_epochs: Count, training_items_per_second: CountPerSecond) -> Seconds:
    """Time of all passes over the items while nothing interrupts."""
    return items_for_epochs / training_items_per_second
