"""Configurations as people have them: parameters, cache, and what each states about its format."""

import csv
from pathlib import Path

import pytest

from advisor.catalogue.config import read_config
from advisor.catalogue.model import LayerGroup, Model

DATA = Path(__file__).parent / "data"
SAMPLES = DATA / "samples"
# The copy of Llama 4's file lacks its vision section; DeepSeek-V3.2's count is a rounded one.
ROUNDED = {"deepseek-ai__DeepSeek-V3.2.json"}


def _rows() -> list[dict[str, str]]:
    with (DATA / "expected.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _token_bytes(group: LayerGroup) -> int:
    """Bytes one token adds to a 16-bit cache in all layers of a group."""
    if group.kind == "attention":
        assert group.kv_heads is not None
        assert group.head_dim is not None
        return 2 * group.count * group.kv_heads * (group.head_dim + (group.value_head_dim or group.head_dim))
    return 2 * group.count * (group.latent_width or 0)


def _fixed_bytes(group: LayerGroup) -> float:
    return group.count * (group.state_bytes or 0) + _token_bytes(group) * (group.cross_tokens or 0)


def _cache(model: Model) -> tuple[int, int, str, float]:
    """Bytes per token in all layers, bytes per further token once windows are full, the window, and bytes whatever the length."""
    windows = {group.window for group in model.layer_groups if group.window}
    return (
        sum(_token_bytes(group) for group in model.layer_groups),
        sum(_token_bytes(group) for group in model.layer_groups if not group.window),
        ", ".join(str(window) for window in windows),
        sum(_fixed_bytes(group) for group in model.layer_groups),
    )


@pytest.mark.parametrize("row", _rows(), ids=lambda row: str(row["file"]).removesuffix(".json"))
def test_parameters_and_cache_are_those_expected(row: dict[str, str]) -> None:
    model = read_config(SAMPLES / row["file"])
    if row["params_computed"]:
        tolerance = 1e-3 if row["file"] in ROUNDED else 0
        assert model.parameters.total == pytest.approx(int(row["params_computed"]), rel=tolerance, abs=0)
    else:
        assert model.parameters.total == pytest.approx(int(row["params_published"]), rel=5e-3)
    assert _cache(model) == (
        int(row["kv_bytes_per_token_all_layers"]),
        int(row["kv_bytes_per_token_growth"]),
        row["window_tokens"],
        int(row["fixed_bytes_per_sequence"]),
    )


@pytest.mark.parametrize(
    ("file", "weights", "cache"),
    [
        ("meta-llama__Meta-Llama-3.1-8B", "bf16", None),
        ("Qwen__Qwen3-32B-FP8", "fp8-e4m3-block128", None),
        ("Qwen__Qwen3-32B-FP8-Static-PerTensor", "fp8-e4m3-per-tensor", "fp8-e4m3-per-tensor"),
        ("moonshotai__Kimi-K2.5", "int4-g32", None),
        ("openai__gpt-oss-20b", "mxfp4", None),
        ("constructed__Qwen3-32B-AWQ", "awq-int4-g128", None),
        ("constructed__Llama-3.1-8B-GPTQ", "gptq-int4-g128", None),
        ("constructed__Llama-3.1-8B-quantized.w8a8", "int8-w8a8", None),
        ("Qwen__Qwen3.5-35B-A3B", "bf16", None),
        ("ai21labs__Jamba-v0.1", None, None),
    ],
)
def test_format_is_the_one_the_file_states(file: str, weights: str | None, cache: str | None) -> None:
    model = read_config(SAMPLES / f"{file}.json")
    assert (model.format, model.kv_format) == (weights, cache)


@pytest.mark.parametrize("file", ["nvidia__Llama-3.1-70B-Instruct-FP8", "nvidia__Qwen3-235B-A22B-NVFP4"])
def test_format_is_unknown_where_only_a_second_file_states_it(file: str) -> None:
    model = read_config(SAMPLES / f"{file}.json")
    assert model.format is None
    assert any("hf_quant_config.json" in sentence for sentence in model.assumed)


@pytest.mark.parametrize(
    ("name", "weights"),
    [("nvidia__Llama-3.1-70B-Instruct-FP8", "fp8-e4m3-per-tensor"), ("nvidia__Qwen3-235B-A22B-NVFP4", "nvfp4")],
)
def test_folder_with_both_files_tells_the_format(tmp_path: Path, name: str, weights: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.json").write_bytes((SAMPLES / f"{name}.json").read_bytes())
    (folder / "hf_quant_config.json").write_bytes((SAMPLES / f"{name}__hf_quant_config.json").read_bytes())
    model = read_config(folder)
    assert (model.format, model.kv_format) == (weights, "fp8-e4m3-per-tensor")
    assert model.name == name.replace("__", "/")
    assert model.assumed == ()


def test_deepseek_v3_tells_its_extra_parts_apart() -> None:
    model = read_config(SAMPLES / "deepseek-ai__DeepSeek-V3.json")
    assert model.parameters.total == 671_026_404_352
    # The hub counts the draft layer and the scales as well: 684.531 billion elements.
    assert model.parameters.total + sum(model.parameters.extra.values()) == pytest.approx(684_531_386_000, rel=1e-5)
    assert model.draft_layers == 1
    assert model.parameters.active == pytest.approx(37.5523e9, rel=1e-4)
    assert model.experts is not None
    assert (model.experts.count, model.experts.per_token, model.experts.shared, model.experts.layers) == (256, 8, 1, 58)


def test_qwen_3_5_tells_its_draft_layer_and_its_tower_apart() -> None:
    model = read_config(SAMPLES / "Qwen__Qwen3.5-35B-A3B.json")
    assert model.parameters.total + model.parameters.extra["multi_token_prediction"] == pytest.approx(35.9518e9, rel=1e-5)
    assert model.parameters.tower == pytest.approx(0.4466e9, rel=1e-3)
    assert model.modality == "vision-text"


def test_indexer_of_sparse_attention_is_kept_beside_the_cache() -> None:
    (group,) = read_config(SAMPLES / "deepseek-ai__DeepSeek-V3.2.json").layer_groups
    assert (group.count, group.latent_width, group.indexer_width) == (61, 576, 128)


def test_whole_record_of_one_model() -> None:
    model = read_config(SAMPLES / "Qwen__Qwen3-30B-A3B.json")
    assert (model.id, model.name, model.family) == ("qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B", "qwen3_moe")
    assert (model.layers, model.hidden, model.intermediate, model.heads) == (48, 2048, 768, 32)
    assert (model.vocabulary, model.context, model.tied_embeddings) == (151_936, 40_960, False)
    assert model.parameters.embedding == 151_936 * 2048
    assert model.parameters.experts == 48 * 128 * 3 * 2048 * 768
    assert model.parameters.active == pytest.approx(3.353e9, rel=1e-3)
    assert [(str(citation), citation.source) for citation in model.sources] == [
        ("config-file, Qwen__Qwen3-30B-A3B.json", "config-file")
    ]
    assert model.assumed == ()


def test_searched_architecture_keeps_layers_without_attention() -> None:
    model = read_config(SAMPLES / "nvidia__Llama-3_3-Nemotron-Super-49B-v1.json")
    assert {(group.kind, group.count, group.kv_heads) for group in model.layer_groups} == {
        ("attention", 49, 8),
        ("none", 31, None),
    }


def test_global_layers_may_have_heads_of_their_own() -> None:
    groups = read_config(SAMPLES / "google__gemma-4-26B-A4B.json").layer_groups
    assert {(group.count, group.kv_heads, group.head_dim, group.window) for group in groups} == {
        (25, 8, 256, 1024),
        (5, 2, 512, None),
    }


@pytest.mark.parametrize("file", ["deepseek-ai__DeepSeek-V3", "deepseek-ai__DeepSeek-V3.2", "moonshotai__Kimi-K2.5"])
def test_latent_layers_tell_the_widths_of_expanded_keys_and_values(file: str) -> None:
    for group in read_config(SAMPLES / f"{file}.json").layer_groups:
        assert (group.latent_width, group.head_dim, group.value_head_dim) == (576, 192, 128)
