"""The facts that can be read in plain text: their kind, unit, and the range in which a figure can be meant.

Most are keys of the workload document under their own names; the others say what somebody observes or is offered.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadFact:
    """One fact of a quantity: its base unit, and the range outside which a figure is something else.

    spread: it is stated for a mean or a percentile, and its name then carries which ("ttft_p95").
    bare: a number without a unit can be meant. least_bare: from which value on.
    """

    unit: str
    low: float
    high: float
    spread: bool = False
    bare: bool = False
    least_bare: float = 0.0


_DAY = 86400.0

FACTS: dict[str, ReadFact] = {
    # load
    "people": ReadFact("person", 1, 1e10, bare=True, least_bare=2),
    "active_share": ReadFact("share", 1e-4, 1),
    "concurrent_requests": ReadFact("request", 1, 1e8, bare=True, least_bare=1),
    "requests_per_active_person_per_hour": ReadFact("request/second", 1e-7, 100),
    "requests_per_second": ReadFact("request/second", 1e-9, 1e8, bare=True),
    "peak_to_mean": ReadFact("1", 1, 1000, bare=True),
    "growth_per_year": ReadFact("share", 0, 100),
    "calls_per_request": ReadFact("1", 1, 1e5, bare=True),
    "input_tokens": ReadFact("token", 1, 1e8, spread=True, bare=True, least_bare=16),
    "output_tokens": ReadFact("token", 1, 1e8, spread=True, bare=True, least_bare=16),
    "shared_prefix_tokens": ReadFact("token", 1, 1e8),
    "sequence_length": ReadFact("token", 16, 1e8, bare=True, least_bare=64),
    "chunk_tokens": ReadFact("token", 1, 1e6),
    # targets
    "ttft": ReadFact("second", 1e-3, 300, spread=True),
    "tpot": ReadFact("second", 5e-5, 10, spread=True),
    "latency": ReadFact("second", 1e-2, 7200, spread=True),
    "availability": ReadFact("share", 0.5, 0.9999999),
    "downtime": ReadFact("second", 1, 30 * _DAY),
    "idle_share": ReadFact("share", 0, 1),
    "downtime_share": ReadFact("share", 0, 0.5),
    "output_tokens_per_second": ReadFact("token/second", 1e-3, 1e12),
    "recovery_time": ReadFact("second", 1, 30 * _DAY),
    "finish_within": ReadFact("second", 300, 2000 * _DAY),
    # training
    "dataset_tokens": ReadFact("token", 1000, 1e16),
    "tokens_per_sample": ReadFact("token", 1, 1e7),
    "dataset_samples": ReadFact("1", 1, 1e13),
    "dataset_size": ReadFact("byte", 1e6, 1e21),
    "epochs": ReadFact("1", 1e-3, 1e5, bare=True),
    "batch": ReadFact("1", 1, 1e8, bare=True),
    "micro_batch": ReadFact("1", 1, 1e6, bare=True),
    "gradient_accumulation": ReadFact("1", 1, 1e6, bare=True),
    "lora_rank": ReadFact("1", 1, 65536, bare=True),
    "runs_per_month": ReadFact("1", 1e-3, 500, bare=True),
    "parameters": ReadFact("1", 1e5, 1e14),
    "attention_heads": ReadFact("1", 1, 1000, bare=True),
    # parallelism and engine
    "tensor_parallel": ReadFact("1", 1, 65536, bare=True),
    "pipeline_parallel": ReadFact("1", 1, 65536, bare=True),
    "data_parallel": ReadFact("1", 1, 65536, bare=True),
    "expert_parallel": ReadFact("1", 1, 65536, bare=True),
    "gpu_memory_utilization": ReadFact("share", 0.01, 1, bare=True),
    "max_num_seqs": ReadFact("1", 1, 1e6, bare=True),
    # hardware
    "accelerator_count": ReadFact("1", 1, 1e6),
    "accelerators_per_node": ReadFact("1", 1, 1000),
    "max_count": ReadFact("1", 1, 1e6),
    "node_count": ReadFact("1", 1, 1e5),
    "accelerator_memory": ReadFact("byte", 1e9, 2e12),
    "accelerator_power": ReadFact("watt", 20, 5000),
    "cpu_power": ReadFact("watt", 10, 1000),
    "power_cap": ReadFact("watt", 20, 5000),
    "host_memory": ReadFact("byte", 1e9, 1e15),
    "cpu_cores": ReadFact("1", 1, 1e5),
    "memory_channels": ReadFact("1", 1, 64, bare=True),
    "memory_bandwidth": ReadFact("byte/second", 1e9, 1e15),
    "storage_throughput": ReadFact("byte/second", 1e6, 1e15),
    "storage_size": ReadFact("byte", 1e6, 1e21),
    "network": ReadFact("byte/second", 1e6, 1e15),
    "internet": ReadFact("byte/second", 1e4, 1e14),
    # data
    "documents": ReadFact("1", 1, 1e13),
    "chunks": ReadFact("1", 1, 1e13),
    "data_size": ReadFact("byte", 1e6, 1e21),
    "vector_width": ReadFact("1", 8, 1e5, bare=True),
    "retention": ReadFact("second", 3600, 3.2e9),
    "log_retention": ReadFact("second", 3600, 3.2e9),
    # site and money
    "power": ReadFact("watt", 10, 1e11),
    "rack_power": ReadFact("watt", 500, 1e6),
    "racks": ReadFact("1", 1, 1e5),
    "rack_units": ReadFact("1", 1, 100),
    "voltage": ReadFact("volt", 12, 1000),
    "current": ReadFact("ampere", 1, 6300),
    "pue": ReadFact("1", 1, 5, bare=True),
    "electricity": ReadFact("USD/joule", 0, 1e-5),
    "term": ReadFact("second", 28 * _DAY, 30 * 365 * _DAY),
    "purchase_limit": ReadFact("USD", 1, 1e13),
    "monthly_limit": ReadFact("USD/second", 0, 1e6),
    "yearly_limit": ReadFact("USD/second", 0, 1e6),
    "price": ReadFact("USD|USD/second", 0, 1e10),
    "cost_per_million_tokens": ReadFact("USD", 0, 1e4),
    # observed
    "throughput": ReadFact("token/second|FLOP/second|1/second", 0, 1e20),
    "utilisation": ReadFact("share", 0, 1),
    "memory_used": ReadFact("byte", 1e6, 2e15),
    "memory_expected": ReadFact("byte", 1e6, 2e15),
    "model_size": ReadFact("byte", 1e6, 1e16),
    "duration": ReadFact("second", 1, 3.2e9),
    "load_time": ReadFact("second", 1, 7 * _DAY),
    "kv_cache_usage": ReadFact("share", 0, 1),
    "cpu_load": ReadFact("share", 0, 1),
    "memory_per_process": ReadFact("byte", 1e6, 2e12),
    "processes": ReadFact("1", 1, 1e6),
    "cameras": ReadFact("1", 1, 1e6),
    "frames_per_second": ReadFact("1/second", 0.01, 1e6),
    "workers": ReadFact("1", 1, 1e5),
}
