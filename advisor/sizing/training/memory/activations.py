"""Activations of the fullest pipeline stage: what micro batches in flight keep, and the layer that works at the moment."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerToken, Count, Ratio, Tokens, maximum, minimum, where

_KORTHIKANTI = cite("korthikanti-2022-recomputation", "§4 and §5")
_PIPELINE = cite("narayanan-2021-megatron", "§2.2")


@formula(sources=[cite("torchtitan-benchmarks", "context parallelism")])
def rank_tokens(micro_batch: Count, sequence_length: Tokens, context_parallel: Count) -> Tokens:
    """Tokens of one micro batch that one rank works on."""
    return micro_batch * sequence_length / context_parallel


@formula(sources=[_PIPELINE])
def micro_batches_in_flight(pipeline_parallel: Count, virtual_stages: Count, gradient_accumulation: Count) -> Count:
    """Micro batches whose activations the first stage holds at once under the one-forward-one-backward schedule.

    As many as there are stages, or as the step has; interleaved stages hold (stages - 1) / virtual stages more.
    """
    return minimum(pipeline_parallel, gradient_accumulation) * where(
        virtual_stages > 1, 1 + (pipeline_parallel - 1) / (pipeline_parallel * virtual_stages), 1
    )


@formula(sources=[_KORTHIKANTI])
def kept_activations(
    kept_per_layer: BytesPerToken, layers: Count, stage_share: Ratio, rank_tokens: Tokens, stream_passes: Count
) -> Bytes:
    """What one micro batch keeps on a stage; a preference method that runs two sequences for each keeps both."""
    return kept_per_layer * layers * stage_share * rank_tokens * stream_passes


@formula(sources=[_KORTHIKANTI])
def layer_gradients(
    layers: Count,
    expert_layers: Count,
    intermediate: Count,
    expert_intermediate: Count,
    experts_per_token: Count,
    experts: Count,
    gradient_tensors: Count,
    activation_element_size: Count,
    tensor_parallel: Count,
) -> BytesPerToken:
    """Gradients of activations that stand while a layer runs backward: some tensors as wide as its feed-forward block.

    Experts run one after the other, so of theirs only the tokens of one of them stand at a time.
    """
    return (
        gradient_tensors
        * (
            (layers - expert_layers) * intermediate
            + expert_layers * expert_intermediate * experts_per_token / maximum(1, experts)
        )
        / layers
        * activation_element_size
        / tensor_parallel
    )


@formula(sources=[_KORTHIKANTI])
def working_activations(layer_gradients: BytesPerToken, rank_tokens: Tokens, stream_passes: Count) -> Bytes:
    """Gradients of activations in the layer that runs backward."""
    return layer_gradients * rank_tokens * stream_passes


@formula(of="working_activations", when='recomputation == "full"', sources=[_KORTHIKANTI])
def working_activations_recomputed(
    layer_gradients: BytesPerToken,
    recomputed_layer: BytesPerToken,
    selective_layer: BytesPerToken,
    checkpoint_activations: BytesPerToken,
    layers: Count,
    stage_share: Ratio,
    rank_tokens: Tokens,
    stream_passes: Count,
) -> Bytes:
    """One layer's recomputed activations beside their gradients; never more than recomputing less would keep of all layers."""
    return (
        (layer_gradients + minimum(recomputed_layer, maximum(0, selective_layer - checkpoint_activations) * layers * stage_share))
        * rank_tokens
        * stream_passes
    )


@formula(sources=[_PIPELINE])
def activation_memory(kept_activations: Bytes, working_activations: Bytes, micro_batches_in_flight: Count) -> Bytes:
    """Activations on the fullest stage: of every micro batch in flight, and of the layer that works."""
    return kept_activations * micro_batches_in_flight + working_activations


@formula(sources=[_PIPELINE])
def last_stage_activations(kept_activations: Bytes, working_activations: Bytes, logits_memory: Bytes) -> Bytes:
    """The last stage, with one micro batch in flight: its logits are freed before a layer of it runs backward."""
    return kept_activations + maximum(working_activations, logits_memory)


@formula(sources=[_PIPELINE])
def passing_memory(activation_memory: Bytes, last_stage_activations: Bytes) -> Bytes:
    """Memory that comes and goes within a step, on the stage where it is largest."""
    return maximum(activation_memory, last_stage_activations)
