"""The mixer of every layer: its weights, and what it keeps per token and per sequence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.catalogue.config.attention import (
    HEADS,
    AttentionMixer,
    HeadShape,
    crossing,
    grouped_query,
    head_shape,
    indexed_layers,
    latent,
)
from advisor.catalogue.config.compressed import compressed_layers
from advisor.catalogue.config.families import Family
from advisor.catalogue.config.keys import Keys, same_length
from advisor.catalogue.config.patterns import Mixer, mixers
from advisor.catalogue.config.recurrent import recurrent_mixer
from advisor.catalogue.model import LayerGroup

_WINDOW: Final = ("sliding_window", "sliding_window_size", "window_size", "attention_window_size")


@dataclass(frozen=True, slots=True)
class LayerMixer:
    """One layer's mixer: parameters, the groups of what it keeps (each of one layer), and whether there is a mixer at all."""

    parameters: int
    kept: tuple[LayerGroup, ...]
    present: bool = True


_STATELESS: Final = LayerGroup(count=1, kind="none")
_ABSENT: Final = LayerMixer(0, (_STATELESS,), present=False)


def layer_mixers(keys: Keys, layers: int, hidden: int, model_type: str, family: Family) -> list[LayerMixer]:
    """The mixer of each layer, in order."""
    blocks = keys.items("block_configs")
    if blocks is not None:
        return _searched(keys, blocks, layers, hidden, family)
    if keys.has("compress_rates", "compress_ratios") or model_type == "deepseek_v4":
        return [LayerMixer(parameters, kept) for parameters, kept in compressed_layers(keys, layers, hidden)]
    kinds = mixers(keys, layers, model_type)
    shapes = _Shapes(keys, layers, hidden, model_type, family)
    shared = keys.count("num_kv_shared_layers", most=layers)
    found = [shapes.mixer(kind, layer) for layer, kind in enumerate(kinds)]
    if keys.has("zero_expert_num"):  # LongCat: every layer has two attention and two dense feed-forward layers inside
        return [LayerMixer(2 * mixer.parameters, 2 * mixer.kept) for mixer in found]
    return [*found[: layers - shared], *(_reusing(keys, kinds, shapes, layer) for layer in range(layers - shared, layers))]


class _Shapes:
    """Mixers by kind, each built once."""

    def __init__(self, keys: Keys, layers: int, hidden: int, model_type: str, family: Family) -> None:
        self.keys, self.hidden, self.model_type, self.family = keys, hidden, model_type, family
        self.context = keys.whole("max_position_embeddings", most=10**10)
        self.has_indexer = indexed_layers(keys, layers)
        self._recurrent: LayerMixer | None = None
        self._built: dict[tuple[str, bool], LayerMixer] = {}
        self._variants: dict[str, _Shapes] = {}
        stated = keys.section("per_layer_config")
        self.own: dict[int, Mapping[str, object]] = {}
        for name, own in (stated.mapping if stated is not None else {}).items():
            if name.isdigit() and isinstance(own, Mapping) and "per_layer_config" not in own:
                self.own[int(name)] = {**own, "per_layer_config": None, "global_head_dim": None}

    def mixer(self, kind: Mixer, layer: int) -> LayerMixer:
        if layer in self.own:
            return self.at(layer).mixer(kind, -1)
        key = (kind, self.has_indexer(layer))
        if key not in self._built:
            self._built[key] = self._build(kind, layer)
        return self._built[key]

    def at(self, layer: int) -> "_Shapes":
        """The same with the keys that one layer has of its own."""
        own = self.own.get(layer)
        if own is None:
            return self
        name = str(sorted(own.items()))
        if name not in self._variants:
            keys = Keys({**self.keys.mapping, **own}, where=self.keys.where, assumed=self.keys.assumed)
            hidden, model_type = self.hidden, f"{self.model_type} layer"
            self._variants[name] = _Shapes(keys, 0, hidden, model_type, self.family)
        return self._variants[name]

    def _build(self, kind: Mixer, layer: int) -> LayerMixer:
        if kind == "none":
            return _ABSENT
        if kind == "recurrent":
            return self._state()
        if kind == "both":
            attention, state = self._attention("full", layer), self._state()
            return LayerMixer(attention.parameters + state.parameters, (*attention.kept, *state.kept))
        return self._attention(kind, layer)

    def _state(self) -> LayerMixer:
        if self._recurrent is None:
            mixer = recurrent_mixer(self.keys, self.hidden, self.model_type)
            kept = LayerGroup(count=1, kind="recurrent", state_bytes=mixer.state_bytes)
            self._recurrent = LayerMixer(mixer.parameters, (kept,))
        return self._recurrent

    def shape(self, kind: Mixer) -> HeadShape:
        """The heads of a kind of layer; sliding and global layers may each have keys of their own."""
        keys = self.keys
        if kind == "sliding" and keys.has("swa_num_attention_heads", "swa_num_key_value_heads", "swa_head_dim"):
            own = {name: keys.mapping.get(f"swa_{name}") for name in ("num_attention_heads", "num_key_value_heads")}
            own |= {name: keys.mapping.get(f"swa_{name}") for name in ("head_dim", "v_head_dim")}
            swapped = Keys({**keys.mapping, **{k: v for k, v in own.items() if v}}, where=keys.where, assumed=keys.assumed)
            return head_shape(swapped, self.hidden, self.family)
        shape = head_shape(keys, self.hidden, self.family)
        if kind == "full" and (keys.has("global_head_dim") or self.model_type == "gemma4_text"):
            width = keys.whole("global_head_dim") or 512
            own_kv = keys.whole("num_global_key_value_heads") if keys.flag("attention_k_eq_v") else None
            return replace(shape, width=width, value_width=width, kv_heads=own_kv or shape.kv_heads)
        return shape

    def _attention(self, kind: Mixer, layer: int) -> LayerMixer:
        keys, hidden = self.keys, self.hidden
        if keys.has("kv_lora_rank"):
            heads = keys.need(*HEADS, what="the number of query heads")
            return _as_layer(latent(keys, hidden, heads, layer, self.has_indexer))
        shape = self.shape(kind)
        if kind == "cross":
            keys.assume("what cross-attention layers cache of an image is not counted")
            return _as_layer(crossing(hidden, shape))
        window = None
        if kind == "sliding":
            window = keys.need(*_WINDOW, what="the tokens a sliding-window layer sees")
        elif kind == "chunked":
            window = keys.need("attention_chunk_size", what="the tokens a chunked layer sees")
        # A window as long as the longest sequence never limits anything.
        if window is not None and self.context is not None and window >= self.context:
            window = None
        mixer = grouped_query(keys, hidden, shape, self.family, window)
        parameters = mixer.parameters
        if kind == "full" and keys.flag("attention_k_eq_v"):  # the value is the key before its norm: no matrix of its own
            parameters -= hidden * shape.kv_heads * shape.value_width
        if self.model_type == "afmoe":  # an output gate of its own
            parameters += hidden * shape.heads * shape.width
        return LayerMixer(parameters, (mixer.kept,))


def _reusing(keys: Keys, kinds: Sequence[Mixer], shapes: _Shapes, layer: int) -> LayerMixer:
    """A layer that reads an earlier layer's keys and values: only queries and outputs are its own, and it caches nothing."""
    own = shapes.mixer(kinds[layer], layer)
    shape = shapes.at(layer).shape(kinds[layer])
    key_value = shapes.hidden * shape.kv_heads * (shape.width + shape.value_width) + shape.width
    if kinds[layer] == "full" and keys.flag("attention_k_eq_v"):
        key_value -= shapes.hidden * shape.kv_heads * shape.value_width
    return LayerMixer(own.parameters - key_value, (_STATELESS,))


def _searched(keys: Keys, blocks: Sequence[object], layers: int, hidden: int, family: Family) -> list[LayerMixer]:
    """Layers chosen one by one by an architecture search: KV heads, a linear map or nothing in the place of attention."""
    same_length(keys, "block_configs", blocks, layers)
    found: list[LayerMixer] = []
    heads = keys.need(*HEADS, what="the number of query heads")
    for index, block in enumerate(blocks):
        part = block.get("attention") if isinstance(block, dict) else None
        if not isinstance(part, dict):
            raise keys.error(f"block_configs[{index}]", 'has no object "attention"')
        own = Keys(part, where=f"{keys.where}, block_configs[{index}].attention", assumed=keys.assumed)
        if own.flag("no_op"):
            found.append(_ABSENT)
        elif own.flag("replace_with_linear"):
            found.append(LayerMixer(hidden * hidden, (_STATELESS,)))
        else:
            group = own.whole("n_heads_in_group")
            kv_heads = own.whole("num_key_value_heads") or (heads // group if group else None)
            if kv_heads is None:
                raise own.error("n_heads_in_group", "is missing; expected how many query heads share one KV head")
            shape = head_shape(keys.merged({"num_key_value_heads": kv_heads}), hidden, family)
            found.append(_as_layer(grouped_query(keys, hidden, shape, family, own.whole("window_length", "sliding_window"))))
    return found


def _as_layer(mixer: AttentionMixer) -> LayerMixer:
    return LayerMixer(mixer.parameters, (mixer.kept,))


def grouped(layers: Sequence[LayerMixer]) -> tuple[LayerGroup, ...]:
    """Equal layers as groups, in the order in which each kind first comes."""
    counts: dict[LayerGroup, int] = {}
    for layer in layers:
        for kept in layer.kept:
            counts[kept] = counts.get(kept, 0) + 1
    return tuple(kept.model_copy(update={"count": count}) for kept, count in counts.items())
