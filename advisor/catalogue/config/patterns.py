"""Which layer is what: full, sliding, chunked, compressed or no attention, a recurrent mixer, experts or a dense feed-forward.

Configurations say it in a dozen ways: a list of layer types, a list of numbers, a period with an offset, an interval, a text of
letters, or (older files) only by the model type. Each way is read here, in the order from explicit to implied.
"""

from typing import Final, Literal

from advisor.catalogue.config.keys import MOST_LAYERS, Keys, same_length

Mixer = Literal["full", "sliding", "chunked", "recurrent", "both", "cross", "none"]
FeedForward = Literal["dense", "experts", "none"]

_MIXERS: Final[dict[str, Mixer]] = {
    "full_attention": "full",
    "attention": "full",
    "global": "full",
    "global_attention": "full",
    "indexed_attention": "full",
    "sliding_attention": "sliding",
    "sliding_window": "sliding",
    "local_attention": "sliding",
    "local": "sliding",
    "hybrid_sliding": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "recurrent",
    "mamba": "recurrent",
    "mamba2": "recurrent",
    "recurrent": "recurrent",
    "conv": "recurrent",
    "short_conv": "recurrent",
    "gated_delta_net": "recurrent",
    "kda": "recurrent",
    "hybrid": "both",
    "mlp": "none",
    "moe": "none",
    "none": "none",
}
# Letters of one-letter-a-layer patterns: M Mamba, * attention, - feed-forward, E experts; L local, G global; F full, S sliding.
_LETTERS: Final[dict[str, Mixer]] = {"M": "recurrent", "*": "full", "-": "none", "E": "none"}
_WINDOW_LETTERS: Final[dict[str, Mixer]] = {"L": "sliding", "G": "full", "S": "sliding", "F": "full"}

# Lists of a 0 or 1 for each layer, with what each means.
_SWITCHES: Final[tuple[tuple[str, Mixer, Mixer], ...]] = (
    ("attn_type_list", "full", "recurrent"),
    ("hybrid_layer_pattern", "sliding", "full"),
    ("no_rope_layers", "chunked", "full"),
)

# Sliding layers to one full layer where the file has a window and no pattern: the period of the model type's own code.
_IMPLIED_PERIODS: Final[dict[str, int]] = {
    "gemma2": 2,
    "gemma3": 6,
    "gemma3_text": 6,
    "gemma3n_text": 5,
    "gemma4_text": 6,
    "cohere2": 4,
    "cohere2_moe": 4,
    "gpt_oss": 2,
    "olmo3": 4,
    "exaone4": 4,
    "exaone_moe": 4,
    "mimo_v2_flash": 6,
    "afmoe": 4,
}
_WINDOW_ONLY_IF_SWITCHED_ON: Final = frozenset(
    {"qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "qwen2_vl", "qwen2_5_vl", "qwen2_vl_text", "qwen2_5_vl_text", "smollm3"}
)


def block_letters(keys: Keys) -> str | None:
    """A pattern in which every layer is one mixer or one feed-forward alone (Nemotron-H), as its letters."""
    letters = keys.text("hybrid_override_pattern")
    if letters is None:
        words = keys.words("layers_block_type", "layer_types") if keys.text("model_type") == "nemotron_h" else None
        if words is None:
            return None
        letter = {"mamba": "M", "linear_attention": "M", "attention": "*", "full_attention": "*", "mlp": "-", "moe": "E"}
        letters = "".join(letter.get(word, "?") for word in words)
    letters = letters.replace("|", "")
    if not 0 < len(letters) <= MOST_LAYERS:
        raise keys.error("hybrid_override_pattern", f"names {len(letters):,} layers; expected 1 to {MOST_LAYERS:,}")
    unknown = sorted(set(letters) - set(_LETTERS))
    if unknown:
        raise keys.error("hybrid_override_pattern", f"has the letter {unknown[0]}; known are M, *, - and E")
    return letters


def mixers(keys: Keys, layers: int, model_type: str) -> list[Mixer]:
    """The mixer of each layer."""
    letters = block_letters(keys)
    if letters is not None:
        same_length(keys, "hybrid_override_pattern", letters, layers)
        return [_LETTERS[letter] for letter in letters]
    for read in (_listed, _numbered, _by_period, _windowed):
        found = read(keys, layers, model_type)
        if found is not None:
            return found
    return _every("full", layers)


def feed_forwards(keys: Keys, layers: int, model_type: str) -> list[FeedForward]:
    """The feed-forward of each layer, of a model that has experts."""
    letters = block_letters(keys)
    if letters is not None:
        kinds: dict[str, FeedForward] = {"-": "dense", "E": "experts"}
        return [kinds.get(letter, "none") for letter in letters]
    words = keys.words("mlp_layer_types")
    if words is not None:
        same_length(keys, "mlp_layer_types", words, layers)
        return ["dense" if word == "dense" else "experts" for word in words]
    chosen = _expert_layers(keys, layers, model_type) - set(keys.wholes("mlp_only_layers") or [])
    return ["experts" if layer in chosen else "dense" for layer in range(layers)]


def _expert_layers(keys: Keys, layers: int, model_type: str) -> set[int]:
    listed = keys.wholes("moe_layer_freq")
    if listed is not None:
        same_length(keys, "moe_layer_freq", listed, layers)
        return {layer for layer, has in enumerate(listed) if has}
    chosen = keys.wholes("moe_layers")
    if chosen is None and (text := keys.text("moe_layers_enum")):
        chosen = [int(number) for number in text.split(",") if number.strip().isdigit()]
    if chosen is not None:
        return set(chosen)
    # Arctic has experts in layers 2, 4, …; Llama 4, Jamba, Qwen and Ernie count their steps from different ends.
    step = keys.whole("interleave_moe_layer_step", "decoder_sparse_step", "moe_layer_frequency")
    if step is not None:
        return {layer for layer in range(layers) if (layer + 1) % step == 0}
    period = keys.whole("expert_layer_period")
    if period is not None:
        offset = keys.count("expert_layer_offset")
        return {layer for layer in range(layers) if layer % period == offset}
    interval = keys.whole("moe_layer_interval")
    if interval is not None:
        first = keys.count("moe_layer_start_index")
        last = keys.whole("moe_layer_end_index", least=-1)
        end = layers - 1 if last in (None, -1) else min(int(last or 0), layers - 1)
        return {layer for layer in range(first, end + 1) if (layer + 1) % interval == 0}
    first = keys.count("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", "num_first_dense_layers")
    every = keys.whole("moe_layer_freq") or 1
    return {layer for layer in range(first, layers) if layer % every == 0}


def _listed(keys: Keys, layers: int, model_type: str) -> list[Mixer] | None:
    words = keys.words("layer_types", "layers_block_type", "attention_layers")
    if words is None:
        blocks = keys.words("block_types", "_block_types")
        words = None if blocks is None else [blocks[layer % len(blocks)] for layer in range(layers)] if blocks else None
    if words is None:
        words = _paired(keys)
    if words is None:
        return None
    # A list may go on for multi-token-prediction layers, which are told apart from the model's own.
    if len(words) < layers:
        same_length(keys, "layer_types", words, layers)
    found: list[Mixer] = []
    for word in words[:layers]:
        mixer = _MIXERS.get(word)
        if mixer is None:
            raise keys.error("layer_types", f'holds "{word}"; known are {", ".join(sorted(_MIXERS))}')
        found.append(mixer)
    windowless = not keys.has("sliding_window", "sliding_window_size", "window_size", "attention_window_size")
    return ["full" if mixer == "sliding" and windowless else mixer for mixer in found]


def _paired(keys: Keys) -> list[str] | None:
    """GPT-Neo: pairs of a list of types and how often it repeats."""
    pairs = keys.items("attention_types")
    if pairs is None:
        return None
    words: list[str] = []
    for pair in pairs:
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], list) and isinstance(pair[1], int):
            words.extend(str(word) for word in pair[0] * min(pair[1], 1000))
    return words


def _numbered(keys: Keys, layers: int, model_type: str) -> list[Mixer] | None:
    """Lists of numbers: which layers are of a kind, or a 0 or 1 for each layer."""
    linear = keys.section("linear_attn_config")
    if linear is not None:
        full = set(linear.wholes("full_attn_layers") or [])
        return ["full" if layer + 1 in full else "recurrent" for layer in range(layers)]
    for name, one, other in _SWITCHES:
        switches = keys.wholes(name)
        if not switches or (one == "chunked" and not keys.has("attention_chunk_size")):
            continue
        same_length(keys, name, switches, layers)
        return [one if switch else other for switch in switches]
    for name in ("full_attn_idxs", "attn_layer_indices"):
        chosen = keys.wholes(name)
        if chosen is not None:
            return ["full" if layer in set(chosen) else "recurrent" for layer in range(layers)]
    crossing = keys.wholes("cross_attention_layers")
    if crossing is not None:
        return ["cross" if layer in set(crossing) else "full" for layer in range(layers)]
    return None


def _by_period(keys: Keys, layers: int, model_type: str) -> list[Mixer] | None:
    """A period of attention layers among recurrent ones, or of unlimited layers among chunked ones."""
    period = keys.whole("attn_layer_period")
    if period is not None:
        offset = keys.count("attn_layer_offset")
        return ["full" if layer % period == offset else "recurrent" for layer in range(layers)]
    interval = keys.whole("full_attention_interval")
    if interval is None and keys.has("linear_num_value_heads"):
        interval = 4
        keys.assume("neither layer_types nor full_attention_interval is given: every fourth layer taken as full attention")
    if interval is not None:
        return [_last_of(interval, layer, "full", "recurrent") for layer in range(layers)]
    if keys.has("attention_chunk_size") and model_type.startswith("llama4"):
        interval = keys.whole("no_rope_layer_interval") or 4
        return [_last_of(interval, layer, "full", "chunked") for layer in range(layers)]
    if model_type in ("mamba", "mamba2", "falcon_mamba"):
        return _every("recurrent", layers)
    if model_type == "falcon_h1":
        return _every("both", layers)
    if model_type in ("granitemoehybrid", "bamba"):
        return _every("recurrent", layers)
    return None


def _windowed(keys: Keys, layers: int, model_type: str) -> list[Mixer] | None:
    """A window, which may hold in all layers, in all but every n-th, or only from some layer on."""
    if not keys.has("sliding_window", "sliding_window_size") or keys.count("sliding_window", "sliding_window_size") == 0:
        return None
    switched = keys.flag("use_sliding_window")
    if switched is False or (switched is None and model_type in _WINDOW_ONLY_IF_SWITCHED_ON):
        return None
    letters = keys.text("sliding_window_pattern")
    if letters is not None and set(letters) <= set(_WINDOW_LETTERS):
        found: list[Mixer] = [_WINDOW_LETTERS[letters[layer % len(letters)]] for layer in range(layers)]
        # EXAONE 4 lets the last layer see everything, wherever the pattern has got to.
        found[-1] = "full"
        return found
    period = keys.whole("sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers", least=0)
    if period is None:
        period = _IMPLIED_PERIODS.get(model_type)
    if period is not None and period > 0:
        return [_last_of(period, layer, "full", "sliding") for layer in range(layers)]
    if model_type in _WINDOW_ONLY_IF_SWITCHED_ON:
        first = keys.count("max_window_layers")
        return ["sliding" if layer >= first else "full" for layer in range(layers)]
    return _every("sliding", layers)


def _last_of(period: int, layer: int, last: Mixer, others: Mixer) -> Mixer:
    return last if (layer + 1) % period == 0 else others


def _every(mixer: Mixer, layers: int) -> list[Mixer]:
    return [mixer for _ in range(layers)]
