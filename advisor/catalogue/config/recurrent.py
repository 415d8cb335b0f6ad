"""Recurrent mixers: their weights, and the state they keep per sequence whatever its length.

Convolution windows are kept in 16 bit. The recurrent state is kept in the precision the config names, else in fp32 for Mamba-2
and linear attention (what serving engines allocate) and in 16 bit for Mamba-1 (the library's own cache).
"""

from dataclasses import dataclass
from typing import Final

from advisor.catalogue.config.keys import Keys

_SIXTEEN_BIT: Final = 2
_ELEMENT_SIZES: Final = {"float32": 4, "fp32": 4, "float16": 2, "fp16": 2, "bfloat16": 2, "bf16": 2, "float64": 8, "auto": 2}


@dataclass(frozen=True, slots=True)
class RecurrentMixer:
    """Parameters of one recurrent mixer, and the bytes of state it keeps per sequence."""

    parameters: int
    state_bytes: int


def recurrent_mixer(keys: Keys, hidden: int, model_type: str) -> RecurrentMixer:
    """The recurrent mixer that the keys describe; raises ModelConfigError where they describe none that is known."""
    if keys.has("linear_attn_config") or keys.has("linear_num_heads"):
        return _kimi_delta(keys, hidden)
    if keys.has("linear_num_value_heads"):
        return _gated_delta(keys, hidden)
    if keys.has("conv_L_cache"):
        return _short_convolution(keys, hidden)
    if keys.has("attn_type_list") or model_type in ("minimax", "minimax_text_01", "minimax_m1"):
        return _lightning(keys, hidden)
    if keys.has("lru_width") or model_type == "recurrent_gemma":
        return _real_gated(keys, hidden)
    if keys.has("mamba_n_heads", "mamba_num_heads", "n_mamba_heads") or model_type == "mamba2":
        return _mamba_2(keys, hidden)
    if keys.has("mamba_d_state", "state_size", "ssm_state_size"):
        return _mamba_1(keys, hidden, model_type)
    raise keys.error(
        "layer_types",
        "has recurrent layers, but none of the keys that give their sizes is there",
        hint="expected those of Mamba (mamba_d_state), linear attention (linear_num_value_heads) or a short convolution",
    )


def _mamba_1(keys: Keys, hidden: int, model_type: str) -> RecurrentMixer:
    """Selective state space (Gu and Dao, 2023): a state of `mamba_d_state` per inner channel."""
    inner = keys.whole("mamba_d_ssm", "intermediate_size") if model_type in ("mamba", "falcon_mamba") else None
    inner = inner or hidden * (keys.whole("mamba_expand", "expand") or 2)
    state = keys.need("mamba_d_state", "state_size", "ssm_state_size", what="the state size of Mamba")
    kernel = keys.whole("mamba_d_conv", "conv_kernel", "d_conv") or 4
    rank = _rank(keys, hidden)
    parameters = inner * state + inner  # A and D
    parameters += inner * kernel + (inner if keys.flag("mamba_conv_bias", "use_conv_bias") is not False else 0)
    parameters += hidden * 2 * inner + inner * hidden + inner * (rank + 2 * state) + rank * inner + inner
    if keys.flag("mamba_proj_bias", "use_bias"):
        parameters += 2 * inner + hidden
    if model_type == "jamba":  # norms on the time step, B and C
        parameters += rank + 2 * state
    return RecurrentMixer(parameters, inner * (state + kernel) * _SIXTEEN_BIT)


def _rank(keys: Keys, hidden: int) -> int:
    if keys.text("mamba_dt_rank", "time_step_rank") == "auto" or not keys.has("mamba_dt_rank", "time_step_rank"):
        return -(-hidden // 16)
    return keys.need("mamba_dt_rank", "time_step_rank", what="the rank of the time step")


def _mamba_2(keys: Keys, hidden: int) -> RecurrentMixer:
    """State-space duality (Dao and Gu, 2024): a matrix of head width by state size per head."""
    heads = keys.need("mamba_n_heads", "mamba_num_heads", "n_mamba_heads", "num_heads", what="the heads of Mamba-2")
    width = None if keys.text("mamba_d_head") == "auto" else keys.whole("mamba_d_head", "mamba_head_dim", "mamba_headdim")
    if width is None and not keys.has("mamba_d_head"):
        width = keys.whole("head_dim") if keys.text("model_type") == "mamba2" else None
    inner = keys.whole("mamba_d_ssm") or hidden * (keys.whole("mamba_expand", "expand") or 2)
    if width is None:
        if inner % heads:
            raise keys.error("mamba_n_heads", f"is {heads}, which does not divide the inner width {inner}")
        width = inner // heads
    inner = heads * width
    state = keys.need("mamba_d_state", "ssm_state_size", "state_size", what="the state size of Mamba-2")
    groups = keys.whole("mamba_n_groups", "n_groups", "mamba_ngroups") or 1
    kernel = keys.whole("mamba_d_conv", "conv_kernel") or 4
    channels = inner + 2 * groups * state
    parameters = 3 * heads  # time step bias, A and D
    parameters += channels * kernel + (channels if keys.flag("mamba_conv_bias", "use_conv_bias") is not False else 0)
    projected = inner + channels + heads
    parameters += hidden * projected + inner * hidden
    if keys.flag("mamba_rms_norm") is not False:
        parameters += inner
    if keys.flag("mamba_proj_bias") or keys.flag("use_bias"):
        parameters += projected + hidden
    size = _state_size(keys, "mamba_ssm_cache_dtype", "mamba_ssm_dtype")
    return RecurrentMixer(parameters, inner * state * size + channels * (kernel - 1) * _SIXTEEN_BIT)


def _gated_delta(keys: Keys, hidden: int) -> RecurrentMixer:
    """Gated delta rule (Yang et al., 2024): a matrix of key width by value width per value head."""
    value_heads = keys.need("linear_num_value_heads", what="the value heads of linear attention")
    key_heads = keys.need("linear_num_key_heads", what="the key heads of linear attention")
    key_width = keys.need("linear_key_head_dim", what="the key width of linear attention")
    value_width = keys.need("linear_value_head_dim", what="the value width of linear attention")
    kernel = keys.whole("linear_conv_kernel_dim") or 4
    keyed, valued = key_heads * key_width, value_heads * value_width
    channels = 2 * keyed + valued
    parameters = channels * kernel + 2 * value_heads + value_width
    parameters += hidden * (channels + valued + 2 * value_heads) + valued * hidden
    size = _state_size(keys, "mamba_ssm_dtype", "mamba_ssm_cache_dtype")
    return RecurrentMixer(parameters, value_heads * key_width * value_width * size + channels * (kernel - 1) * _SIXTEEN_BIT)


def _kimi_delta(keys: Keys, hidden: int) -> RecurrentMixer:
    """Kimi delta attention: a delta rule with a gate per channel, the gates projected through a rank of one head."""
    nested = keys.section("linear_attn_config")
    source = nested if nested is not None else keys
    heads = source.need("num_heads", "linear_num_heads", what="the heads of linear attention")
    width = source.need("linear_head_dim", "head_dim", what="the head width of linear attention")
    kernel = source.whole("short_conv_kernel_size", "linear_conv_kernel_dim") or 4
    inner = heads * width
    parameters = 4 * hidden * inner + 3 * inner * kernel  # q, k, v and output projections, a convolution on the first three
    parameters += 2 * (hidden * width + width * inner) + hidden * heads + inner + heads + width
    return RecurrentMixer(parameters, heads * width * width * 4 + 3 * inner * (kernel - 1) * _SIXTEEN_BIT)


def _short_convolution(keys: Keys, hidden: int) -> RecurrentMixer:
    """Gated short convolution (LFM2)."""
    kernel = keys.need("conv_L_cache", what="the length of the short convolution")
    parameters = hidden * 3 * hidden + hidden * hidden + hidden * kernel
    if keys.flag("conv_bias"):
        parameters += 3 * hidden + hidden + hidden
    return RecurrentMixer(parameters, hidden * (kernel - 1) * _SIXTEEN_BIT)


def _lightning(keys: Keys, hidden: int) -> RecurrentMixer:
    """Lightning attention (MiniMax-01): a matrix of head width squared per head, with an output gate and a norm."""
    heads = keys.need("num_attention_heads", what="the number of query heads")
    width = keys.whole("head_dim") or hidden // heads
    inner = heads * width
    parameters = hidden * 3 * inner + 2 * hidden * inner + inner
    return RecurrentMixer(parameters, heads * width * width * 4)


def _real_gated(keys: Keys, hidden: int) -> RecurrentMixer:
    """Real-gated linear recurrent unit (Griffin)."""
    width = keys.whole("lru_width") or hidden
    heads = keys.need("num_attention_heads", what="the number of heads")
    kernel = keys.whole("conv1d_width") or 4
    parameters = 2 * (hidden * width + width) + width * hidden + hidden + width * kernel + width
    parameters += width + 2 * (width * width // heads + width)
    return RecurrentMixer(parameters, width * 4 + width * (kernel - 1) * _SIXTEEN_BIT)


def _state_size(keys: Keys, *names: str) -> int:
    precision = keys.text(*names)
    return 4 if precision is None else _ELEMENT_SIZES.get(precision.lower().removeprefix("torch."), 4)
