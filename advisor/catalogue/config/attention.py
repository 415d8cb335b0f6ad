"""Attention layers: weights and what they cache, for grouped-query, latent and cross attention."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from advisor.catalogue.config.families import Family
from advisor.catalogue.config.keys import Keys
from advisor.catalogue.model import LayerGroup

HEADS: Final = ("num_attention_heads", "n_heads", "n_head", "num_heads")
KV_HEADS: Final = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads", "multi_query_group_num", "num_query_groups")
HEAD_WIDTH: Final = ("head_dim", "kv_channels", "attention_head_dim")


@dataclass(frozen=True, slots=True)
class AttentionMixer:
    """Parameters of one attention layer, and what it keeps: a layer group of one layer."""

    parameters: int
    kept: LayerGroup


@dataclass(frozen=True, slots=True)
class HeadShape:
    """Query heads, KV heads, and the widths of keys and values per head."""

    heads: int
    kv_heads: int
    width: int
    value_width: int

    def kept(self, window: int | None = None) -> LayerGroup:
        """What a layer of this shape caches."""
        value_width = self.value_width if self.value_width != self.width else None
        return LayerGroup(count=1, kv_heads=self.kv_heads, head_dim=self.width, value_head_dim=value_width, window=window)


def head_shape(keys: Keys, hidden: int, family: Family, *, known: bool = True) -> HeadShape:
    """The heads of full attention, with KV heads and head width filled in where the file leaves them out."""
    heads = keys.need(*HEADS, what="the number of query heads")
    width = keys.whole(*HEAD_WIDTH)
    if width is None:
        if hidden % heads:
            raise keys.error(
                "num_attention_heads",
                f"is {heads}, which does not divide hidden_size {hidden}, and head_dim is not given",
                hint="correct one of them, or give head_dim",
            )
        width = hidden // heads
    kv_heads = _kv_heads(keys, heads, family)
    return HeadShape(heads, kv_heads, width, keys.whole("v_head_dim", "value_head_dim") or width)


def _kv_heads(keys: Keys, heads: int, family: Family) -> int:
    # With multi_query there is one KV head, whatever number stands beside it, except in Falcon's newer layout.
    shared = keys.flag("multi_query")
    if shared is None and keys.text("model_type") == "falcon" and not keys.has(*KV_HEADS):
        shared = True  # the default of its class
    if shared and not newer_falcon(keys):
        return 1
    if keys.flag("multi_query_attention") is False:
        return heads
    kv_heads = keys.whole(*KV_HEADS)
    if kv_heads is None and (group := keys.whole("num_attention_groups")) is not None:
        kv_heads = group
    if kv_heads is None:
        if not family.multi_head and shared is None:
            keys.assume(
                f"{KV_HEADS[0]} is not given: as many KV heads as query heads ({heads}) taken, as in multi-head attention; "
                "if the model shares them, its cache is smaller"
            )
        return heads
    if heads % kv_heads:
        raise keys.error(KV_HEADS[0], f"is {kv_heads}, which does not divide the {heads} query heads")
    return kv_heads


def newer_falcon(keys: Keys) -> bool:
    """Falcon's newer layout (40B and up): grouped KV heads, and two norms side by side."""
    stated = keys.flag("new_decoder_architecture")
    return keys.has("n_head_kv") and not keys.flag("multi_query") if stated is None else stated


def grouped_query(keys: Keys, hidden: int, shape: HeadShape, family: Family, window: int | None = None) -> AttentionMixer:
    """Grouped-query attention (multi-head and multi-query are its ends): q, k, v and output projections, norms and biases."""
    query, key, value = shape.heads * shape.width, shape.kv_heads * shape.width, shape.kv_heads * shape.value_width
    mixed = shape.heads * shape.value_width
    gated = query if output_gate(keys, family) else 0
    parameters = hidden * (query + gated + key + value) + mixed * hidden
    biased = biased_projections(keys, family)
    parameters += (query + gated if "q" in biased else 0) + (key if "k" in biased else 0)
    parameters += (value if "v" in biased else 0) + (hidden if "o" in biased else 0)
    parameters += _query_key_norm(keys, family, shape)
    if family.sinks or (window and keys.flag("add_swa_attention_sink_bias")):
        parameters += shape.heads
    elif not window and keys.flag("add_full_attention_sink_bias"):
        parameters += shape.heads
    return AttentionMixer(parameters, shape.kept(window))


def output_gate(keys: Keys, family: Family) -> bool:
    """Whether the query projection makes an output gate as well."""
    stated = keys.flag("attn_output_gate")
    return family.output_gate if stated is None else stated


def biased_projections(keys: Keys, family: Family) -> str:
    """Which of q, k, v, o carry a bias."""
    stated = keys.flag("attention_bias", "qkv_bias", "use_qkv_bias", "add_qkv_bias", "use_bias", "enable_bias", "bias")
    if stated is None and (without := keys.flag("no_bias")) is not None:
        # Qwen's first generation means all but q, k and v; MPT means all.
        stated = family.attention_bias if family.biased == "qkv" else not without
    if family.biased == "o":  # the output projection always has one there, and the flag, if any, is about the others
        return "qkvo" if stated else "o"
    biased = family.biased if (family.attention_bias if stated is None else stated) else ""
    out = keys.flag("attention_out_bias")
    return biased if out is None else biased.replace("o", "") + ("o" if out else "")


def _query_key_norm(keys: Keys, family: Family, shape: HeadShape) -> int:
    kind = family.query_key_norm
    stated = keys.flag("use_qk_norm", "qk_layernorm", "use_qk_layernorm", "qk_norm")
    if stated is not None and not (keys.text("model_type") or "").startswith("llama4"):  # Llama 4's has no weights
        kind = "none" if not stated else family.switched_norm if kind == "none" else kind
    elements = {
        "none": 0,
        "head": 2 * shape.width,
        "whole": (shape.heads + shape.kv_heads) * shape.width,
        "biased-head": 4 * shape.width,
    }
    return elements[kind]


def latent(keys: Keys, hidden: int, heads: int, layer: int, has_indexer: Callable[[int], bool]) -> AttentionMixer:
    """Multi-head latent attention (DeepSeek-V2, 2024): keys and values compressed into one vector for all heads.

    What is cached is the compressed vector and its rotary part; the KV heads that such a file also states mean nothing.
    """
    rank = keys.need("kv_lora_rank", what="the width of the compressed keys and values")
    plain = keys.need("qk_nope_head_dim", what="the width of a key's part without position")
    rotary = keys.count("qk_rope_head_dim")
    value_width = keys.need("v_head_dim", what="the width of a value")
    query_rank = keys.whole("q_lora_rank")
    query = heads * (plain + rotary)
    parameters = hidden * query if query_rank is None else hidden * query_rank + query_rank + query_rank * query
    parameters += hidden * (rank + rotary) + rank + rank * heads * (plain + value_width) + heads * value_width * hidden
    if keys.flag("attention_bias"):
        parameters += (query_rank or 0) + rank + rotary + hidden
    indexer_width = keys.whole("index_head_dim") if has_indexer(layer) else None
    if indexer_width is not None:
        indexer_heads = keys.need("index_n_heads", what="the heads of the sparse-attention indexer")
        source = query_rank or hidden
        parameters += source * indexer_heads * indexer_width + hidden * (indexer_width + indexer_heads) + 2 * indexer_width
    kept = LayerGroup(
        count=1,
        kind="latent",
        latent_width=rank + rotary,
        head_dim=plain + rotary,
        value_head_dim=value_width if value_width != plain + rotary else None,
        indexer_width=indexer_width,
    )
    return AttentionMixer(parameters, kept)


def indexed_layers(keys: Keys, layers: int) -> Callable[[int], bool]:
    """Which layers carry an indexer of their own; the others reuse the choice of an earlier layer."""
    types = keys.words("indexer_types")
    pattern = keys.text("index_topk_pattern")
    if types is not None:
        own = [kind != "shared" for kind in types]
    elif pattern is not None:
        own = [letter == "F" for letter in pattern]
    elif (every := keys.whole("index_topk_freq")) is not None and every > 1:
        offset = keys.whole("index_skip_topk_offset", least=0)
        skip = 2 if offset is None else offset
        own = [max(layer - skip + 1, 0) % every == 0 for layer in range(layers)]
    else:
        return lambda layer: True
    return lambda layer: layer >= len(own) or own[layer]


def crossing(hidden: int, shape: HeadShape) -> AttentionMixer:
    """Attention from text to an image's vectors alone (Llama 3.2 Vision): cached once per image, never per text token.

    What one image takes is left out, as nothing tells how many images a request brings.
    """
    query, key = shape.heads * shape.width, shape.kv_heads * shape.width
    parameters = hidden * (query + 2 * key) + query * hidden + 2 * shape.width + 2
    return AttentionMixer(parameters, LayerGroup(count=1, kind="none"))
