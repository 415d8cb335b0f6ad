"""Vision towers: parameters by the layout that the section's own keys and type tell.

Counted like the language model: patches, positions, layers, and norms. The layouts were read off the model classes of the
transformers library (5.24.0) and, for InternViT and MoonViT, the code published with the checkpoints.
"""

from typing import Final

from advisor.catalogue.config.keys import Keys

_DEPTH: Final = ("depth", "num_hidden_layers", "vt_num_hidden_layers", "num_layers", "layers")
_WIDTH: Final = ("embed_dim", "hidden_size", "vt_hidden_size", "width")
_INNER: Final = ("intermediate_size", "vt_intermediate_size", "mlp_dim")


class Tower:
    """The sizes that every vision tower has."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self.width = keys.need(*_WIDTH, what="the width of the vision tower")
        self.depth = keys.need(*_DEPTH, what="the layers of the vision tower", most=10_000)
        ratio = keys.number("mlp_ratio")
        inner = None if ratio is not None and keys.has("embed_dim") else keys.whole(*_INNER)
        if inner is None:
            inner = round((ratio or 4.0) * self.width)
        self.inner = inner
        self.channels = keys.whole("num_channels", "in_channels", "in_chans") or 3
        self.patch = _side(keys, "patch_size", 14)
        self.image = _side(keys, "image_size", 224)
        self.merge = keys.whole("spatial_merge_size") or 2

    @property
    def patches(self) -> int:
        """Patches of one image, across and down."""
        return (self.image // self.patch) ** 2

    @property
    def patch_weights(self) -> int:
        """The convolution that turns a patch into a vector."""
        return self.channels * self.patch**2 * self.width

    def blocks(self, *, qkv_bias: bool, out_bias: bool, gated: bool, mlp_bias: bool, norm: int, norms: int = 2) -> int:
        """All layers: attention, feed-forward and norms (of `norm` elements per channel)."""
        width, inner = self.width, self.inner
        matrices = 3 if gated else 2
        layer = 4 * width**2 + (3 * width if qkv_bias else 0) + (width if out_bias else 0)
        layer += matrices * width * inner + ((matrices - 1) * inner + width if mlp_bias else 0)
        return self.depth * (layer + norms * norm * width)

    def plain(self) -> int:
        """Layers as in the first vision transformers: biases everywhere, LayerNorm."""
        return self.blocks(qkv_bias=True, out_bias=True, gated=False, mlp_bias=True, norm=2)


def tower_parameters(keys: Keys, model_type: str | None, text_width: int) -> int:
    """Parameters of a vision tower, with what turns its output into the language model's width where that belongs to it."""
    tower, kind = Tower(keys), model_type or ""
    if keys.has("vt_num_hidden_layers") or kind.startswith(("kimi", "moonvit")):
        return _moonvit(tower)
    if kind.startswith(("qwen2_vl", "qwen2_5_vl", "qwen2_5_omni", "qwen3", "qwen4")) or keys.has("out_hidden_size", "embed_dim"):
        return _glm(tower, text_width) if kind.startswith("glm") else _qwen(tower, text_width)
    layouts = {
        "pixtral": _pixtral,
        "llama4_vision_model": _llama_4,
        "mllama_vision_model": _mllama,
        "gemma4_vision": _gemma_4,
        "intern_vit_6b": _internvit,
        "internvl_vision": _internvl,
        "clip_vision_model": _clip,
        "clip": _clip,
        "siglip_vision_model": _siglip,
        "siglip": _siglip,
        "idefics3_vision": _siglip_without_head,
        "smolvlm_vision": _siglip_without_head,
    }
    if kind not in layouts:
        keys.assume(f"the vision tower {kind or 'without a type'} is counted as a plain vision transformer")
    return layouts.get(kind, _siglip_without_head)(tower)


def _qwen(tower: Tower, text_width: int) -> int:
    """Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5: windows of patches merged into one vector of the language model's width."""
    keys, width = tower.keys, tower.width
    second = keys.has("out_hidden_size") and not keys.has("num_position_embeddings")  # Qwen2.5-VL
    third = keys.has("num_position_embeddings")
    out = keys.whole("out_hidden_size") or (keys.whole("hidden_size") if keys.has("embed_dim") else None) or text_width
    parameters = tower.patch_weights * (keys.whole("temporal_patch_size") or 2)
    merged = width * tower.merge**2
    merger = merged**2 + merged + merged * out + out
    if second:
        parameters += tower.blocks(qkv_bias=True, out_bias=True, gated=True, mlp_bias=True, norm=1)
        return parameters + width + merger
    parameters += tower.plain() + 2 * width + merger
    if third:
        parameters += width + keys.need("num_position_embeddings", what="the positions of the tower") * width
        stacked = keys.items("deepstack_visual_indexes") or []
        parameters += len(stacked) * (2 * merged + merger)
    return parameters


def _glm(tower: Tower, text_width: int) -> int:
    """GLM-4V: the feed-forward is as wide as the output, and the merger has a gated one of its own."""
    keys, width = tower.keys, tower.width
    out = keys.whole("out_hidden_size") or text_width
    merger_inner = tower.inner
    tower.inner = out
    parameters = tower.patch_weights * (keys.whole("temporal_patch_size") or 2) + width + tower.patches * width
    biased = bool(keys.flag("attention_bias"))
    parameters += tower.blocks(qkv_bias=biased, out_bias=False, gated=True, mlp_bias=False, norm=1)
    parameters += out * width * tower.merge**2 + out + 2 * width
    return parameters + out * out + 2 * out + 3 * out * merger_inner


def _siglip_without_head(tower: Tower) -> int:
    return tower.patch_weights + tower.width + tower.patches * tower.width + tower.plain() + 2 * tower.width


def _siglip(tower: Tower) -> int:
    """SigLIP; its pooling head is an attention layer with one learned query."""
    width, head = tower.width, 0
    if tower.keys.flag("vision_use_head") is not False:
        head = width + 4 * width**2 + 4 * width + 2 * width + 2 * width * tower.inner + tower.inner + width
    return _siglip_without_head(tower) + head


def _clip(tower: Tower) -> int:
    return tower.patch_weights + (tower.patches + 2) * tower.width + tower.plain() + 4 * tower.width


def _pixtral(tower: Tower) -> int:
    layers = tower.blocks(qkv_bias=False, out_bias=False, gated=True, mlp_bias=False, norm=1)
    return tower.patch_weights + tower.width + layers


def _llama_4(tower: Tower) -> int:
    """Llama 4; pixels are shuffled into fewer, wider vectors by two matrices that belong to the tower."""
    keys = tower.keys
    parameters = _clip(tower)
    wide = keys.need("projector_input_dim", what="the width of the shuffled pixels")
    out = keys.need("projector_output_dim", what="the width the tower returns")
    return parameters + tower.inner * wide + out * out


def _mllama(tower: Tower) -> int:
    """Llama 3.2 Vision: tiles with learned places, and gated layers over all tiles after the local ones."""
    keys, width = tower.keys, tower.width
    tiles = keys.whole("max_num_tiles") or 4
    ratios = (len(keys.items("supported_aspect_ratios") or []) or 8) + 1
    globals_ = keys.whole("num_global_layers") or 8
    layer = tower.blocks(qkv_bias=False, out_bias=False, gated=False, mlp_bias=True, norm=2) // tower.depth
    places = tower.patches + 1
    parameters = tower.patch_weights + width + places * width + 1 + ratios * tiles * places * width
    parameters += 2 * (1 + ratios * tiles * width) + 4 * width
    return parameters + tower.depth * layer + globals_ * (layer + 2)


def _gemma_4(tower: Tower) -> int:
    """Gemma 4: learned places along two axes, norms before and after, and norms of queries and keys."""
    keys = tower.keys
    places = keys.whole("position_embedding_size") or 10_240
    head = keys.whole("head_dim") or 0
    layers = tower.blocks(qkv_bias=False, out_bias=False, gated=True, mlp_bias=False, norm=1, norms=4)
    return tower.patch_weights + 2 * places * tower.width + layers + tower.depth * 2 * head


def _internvit(tower: Tower) -> int:
    """InternViT, as its own code builds it: scales after attention and feed-forward, query and key norms in the large one."""
    keys, width = tower.keys, tower.width
    norm = 1 if keys.text("norm_type") == "rms_norm" else 2
    layers = tower.blocks(qkv_bias=keys.flag("qkv_bias") is not False, out_bias=True, gated=False, mlp_bias=True, norm=norm)
    layers += tower.depth * 2 * width + (tower.depth * 2 * width if keys.flag("qk_normalization") else 0)
    return tower.patch_weights + width + width + (tower.patches + 1) * width + layers


def _internvl(tower: Tower) -> int:
    """InternViT in the library's own layout."""
    keys, width = tower.keys, tower.width
    norm = 1 if keys.text("norm_type") == "rms_norm" else 2
    layers = tower.blocks(qkv_bias=bool(keys.flag("attention_bias")), out_bias=True, gated=False, mlp_bias=True, norm=norm)
    layers += tower.depth * 2 * width + (tower.depth * 2 * width if keys.flag("use_qk_norm") else 0)
    places = tower.patches + 1 if keys.flag("use_absolute_position_embeddings") is not False else 0
    pooled = 0 if keys.flag("use_mean_pooling") is not False else 2 * width
    return tower.patch_weights + width + width + places * width + layers + pooled


def _moonvit(tower: Tower) -> int:
    """MoonViT (Kimi): learned places on a grid that is stretched to the image."""
    keys = tower.keys
    high = keys.whole("init_pos_emb_height", "pos_emb_height") or 64
    wide = keys.whole("init_pos_emb_width", "pos_emb_width") or 64
    return tower.patch_weights + tower.width + high * wide * tower.width + tower.plain() + 2 * tower.width


def _side(keys: Keys, name: str, otherwise: int) -> int:
    listed = keys.wholes(name, least=1)
    return listed[0] if listed else keys.whole(name) or otherwise
