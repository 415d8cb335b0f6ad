"""Which layer keeps what: windows, chunks, recurrent state, latent vectors."""

from collections.abc import Mapping
from typing import Any

import pytest

from advisor.catalogue.config import model_from_config
from advisor.catalogue.model import LayerGroup

BASE: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 512,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "intermediate_size": 1024,
    "vocab_size": 1000,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}


def _groups(**keys: object) -> tuple[LayerGroup, ...]:
    config: Mapping[str, object] = {**BASE, **keys}
    return model_from_config(config, name="m").layer_groups


def _windows(**keys: object) -> dict[int | None, int]:
    return {group.window: group.count for group in _groups(**keys)}


@pytest.mark.parametrize(
    ("keys", "windows"),
    [
        ({}, {None: 12}),
        ({"model_type": "mistral", "sliding_window": 1024}, {1024: 12}),
        ({"model_type": "mistral", "sliding_window": 8192}, {None: 12}),  # as long as the context: it never limits
        ({"model_type": "qwen2", "sliding_window": 1024, "use_sliding_window": False}, {None: 12}),
        ({"model_type": "qwen2", "sliding_window": 1024}, {None: 12}),
        ({"model_type": "qwen2", "sliding_window": 1024, "use_sliding_window": True, "max_window_layers": 9}, {None: 9, 1024: 3}),
        ({"model_type": "gemma2", "sliding_window": 1024}, {1024: 6, None: 6}),
        ({"model_type": "gemma3_text", "sliding_window": 1024}, {1024: 10, None: 2}),
        ({"model_type": "gemma3_text", "sliding_window": 1024, "sliding_window_pattern": 3}, {1024: 8, None: 4}),
        ({"model_type": "cohere2", "sliding_window": 1024, "sliding_window_pattern": 4}, {1024: 9, None: 3}),
        ({"model_type": "exaone4", "sliding_window": 1024, "sliding_window_pattern": "LLLG"}, {1024: 9, None: 3}),
        ({"sliding_window": 64, "layer_types": ["sliding_attention", "full_attention"] * 6}, {64: 6, None: 6}),
        ({"sliding_window": None, "layer_types": ["sliding_attention", "full_attention"] * 6}, {None: 12}),
        ({"sliding_window": 64, "hybrid_layer_pattern": [0, 1, 1] * 4}, {None: 4, 64: 8}),
        ({"model_type": "llama4_text", "attention_chunk_size": 256}, {256: 9, None: 3}),
        ({"model_type": "llama4_text", "attention_chunk_size": 256, "no_rope_layers": [1, 0] * 6}, {256: 6, None: 6}),
        ({"model_type": "gpt_neo", "window_size": 256, "attention_types": [[["global", "local"], 6]]}, {None: 6, 256: 6}),
    ],
)
def test_windows(keys: dict[str, object], windows: dict[int | None, int]) -> None:
    assert _windows(**keys) == windows


@pytest.mark.parametrize(
    ("keys", "kv_heads"),
    [
        ({"num_key_value_heads": 8}, 8),
        ({"model_type": "falcon", "multi_query": True}, 1),
        (
            {
                "model_type": "falcon",
                "multi_query": True,
                "new_decoder_architecture": True,
                "num_kv_heads": 4,
                "num_key_value_heads": None,
            },
            4,
        ),
        ({"model_type": "RefinedWeb", "n_head_kv": 4, "num_key_value_heads": None}, 4),
        ({"model_type": "gpt_bigcode", "multi_query": True}, 1),
        ({"model_type": "gpt_neox", "num_key_value_heads": None}, 8),
        ({"model_type": "mpt", "num_key_value_heads": None, "attn_config": {"kv_n_heads": 2}}, 2),
        ({"model_type": "chatglm", "num_key_value_heads": None, "multi_query_group_num": 2, "multi_query_attention": True}, 2),
    ],
)
def test_kv_heads(keys: dict[str, object], kv_heads: int) -> None:
    assert {group.kv_heads for group in _groups(**keys)} == {kv_heads}


def test_latent_attention_ignores_its_kv_heads() -> None:
    (group,) = _groups(kv_lora_rank=64, qk_nope_head_dim=32, qk_rope_head_dim=16, v_head_dim=32, num_key_value_heads=8)
    assert (group.kind, group.latent_width, group.kv_heads) == ("latent", 80, None)


def test_layers_that_share_an_indexer_keep_no_key_of_it() -> None:
    latent = {"kv_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32}
    index = {"index_head_dim": 128, "index_n_heads": 4, "indexer_types": ["full", "shared", "shared"] * 4}
    assert {group.indexer_width: group.count for group in _groups(**latent, **index)} == {128: 4, None: 8}


def test_layers_that_reuse_a_cache_keep_none() -> None:
    kinds = ["sliding_attention", "full_attention"] * 6
    groups = _groups(model_type="gemma3n_text", layer_types=kinds, sliding_window=64, num_kv_shared_layers=4, head_dim=64)
    assert {(group.kind, group.window): group.count for group in groups} == {
        ("attention", 64): 4,
        ("attention", None): 4,
        ("none", None): 4,
    }


def test_sliding_layers_may_have_heads_of_their_own() -> None:
    groups = _groups(
        sliding_window=64, hybrid_layer_pattern=[0, 1] * 6, head_dim=64, v_head_dim=32, swa_num_key_value_heads=4, swa_head_dim=48
    )
    assert {(group.kv_heads, group.head_dim, group.value_head_dim, group.window) for group in groups} == {
        (2, 64, 32, None),
        (4, 48, 32, 64),
    }


def test_attention_and_state_side_by_side_stand_in_two_groups() -> None:
    mamba = {"mamba_n_heads": 16, "mamba_d_head": 64, "mamba_d_state": 32, "mamba_n_groups": 1, "mamba_d_ssm": 1024}
    groups = _groups(model_type="falcon_h1", **mamba)
    assert {group.kind: group.count for group in groups} == {"attention": 12, "recurrent": 12}


@pytest.mark.parametrize(
    ("keys", "state_bytes"),
    [
        # heads x width x state in fp32, and the convolution's window of 3 in 16 bit over inner width and both groups
        ({"mamba_n_heads": 16, "mamba_d_head": 64, "mamba_d_state": 32}, 16 * 64 * 32 * 4 + (1024 + 64) * 3 * 2),
        (
            {"mamba_n_heads": 16, "mamba_d_head": 64, "mamba_d_state": 32, "mamba_ssm_cache_dtype": "bfloat16"},
            16 * 64 * 32 * 2 + (1024 + 64) * 3 * 2,
        ),
        # Mamba-1: state and window of 4, both in 16 bit
        ({"mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2}, 1024 * (16 + 4) * 2),
        ({"conv_L_cache": 3}, 512 * 2 * 2),
    ],
)
def test_state_of_recurrent_layers(keys: dict[str, object], state_bytes: int) -> None:
    groups = _groups(layer_types=["mamba", "attention"] * 6, **keys)
    assert {group.kind: group.state_bytes for group in groups} == {"recurrent": state_bytes, "attention": None}


def test_compressed_attention_stands_in_groups_for_window_and_entries() -> None:
    keys = {"head_dim": 64, "q_lora_rank": 32, "o_lora_rank": 32, "o_groups": 2, "sliding_window": 128}
    groups = _groups(
        model_type="deepseek_v4", compress_ratios=[0, 0, *[4, 128] * 5, 0], index_head_dim=16, index_n_heads=2, **keys
    )
    assert [(group.count, group.window, group.compressed_ratio, group.indexer_width) for group in groups] == [
        (12, 128, None, None),
        (5, None, 4, 16),
        (5, None, 128, None),
    ]


@pytest.mark.parametrize(
    ("keys", "layers"),
    [
        ({"first_k_dense_replace": 3}, 9),
        ({"moe_layer_freq": [0, 1] * 6}, 6),
        ({"moe_layer_freq": 2}, 6),
        ({"decoder_sparse_step": 3}, 4),
        ({"decoder_sparse_step": 1, "mlp_only_layers": [0, 5]}, 10),
        ({"interleave_moe_layer_step": 2}, 6),
        ({"moe_layers": [1, 2, 3]}, 3),
        ({"moe_layers_enum": "4,5,6,7"}, 4),
        ({"expert_layer_period": 4, "expert_layer_offset": 1}, 3),
        ({"moe_layer_interval": 2, "moe_layer_start_index": 4, "moe_layer_end_index": -1}, 4),
        ({"mlp_layer_types": ["dense"] * 2 + ["sparse"] * 10}, 10),
        ({"num_dense_layers": 2}, 10),
    ],
)
def test_layers_with_experts(keys: dict[str, object], layers: int) -> None:
    experts = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 128, "n_shared_experts": 1}
    model = model_from_config({**BASE, **experts, **keys}, name="m")
    assert model.experts is not None
    assert model.experts.layers == layers
    assert model.parameters.experts == layers * 8 * 3 * 512 * 128


def test_encoders_keep_no_cache() -> None:
    groups = _groups(model_type="bert", architectures=["BertModel"], type_vocab_size=2)
    assert [(group.kind, group.count) for group in groups] == [("none", 12)]


def test_decoder_of_an_encoder_decoder_caches_the_encoder_once() -> None:
    keys = {
        "d_model": 512,
        "d_kv": 64,
        "d_ff": 1024,
        "num_heads": 8,
        "num_layers": 6,
        "num_decoder_layers": 4,
        "n_positions": 512,
    }
    (group,) = _groups(model_type="t5", max_position_embeddings=None, **keys)
    assert (group.count, group.kv_heads, group.head_dim, group.cross_tokens) == (4, 8, 64, 512)
