"""States: weights, gradients, optimizer moments and master copies on the fullest accelerator, and what the step adds."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Ratio, where

_ZERO = cite("rajbhandari-2020-zero", "§3.1 and §5")
_OFFLOAD = cite("ren-2021-zero-offload", "§4")


@formula(sources=[_ZERO])
def base_weights_kept(
    weights_kept: Count,
    parameters_per_rank: Count,
    tables_per_rank: Count,
    weight_element_size: Bytes,
    table_element_size: Bytes,
) -> Bytes:
    """Weights of the model itself that stay on the rank; vocabulary tables keep their own precision in quantized models."""
    return (
        weights_kept
        / parameters_per_rank
        * ((parameters_per_rank - tables_per_rank) * weight_element_size + tables_per_rank * table_element_size)
    )


@formula(sources=[_ZERO])
def training_weights(
    base_weights_kept: Bytes, added_parameters_kept: Count, adapter_element_size: Bytes, parameter_offloaded: Count
) -> Bytes:
    """Weights resident on the accelerator between layers, adapters included; with parameter offload they wait in host memory."""
    return base_weights_kept * (1 - parameter_offloaded) + added_parameters_kept * adapter_element_size


@formula(sources=[_ZERO])
def gradients_kept(zero_stage: Count, trained_per_shard: Count, trained_per_rank: Count) -> Count:
    """Parameters whose gradients a rank keeps: its shard's from ZeRO stage 2 on."""
    return where(zero_stage >= 2, trained_per_shard, trained_per_rank)


@formula(sources=[_ZERO])
def training_gradients(
    gradients_kept: Count,
    gradient_element_size: Bytes,
    optimizer_offloaded: Count,
    step_in_backward: Count,
    layers: Count,
) -> Bytes:
    """Gradients at the optimizer's step; ZeRO-Offload moves them to the host as they appear.

    An optimizer that steps in the backward pass (step_in_backward is 1) keeps those of one layer at a time.
    """
    return gradients_kept * gradient_element_size * (1 - optimizer_offloaded) * where(step_in_backward > 0, 1 / layers, 1)


@formula(sources=[_ZERO])
def states_kept(zero_stage: Count, trained_per_shard: Count, trained_per_rank: Count) -> Count:
    """Parameters whose optimizer states a rank keeps: its shard's from ZeRO stage 1 on."""
    return where(zero_stage >= 1, trained_per_shard, trained_per_rank)


@formula(sources=[_ZERO])
def optimizer_states(
    states_kept: Count,
    optimizer_moments: Count,
    moment_element_size: Bytes,
    paged_share: Ratio,
    optimizer_offloaded: Count,
) -> Bytes:
    """Moments that the optimizer keeps between steps; paged ones may move to the host for the share that is not needed."""
    return states_kept * optimizer_moments * moment_element_size * (1 - paged_share) * (1 - optimizer_offloaded)


@formula(sources=[_ZERO])
def master_weights(states_kept: Count, master_weight_element_size: Bytes, optimizer_offloaded: Count) -> Bytes:
    """Copies of the trained weights in higher precision, which the optimizer updates."""
    return states_kept * master_weight_element_size * (1 - optimizer_offloaded)


@formula(sources=[cite("training-memory-measurements", "torch foreach AdamW: ten bytes a parameter in bf16")])
def step_buffers(
    states_kept: Count,
    step_copies: Count,
    steps_at_once: Count,
    moment_element_size: Bytes,
    paged_share: Ratio,
    optimizer_offloaded: Count,
    step_in_backward: Count,
) -> Bytes:
    """Copies of one state tensor that an optimizer which steps over all parameters at once makes during the step."""
    return (
        states_kept
        * step_copies
        * steps_at_once
        * moment_element_size
        * (1 - paged_share)
        * (1 - optimizer_offloaded)
        * where(step_in_backward > 0, 0, 1)
    )


@formula(sources=[_ZERO])
def training_states(
    training_weights: Bytes, optimizer_states: Bytes, master_weights: Bytes, extra_model_memory: Bytes, rollout_memory: Bytes
) -> Bytes:
    """What stays on the accelerator through forward and backward pass: weights, optimizer states and further models."""
    return training_weights + optimizer_states + master_weights + extra_model_memory + rollout_memory


@formula(sources=[_OFFLOAD])
def optimizer_offloaded(layers: Count) -> Count:
    """1 where optimizer states and gradients live in host memory or on NVMe, else 0."""
    return 0 * layers


@formula(of="optimizer_offloaded", when='optimizer_offload != "none"', sources=[_OFFLOAD])
def optimizer_offloaded_away(layers: Count) -> Count:
    """1: they are kept and updated outside the accelerator."""
    return 1 + 0 * layers


@formula(sources=[cite("rajbhandari-2021-zero-infinity", "§5")])
def parameter_offloaded(layers: Count) -> Count:
    """1 where weights wait in host memory or on NVMe until their layer runs, else 0."""
    return 0 * layers


@formula(of="parameter_offloaded", when='parameter_offload != "none"', sources=[cite("rajbhandari-2021-zero-infinity", "§5")])
def parameter_offloaded_away(layers: Count) -> Count:
    """1: each layer's weights are fetched for the time it runs."""
    return 1 + 0 * layers
