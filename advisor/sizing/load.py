"""The load on a configuration: how many replicas it takes, and how full each of them is."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerRequest, Count, Ratio, Requests, Watts, ceil, maximum

_BUDGET = cite("vllm-startup-logs", "budget equation, 15 rows to 0.01 GiB")


@formula(sources=[_BUDGET])
def replicas(concurrent_requests: Requests, concurrency_capacity: Requests) -> Count:
    """Replicas that hold all concurrent requests at their full length; without bound where one holds none."""
    return maximum(1, ceil(concurrent_requests / concurrency_capacity))


@formula(sources=[_BUDGET])
def running_requests(concurrent_requests: Requests, replicas: Count) -> Requests:
    """Requests on the fullest replica."""
    return ceil(concurrent_requests / replicas)


@formula(sources=[_BUDGET])
def accelerators(replicas: Count, accelerators_per_replica: Count) -> Count:
    """Accelerators of all replicas."""
    return replicas * accelerators_per_replica


@formula(sources=[_BUDGET])
def kv_needed(running_requests: Requests, kv_cache_per_request: BytesPerRequest, attention_data_parallel: Count) -> Bytes:
    """Cache that the fullest accelerator must hold for its share of the load."""
    return ceil(running_requests / attention_data_parallel) * kv_cache_per_request


@formula(sources=[_BUDGET])
def memory_needed(
    weights_per_accelerator: Bytes, kv_needed: Bytes, activation_peak: Bytes, non_torch_memory: Bytes, charged_graphs: Bytes
) -> Bytes:
    """Memory the fullest accelerator needs at this load: weights, cache, activations, contexts and buffers, graphs."""
    return weights_per_accelerator + kv_needed + activation_peak + non_torch_memory + charged_graphs


@formula(sources=[_BUDGET])
def memory_margin(kv_room: Bytes, kv_needed: Bytes, usable_memory: Bytes) -> Ratio:
    """Share of an accelerator's memory that the load leaves free inside the engine's budget; negative where it does not fit."""
    return (kv_room - kv_needed) / usable_memory


@formula(sources=[cite("accelerator-datasheets", "design power")])
def accelerator_power(accelerators: Count, power_per_accelerator: Watts) -> Watts:
    """Design power of all accelerators, without their servers."""
    return accelerators * power_per_accelerator
