"""Encoder-decoder models: T5, BART and their kin, and Whisper. The decoder caches its own tokens and, once, the encoder's."""

from dataclasses import dataclass
from typing import Final

from advisor.catalogue.config.decoder import TextPart, read_context
from advisor.catalogue.config.keys import MOST_LAYERS, Keys
from advisor.catalogue.model import LayerGroup

T5_TYPES: Final = frozenset({"t5", "mt5", "umt5", "longt5", "byt5"})


@dataclass(frozen=True, slots=True)
class BartFamily:
    """Traits of a BART-like type.

    offset: rows of the position table beyond the context. stored_positions: whether the table is among the weights at all.
    embedding_norm: a norm after the embedding. final_norm: one at the end of each side.
    """

    offset: int = 2
    embedding_norm: bool = True
    final_norm: bool = False
    stored_positions: bool = True


BART_TYPES: Final[dict[str, BartFamily]] = {
    "bart": BartFamily(),
    "mvp": BartFamily(),
    "plbart": BartFamily(),
    "mbart": BartFamily(final_norm=True),
    "blenderbot": BartFamily(offset=0, embedding_norm=False, final_norm=True),
    "blenderbot-small": BartFamily(offset=0),
    "pegasus": BartFamily(offset=0, embedding_norm=False, final_norm=True),
    "marian": BartFamily(offset=0, embedding_norm=False),
    "m2m_100": BartFamily(embedding_norm=False, final_norm=True, stored_positions=False),
}


def read_t5(keys: Keys, *, tied: bool) -> TextPart:
    """T5 (Raffel et al., 2020): no biases, norms without offset, one table of relative positions per side."""
    hidden = keys.need("d_model", "hidden_size", what="the width of the model")
    heads = keys.need("num_heads", "num_attention_heads", what="the number of attention heads")
    width = keys.whole("d_kv", "head_dim") or hidden // heads
    inner = keys.need("d_ff", "intermediate_size", what="the width of the feed-forward layer")
    encoders = keys.need("num_layers", "num_hidden_layers", what="the layers of the encoder", most=MOST_LAYERS)
    decoders = keys.whole("num_decoder_layers", most=MOST_LAYERS) or encoders
    vocabulary = keys.need("vocab_size", what="the size of the vocabulary")
    gated = keys.flag("is_gated_act") or (keys.text("feed_forward_proj") or "").startswith("gated")
    attention = 4 * hidden * heads * width
    feed = (3 if gated else 2) * hidden * inner
    table = (keys.whole("relative_attention_num_buckets") or 32) * heads
    tables = (encoders + decoders) * table if keys.text("model_type") == "umt5" else 2 * table
    parameters = encoders * (attention + feed + 2 * hidden) + decoders * (2 * attention + feed + 3 * hidden)
    embedding = vocabulary * hidden
    parameters += 2 * hidden + tables + embedding * (1 if tied else 2)
    context = read_context(keys)
    return TextPart(
        parameters=parameters,
        hidden=hidden,
        layers=decoders,
        embedding=embedding,
        vocabulary=vocabulary,
        groups=(_decoder_group(keys, decoders, heads, width, context),),
        tied=tied,
        heads=heads,
        intermediate=inner,
        context=context,
    )


def read_bart(keys: Keys, family: BartFamily, *, tied: bool) -> TextPart:
    """BART (Lewis et al., 2020) and translation models of its layout: biases everywhere, LayerNorm."""
    hidden, encoders, decoders, inner_encoder, inner_decoder, heads = _sides(keys)
    vocabulary = keys.need("vocab_size", what="the size of the vocabulary")
    context = read_context(keys)
    attention = 4 * hidden**2 + 4 * hidden
    parameters = encoders * (attention + _feed(hidden, inner_encoder) + 4 * hidden)
    parameters += decoders * (2 * attention + _feed(hidden, inner_decoder) + 6 * hidden)
    if family.stored_positions:
        parameters += 2 * ((context or 0) + family.offset) * hidden
    parameters += (4 * hidden if family.embedding_norm else 0) + (4 * hidden if family.final_norm else 0)
    embedding = vocabulary * hidden
    parameters += embedding * (1 if tied else 2)
    return TextPart(
        parameters=parameters,
        hidden=hidden,
        layers=decoders,
        embedding=embedding,
        vocabulary=vocabulary,
        groups=(_decoder_group(keys, decoders, heads, hidden // heads, context),),
        tied=tied,
        heads=heads,
        intermediate=inner_decoder,
        context=context,
    )


def read_whisper(keys: Keys, *, tied: bool) -> TextPart:
    """Whisper (Radford et al., 2022): two convolutions over the spectrogram before the encoder, keys without bias."""
    hidden, encoders, decoders, inner_encoder, inner_decoder, heads = _sides(keys)
    vocabulary = keys.need("vocab_size", what="the size of the vocabulary")
    mels = keys.need("num_mel_bins", what="the bands of the spectrogram")
    positions = keys.need("max_source_positions", what="the positions of the encoder")
    context = read_context(keys, "max_target_positions")
    attention = 4 * hidden**2 + 3 * hidden
    parameters = encoders * (attention + _feed(hidden, inner_encoder) + 4 * hidden)
    parameters += decoders * (2 * attention + _feed(hidden, inner_decoder) + 6 * hidden)
    parameters += 3 * mels * hidden + hidden + 3 * hidden**2 + hidden
    parameters += (positions + (context or 0)) * hidden + 4 * hidden
    embedding = vocabulary * hidden
    parameters += embedding * (1 if tied else 2)
    return TextPart(
        parameters=parameters,
        hidden=hidden,
        layers=decoders,
        embedding=embedding,
        vocabulary=vocabulary,
        groups=(_decoder_group(keys, decoders, heads, hidden // heads, positions),),
        tied=tied,
        heads=heads,
        intermediate=inner_decoder,
        context=context,
    )


def _sides(keys: Keys) -> tuple[int, int, int, int, int, int]:
    hidden = keys.need("d_model", "hidden_size", what="the width of the model")
    encoders = keys.need("encoder_layers", "num_hidden_layers", what="the layers of the encoder", most=MOST_LAYERS)
    decoders = keys.need("decoder_layers", what="the layers of the decoder", most=MOST_LAYERS)
    heads = keys.need("decoder_attention_heads", "encoder_attention_heads", what="the number of attention heads")
    if hidden % heads:
        raise keys.error("decoder_attention_heads", f"is {heads}, which does not divide d_model {hidden}")
    inner_encoder = keys.need("encoder_ffn_dim", what="the width of the encoder's feed-forward layer")
    inner_decoder = keys.need("decoder_ffn_dim", what="the width of the decoder's feed-forward layer")
    return hidden, encoders, decoders, inner_encoder, inner_decoder, heads


def _feed(hidden: int, inner: int) -> int:
    return 2 * hidden * inner + inner + hidden


def _decoder_group(keys: Keys, layers: int, heads: int, width: int, positions: int | None) -> LayerGroup:
    if positions is None:
        keys.assume("the encoder's longest input is not given: the cache of its keys and values is left out")
    return LayerGroup(count=layers, kv_heads=heads, head_dim=width, cross_tokens=positions)
