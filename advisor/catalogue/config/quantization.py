"""The weight and cache format that a checkpoint states, in its method's own words, as an id of the formats catalogue."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from advisor.catalogue.config.format_words import (
    AWQ,
    CACHE_SCHEMES,
    CACHES,
    FLOATS,
    FP8_BLOCK,
    FP8_CHANNEL,
    FP8_TENSOR,
    GPTQ,
    MODELOPT,
    WORDS,
    FormatId,
)
from advisor.catalogue.config.keys import Keys

# A name that promises a smaller format than the file states: ModelOpt's checkpoints keep the statement in a second file.
_PROMISED: Final = re.compile(
    r"(?<![a-z0-9])(nvfp4|mxfp4|mxfp8|fp4|fp8|int8|int4|awq|gptq|w4a16|w8a8|w8a16|w4a8|4bit|8bit|bnb|gguf|exl2|exl3|autoround)(?![a-z0-9])"
)


@dataclass(frozen=True, slots=True)
class Formats:
    """Weight format and cache format as ids; None where nothing states them. block: elements that share one scale, if any do."""

    weights: FormatId | None
    cache: FormatId | None = None
    block: int | None = None
    experts_only: bool = False


def read_formats(top: Keys, text: Keys, beside: Mapping[str, object] | None, name: str) -> Formats:
    """The formats that the config, its text section or the hf_quant_config.json beside it state.

    Where nothing states a quantized format, the precision of the tensors holds, unless the model's name promises a smaller one:
    then it is unknown, since the statement may stand in a file that was not given.
    """
    if beside is not None:
        stated = Keys(beside, where="hf_quant_config.json", assumed=top.assumed)
        inner = stated.section("quantization", "quantization_config")
        return _modelopt(stated if inner is None else inner)
    for keys in (top, text):
        block = keys.section("quantization_config", "compression_config")
        if block is not None and block.mapping:
            return _quantized(block.merged({"expert_dtype": keys.text("expert_dtype")}))
    precision = text.text("torch_dtype", "dtype") or top.text("torch_dtype", "dtype")
    if precision is None:
        top.assume("neither torch_dtype nor a quantization is given: the weights' format is unknown")
        return Formats(None)
    promised = _PROMISED.search(name.lower().replace("_", "-"))
    if promised is not None:
        top.assume(
            f"the name says {promised[1]}, but the file states no quantization: the weights' format is unknown; "
            "hf_quant_config.json beside config.json, or the model's card, would tell"
        )
        return Formats(None)
    known = FLOATS.get(precision.lower().removeprefix("torch."))
    if known is None:
        top.assume(f"the tensors' type {precision} is not known: the weights' format is unknown")
    return Formats(known)


def _quantized(block: Keys) -> Formats:
    method = (block.text("quant_method") or "").lower().replace("_", "-")
    if not method and block.has("quant_algo"):
        return _modelopt(block)
    if not method and block.has("config_groups"):
        method = "compressed-tensors"
    if not method and block.has("load_in_4bit", "load_in_8bit", "_load_in_4bit"):
        method = "bitsandbytes"
    if not method and block.has("bits", "w_bit"):
        method = "gptq"
    readers: dict[str, Callable[[Keys], Formats]] = {
        "fp8": _fp8,
        "fbgemm-fp8": lambda _: Formats(FP8_CHANNEL),
        "awq": lambda keys: _grouped_integers(keys, AWQ),
        "gptq": lambda keys: _grouped_integers(keys, GPTQ),
        "gptqmodel": lambda keys: _grouped_integers(keys, GPTQ),
        "auto-round": lambda keys: _grouped_integers(keys, GPTQ),
        "intel/auto-round": lambda keys: _grouped_integers(keys, GPTQ),
        "inc": lambda keys: _grouped_integers(keys, GPTQ),
        "hqq": lambda keys: _grouped_integers(keys, GPTQ),
        "compressed-tensors": _compressed_tensors,
        "bitsandbytes": _bitsandbytes,
        "mxfp4": lambda _: Formats("mxfp4", block=32, experts_only=True),
        "mxfp8": lambda _: Formats("mxfp8", block=32),
        "modelopt": _modelopt,
        "modelopt-fp4": _modelopt,
        "quark": _quark,
        "torchao": _by_words,
        "quanto": _by_words,
        "eetq": lambda _: Formats("int8-weight-only"),
    }
    if method not in readers:
        block.assume(f'the quantization method "{method or "without a name"}" is not known: the weights\' format is unknown')
        return Formats(None, _cache(block))
    return readers[method](block)


def _fp8(keys: Keys) -> Formats:
    if (keys.text("expert_dtype") or "").lower() in ("fp4", "mxfp4", "e2m1"):
        return Formats("mxfp4-fp8", _cache(keys), 32, experts_only=True)
    shape = keys.wholes("weight_block_size", least=1)
    if not shape:
        per_row = "channel" in (keys.text("weight_scheme", "strategy") or "")
        return Formats(FP8_CHANNEL if per_row else FP8_TENSOR, _cache(keys))
    if shape[-1] == 32 and (len(shape) == 1 or shape[0] == 1):
        return Formats("mxfp8", _cache(keys), 32)
    if shape != [128, 128]:
        keys.assume(f"scales of {'x'.join(map(str, shape))} elements are counted as of 128x128")
    elements = shape[0] * shape[-1]
    return Formats(FP8_BLOCK, _cache(keys), elements)


def _grouped_integers(keys: Keys, known: FormatId) -> Formats:
    bits = keys.whole("bits", "w_bit", "nbits", most=16)
    group = keys.whole("group_size", "q_group_size", "weight_group_size", least=-1)
    if bits is None:
        nested = keys.section("quant_config", "weight_quant_params")
        nested = (nested.section("weight_quant_params") or nested) if nested is not None else None
        bits = nested.whole("nbits", "bits", most=16) if nested is not None else None
        group = nested.whole("group_size", least=-1) if nested is not None else group
    return _integers(keys, bits or 4, group, known)


def _integers(keys: Keys, bits: int, group: int | None, known: FormatId) -> Formats:
    if bits == 8:
        return Formats("int8-weight-only", _cache(keys))
    if bits != 4:
        keys.assume(f"{bits}-bit integers have no format of their own here: the weights' format is unknown")
        return Formats(None, _cache(keys))
    if group is not None and group == 32:
        return Formats("int4-g32", _cache(keys), 32)
    if group not in (None, 128):
        told = f"groups of {group}" if group and group > 0 else "one scale a row"
        keys.assume(f"4-bit weights with {told} are counted as with groups of 128")
    return Formats(known, _cache(keys), 128)


def _compressed_tensors(keys: Keys) -> Formats:
    groups = keys.section("config_groups")
    schemes = [] if groups is None else [scheme for name in groups.mapping if (scheme := groups.section(name)) is not None]
    read = [found for scheme in schemes if (found := _scheme(keys, scheme)) is not None]
    if not read:
        keys.assume("config_groups names no weights: the weights' format is unknown")
        return Formats(None, _cache(keys))
    if len({found.weights for found in read}) > 1:
        keys.assume(f"several weight formats are mixed ({', '.join(str(found.weights) for found in read)}): the first is taken")
    ignored = keys.words("ignore") or []
    experts_only = any("shared_experts" in pattern or "self_attn" in pattern for pattern in ignored)
    return Formats(read[0].weights, _cache(keys), read[0].block, experts_only)


def _scheme(keys: Keys, scheme: Keys) -> Formats | None:
    weights, inputs = scheme.section("weights"), scheme.section("input_activations")
    if weights is None:
        return None
    bits = weights.whole("num_bits", most=32) or 16
    kind, strategy = weights.text("type") or "int", weights.text("strategy") or "tensor"
    group = weights.whole("group_size", least=-1)
    if kind == "float" and bits == 8:
        by_strategy: dict[str, FormatId] = {"channel": FP8_CHANNEL, "block": FP8_BLOCK, "token": FP8_CHANNEL}
        if strategy == "group" and group == 32:
            return Formats("mxfp8", block=32)
        return Formats(by_strategy.get(strategy, FP8_TENSOR), block=128 * 128 if strategy == "block" else None)
    if kind == "float" and bits == 4:
        return Formats("mxfp4", block=32) if group == 32 else Formats("nvfp4", block=16)
    if bits == 8 and inputs is not None and inputs.whole("num_bits", most=32) == 8:
        return Formats("int8-w8a8")
    return _integers(keys, bits, group, GPTQ)


def _bitsandbytes(keys: Keys) -> Formats:
    if keys.flag("load_in_4bit", "_load_in_4bit"):
        kind = keys.text("bnb_4bit_quant_type") or "nf4"
        if kind != "nf4":
            keys.assume(f"bitsandbytes {kind} is counted as nf4, which takes as much memory")
        double = keys.flag("bnb_4bit_use_double_quant")
        return Formats("nf4-double-quant" if double else "nf4", block=64)
    return Formats("bnb-int8")


def _modelopt(keys: Keys) -> Formats:
    algorithm = (keys.text("quant_algo") or "").lower()
    if algorithm in ("mixed_precision", ""):
        layers = keys.section("quantized_layers")
        names = [] if layers is None else [_algorithm(layer) for layer in layers.mapping.values()]
        counted = Counter(name for name in names if name in MODELOPT)
        if counted:
            algorithm = counted.most_common(1)[0][0]
            keys.assume(f"precision is mixed by layer: that of most layers, {algorithm}, is taken for all")
        elif keys.has("config_groups"):
            return _compressed_tensors(keys)
    known = MODELOPT.get(algorithm)
    if known is None:
        keys.assume(f'the algorithm "{algorithm or "none"}" is not known: the weights\' format is unknown')
    blocks: dict[FormatId, int] = {"nvfp4": 16, "mxfp4": 32, "mxfp8": 32, FP8_BLOCK: 128 * 128, AWQ: 128}
    return Formats(known, _cache(keys), None if known is None else blocks.get(known))


def _algorithm(layer: object) -> str:
    return str(layer.get("quant_algo", "")).lower() if isinstance(layer, Mapping) else ""


def _quark(keys: Keys) -> Formats:
    overall = keys.section("global_quant_config")
    weights = overall.section("weight") if overall is not None else None
    if weights is None and overall is not None and (listed := overall.items("weight")) and isinstance(listed[0], Mapping):
        weights = Keys(listed[0], where=overall.where, assumed=overall.assumed)
    if weights is None:
        keys.assume("global_quant_config names no weights: the weights' format is unknown")
        return Formats(None, _cache(keys))
    kind, scheme = (weights.text("dtype") or "").lower(), weights.text("qscheme") or ""
    group = weights.whole("group_size", least=-1)
    if kind.startswith("fp8"):
        return Formats(FP8_CHANNEL if scheme == "per_channel" else FP8_TENSOR, _cache(keys))
    if kind.startswith(("fp4", "mxfp4", "mx")):
        inputs = overall.section("input_tensors") if overall is not None else None
        six = inputs is not None and (inputs.text("dtype") or "").lower().startswith("fp6")
        return Formats("w-mxfp4-a-mxfp6" if six else "mxfp4", _cache(keys), 32)
    if kind in ("int8", "uint8"):
        has_inputs = overall is not None and overall.has("input_tensors")
        return Formats("int8-w8a8" if has_inputs else "int8-weight-only", _cache(keys))
    return _integers(keys, 4 if "4" in kind else 0, group, AWQ)


def _by_words(keys: Keys) -> Formats:
    """Methods that describe themselves in words or class names (torchao, quanto)."""
    told = " ".join(str(value) for value in keys.mapping.values()).lower().replace("_", "")
    for word, known in WORDS.items():
        if word in told:
            return Formats(known, _cache(keys))
    keys.assume("the quantization's settings name no known format: the weights' format is unknown")
    return Formats(None, _cache(keys))


def _cache(keys: Keys) -> FormatId | None:
    """The cache format, stated as a word or as a scheme of bits and type."""
    word = keys.text("kv_cache_quant_algo", "kv_cache_scheme", "kv_cache_dtype")
    if word is not None:
        return CACHES.get(word.lower())
    scheme = keys.mapping.get("kv_cache_scheme") or keys.mapping.get("kv_cache_quant_config")
    if not isinstance(scheme, Mapping):
        return None
    bits, kind = str(scheme.get("num_bits", "8")), str(scheme.get("type", "float"))
    return CACHE_SCHEMES.get((bits, kind))
