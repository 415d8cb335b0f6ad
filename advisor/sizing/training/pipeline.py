"""Pipeline stages: how many micro batches a step has, and the share of it in which stages wait for one another."""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, Ratio, Tokens

_MEGATRON = cite("narayanan-2021-megatron", "§2.2, pipeline bubble")


@formula(sources=[_MEGATRON])
def sequences_per_step(data_parallel: Count, micro_batch: Count, gradient_accumulation: Count) -> Count:
    """Sequences of one optimizer step over the whole run: the global batch as the layout makes it."""
    return data_parallel * micro_batch * gradient_accumulation


@formula(sources=[_MEGATRON])
def tokens_per_step(sequences_per_step: Count, sequence_length: Tokens) -> Tokens:
    """Tokens of one optimizer step over the whole run."""
    return sequences_per_step * sequence_length


@formula(sources=[_MEGATRON])
def bubble_slots(pipeline_parallel: Count, virtual_stages: Count) -> Ratio:
    """Time a stage waits in a step, in micro batches: stages before it fill, those behind it drain, less when interleaved."""
    return (pipeline_parallel - 1) / virtual_stages


@formula(sources=[_MEGATRON])
def pipeline_bubble(bubble_slots: Ratio, gradient_accumulation: Count) -> Ratio:
    """Share of a step in which pipeline stages wait for one another."""
    return bubble_slots / (gradient_accumulation + bubble_slots)
