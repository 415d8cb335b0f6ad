"""Encoder-only models (BERT and its kin): they embed, classify or fill in, and keep no cache."""

from dataclasses import dataclass, replace
from typing import Final

from advisor.catalogue.config.decoder import TextPart, read_context
from advisor.catalogue.config.feed_forward import INTERMEDIATE
from advisor.catalogue.config.keys import MOST_LAYERS, Keys
from advisor.catalogue.model import LayerGroup


@dataclass(frozen=True, slots=True)
class EncoderFamily:
    """Traits of an encoder type.

    positions: a learned table. pooler: a pooling layer on top. shared_layers: one layer's weights for all. prenorm: norms stand
    before attention and feed-forward, with one more at the end.
    """

    positions: bool = True
    pooler: bool = True
    attention_bias: bool = True
    mlp_bias: bool = True
    gated: bool = False
    norm_elements: int = 2
    shared_layers: bool = False
    prenorm: bool = False


_BERT: Final = EncoderFamily()
_ROTARY: Final = EncoderFamily(positions=False, pooler=False, gated=True, mlp_bias=False)
ENCODERS: Final[dict[str, EncoderFamily]] = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "xlm-roberta-xl": replace(_BERT, prenorm=True),
    "camembert": _BERT,
    "ernie": _BERT,
    "megatron-bert": _BERT,
    "mpnet": _BERT,
    "electra": replace(_BERT, pooler=False),
    "distilbert": replace(_BERT, pooler=False),
    "deberta-v2": replace(_BERT, pooler=False),
    "deberta": replace(_BERT, pooler=False),
    "albert": replace(_BERT, shared_layers=True),
    "modernbert": replace(_ROTARY, attention_bias=False, norm_elements=1, prenorm=True),
    "nomic_bert": replace(_ROTARY, attention_bias=False),
    "new": _ROTARY,
    "gte": _ROTARY,
}


def read_encoder(keys: Keys, family: EncoderFamily, model_type: str, architecture: str) -> TextPart:
    """Count an encoder, with the head that its architecture names; without one, with the pooling layer of its type."""
    hidden = keys.need("hidden_size", "dim", "n_embd", "d_model", what="the width of the model")
    layers = keys.need("num_hidden_layers", "n_layers", "n_layer", what="the number of layers", most=MOST_LAYERS)
    heads = keys.need("num_attention_heads", "n_heads", "n_head", what="the number of attention heads")
    if hidden % heads:
        raise keys.error("num_attention_heads", f"is {heads}, which does not divide hidden_size {hidden}")
    inner = keys.need(*INTERMEDIATE, what="the width of the feed-forward layer")
    vocabulary = keys.need("vocab_size", what="the size of the vocabulary")
    context = read_context(keys)
    width = keys.whole("embedding_size") or hidden
    norm = family.norm_elements
    embedding = vocabulary * width
    parameters = embedding + norm * width + keys.count("type_vocab_size") * width
    if family.positions and keys.flag("position_biased_input") is not False:
        parameters += (context or 0) * width
    parameters += 0 if width == hidden else width * hidden + hidden
    parameters += (1 if family.shared_layers else layers) * _layer(keys, family, hidden, inner)
    # The first pre-norm layer has no norm before its attention, as the embedding ends in one.
    parameters += 0 if not family.prenorm else (norm * hidden if model_type != "modernbert" else 0)
    parameters += _relative_positions(keys, hidden, heads, model_type) + _head(keys, family, architecture, hidden, width)
    return TextPart(
        parameters=parameters,
        hidden=hidden,
        layers=layers,
        embedding=embedding,
        vocabulary=vocabulary,
        groups=(LayerGroup(count=layers, kind="none"),),
        tied=True,
        heads=heads,
        intermediate=inner,
        context=context,
    )


def _layer(keys: Keys, family: EncoderFamily, hidden: int, inner: int) -> int:
    stated = keys.flag("attention_bias", "qkv_proj_bias")
    biased = family.attention_bias if stated is None else stated
    attention = 4 * hidden**2 + (4 * hidden if biased else 0)
    if family.gated:
        feed = 3 * hidden * inner + (hidden if family.attention_bias else 0)
    else:
        feed = 2 * hidden * inner + (inner + hidden if family.mlp_bias else 0)
    return attention + feed + 2 * family.norm_elements * hidden


def _relative_positions(keys: Keys, hidden: int, heads: int, model_type: str) -> int:
    """Tables of relative positions (MPNet, DeBERTa)."""
    if model_type == "mpnet":
        return (keys.whole("relative_attention_num_buckets") or 32) * heads
    if not keys.flag("relative_attention"):
        return 0
    buckets = keys.whole("position_buckets", least=-1)
    reach = buckets if buckets and buckets > 0 else keys.whole("max_relative_positions", least=-1) or -1
    reach = reach if reach > 0 else keys.whole("max_position_embeddings") or 512
    return 2 * reach * hidden + (2 * hidden if "layer_norm" in (keys.text("norm_rel_ebd") or "") else 0)


def _head(keys: Keys, family: EncoderFamily, architecture: str, hidden: int, width: int) -> int:
    """What stands on top: words to fill in, labels, a pooling layer, or nothing."""
    norm, bias = family.norm_elements, family.norm_elements - 1
    vocabulary = keys.whole("vocab_size") or 0
    if architecture.endswith(("ForMaskedLM", "ForCausalLM", "ForPreTraining", "LMHeadModel")):
        return hidden * width + bias * width + norm * width + vocabulary
    if architecture.endswith(("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering")):
        labels = keys.mapping.get("id2label")
        count = keys.whole("num_labels") or (len(labels) if isinstance(labels, dict) and labels else 2)
        pooled = hidden**2 + hidden if architecture.endswith("ForSequenceClassification") else 0
        return pooled + count * (hidden + 1)
    return hidden**2 + hidden if family.pooler else 0
