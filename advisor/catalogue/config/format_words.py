"""The words that checkpoints use for their formats, and the ids of the formats catalogue that they mean."""

from typing import Final, Literal

# Every format this reader can name. The formats catalogue has an entry for each.
FormatId = Literal[
    "fp32",
    "bf16",
    "fp16",
    "fp8-e4m3-per-tensor",
    "fp8-e4m3-per-channel",
    "fp8-e4m3-block128",
    "mxfp8",
    "nvfp4",
    "mxfp4",
    "mxfp4-fp8",
    "w-mxfp4-a-mxfp6",
    "int8-w8a8",
    "int8-weight-only",
    "bnb-int8",
    "gptq-int4-g128",
    "awq-int4-g128",
    "int4-g32",
    "nf4",
    "nf4-double-quant",
]

FP8_TENSOR: Final = "fp8-e4m3-per-tensor"
FP8_CHANNEL: Final = "fp8-e4m3-per-channel"
FP8_BLOCK: Final = "fp8-e4m3-block128"
GPTQ: Final = "gptq-int4-g128"
AWQ: Final = "awq-int4-g128"

FLOATS: Final[dict[str, FormatId]] = {
    "bfloat16": "bf16",
    "bf16": "bf16",
    "float16": "fp16",
    "fp16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "fp32": "fp32",
    "float": "fp32",
    "float8_e4m3fn": FP8_TENSOR,
}
# What NVIDIA's ModelOpt calls its algorithms.
MODELOPT: Final[dict[str, FormatId]] = {
    "fp8": FP8_TENSOR,
    "fp8_per_channel_per_token": FP8_CHANNEL,
    "fp8_pb_wo": FP8_BLOCK,
    "fp8_pb_real": FP8_BLOCK,
    "mxfp8": "mxfp8",
    "nvfp4": "nvfp4",
    "nvfp4_awq": "nvfp4",
    "nvfp4_svdquant": "nvfp4",
    "w4a8_nvfp4_fp8": "nvfp4",
    "w4a16_nvfp4": "nvfp4",
    "mxfp4": "mxfp4",
    "w4a8_mxfp4_fp8": "mxfp4",
    "w4a16_awq": AWQ,
    "w4a8_awq": AWQ,
    "int4_awq": AWQ,
    "w8a16": "int8-weight-only",
    "int8_wo": "int8-weight-only",
    "int8_sq": "int8-w8a8",
    "w8a8_sq_per_channel": "int8-w8a8",
    "w8a8_sq_per_channel_per_token_plugin": "int8-w8a8",
}
# Cache formats; e5m2 takes the room of e4m3, and only the room is told here.
CACHES: Final[dict[str, FormatId]] = {
    "bf16": "bf16",
    "bfloat16": "bf16",
    "fp16": "fp16",
    "float16": "fp16",
    "fp8": FP8_TENSOR,
    "float8": FP8_TENSOR,
    "fp8_e4m3": FP8_TENSOR,
    "fp8_e5m2": FP8_TENSOR,
    "nvfp4": "nvfp4",
    "int8": "int8-w8a8",
    "int4": GPTQ,
}
# The same as a scheme of bits and type.
CACHE_SCHEMES: Final[dict[tuple[str, str], FormatId]] = {
    ("8", "float"): FP8_TENSOR,
    ("8", "int"): "int8-w8a8",
    ("4", "float"): "nvfp4",
    ("4", "int"): GPTQ,
}
# What torchao and quanto call theirs; the first word found holds.
WORDS: Final[dict[str, FormatId]] = {
    "float8": FP8_CHANNEL,
    "fp8": FP8_CHANNEL,
    "int8dynamic": "int8-w8a8",
    "int8": "int8-weight-only",
    "int4": GPTQ,
}
