"""Memory of models that process items: weights, the models that stand beside them, and what a batch takes while it runs."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerItem, Count, Items, TokensPerItem, floor, maximum, total

_COPIES = cite("vllm-startup-logs", "section 3b, five rows")
_RUNTIME = cite("faster-whisper-issue-1030", "memory above the weights")


@formula(sources=[cite("diffusers-0.42.1", "text encoders and decoder beside the denoiser")])
def side_weights(group_side_parameters: Count, group_side_bits: Count) -> Bytes:
    """Weights of the models that a pipeline needs beside the main one, each at its own format: text encoders, image decoder."""
    return total(group_side_parameters * group_side_bits / 8)


@formula(sources=[cite("safetensors-format", "header")])
def item_weights(parameters: Count, item_weight_bits: Count, side_weights: Bytes) -> Bytes:
    """Weights of a pipeline that processes items, all of its models resident at once.

    Loading text encoder and denoiser in turn takes less and costs the time of a load for every picture.
    """
    return parameters * item_weight_bits / 8 + side_weights


@formula(of="item_activation", when='item_unit == "text"', sources=[_COPIES])
def item_activation_of_text(
    tokens_per_item: TokensPerItem, hidden: Count, intermediate: Count, hidden_copies: Count, feed_forward_copies: Count
) -> BytesPerItem:
    """Activations of one text at their peak, in one layer at 16 bit; attention scores are never stored whole."""
    return 2 * tokens_per_item * (hidden_copies * hidden + feed_forward_copies * intermediate)


@formula(of="item_activation", when='item_unit == "generation"', sources=[_COPIES])
def item_activation_of_generation(
    latent_tokens: TokensPerItem, hidden: Count, guidance_passes: Count, hidden_copies: Count, feed_forward_copies: Count
) -> BytesPerItem:
    """Activations of one generation at their peak, in one transformer block with a feed-forward part four times as wide."""
    return 2 * latent_tokens * guidance_passes * hidden * (hidden_copies + 4 * feed_forward_copies)


@formula(of="item_activation", when='item_unit == "image"', sources=[cite("timm-results", "activations of one image")])
def item_activation_of_image(image_activations: Count) -> BytesPerItem:
    """Activations of one image at 16 bit, were every layer's output kept.

    image_activations: elements that a library counts for one image (11.1 million for ResNet-50 at 224x224). Inference frees most
    of them as it goes, so this is an upper bound.
    """
    return 2 * image_activations


@formula(of="item_activation", when='item_unit == "audio"', sources=[cite("whisper-repository", "keys and values of the audio")])
def item_activation_of_audio(
    decoder_layers: Count, hidden: Count, audio_positions: Count, item_group: Items, hidden_copies: Count
) -> BytesPerItem:
    """Memory of one second of audio: the decoder's keys and values of it, and the encoder's activations, at 16 bit."""
    return 2 * audio_positions * hidden * (2 * decoder_layers + hidden_copies) / item_group


@formula(sources=[cite("diffusers-0.42.1", "last block of the image decoder")])
def image_decode_memory(
    image_pixels: Count, image_decoder_channels: Count, image_decode_copies: Count, item_batch: Count
) -> Bytes:
    """Memory that turning latents into pixels takes at its peak: its last block runs at full resolution and 16 bit.

    Frees what the denoiser took, and can be cut into tiles; zero pixels stand for models that make no pictures.
    """
    return 2 * image_pixels * image_decoder_channels * image_decode_copies * item_batch


@formula(sources=[_RUNTIME])
def item_memory(
    item_weights: Bytes,
    items_per_pass: Items,
    item_activation: BytesPerItem,
    image_decode_memory: Bytes,
    item_runtime_memory: Bytes,
) -> Bytes:
    """Memory that a pipeline needs on its accelerator: weights, a batch's activations or its decoding, and the runtime's own."""
    return item_weights + maximum(items_per_pass * item_activation, image_decode_memory) + item_runtime_memory


@formula(sources=[_RUNTIME])
def batch_that_fits(
    usable_memory: Bytes, item_weights: Bytes, item_runtime_memory: Bytes, item_group: Items, item_activation: BytesPerItem
) -> Count:
    """Largest batch whose activations fit beside the weights; zero where the weights alone do not."""
    return floor(maximum(0, usable_memory - item_weights - item_runtime_memory) / maximum(item_group * item_activation, 1))
