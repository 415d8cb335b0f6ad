"""Each quantization method's own words, as ids of the formats catalogue."""

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from advisor.catalogue.config import model_from_config
from advisor.catalogue.config.format_words import CACHE_SCHEMES, CACHES, FLOATS, MODELOPT, WORDS, FormatId
from advisor.catalogue.model import Model

FORMATS = Path(__file__).parents[3] / "knowledge" / "formats"

BASE: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "intermediate_size": 1024,
    "vocab_size": 1000,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}


def _read(block: object, name: str = "some/model", quantization: dict[str, Any] | None = None, **keys: object) -> Model:
    return model_from_config({**BASE, "quantization_config": block, **keys}, name=name, quantization=quantization)


def _group(bits: int, kind: str, strategy: str, group_size: int | None = None, inputs: int | None = None) -> dict[str, Any]:
    weights = {"num_bits": bits, "type": kind, "strategy": strategy, "group_size": group_size}
    activations = None if inputs is None else {"num_bits": inputs, "type": kind}
    return {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"weights": weights, "input_activations": activations, "targets": ["Linear"]}},
    }


@pytest.mark.parametrize(
    ("block", "weights"),
    [
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8-e4m3-block128"),
        ({"quant_method": "fp8", "activation_scheme": "static"}, "fp8-e4m3-per-tensor"),
        ({"quant_method": "fp8", "weight_block_size": [1, 32]}, "mxfp8"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128], "expert_dtype": "fp4"}, "mxfp4-fp8"),
        ({"quant_method": "fbgemm_fp8"}, "fp8-e4m3-per-channel"),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq-int4-g128"),
        ({"quant_method": "awq", "w_bit": "4", "q_group_size": "128"}, "awq-int4-g128"),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "gptq-int4-g128"),
        ({"quant_method": "gptq", "bits": 4, "group_size": 32}, "int4-g32"),
        ({"quant_method": "gptq", "bits": 8, "group_size": 128}, "int8-weight-only"),
        ({"quant_method": "gptq", "bits": 3, "group_size": 128}, None),
        ({"bits": 4, "group_size": 128}, "gptq-int4-g128"),
        ({"quant_method": "auto-round", "bits": 4, "group_size": 128}, "gptq-int4-g128"),
        (_group(4, "int", "group", 128), "gptq-int4-g128"),
        (_group(4, "int", "group", 32), "int4-g32"),
        (_group(8, "int", "channel", inputs=8), "int8-w8a8"),
        (_group(8, "int", "channel"), "int8-weight-only"),
        (_group(8, "float", "tensor", inputs=8), "fp8-e4m3-per-tensor"),
        (_group(8, "float", "channel", inputs=8), "fp8-e4m3-per-channel"),
        (_group(8, "float", "block", inputs=8), "fp8-e4m3-block128"),
        (_group(4, "float", "tensor_group", 16), "nvfp4"),
        (_group(4, "float", "group", 32), "mxfp4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4"),
        ({"load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True}, "nf4-double-quant"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bnb-int8"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_algo": "FP8", "producer": {"name": "modelopt"}}, "fp8-e4m3-per-tensor"),
        ({"quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": {"quant_algo": "FP8"}}}, "fp8-e4m3-per-tensor"),
        ({"quant_method": "modelopt", "quant_algo": "W4A16_AWQ"}, "awq-int4-g128"),
        ({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}}}, "fp8-e4m3-per-tensor"),
        ({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp4", "group_size": 32}}}, "mxfp4"),
        ({"quant_method": "torchao", "quant_type": "int4_weight_only"}, "gptq-int4-g128"),
        ({"quant_method": "eetq"}, "int8-weight-only"),
        ({"quant_method": "aqlm"}, None),
        (None, "bf16"),
        ({}, "bf16"),
    ],
    ids=str,
)
def test_weight_format(block: object, weights: str | None) -> None:
    model = _read(block)
    assert model.format == weights
    if weights is None:
        assert any("unknown" in sentence for sentence in model.assumed)


@pytest.mark.parametrize(
    ("stated", "cache"),
    [
        ({"kv_cache_quant_algo": "FP8"}, "fp8-e4m3-per-tensor"),
        ({"kv_cache_quant_algo": None}, None),
        ({"kv_cache_scheme": {"num_bits": 8, "type": "float"}}, "fp8-e4m3-per-tensor"),
        ({"kv_cache_scheme": {"num_bits": 8, "type": "int"}}, "int8-w8a8"),
        ({"kv_cache_scheme": {"num_bits": 4, "type": "int"}}, "gptq-int4-g128"),
        ({"kv_cache_scheme": "FP8"}, "fp8-e4m3-per-tensor"),
        ({"kv_cache_quant_algo": "NVFP4"}, "nvfp4"),
        ({"kv_cache_dtype": "bfloat16"}, "bf16"),
        ({"kv_cache_dtype": "auto"}, None),
    ],
    ids=str,
)
def test_cache_format(stated: dict[str, Any], cache: str | None) -> None:
    assert _read({"quant_method": "modelopt", "quant_algo": "FP8", **stated}).kv_format == cache


def test_second_file_wins_over_the_tensors_type() -> None:
    quantization = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}}
    model = _read(None, quantization=quantization)
    assert (model.format, model.kv_format) == ("nvfp4", "fp8-e4m3-per-tensor")


@pytest.mark.parametrize("name", ["nvidia/Llama-3.1-8B-FP8", "a/B-AWQ", "a/b-w4a16", "a/b_NVFP4", "a/b-GPTQ-Int4", "a/b-4bit"])
def test_name_that_promises_a_smaller_format_makes_it_unknown(name: str) -> None:
    assert _read(None, name=name).format is None


@pytest.mark.parametrize("name", ["meta-llama/Llama-3.1-8B", "nvidia/Nemotron-BF16", "a/int8ish"])
def test_other_names_do_not(name: str) -> None:
    assert _read(None, name=name).format == "bf16"


@pytest.mark.parametrize(
    ("keys", "weights"),
    [
        ({"torch_dtype": "torch.float16"}, "fp16"),
        ({"torch_dtype": None, "dtype": "float32"}, "fp32"),
        ({"torch_dtype": None}, None),
        ({"torch_dtype": "posit8"}, None),
    ],
)
def test_type_of_the_tensors(keys: dict[str, object], weights: str | None) -> None:
    assert model_from_config({**BASE, **keys}, name="some/model").format == weights


def test_other_group_sizes_are_counted_as_the_nearest_known_and_said() -> None:
    model = _read({"quant_method": "awq", "bits": 4, "group_size": 64})
    assert model.format == "awq-int4-g128"
    assert any("groups of 64" in sentence for sentence in model.assumed)


def test_scales_of_blocks_are_told_apart() -> None:
    plain, blocks = _read(None), _read({"quant_method": "fp8", "weight_block_size": [128, 128]})
    assert blocks.parameters.total == plain.parameters.total
    assert blocks.parameters.extra["scales"] == pytest.approx((plain.parameters.total - 2 * 1000 * 512) / 128**2, abs=1)


def test_every_format_the_reader_can_name_has_an_entry() -> None:
    entries = {id for path in FORMATS.glob("*.yaml") for id in yaml.safe_load(path.read_text(encoding="utf-8"))}
    assert set(get_args(FormatId)) - entries == set()
    tables: tuple[dict[Any, FormatId], ...] = (FLOATS, MODELOPT, CACHES, CACHE_SCHEMES, WORDS)
    assert {known for table in tables for known in table.values()} - entries == set()


@pytest.mark.parametrize("word", MODELOPT)
def test_every_algorithm_of_modelopt_is_read(word: str) -> None:
    assert _read({"quant_method": "modelopt", "quant_algo": word.upper()}).format == MODELOPT[word]


@pytest.mark.parametrize("word", CACHES)
def test_every_cache_word_is_read(word: str) -> None:
    assert _read({"quant_method": "fp8", "kv_cache_dtype": word.upper()}).kv_format == CACHES[word]
