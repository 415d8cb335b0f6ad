"""Speed of a training run: the time of one optimizer step, tokens per second, and what share of the peak that is."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    Count,
    Flop,
    FlopPerSecond,
    Ratio,
    Seconds,
    Tokens,
    TokensPerSecond,
    maximum,
)

_FIT = cite("training-measurements", "fit of training speed")
_PALM = cite("chowdhery-2022-palm", "appendix B, model FLOPs utilization")


@formula(sources=[_FIT])
def busy_time(
    dense_matrix_time: Seconds,
    expert_matrix_time: Seconds,
    attention_training_time: Seconds,
    small_kernel_time: Seconds,
    launch_time: Seconds,
    weight_stream_time: Seconds,
    dequantization_time: Seconds,
) -> Seconds:
    """A stage's computing for one micro batch, forward and backward."""
    return (
        dense_matrix_time
        + expert_matrix_time
        + attention_training_time
        + small_kernel_time
        + launch_time
        + weight_stream_time
        + dequantization_time
    )


@formula(sources=[_FIT])
def micro_batch_exchange_time(
    tensor_exchange_time: Seconds, expert_exchange_time: Seconds, context_exchange_time: Seconds, gather_time: Seconds
) -> Seconds:
    """Exposed communication of one micro batch."""
    return tensor_exchange_time + expert_exchange_time + context_exchange_time + gather_time


@formula(sources=[_FIT])
def exposed_communication(micro_batch_exchange_time: Seconds, gradient_accumulation: Count, reduce_time: Seconds) -> Seconds:
    """Time of one step in which accelerators wait for data from others, waiting for pipeline stages aside."""
    return micro_batch_exchange_time * gradient_accumulation + reduce_time


@formula(sources=[_FIT])
def optimizer_time(
    parameters_on_rank: Count,
    trained_share: Ratio,
    data_parallel: Count,
    optimizer_traffic: Bytes,
    memory_bandwidth: BytesPerSecond,
) -> Seconds:
    """Time of the optimizer's update, its state divided among replicas."""
    return parameters_on_rank * trained_share / data_parallel * optimizer_traffic / memory_bandwidth


@formula(sources=[_FIT])
def scale_slowdown(accelerators: Count, scale_loss_power: Ratio) -> Ratio:
    """Factor by which a step grows with the run's size: the slowest of many sets the pace."""
    return maximum(1, accelerators / 8) ** scale_loss_power


@formula(sources=[_FIT])
def training_step_time(
    gradient_accumulation: Count,
    bubble_slots: Ratio,
    busy_time: Seconds,
    micro_batch_exchange_time: Seconds,
    reduce_time: Seconds,
    optimizer_time: Seconds,
    training_step_overhead: Seconds,
    scale_slowdown: Ratio,
) -> Seconds:
    """One optimizer step: all micro batches and the bubble, what communication is exposed, and the update."""
    return (
        (gradient_accumulation + bubble_slots) * (busy_time + micro_batch_exchange_time)
        + reduce_time
        + optimizer_time
        + training_step_overhead
    ) * scale_slowdown


@formula(sources=[_FIT])
def training_tokens_per_second(tokens_per_step: Tokens, training_step_time: Seconds) -> TokensPerSecond:
    """Tokens the whole run trains on in a second, while it runs."""
    return tokens_per_step / training_step_time


@formula(sources=[_FIT])
def training_tokens_per_second_per_accelerator(
    training_tokens_per_second: TokensPerSecond, accelerators: Count
) -> TokensPerSecond:
    """Tokens one accelerator's share of the run trains on in a second."""
    return training_tokens_per_second / accelerators


@formula(sources=[_PALM])
def achieved_compute(
    training_tokens_per_second_per_accelerator: TokensPerSecond, training_flops_per_token: Flop
) -> FlopPerSecond:
    """Model FLOPs that one accelerator gets done in a second."""
    return training_tokens_per_second_per_accelerator * training_flops_per_token


@formula(sources=[_PALM])
def model_flops_utilization(achieved_compute: FlopPerSecond, peak_sixteen_bit: FlopPerSecond) -> Ratio:
    """Share of the dense sixteen-bit peak that model FLOPs take, whatever the training precision, so that runs compare."""
    return achieved_compute / peak_sixteen_bit


@formula(sources=[_PALM])
def model_flops_utilization_of_precision(achieved_compute: FlopPerSecond, peak_training: FlopPerSecond) -> Ratio:
    """Share of the dense peak of the training precision that model FLOPs take."""
    return achieved_compute / peak_training


@formula(sources=[_PALM])
def hardware_flops_utilization(model_flops_utilization: Ratio, recomputation_work: Ratio) -> Ratio:
    """Share of the dense sixteen-bit peak with recomputation counted."""
    return model_flops_utilization * recomputation_work


@formula(sources=[_FIT])
def exposed_communication_share(exposed_communication: Seconds, training_step_time: Seconds) -> Ratio:
    """Share of a step in which accelerators wait for data from others."""
    return exposed_communication / training_step_time
