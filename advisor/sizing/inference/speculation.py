"""Speculative decoding: a draft proposes tokens, the model checks them in one step, and keeps those it would have written itself.

The draft's memory is taken from the cache, and checking several tokens a request costs arithmetic. At small batches arithmetic
is free, since weights have to be read anyway; at large ones it is not, and the method loses.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerToken,
    Count,
    FlopPerSecond,
    Ratio,
    Requests,
    Seconds,
    TokensPerRequest,
    where,
)

_LEVIATHAN = cite("leviathan-2023-speculative", "equation 1, theorems 3.8 and 3.11")
_ROOFLINE = cite("williams-2009-roofline", "memory and compute bounds")


@formula(sources=[_LEVIATHAN])
def speculative_tokens_per_step(acceptance_rate: Ratio, draft_length: Count) -> Count:
    """Tokens that one checking step yields on the mean, the model's own one included.

    acceptance_rate: chance that a drafted token is kept, taken as independent of its place; it depends on draft, model and text,
    0.6 to 0.9 for drafts of one family.
    """
    return where(
        acceptance_rate < 1,
        (1 - acceptance_rate ** (draft_length + 1)) / where(acceptance_rate < 1, 1 - acceptance_rate, 1),
        draft_length + 1,
    )


@formula(sources=[_LEVIATHAN])
def speculative_speedup(speculative_tokens_per_step: Count, draft_length: Count, draft_cost_ratio: Ratio) -> Ratio:
    """How many times faster one sequence is written, where checking all drafted tokens takes no longer than writing one.

    draft_cost_ratio: time of a draft's step over one of the model's; about the ratio of their weights, a few percent for a
    draft of a few layers.
    """
    return speculative_tokens_per_step / (draft_length * draft_cost_ratio + 1)


@formula(sources=[_LEVIATHAN])
def speculative_work_ratio(speculative_tokens_per_step: Count, draft_length: Count, draft_work_ratio: Ratio) -> Ratio:
    """Arithmetic per written token over what plain decoding takes: what is checked and thrown away is work too.

    draft_work_ratio: operations per token of the draft over those of the model.
    """
    return (draft_length * draft_work_ratio + draft_length + 1) / speculative_tokens_per_step


@formula(sources=[_ROOFLINE])
def draft_cost_ratio(draft_weights: Bytes, weights: Bytes) -> Ratio:
    """Time of a draft's step over one of the model's, were both bound by reading their weights."""
    return draft_weights / weights


@formula(sources=[_LEVIATHAN])
def draft_weights(draft_parameters: Count, draft_bits: Count) -> Bytes:
    """Weights of the draft."""
    return draft_parameters * draft_bits / 8


@formula(sources=[_LEVIATHAN])
def draft_memory(
    draft_weights: Bytes,
    draft_cache_per_token: BytesPerToken,
    sequence_tokens: TokensPerRequest,
    running_requests: Requests,
    tensor_parallel: Count,
) -> Bytes:
    """Memory of the draft on one accelerator: its weights, and its own cache of all running requests.

    A draft that is not sharded stands whole on each accelerator: give tensor_parallel as 1.
    """
    return (draft_weights + draft_cache_per_token * sequence_tokens * running_requests) / tensor_parallel


@formula(sources=[_ROOFLINE])
def checking_matrix_time(
    decode_memory_time: Seconds, decode_compute_time: Seconds, draft_length: Count, roofline_sharpness: Ratio
) -> Seconds:
    """Weights and arithmetic of a step that checks the drafted tokens of every running request beside writing one."""
    return (decode_memory_time**roofline_sharpness + (decode_compute_time * (draft_length + 1)) ** roofline_sharpness) ** (
        1 / roofline_sharpness
    )


@formula(sources=[_ROOFLINE])
def speculative_step_time(
    decode_step_time: Seconds,
    decode_matrix_time: Seconds,
    checking_matrix_time: Seconds,
    draft_length: Count,
    draft_cost_ratio: Ratio,
) -> Seconds:
    """Time of one round: the draft's steps one after another, and the step that checks them.

    Caches are read once for all tokens of a request, and the experts that more tokens visit are not counted, so that the round of
    a mixture of experts takes longer than this.
    """
    return decode_step_time * (1 + draft_length * draft_cost_ratio) + checking_matrix_time - decode_matrix_time


@formula(sources=[_LEVIATHAN, _ROOFLINE])
def speculative_gain(speculative_tokens_per_step: Count, decode_step_time: Seconds, speculative_step_time: Seconds) -> Ratio:
    """How many times faster requests are answered at the batch at hand; below one, drafting loses."""
    return speculative_tokens_per_step * decode_step_time / speculative_step_time


@formula(sources=[_LEVIATHAN])
def speculative_time_per_output_token(time_per_output_token: Seconds, speculative_gain: Ratio) -> Seconds:
    """Time per output token with a draft."""
    return time_per_output_token / speculative_gain


@formula(sources=[_LEVIATHAN, _ROOFLINE])
def speculation_batch_limit(
    peak_layer_compute: FlopPerSecond,
    compute_efficiency: Ratio,
    decode_memory_time: Seconds,
    active_parameters: Count,
    draft_length: Count,
) -> Requests:
    """Running requests from which checking is bound by arithmetic instead of reading weights, for a model on one accelerator.

    Beyond it every drafted token that is thrown away costs time, and the gain falls towards one over the work ratio.
    """
    return peak_layer_compute * compute_efficiency * decode_memory_time / (2 * active_parameters * (draft_length + 1))
