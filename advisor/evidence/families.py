"""The constants of serving speed before anything is measured: what each means, what it is keyed by, and how far it may move.

A prior keeps a constant near what is plausible where few rows speak of it; the fit moves it where rows agree. `spread` is the
prior's standard deviation of a key's logarithm; `common` that of a level all keys of the family share (0: none).
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Family:
    """One constant by the keys in `by`; `typical` and `by_key` are the centres of its prior, in base unit `unit`."""

    name: str
    meaning: str
    by: tuple[str, ...]
    typical: float
    spread: float
    common: float = 0.0
    by_key: dict[str, float] = field(default_factory=dict)
    unit: str = "1"


_BANDWIDTH = {
    "hopper": 0.8,
    "blackwell": 0.72,
    "ada": 0.85,
    "blackwell-workstation": 0.85,
    "cdna2": 0.6,
    "cdna3": 0.65,
    "gaudi3": 0.7,
}
_ENGINE_ATTENTION = ("engine_family", "attention_class")

FAMILIES: tuple[Family, ...] = (
    Family(
        "weights_bandwidth_efficiency",
        "Share of peak bandwidth at which weights are read.",
        ("accelerator_class",),
        0.8,
        0.07,
        0.5,
        {**_BANDWIDTH, "xe": 0.5, "xe2": 0.7, "other": 0.7},
    ),
    Family(
        "weights_bandwidth_precision_factor",
        "What a weight format adds to or takes from that share.",
        ("weight_class",),
        1.0,
        0.1,
        0.5,
        {"nvfp4": 0.85, "mxfp4": 0.9, "weight-only": 0.85},
    ),
    Family(
        "expert_bandwidth_efficiency", "Bandwidth share of experts against other weights.", ("weight_class",), 0.85, 0.15, 0.5
    ),
    Family("routing_evenness", "Effective share of a step's tokens that choose experts independently.", (), 0.7, 0.4),
    Family(
        "cache_bandwidth_efficiency", "Bandwidth share of cache reads against weights.", ("accelerator_class",), 0.65, 0.15, 0.5
    ),
    Family(
        "cache_attention_factor",
        "What the kind of attention adds to or takes from that.",
        ("cache_class",),
        1.0,
        0.25,
        0.0,
        {"mla": 0.7},
    ),
    Family("cache_engine_factor", "What an engine's attention kernels add to or take from that.", ("engine_class",), 1.0, 0.4),
    Family(
        "compute_efficiency", "Share of dense peak that matrix multiplications reach.", ("accelerator_class",), 0.6, 0.25, 0.5
    ),
    Family(
        "compute_engine_factor", "What an engine's kernels add to or take from it.", ("engine_class", "model_class"), 1.0, 0.15
    ),
    Family(
        "layer_compute_factor",
        "What the format outside experts takes from it.",
        ("layer_class",),
        1.0,
        0.15,
        0.0,
        {"fp8": 0.85, "nvfp4": 0.6},
    ),
    Family(
        "expert_compute_factor",
        "What experts' small, ragged batches take from it.",
        ("weight_class",),
        0.6,
        0.3,
        0.0,
        {"fp8": 0.5, "nvfp4": 0.36, "mxfp4": 0.42},
    ),
    Family(
        "expert_compute_generation_factor",
        "What an accelerator's generation adds to or takes from that, by format.",
        ("accelerator_class", "weight_class"),
        1.0,
        0.3,
    ),
    Family("decode_compute_factor", "Compute share of decode steps against prompts.", (), 0.8, 0.2),
    Family("roofline_sharpness", "Exponent that joins memory and compute time; near one they hardly overlap.", (), 1.05, 0.05),
    Family("attention_compute_efficiency", "Compute share of prompt attention against matrices.", (), 0.4, 0.25),
    Family(
        "layer_overhead",
        "Time a layer takes whatever the batch.",
        ("model_class", "selection_class"),
        25e-6,
        0.15,
        0.5,
        {"moe/none": 30e-6, "moe/indexed": 30e-6},
        "second",
    ),
    Family("layer_overhead_precision_factor", "What a weight format adds to it.", ("model_class", "weight_class"), 1.0, 0.5),
    # The first fit of these rows found 2.2 for engines before 2025, which captured few graphs and launched every kernel.
    Family(
        "layer_overhead_age_factor", "What an engine from before 2025 adds to it.", ("engine_age",), 1.0, 0.15, 0.0, {"old": 2.2}
    ),
    Family("layer_overhead_engine_factor", "What an engine adds to it.", ("engine_class", "model_class"), 1.0, 0.45),
    Family("layer_overhead_generation_factor", "What an accelerator's generation adds to it.", ("accelerator_class",), 1.0, 0.12),
    Family(
        "step_overhead", "Scheduling time of a step.", ("engine_class",), 0.6e-3, 0.5, 0.5, {"tensorrt-llm": 0.3e-3}, "second"
    ),
    Family(
        "sequence_overhead",
        "Scheduling and sampling time of a running request in a step.",
        ("engine_class", "model_class", "engine_period"),
        10e-6,
        0.9,
        0.5,
        {},
        "second/request",
    ),
    Family(
        "all_reduce_latency",
        "Start-up time of an all-reduce of two ranks.",
        ("link_class",),
        12e-6,
        0.3,
        0.5,
        {"pcie": 60e-6},
        "second",
    ),
    Family("all_reduce_latency_growth", "Power of log2(ranks) with which it grows.", (), 0.7, 0.3),
    Family(
        "link_efficiency", "Share of the link's rate that all-reduces reach.", ("link_class", "accelerator_class"), 0.65, 0.2, 0.5
    ),
    Family("prefill_interference", "Share of prompt work that decodes wait for.", ("engine_family",), 0.9, 0.15, 0.5),
    Family(
        "mixed_layer_overhead",
        "Time a layer adds to a step with prompt tokens.",
        ("engine_family",),
        20e-6,
        0.5,
        0.5,
        {},
        "second",
    ),
    Family(
        "request_overhead",
        "Fixed time of a request: HTTP, tokenizer, scheduler.",
        ("engine_family",),
        20e-3,
        0.6,
        0.5,
        {},
        "second",
    ),
    Family(
        "prompt_token_overhead",
        "Time a prompt token takes before the engine.",
        ("engine_family",),
        2e-6,
        0.7,
        0.5,
        {},
        "second/token",
    ),
    Family("prefill_layer_overhead", "Time a layer adds to reading a prompt.", _ENGINE_ATTENTION, 100e-6, 0.8, 0.5, {}, "second"),
    Family("prefill_rank_growth", "Power of a stage's accelerators with which that grows.", ("engine_family",), 0.4, 0.5, 0.5),
    Family("steps_waited", "Steps under way that a new request waits for.", ("engine_family", "model_class"), 8.0, 0.3, 1.0),
    Family(
        "queue_share",
        "Share of other clients' prompts in front of a request in a benchmark of ten each.",
        ("engine_family",),
        0.06,
        0.4,
        0.5,
    ),
    Family("call_overhead", "Fixed time of a static batch.", ("engine_class",), 10e-3, 0.7, 0.5, {}, "second"),
    Family(
        "achieved_share",
        "Share of the steady rate that a run at full load achieves.",
        ("engine_class", "engine_period"),
        1.0,
        0.08,
        0.5,
    ),
    Family(
        "offline_sequence_cap",
        "Requests at once that runs at full load allow.",
        ("engine_class", "engine_period"),
        2000.0,
        0.4,
        0.5,
        {},
        "request",
    ),
    Family("pipeline_efficiency", "Share of the ideal that pipeline stages reach at full load.", (), 0.85, 0.2),
)
