"""Facts that a whole plan puts back for the check rules: what was stated, what was sized, and the shares these make.

Every name here is filled by advisor.plan.rule_facts; quantities of the trace keep the name and the unit of their formula.
"""

from collections.abc import Iterator

from advisor.facts import FactDeclaration

TRACED: dict[str, str] = {
    # Memory of a served model, on one accelerator.
    "parameters": "1",
    "weights": "byte",
    "memory_needed": "byte",
    "kv_cache_per_token": "byte/token",
    "kv_room": "byte",
    "sampler_peak": "byte",
    "forward_peak": "byte",
    "vision_peak": "byte",
    "non_torch_memory": "byte",
    "context_room": "token/request",
    "max_num_seqs": "request",
    "max_num_batched_tokens": "token",
    # Speed of a served model.
    "time_to_first_token": "second",
    "time_to_first_token_p95": "second",
    "time_per_output_token": "second",
    "prefill_time": "second",
    "decode_step_time": "second",
    "model_calls_per_second": "request/second",
    "running_batch": "request",
    # A service while it runs.
    "replica_request_rate": "request/second",
    "needed_replicas": "1",
    # A training run.
    "training_memory": "byte",
    "optimizer_states": "byte",
    "activation_memory": "byte",
    "logits_memory": "byte",
    "training_step_time": "second",
    "trained_tokens": "token",
    "data_parallel": "1",
    "context_parallel": "1",
    "expert_parallel": "1",
    "micro_batch": "1",
    "gradient_accumulation": "1",
    "zero_stage": "1",
    "checkpoint_stall": "second",
    # A model that processes items.
    "items_per_second": "item/second",
    "item_batch": "1",
}
"""Quantities of a plan's trace that rules may read, with their units."""

TRACED_SHARES: tuple[str, ...] = (
    "prefix_hit_share",
    "scale_out_utilisation",
    "prompt_share",
    "item_utilisation",
    "pipeline_bubble",
)
"""The same for plain ratios, shown in percent."""

SHARES: dict[str, tuple[str, str]] = {
    "weights_share": ("weights_per_accelerator", "usable_memory"),
    "kv_room_share": ("kv_room", "usable_memory"),
    "sampler_share": ("sampler_peak", "usable_memory"),
    "forward_share": ("forward_peak", "usable_memory"),
    "vision_share": ("vision_peak", "usable_memory"),
    "non_torch_share": ("non_torch_memory", "usable_memory"),
    "memory_read_share": ("decode_memory_time", "decode_step_time"),
    "cache_read_share": ("cache_read_time", "decode_step_time"),
    "exchange_share": ("decode_reduce_time", "decode_step_time"),
    "layer_overhead_share": ("layer_time", "decode_step_time"),
    "prefill_of_first_token": ("prefill_time", "time_to_first_token"),
    "first_token_use": ("time_to_first_token", "first_token_target"),
    "first_token_tail_use": ("time_to_first_token_p95", "first_token_target"),
    "first_token_spread": ("time_to_first_token_p95", "time_to_first_token"),
    "token_use": ("time_per_output_token", "token_target"),
    "capacity_use": ("running_requests", "concurrency_capacity"),
    "seat_use": ("running_batch", "max_num_seqs"),
    "optimizer_share": ("optimizer_states", "training_memory"),
    "activation_share": ("activation_memory", "training_memory"),
    "logits_share": ("logits_memory", "training_memory"),
    "checkpoint_overhead": ("checkpoint_stall", "checkpoint_interval"),
    "deadline_use": ("time_to_train", "finish_within"),
}
"""Ratios that rules judge by, each of two quantities of the trace."""

_QUANTITIES: dict[str, str] = {
    "model_context": "token/request",
    "resident_to_active": "1",
    "kv_bits": "1",
    "weight_bits": "1",
    "calls_per_request": "1",
    "tokens_per_parameter": "1",
    "headroom_lasts": "second",
    "prefix_tokens": "token",
    "speculative_tokens": "token",
    "cpu_offload": "byte",
    "owned_accelerators": "1",
    "workloads_together": "1",
    "training_workloads": "1",
    "served_workloads": "1",
}
_SHARE_QUANTITIES = ("training_margin_share",)
_FLAGS = (
    "plan_found",
    "user_facing",
    "load_stated",
    "lengths_stated",
    "spread_stated",
    "latency_target_stated",
    "percentile_target_stated",
    "deadline_stated",
    "availability_stated",
    "growth_stated",
    "peak_stated",
    "calls_stated",
    "dataset_stated",
    "model_chosen",
    "hardware_named",
    "count_limited",
    "embedder_named",
    "prefix_caching",
    "chunked_prefill",
    "enforce_eager",
    "disaggregated",
    "measured_nearby",
    "optimizer_on_host",
    "production_beside_experiments",
)


def declarations() -> Iterator[FactDeclaration]:
    """The declaration of every fact that a plan puts back beside those of its candidate."""
    for name, unit in {**TRACED, **_QUANTITIES}.items():
        yield FactDeclaration(name=name, kind="quantity", unit=unit)
    for name in (*TRACED_SHARES, *SHARES, *_SHARE_QUANTITIES):
        yield FactDeclaration(name=name, kind="quantity", unit="1", percentage=True)
    for name in _FLAGS:
        yield FactDeclaration(name=name, kind="flag")
    yield FactDeclaration(name="recomputation", kind="choice", choices=("none", "selective", "full"))
    yield FactDeclaration(name="accelerator_kind", kind="choice", choices=("gpu", "asic", "tpu", "cpu", "edge"))
    for name in (
        "accelerator_name",
        "accelerator_architecture",
        "model_name",
        "training_precision",
        "binding_limit",
    ):
        yield FactDeclaration(name=name, kind="text")


PLAN_FACTS: dict[str, FactDeclaration] = {declared.name: declared for declared in declarations()}
