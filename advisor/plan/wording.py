"""What quantities are called: in reports, and by people who ask about them."""

NAMES: dict[str, str] = {
    "time_to_first_token": "time to first token",
    "time_per_output_token": "time per token",
    "request_latency": "request latency",
    "time_to_first_token_p50": "time to first token, P50",
    "time_to_first_token_p95": "time to first token, P95",
    "time_to_first_token_p99": "time to first token, P99",
    "time_per_output_token_p50": "time per token, P50",
    "time_per_output_token_p95": "time per token, P95",
    "time_per_output_token_p99": "time per token, P99",
    "request_latency_p50": "request latency, P50",
    "request_latency_p95": "request latency, P95",
    "request_latency_p99": "request latency, P99",
    "seat_headroom": "free seats over the swing of the load",
    "input_p95_to_p50": "spread of prompts, P95 / P50",
    "output_p95_to_p50": "spread of answers, P95 / P50",
    "request_rate": "requests per second",
    "output_token_rate": "output tokens per second",
    "decode_step_time": "decode step",
    "prefill_time": "prompt on an idle replica",
    "weights": "weights",
    "kv_cache": "KV cache at this load",
    "kv_cache_per_token": "KV cache per token, one accelerator",
    "weights_per_accelerator": "weights on one accelerator",
    "activation_peak": "activations set aside",
    "non_torch_memory": "contexts and buffers",
    "charged_graphs": "graphs",
    "kv_room": "room for the cache, one accelerator",
    "kv_needed": "cache needed, one accelerator",
    "kv_tokens": "tokens the engine reports",
    "concurrency_room": "requests the cache holds",
    "concurrency_capacity": "requests a replica runs at once",
    "context_room": "longest context at this load",
    "memory_needed": "memory needed, one accelerator",
    "memory_margin": "memory left",
    "replicas": "replicas",
    "running_requests": "requests on the fullest replica",
    "accelerators": "accelerators",
    "rent": "rent",
    "concurrent_requests": "requests at once",
    "accelerator_power": "design power of the accelerators",
}

# What people call the quantities they see in a report.
SPOKEN: dict[str, str] = {
    "weights": "weights",
    "kv cache": "kv_cache",
    "cache": "kv_cache",
    "cache per token": "kv_cache_per_token",
    "room for the cache": "kv_room",
    "memory needed": "memory_needed",
    "memory left": "memory_margin",
    "margin": "memory_margin",
    "ttft": "time_to_first_token",
    "tpot": "time_per_output_token",
    "latency": "request_latency",
    "throughput": "output_token_rate",
    "longest context": "context_room",
    "replicas": "replicas",
    "accelerators": "accelerators",
    "power": "accelerator_power",
    "activations": "activation_peak",
    "graphs": "charged_graphs",
}


def quantity_called(text: str) -> str | None:
    """The quantity that a report's or a person's words name; none for words that name no quantity."""
    wanted = " ".join(text.lower().split())
    return SPOKEN.get(wanted) or next((name for name, words in NAMES.items() if words.lower() == wanted), None)
