"""Constants that memory formulas take as facts: ids of entries in knowledge/efficiencies."""

MEMORY_CONSTANTS: tuple[str, ...] = (
    "loaded_buffers",
    "sampler_copies",
    "feed_forward_copies",
    "hidden_copies",
    "vision_encoder_peak",
    "encoder_copies",
    "non_torch_memory",
    "graph_memory",
    "unexplained_share",
)
