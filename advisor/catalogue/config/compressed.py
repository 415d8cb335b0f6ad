"""Compressed attention (DeepSeek-V4): one shared vector per token in a window, and compressed entries for what lies before it."""

from typing import Final

from advisor.catalogue.config.keys import Keys, same_length
from advisor.catalogue.model import LayerGroup

_SPARSE: Final = "compressed_sparse_attention"
_HEAVY: Final = "heavily_compressed_attention"
_RATES: Final = {_SPARSE: 4, _HEAVY: 128}


def compressed_layers(keys: Keys, layers: int, hidden: int) -> list[tuple[int, tuple[LayerGroup, ...]]]:
    """Parameters and what is kept, layer by layer.

    A layer keeps its last `sliding_window` vectors whole, and one entry for every `rate` tokens, so it stands in two groups.
    """
    width = keys.need("head_dim", what="the width of the shared key and value vector")
    window = keys.need("sliding_window", what="the tokens kept whole")
    built: dict[int, tuple[int, tuple[LayerGroup, ...]]] = {}
    found: list[tuple[int, tuple[LayerGroup, ...]]] = []
    for rate in _layer_rates(keys, layers):
        if rate not in built:
            kept = [LayerGroup(count=1, kind="latent", latent_width=width, head_dim=width, window=window)]
            sparse = 0 < rate < _RATES[_HEAVY]
            indexer = keys.whole("index_head_dim") if sparse else None
            if rate:
                entries = LayerGroup(
                    count=1, kind="latent", latent_width=width, head_dim=width, compressed_ratio=rate, indexer_width=indexer
                )
                kept.append(entries)
            built[rate] = (_parameters(keys, hidden, width, rate, sparse=sparse), tuple(kept))
        found.append(built[rate])
    return found


def _layer_rates(keys: Keys, layers: int) -> list[int]:
    ratios = keys.wholes("compress_ratios")
    if ratios is not None and len(ratios) >= layers:  # it goes on for multi-token-prediction layers
        return ratios[:layers]
    words = keys.words("layer_types")
    if words is None:
        return [_RATES[_SPARSE] if layer % 2 and layer >= 2 else _RATES[_HEAVY] for layer in range(layers)]
    same_length(keys, "layer_types", words[:layers], layers)
    stated = keys.section("compress_rates")
    rates = {word: (stated.whole(word) if stated else None) or rate for word, rate in _RATES.items()}
    return [rates.get(word, 0) for word in words[:layers]]


def _parameters(keys: Keys, hidden: int, width: int, rate: int, *, sparse: bool) -> int:
    heads = keys.need("num_attention_heads", what="the number of query heads")
    query_rank = keys.need("q_lora_rank", what="the width of the compressed queries")
    out_rank = keys.need("o_lora_rank", what="the width of the compressed output")
    groups = keys.need("o_groups", what="the groups of the output projection")
    mixed = heads * width
    parameters = heads + hidden * query_rank + query_rank + query_rank * mixed + hidden * width + width
    parameters += mixed * out_rank + groups * out_rank * hidden
    if rate:
        # Entries of the sparse layers overlap, so their compressor works on two windows at once.
        span = 2 * width if sparse else width
        parameters += rate * span + 2 * hidden * span + width
    if rate and sparse:
        index_width = keys.need("index_head_dim", what="the width of the indexer's keys")
        index_heads = keys.need("index_n_heads", what="the heads of the indexer")
        parameters += rate * 2 * index_width + 2 * hidden * 2 * index_width + index_width
        parameters += query_rank * index_heads * index_width + index_heads * hidden
    return parameters


def hyper_connections(keys: Keys, hidden: int) -> tuple[int, int]:
    """Parameters of the several residual streams: per layer (before attention and before feed-forward), and once at the end."""
    streams = keys.whole("hc_mult") or 0
    if streams < 2:
        return 0, 0
    wide, outputs = streams * hidden, streams * (streams + 2)
    return 2 * (outputs * wide + outputs + 3), streams * wide + streams + 1
