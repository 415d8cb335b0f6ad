"""One layer: bytes that its forward pass leaves for the backward pass, for each token, without any recomputation."""

from advisor.sizing.formula import cite, formula
from advisor.units import BytesPerToken, Count, Ratio, Tokens, largest, maximum, minimum, where

_KORTHIKANTI = cite("korthikanti-2022-recomputation", "§4")


@formula(sources=[_KORTHIKANTI])
def stream_activations(
    hidden: Count, activation_element_size: Count, tensor_parallel: Count, sequence_parallel: Count
) -> BytesPerToken:
    """Inputs and outputs of norms and the residual stream: five tensors, split only under sequence parallelism."""
    return 5 * hidden * activation_element_size / where(sequence_parallel > 0, tensor_parallel, 1)


@formula(sources=[_KORTHIKANTI])
def attention_activations(
    heads: Count, attention_head_dim: Count, kv_width: Count, activation_element_size: Count, tensor_parallel: Count
) -> BytesPerToken:
    """Queries, keys, values and the attention's output; keys and values are narrower under grouped-query attention."""
    return 2 * (heads * attention_head_dim + kv_width) * activation_element_size / tensor_parallel


@formula(sources=[_KORTHIKANTI])
def attention_head_dim(group_head_dim: Count) -> Count:
    """Width of one head in the layers with the widest heads."""
    return largest(group_head_dim)


@formula(sources=[_KORTHIKANTI])
def kv_width(group_kv_heads: Count, group_head_dim: Count) -> Count:
    """Elements of one token's keys in a layer, in the layers with most of them; its values have as many."""
    return largest(group_kv_heads * group_head_dim)


@formula(sources=[_KORTHIKANTI])
def score_activations(heads: Count, sequence_length: Tokens, score_bytes: Count, tensor_parallel: Count) -> BytesPerToken:
    """Attention scores, their softmax and its dropout, which every token keeps for every other; none with flash attention."""
    return score_bytes * heads * sequence_length / tensor_parallel


@formula(sources=[_KORTHIKANTI])
def kept_score_activations(score_activations: BytesPerToken) -> BytesPerToken:
    """Attention scores that a layer without recomputation keeps."""
    return score_activations


@formula(
    of="kept_score_activations",
    when='attention_kernel == "flash"',
    sources=[cite("dao-2022-flashattention", "§3.1")],
)
def kept_score_activations_flash(score_activations: BytesPerToken) -> BytesPerToken:
    """Flash attention recomputes scores block by block and keeps none."""
    return 0 * score_activations


@formula(sources=[_KORTHIKANTI])
def feed_forward_width(
    layers: Count,
    expert_layers: Count,
    intermediate: Count,
    expert_intermediate: Count,
    experts_per_token: Count,
    shared_experts: Count,
) -> Count:
    """Width of the feed-forward block that one token passes, over all layers on average.

    Of a mixture of experts only the active ones count here, though all of them count as state.
    """
    return (
        (layers - expert_layers) * intermediate + expert_layers * (experts_per_token + shared_experts) * expert_intermediate
    ) / layers


@formula(sources=[_KORTHIKANTI])
def feed_forward_activations(
    feed_forward_width: Count, feed_forward_matrices: Count, activation_element_size: Count, tensor_parallel: Count
) -> BytesPerToken:
    """Tensors as wide as the feed-forward block: four of a gated one (three matrices), two of a plain one (two matrices)."""
    return (2 * feed_forward_matrices - 2) * feed_forward_width * activation_element_size / tensor_parallel


@formula(sources=[cite("megatron-core-moe", "token dispatch")])
def dispatched_activations(
    hidden: Count, experts_per_token: Count, expert_layers: Count, layers: Count, activation_element_size: Count
) -> BytesPerToken:
    """Copies of a token sent to its experts and of what they return, over all layers on average."""
    return 2 * hidden * experts_per_token * expert_layers / layers * activation_element_size


@formula()
def adapter_activations(hidden: Count) -> BytesPerToken:
    """Further inputs that adapters keep; none without them."""
    return 0 * hidden


@formula(
    of="adapter_activations",
    when="adapter in [lora, dora]",
    sources=[cite("training-memory-measurements", "LitGPT rows without recomputation")],
)
def adapter_activations_lora(hidden: Count, adapter_inputs: Count, tensor_parallel: Count) -> BytesPerToken:
    """Inputs of adapters and their dropout, as tensors of the residual stream's width in 16 bit."""
    return 2 * adapter_inputs * hidden / tensor_parallel


@formula(sources=[cite("training-memory-measurements", "LitGPT rows with 4-bit weights")])
def quantized_activations(
    hidden: Count, quantized_weights: Count, quantized_inputs: Count, tensor_parallel: Count
) -> BytesPerToken:
    """Inputs that quantized linear layers keep in their own copy, for the weights are expanded again in the backward pass."""
    return 2 * quantized_weights * quantized_inputs * hidden / tensor_parallel


@formula(sources=[_KORTHIKANTI])
def layer_activations(
    stream_activations: BytesPerToken,
    attention_activations: BytesPerToken,
    feed_forward_activations: BytesPerToken,
    dispatched_activations: BytesPerToken,
) -> BytesPerToken:
    """Bytes of one token that one layer of the model makes for its backward pass, attention scores and adapters aside."""
    return stream_activations + attention_activations + feed_forward_activations + dispatched_activations


@formula(sources=[_KORTHIKANTI])
def recomputed_layer(layer_activations: BytesPerToken, kept_score_activations: BytesPerToken) -> BytesPerToken:
    """What stands of one layer once it was computed again for its backward pass."""
    return layer_activations + kept_score_activations


@formula(sources=[_KORTHIKANTI])
def checkpoint_activations(
    hidden: Count, residual_element_size: Count, tensor_parallel: Count, sequence_parallel: Count
) -> BytesPerToken:
    """The one tensor a layer keeps under full recomputation: its input, in the precision of the residual stream."""
    return hidden * residual_element_size / where(sequence_parallel > 0, tensor_parallel, 1)


@formula(sources=[_KORTHIKANTI])
def whole_layer(
    layer_activations: BytesPerToken,
    kept_score_activations: BytesPerToken,
    adapter_activations: BytesPerToken,
    quantized_activations: BytesPerToken,
) -> BytesPerToken:
    """Everything a layer keeps when nothing is recomputed."""
    return layer_activations + kept_score_activations + adapter_activations + quantized_activations


@formula(sources=[_KORTHIKANTI])
def kept_per_layer(whole_layer: BytesPerToken) -> BytesPerToken:
    """Bytes of one token that each layer holds until its backward pass."""
    return whole_layer


@formula(sources=[_KORTHIKANTI])
def selective_layer(
    layer_activations: BytesPerToken,
    checkpoint_activations: BytesPerToken,
    selective_share: Ratio,
    whole_layer: BytesPerToken,
) -> BytesPerToken:
    """What a layer keeps under selective recomputation: no scores, and of the rest the share that the stack's policy keeps."""
    return minimum(whole_layer, maximum(checkpoint_activations, selective_share * layer_activations))


@formula(of="kept_per_layer", when='recomputation == "selective"', sources=[_KORTHIKANTI])
def kept_per_layer_selective(selective_layer: BytesPerToken) -> BytesPerToken:
    """The same under selective recomputation."""
    return selective_layer


@formula(of="kept_per_layer", when='recomputation == "full"', sources=[_KORTHIKANTI])
def kept_per_layer_full(
    checkpoint_activations: BytesPerToken, whole_layer: BytesPerToken, checkpoints_offloaded: Count
) -> BytesPerToken:
    """The same under full recomputation: the layer's input, which may itself wait in host memory."""
    return minimum(whole_layer, checkpoint_activations) * (1 - checkpoints_offloaded)
