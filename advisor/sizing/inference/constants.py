"""Constants that these formulas take as facts: ids of entries in knowledge/efficiencies."""

# Fitted to knowledge/measurements/item_throughput.csv by `make calibrate`.
ITEM_SPEED_CONSTANTS: tuple[str, ...] = (
    "item_compute_share",
    "item_step_overhead",
    "item_speed_factor",
)
ITEM_CONSTANTS: tuple[str, ...] = (
    *ITEM_SPEED_CONSTANTS,
    "item_runtime_memory",
    "image_decode_copies",
    "video_pipeline_share",
    "audio_tokens_per_second",
    "hidden_copies",
    "feed_forward_copies",
)
OFFLOAD_CONSTANTS: tuple[str, ...] = ("offload_transfer_efficiency", "host_decode_efficiency")
ADAPTER_CONSTANTS: tuple[str, ...] = ("adapter_speed_share",)
TRANSFER_CONSTANTS: tuple[str, ...] = ("cache_transfer_efficiency",)
