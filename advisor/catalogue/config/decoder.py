"""A decoder-only language model, or the text part of a multimodal one: layers, experts, embedding, head, and what is extra."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from advisor.catalogue.config.attention import newer_falcon
from advisor.catalogue.config.compressed import hyper_connections
from advisor.catalogue.config.families import Family
from advisor.catalogue.config.feed_forward import (
    NOTHING,
    FeedForwardShape,
    dense,
    dense_width,
    expert_shape,
    routed,
)
from advisor.catalogue.config.keys import LARGEST_CONTEXT, MOST_LAYERS, Keys, same_length
from advisor.catalogue.config.layers import LayerMixer, grouped, layer_mixers
from advisor.catalogue.config.patterns import block_letters, feed_forwards
from advisor.catalogue.model import Experts, LayerGroup

_DRAFTS_WITH_TABLES: Final = ("deepseek_v3", "kimi", "glm")
HIDDEN: Final = ("hidden_size", "d_model", "n_embd", "dim", "model_dim")
LAYERS: Final = ("num_hidden_layers", "n_layers", "n_layer", "num_layers", "decoder_layers")
VOCABULARY: Final = ("vocab_size", "padded_vocab_size", "n_vocab")
CONTEXT: Final = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "max_sequence_length",
    "seq_length",
    "n_ctx",
    "model_max_length",
    "max_seq_length",
)


@dataclass(frozen=True, slots=True)
class TextPart:
    """A language model as read: counts in elements; `spare` are the expert parameters that one token leaves unused."""

    parameters: int
    hidden: int
    layers: int
    embedding: int
    vocabulary: int
    groups: tuple[LayerGroup, ...]
    tied: bool
    heads: int | None = None
    intermediate: int | None = None
    context: int | None = None
    experts: int = 0
    spare: int = 0
    expert_record: Experts | None = None
    draft_layers: int = 0
    extra: dict[str, int] = field(default_factory=dict)


def read_decoder(keys: Keys, family: Family, model_type: str, *, tied: bool, has_head: bool) -> TextPart:
    """Count a decoder. tied: output head and embedding are one table. has_head: whether it has one at all."""
    hidden = keys.need(*HIDDEN, what="the width of the model")
    letters = block_letters(keys)
    layers = len(letters) if letters else keys.need(*LAYERS, what="the number of layers", most=MOST_LAYERS)
    vocabulary = keys.need(*VOCABULARY, what="the size of the vocabulary")
    context = read_context(keys)
    mixers = layer_mixers(keys, layers, hidden, model_type, family)
    feeds, expert_record, width = _feed_forwards(keys, layers, hidden, model_type, family)
    norm = family.norm_elements * hidden
    streams, streams_end = hyper_connections(keys, hidden)
    each = [
        mixer.parameters + feed.parameters + norm * _norms(keys, mixer, feed, model_type, family) + streams
        for mixer, feed in zip(mixers, feeds, strict=True)
    ]
    embedding_width = keys.whole("word_embed_proj_dim") or hidden
    embedding = vocabulary * embedding_width
    # Llama 3.2 Vision has eight rows more for its image tokens, in the embedding but not in the head.
    ends = embedding + (8 * hidden if model_type == "mllama_text_model" else 0)
    ends += norm if family.embedding_norm else 0
    ends += streams_end
    ends += 0 if embedding_width == hidden else 2 * embedding_width * hidden
    ends += norm if family.final_norm and keys.flag("do_layer_norm_before") is not False else 0
    if family.positions is not None and not keys.flag("alibi"):
        ends += ((context or 0) + family.positions) * hidden
    if has_head:
        ends += 0 if tied else embedding
        ends += vocabulary if family.head_bias or keys.flag("lm_head_bias") else 0
    ends += _per_layer_inputs(keys, layers, hidden) + _alternating_updates(keys, layers, hidden)
    experts = sum(feed.experts for feed in feeds)
    draft_layers, extra = _drafts(keys, hidden, vocabulary, each, model_type)
    return TextPart(
        parameters=sum(each) + ends,
        hidden=hidden,
        layers=layers,
        embedding=embedding,
        vocabulary=vocabulary,
        groups=grouped(mixers),
        tied=tied,
        heads=keys.whole("num_attention_heads", "n_heads", "n_head", "num_heads"),
        intermediate=width,
        context=context,
        experts=experts,
        spare=experts - sum(feed.experts_used for feed in feeds),
        expert_record=expert_record,
        draft_layers=draft_layers,
        extra=extra,
    )


def read_context(keys: Keys, *names: str) -> int | None:
    """The longest sequence the model was made for; its absence is said."""
    context = keys.whole(*names, *CONTEXT, most=LARGEST_CONTEXT)
    if context is None:
        keys.assume(f"{CONTEXT[0]} is not given: the longest sequence is unknown")
    return context


def _feed_forwards(
    keys: Keys, layers: int, hidden: int, model_type: str, family: Family
) -> tuple[list[FeedForwardShape], Experts | None, int | None]:
    """The feed-forward of each layer, the experts' record, and the dense width (an expert's where no layer is dense)."""
    blocks = keys.items("block_configs")
    if blocks is not None:
        widths = [_searched_width(keys, index, block, hidden) for index, block in enumerate(blocks)]
        return [dense(keys, hidden, width, family) if width else NOTHING for width in widths], None, max(widths) or None
    if model_type in ("mamba", "mamba2", "falcon_mamba"):
        return [NOTHING] * layers, None, None
    experts = expert_shape(keys, hidden)
    letters = block_letters(keys)
    if experts is None:
        # Granite's hybrid without experts keeps only the always-on feed-forward, under its own key.
        width = keys.whole("shared_intermediate_size") or dense_width(keys, hidden, model_type)
        one = dense(keys, hidden, width, family)
        if letters:
            return [one if letter == "-" else NOTHING for letter in letters], None, width
        wider = keys.count("num_kv_shared_layers") if keys.flag("use_double_wide_mlp") else 0
        listed = keys.wholes("intermediate_size")
        if listed:
            same_length(keys, "intermediate_size", listed, layers)
            return [dense(keys, hidden, layer_width, family) for layer_width in listed], None, width
        return [one] * (layers - wider) + [dense(keys, hidden, 2 * width, family)] * wider, None, width
    with_experts = routed(keys, hidden, experts, family, model_type)
    kinds = feed_forwards(keys, layers, model_type)
    width = dense_width(keys, hidden, model_type) if "dense" in kinds else experts.width
    by_kind = {"experts": with_experts, "none": NOTHING}
    by_kind["dense"] = dense(keys, hidden, width, family) if "dense" in kinds else NOTHING
    return [by_kind[kind] for kind in kinds], experts.record(max(kinds.count("experts"), 1)), width


def _searched_width(keys: Keys, index: int, block: object, hidden: int) -> int:
    part = block.get("ffn") if isinstance(block, dict) else None
    if not isinstance(part, dict):
        raise keys.error(f"block_configs[{index}]", 'has no object "ffn"')
    own = Keys(part, where=f"{keys.where}, block_configs[{index}].ffn", assumed=keys.assumed)
    if own.flag("no_op"):
        return 0
    stated = own.whole("intermediate_size")
    multiple = own.number("ffn_mult")
    if stated is None and multiple is None:
        raise own.error("ffn_mult", "is missing; expected the width as a multiple, or intermediate_size")
    # The published model code rounds two thirds of the multiple up to the next 256.
    return stated or 256 * -(-int(2 * (multiple or 0) * hidden / 3) // 256)


def _norms(keys: Keys, mixer: LayerMixer, feed: FeedForwardShape, model_type: str, family: Family) -> int:
    """Norms over the hidden width in one layer."""
    if family.norms == 2 and keys.has("block_configs"):
        return int(mixer.present) + int(feed.parameters > 0)
    if model_type == "falcon":
        if newer_falcon(keys):
            return keys.whole("num_ln_in_parallel_attn") or 2
        return 1 if keys.flag("parallel_attn") is not False else 2
    if model_type == "stablelm" and keys.flag("use_parallel_residual"):
        return 1
    return family.norms


def _per_layer_inputs(keys: Keys, layers: int, hidden: int) -> int:
    """Per-layer embeddings (Gemma 3n and 4): a second table, and a gate and a projection in every layer."""
    width = keys.count("hidden_size_per_layer_input")
    if not width:
        return 0
    rows = keys.whole("vocab_size_per_layer_input") or keys.need(*VOCABULARY, what="the size of the vocabulary")
    return rows * layers * width + layers * width * hidden + width + layers * (2 * hidden * width + hidden)


def _alternating_updates(keys: Keys, layers: int, hidden: int) -> int:
    """AltUp and LAuReL (Gemma 3n): several streams of the hidden state, and a low-rank residual."""
    streams = keys.whole("altup_num_inputs")
    if streams is None:
        return 0
    rank = keys.whole("laurel_rank") or 64
    per_layer = 2 * hidden + streams * streams + streams**3 + streams * hidden + 2 * hidden * rank + hidden
    return layers * per_layer + 2 * (streams - 1) * hidden * hidden


def _drafts(keys: Keys, hidden: int, vocabulary: int, each: Sequence[int], model_type: str) -> tuple[int, dict[str, int]]:
    """Multi-token-prediction layers: stored in the checkpoint, used only for speculative decoding.

    Each is a layer like the last (of a pattern of blocks: the blocks of its own pattern) with two norms, a projection of two
    hidden states into one and a final norm; the DeepSeek and GLM lines store the embedding and the head once more with it.
    """
    count = keys.count("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers", most=MOST_LAYERS)
    if not count:
        return 0, {}
    layer, letters = each[-1], block_letters(keys)
    if letters:
        own = keys.text("mtp_hybrid_override_pattern") or "*E"
        layer = sum(each[letters.index(letter)] for letter in own if letter in letters)
    own_tables = model_type.startswith(_DRAFTS_WITH_TABLES) and keys.flag("mtp_use_dedicated_embeddings") is not False
    one = layer + 2 * hidden * hidden + 3 * hidden + (2 * vocabulary * hidden if own_tables else 0)
    return count, {"multi_token_prediction": count * one}
