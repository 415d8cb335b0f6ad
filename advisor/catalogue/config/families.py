"""What a model type builds without saying so in its config.json: norms, biases, gates, tying.

A config.json holds sizes; whether the output head is shared, which projections carry a bias and how many norms a layer has is
in the code that the `model_type` names. Each trait here was read off the model class of that type in the transformers library
(version 5.24.0) or, for types it does not hold, from the code published with the checkpoints. A type that is not listed counts
as the Llama layout, which most new ones follow, and the reader says so.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

QueryKeyNorm = Literal["none", "head", "whole", "biased-head"]


@dataclass(frozen=True, slots=True)
class Family:
    """Traits of one model type; a key of the config that states one wins.

    norm_elements: parameters per element of a norm (RMSNorm 1, LayerNorm 2, without weights 0). norms: norms per layer over the
    hidden width. embedding_norm: a norm right after the embedding. attention_bias: whether projections carry a bias where no
    key says so; biased: which of q, k, v, o do where attention is biased at all. query_key_norm: none, per head (one head wide),
    or whole (all heads wide); switched_norm: which of these it is where a key switches one on. output_gate: the query projection
    also makes a gate, and so is twice as wide. sinks: one attention sink per head. gated: feed-forward with a gate (three
    matrices) or without (two). tied: head and embedding are one table where no key says so. positions: rows of a learned
    position table beyond the context, None where there is no table. multi_head: as many KV heads as query heads, without a key
    for it. correction_bias: one stored number per expert that balances their load.
    """

    norm_elements: int = 1
    norms: int = 2
    final_norm: bool = True
    embedding_norm: bool = False
    attention_bias: bool = False
    biased: str = "qkvo"
    query_key_norm: QueryKeyNorm = "none"
    switched_norm: QueryKeyNorm = "head"
    output_gate: bool = False
    sinks: bool = False
    gated: bool = True
    mlp_bias: bool = False
    head_bias: bool = False
    tied: bool = False
    positions: int | None = None
    multi_head: bool = False
    router_bias: bool = False
    expert_bias: bool = False
    correction_bias: bool = False
    shared_gate: bool = False


LLAMA: Final = Family()
_QWEN2 = Family(attention_bias=True, biased="qkv")
_QWEN3 = Family(query_key_norm="head")
_GEMMA = Family(tied=True)
_GEMMA2 = replace(_GEMMA, norms=4)
_GEMMA3 = replace(_GEMMA2, query_key_norm="head")
_COHERE = Family(norms=1, tied=True, switched_norm="whole")
_GLM = Family(attention_bias=True, biased="qkv")
_OLMO2 = Family(query_key_norm="whole")
_GPT2 = Family(norm_elements=2, attention_bias=True, gated=False, mlp_bias=True, tied=True, positions=0, multi_head=True)
_OPT = replace(_GPT2, positions=2)
_NEOX = Family(norm_elements=2, attention_bias=True, gated=False, mlp_bias=True, multi_head=True)
_MAMBA = Family(norms=1, tied=True)
_HYBRID_QWEN = replace(_QWEN3, output_gate=True, shared_gate=True)
_ERNIE = Family(tied=True, correction_bias=True)

FAMILIES: Final[dict[str, Family]] = {
    "llama": LLAMA,
    "llama4": LLAMA,
    "llama4_text": LLAMA,
    "mllama_text_model": LLAMA,
    "deci": LLAMA,
    "nemotron-nas": LLAMA,
    "mistral": LLAMA,
    "ministral": LLAMA,
    "ministral3": LLAMA,
    "mistral4": LLAMA,
    "mixtral": LLAMA,
    "qwen": Family(attention_bias=True, biased="qkv", multi_head=True),
    "qwen2": _QWEN2,
    "qwen2_moe": replace(_QWEN2, shared_gate=True),
    "qwen2_vl": _QWEN2,
    "qwen2_vl_text": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "qwen2_5_omni_text": _QWEN2,
    "qwen2_audio": _QWEN2,
    "qwen3": _QWEN3,
    "qwen3_moe": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen3_vl_moe_text": _QWEN3,
    "qwen3_omni_moe_text": _QWEN3,
    "qwen3_next": _HYBRID_QWEN,
    "qwen3_5_text": _HYBRID_QWEN,
    "qwen3_5_moe_text": _HYBRID_QWEN,
    "gemma": _GEMMA,
    "gemma2": _GEMMA2,
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "gemma3n_text": _GEMMA3,
    "gemma4_text": _GEMMA3,
    "phi": Family(
        norm_elements=2, norms=1, attention_bias=True, gated=False, mlp_bias=True, head_bias=True, switched_norm="biased-head"
    ),
    "phi3": LLAMA,
    "phi4": LLAMA,
    "phimoe": Family(norm_elements=2),
    "falcon": Family(norm_elements=2, gated=False, tied=True),
    "gpt_neox": _NEOX,
    "gptj": Family(norm_elements=2, norms=1, gated=False, mlp_bias=True, head_bias=True, multi_head=True),
    "codegen": Family(norm_elements=2, norms=1, gated=False, mlp_bias=True, head_bias=True, multi_head=True),
    "gpt2": _GPT2,
    "gpt-sw3": _GPT2,
    "gpt_bigcode": _GPT2,
    "gpt_neo": replace(_GPT2, biased="o"),
    "openai-gpt": replace(_GPT2, final_norm=False),
    "opt": _OPT,
    "xglm": replace(_OPT, positions=None),
    "bloom": Family(
        norm_elements=2, embedding_norm=True, attention_bias=True, gated=False, mlp_bias=True, tied=True, multi_head=True
    ),
    "mpt": Family(norm_elements=1, gated=False, tied=True, multi_head=True),
    "stablelm": Family(norm_elements=2, biased="qkv", switched_norm="whole"),
    "starcoder2": Family(norm_elements=2, attention_bias=True, gated=False, mlp_bias=True, tied=True),
    "nemotron": Family(norm_elements=2, gated=False),
    "persimmon": Family(
        norm_elements=2, attention_bias=True, gated=False, mlp_bias=True, multi_head=True, query_key_norm="biased-head"
    ),
    "olmo": Family(norm_elements=0, final_norm=False),
    "olmo2": _OLMO2,
    "olmo3": _OLMO2,
    "olmoe": _OLMO2,
    "flex_olmo": _OLMO2,
    "cohere": _COHERE,
    "cohere2": _COHERE,
    "cohere2_moe": _COHERE,
    "glm": _GLM,
    "glm4": replace(_GLM, norms=4),
    "glm4v_text": replace(_GLM, norms=4),
    "glm4_moe": replace(_GLM, attention_bias=False),
    "glm4v_moe_text": _GLM,
    "glm4_moe_lite": LLAMA,
    "glm_moe_dsa": LLAMA,
    "chatglm": Family(attention_bias=True, biased="qkv"),
    "deepseek": LLAMA,
    "deepseek_v2": LLAMA,
    "deepseek_v3": LLAMA,
    "deepseek_v32": LLAMA,
    "deepseek_v4": LLAMA,
    "kimi_k2": LLAMA,
    "kimi_linear": LLAMA,
    "minicpm": Family(tied=True),
    "minicpm3": Family(tied=True),
    "longcat_flash": replace(LLAMA, norms=4),
    "minimax": LLAMA,
    "minimax_text_01": LLAMA,
    "minimax_m1": LLAMA,
    "minimax_m2": replace(LLAMA, query_key_norm="whole"),
    "minimax_m3_vl_text": _QWEN3,
    "granite": LLAMA,
    "granitemoe": LLAMA,
    "granitemoeshared": LLAMA,
    "granitemoehybrid": LLAMA,
    "gpt_oss": Family(attention_bias=True, sinks=True, router_bias=True, expert_bias=True),
    "mimo": Family(attention_bias=True, biased="qkv"),
    "mimo_v2_flash": LLAMA,
    "exaone": LLAMA,
    "exaone4": _QWEN3,
    "exaone_moe": _QWEN3,
    "ernie4_5": Family(tied=True),
    "ernie4_5_moe": _ERNIE,
    "seed_oss": Family(attention_bias=True, biased="qkv"),
    "smollm3": Family(tied=True),
    "hunyuan": _QWEN3,
    "hunyuan_v1_dense": _QWEN3,
    "hunyuan_v1_moe": _QWEN3,
    "bailing_moe": LLAMA,
    "bailing_moe_v2": _QWEN3,
    "dots1": _QWEN3,
    "solar_open": Family(biased="qkv"),
    "afmoe": replace(_QWEN3, norms=4, correction_bias=True),
    "apertus": replace(_QWEN3, gated=False),
    "arcee": Family(gated=False),
    "helium": Family(biased="qkv"),
    "internlm": Family(attention_bias=True, multi_head=True),
    "internlm2": LLAMA,
    "internlm3": LLAMA,
    "baichuan": Family(multi_head=True),
    "yi": LLAMA,
    "grok-1": Family(norms=4, tied=True),
    "dbrx": LLAMA,
    "arctic": LLAMA,
    "lfm2": replace(_QWEN3, tied=True),
    "lfm2_moe": replace(_QWEN3, tied=True),
    "jamba": LLAMA,
    "bamba": LLAMA,
    "falcon_h1": LLAMA,
    "nemotron_h": Family(norms=1, gated=False, biased=""),
    "mamba": _MAMBA,
    "mamba2": replace(_MAMBA, tied=False),
    "falcon_mamba": _MAMBA,
    "recurrent_gemma": replace(_GEMMA, biased="o", attention_bias=True, mlp_bias=True),
    "youtu": Family(tied=True),
}

# Names that older or custom configs carry for a layout that is listed above.
_ALIASES: Final[dict[str, str]] = {
    "refinedweb": "falcon",
    "refinedwebmodel": "falcon",
    "codellama": "llama",
    "code_llama": "llama",
    "vicuna": "llama",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "qwen3_5": "qwen3_5_text",
    "qwen3_vl": "qwen3_vl_text",
    "qwen3_vl_moe": "qwen3_vl_moe_text",
    "gemma3n": "gemma3n_text",
    "gemma4": "gemma4_text",
    "glm4v": "glm4v_text",
    "glm4v_moe": "glm4v_moe_text",
    "phi-msft": "phi",
    "mpt-7b": "mpt",
    "exaone3": "exaone",
    "stablelm_epoch": "stablelm",
    "bailing_moe_linear": "bailing_moe_v2",
    "hunyuan_moe": "hunyuan_v1_moe",
    "hunyuan_dense": "hunyuan_v1_dense",
    "mistral_large4": "mistral4",
    "granite_moe": "granitemoe",
    "granitemoe_hybrid": "granitemoehybrid",
}


def canonical_type(model_type: str) -> str:
    """The name under which a type is listed here, whatever an older or custom config calls it."""
    word = model_type.strip().lower()
    return _ALIASES.get(word, word)


def family_of(model_type: str) -> Family | None:
    """The traits of a model type, or None where it is not known."""
    return FAMILIES.get(canonical_type(model_type))
