"""Models beside the one in training: references, rewards and critics of preference methods, and a rollout engine."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Ratio, minimum

_PPO = cite("ouyang-2022-instructgpt", "§3.5")
_SHARDED = cite("rajbhandari-2020-zero", "§5")


@formula(sources=[_PPO])
def frozen_models(layers: Count) -> Count:
    """Copies of the model that only run forward."""
    return 0 * layers


@formula(of="frozen_models", when=['method == "dpo"', 'adapter == "none"'], sources=[cite("rafailov-2023-dpo", "§4")])
def frozen_models_dpo(layers: Count) -> Count:
    """The reference of DPO; with adapters the same weights without them serve as reference."""
    return 1 + 0 * layers


@formula(of="frozen_models", when=['method == "grpo"', 'adapter == "none"'], sources=[cite("shao-2024-grpo", "§4.1")])
def frozen_models_grpo(layers: Count, reward_models: Count) -> Count:
    """The reference of GRPO, and reward models of the same size where answers are not judged by rules."""
    return 1 + reward_models + 0 * layers


@formula(of="frozen_models", when=['method == "grpo"', 'adapter != "none"'], sources=[cite("shao-2024-grpo", "§4.1")])
def frozen_models_grpo_adapters(layers: Count, reward_models: Count) -> Count:
    """With adapters the weights without them serve as reference; reward models remain."""
    return reward_models + 0 * layers


@formula(of="frozen_models", when='method == "ppo"', sources=[_PPO])
def frozen_models_ppo(layers: Count) -> Count:
    """Reference and reward model of PPO, taken to be as large as the model in training."""
    return 2 + 0 * layers


@formula(sources=[_PPO])
def trained_companions(layers: Count) -> Count:
    """Further models of the same size that are trained along."""
    return 0 * layers


@formula(of="trained_companions", when='method == "ppo"', sources=[_PPO])
def trained_companions_ppo(layers: Count) -> Count:
    """The critic of PPO, which has states of its own."""
    return 1 + 0 * layers


@formula(sources=[_PPO])
def extra_model_memory(
    frozen_models: Count,
    trained_companions: Count,
    weights_kept: Count,
    weight_element_size: Bytes,
    added_parameters_kept: Count,
    adapter_element_size: Bytes,
    gradients_kept: Count,
    gradient_element_size: Bytes,
    states_kept: Count,
    optimizer_moments: Count,
    moment_element_size: Bytes,
    master_weight_element_size: Bytes,
    optimizer_offloaded: Count,
) -> Bytes:
    """Weights of frozen models at two bytes a parameter, and weights, gradients and states of those trained along."""
    return frozen_models * weights_kept * minimum(2, weight_element_size) + trained_companions * (
        weights_kept * weight_element_size
        + added_parameters_kept * adapter_element_size
        + (
            gradients_kept * gradient_element_size
            + states_kept * (optimizer_moments * moment_element_size + master_weight_element_size)
        )
        * (1 - optimizer_offloaded)
    )


@formula(sources=[cite("training-memory-measurements", "not measured: an engine's share as its setting has it")])
def rollout_memory(usable_memory: Bytes, rollout_memory_share: Ratio) -> Bytes:
    """Share of the card that a rollout engine beside the trainer claims and does not give back while the trainer works.

    Zero for an engine on accelerators of its own, or one that sleeps during the step.
    """
    return usable_memory * rollout_memory_share


@formula()
def stream_passes(layers: Count) -> Count:
    """Sequences that run forward and backward together for each one of the micro batch."""
    return 1 + 0 * layers


@formula(of="stream_passes", when="method in [dpo, reward]", sources=[cite("rafailov-2023-dpo", "§4")])
def stream_passes_of_pairs(layers: Count) -> Count:
    """Preferred and rejected answer run as one batch."""
    return 2 + 0 * layers
