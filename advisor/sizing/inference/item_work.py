"""Work of models that process items instead of tokens: a text, an image, a second of audio, a generated picture or video.

The fact `item_unit` says what an item is: text, image, audio (a second of it) or generation (all denoising steps together).
The catalogue's figure comes in as `catalogue_item_work`: work of one image, second of audio or denoising step; zero where the
catalogue has none. Texts need none: their work follows from the parameters.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, FlopPerItem, FlopPerToken, Ratio, TokensPerItem, maximum, where

_PASS = cite("narayanan-2021-megatron", "appendix: operations of a transformer")
_ATTENTION = cite("dao-2022-flashattention", "operation count")
_WHISPER = cite("whisper-repository", "decoder blocks: self-attention, cross-attention, feed-forward of four widths")


@formula(sources=[_PASS])
def encoder_parameters(active_parameters: Count, table_parameters: Count, untied_head: Count) -> Count:
    """Parameters that do work on every token: all active ones but the vocabulary tables, which are only looked up."""
    return maximum(0, active_parameters - table_parameters * (1 + untied_head))


@formula(sources=[_PASS])
def encoder_token_work(encoder_parameters: Count) -> FlopPerToken:
    """Work of one token outside attention scores: a multiplication and an addition for every parameter it passes."""
    return 2 * encoder_parameters


@formula(sources=[_ATTENTION])
def item_attention_work(layers: Count, hidden: Count, tokens_per_item: TokensPerItem, attended_share: Ratio) -> FlopPerItem:
    """Work of attention scores and weighted sums over one text.

    attended_share: 1 where every token sees every other, one half where a decoder used as an encoder sees earlier ones only.
    Padding to the longest text of a batch is not counted; servers that pack texts avoid it.
    """
    return 4 * layers * hidden * tokens_per_item**2 * attended_share


@formula(of="item_work", when='item_unit == "text"', sources=[_PASS])
def item_work_of_text(
    tokens_per_item: TokensPerItem, encoder_token_work: FlopPerToken, item_attention_work: FlopPerItem
) -> FlopPerItem:
    """Work of one text through an embedder or a reranker; a reranker's text is the query and one candidate together."""
    return tokens_per_item * encoder_token_work + item_attention_work


@formula(of="item_work", when='item_unit == "image"', sources=[cite("timm-results", "operations grow with the pixels")])
def item_work_of_image(catalogue_item_work: FlopPerItem, image_scale: Ratio) -> FlopPerItem:
    """Work of one image through a classifier, detector or image encoder.

    image_scale: its pixels over those the catalogue counts with (224x224 or 640x640). Exact for convolutions; transformers'
    attention grows faster, which matters from about four times the pixels on.
    """
    return catalogue_item_work * image_scale


@formula(sources=[_WHISPER])
def decoder_token_work(decoder_layers: Count, hidden: Count, table_parameters: Count, audio_positions: Count) -> FlopPerToken:
    """Work of one output token of a speech decoder: sixteen squares of its width a layer, attention to the audio, and the head.

    Zero layers stand for models that write text without a decoder of this kind (CTC and transducers).
    """
    return decoder_layers * (32 * hidden**2 + 4 * audio_positions * hidden) + where(decoder_layers > 0, 2 * table_parameters, 0)


@formula(of="item_work", when='item_unit == "audio"', sources=[_WHISPER])
def item_work_of_audio(
    catalogue_item_work: FlopPerItem, decoder_token_work: FlopPerToken, audio_tokens_per_second: TokensPerItem
) -> FlopPerItem:
    """Work of one second of audio: the encoder's, and the decoder's for the tokens that are spoken in it."""
    return catalogue_item_work + decoder_token_work * audio_tokens_per_second


@formula(sources=[cite("diffusers-0.42.1", "operations of one step at the published resolution")])
def denoising_step_work(catalogue_item_work: FlopPerItem, image_scale: Ratio) -> FlopPerItem:
    """Work of one denoising step, scaled by the pixels over those the catalogue counts with.

    Attention grows faster than that: at twice the width and height of a transformer's picture the step is understated by a third
    or so.
    """
    return catalogue_item_work * image_scale


@formula(of="denoising_step_work", when="catalogue_item_work == 0", sources=[_PASS, _ATTENTION])
def denoising_step_work_of_tokens(
    active_parameters: Count, layers: Count, hidden: Count, latent_tokens: TokensPerItem
) -> FlopPerItem:
    """Work of one denoising step of a transformer whose catalogue entry has none, from the latent tokens it runs on.

    Videos are of this kind: tokens are latent frames times latent height times latent width, and attention is most of the work.
    """
    return 2 * active_parameters * latent_tokens + 4 * layers * hidden * latent_tokens**2


@formula(of="item_work", when='item_unit == "generation"', sources=[cite("diffusers-0.42.1", "steps and guidance")])
def item_work_of_generation(denoising_steps: Count, guidance_passes: Count, denoising_step_work: FlopPerItem) -> FlopPerItem:
    """Work of one generated picture or video: all denoising steps, twice where guidance runs the model without the prompt too.

    guidance_passes: 2 for classifier-free guidance (Stable Diffusion, Wan), 1 where it is distilled in (FLUX). Text encoders and
    the final decoder are left out; they add a few percent, more where steps are few.
    """
    return denoising_steps * guidance_passes * denoising_step_work
