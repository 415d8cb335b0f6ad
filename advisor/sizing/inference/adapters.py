"""LoRA adapters served together over one model: bytes of each, memory of their slots, time to load one, cost to speed."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerSecond, Count, Ratio, Seconds, TokensPerSecond, floor, maximum

_LORA = cite("hu-2021-lora", "§4.1: two matrices of the rank beside each projection")
_SLOTS = cite("vllm-lora-docs", "max_loras, max_lora_rank, fully_sharded_loras")
_SPEED = cite("vllm-pr-11267", "one A100, with and without an adapter")


@formula(sources=[_LORA])
def adapter_weights(lora_rank: Count, adapted_width: Count, adapter_bits: Count) -> Bytes:
    """Bytes of one adapter as it is stored: beside each adapted projection, one matrix from its input to the rank and one on.

    adapted_width: inputs and outputs of all adapted projections of the model, summed.
    """
    return lora_rank * adapted_width * adapter_bits / 8


@formula(sources=[_SLOTS])
def adapter_slot_memory(
    adapter_weights: Bytes, lora_rank: Count, largest_adapter_rank: Count, tensor_parallel: Count, adapters_sharded: Count
) -> Bytes:
    """Memory of one slot on one accelerator; an engine sets each aside at start, as large as the largest rank it was told.

    By default tensor parallelism shards only one of an adapter's two matrices, so that about half of it is on every rank.
    adapters_sharded is 1 where the engine was told to shard both.
    """
    return (
        adapter_weights
        * (largest_adapter_rank / lora_rank)
        * (adapters_sharded / tensor_parallel + (1 - adapters_sharded) * (1 + 1 / tensor_parallel) / 2)
    )


@formula(sources=[_SLOTS])
def adapter_memory(adapter_slots: Count, adapter_slot_memory: Bytes) -> Bytes:
    """Memory that the slots take on one accelerator, filled or not; it is taken from the cache."""
    return adapter_slots * adapter_slot_memory


@formula(sources=[_SLOTS])
def adapter_slots_that_fit(kv_room: Bytes, cache_kept: Bytes, adapter_slot_memory: Bytes) -> Count:
    """Slots that fit beside the cache that the load needs."""
    return floor(maximum(0, kv_room - cache_kept) / adapter_slot_memory)


@formula(sources=[_SLOTS])
def adapter_host_memory(adapters: Count, adapter_weights: Bytes) -> Bytes:
    """Host memory that keeps all adapters at hand, so that a slot is filled over the link instead of from storage."""
    return adapters * adapter_weights


@formula(sources=[_SLOTS])
def adapter_load_time(adapter_weights: Bytes, host_link_bandwidth: BytesPerSecond) -> Seconds:
    """Time to fill a slot from host memory, which a request waits for whose adapter has none."""
    return adapter_weights / host_link_bandwidth


@formula(sources=[_SPEED, cite("vllm-pr-15655", "8 to 24 % slower"), cite("vllm-issue-10062", "up to half")])
def adapted_token_rate(output_token_rate: TokensPerSecond, adapter_speed_share: Ratio) -> TokensPerSecond:
    """Tokens a second when requests use adapters: each adapted projection takes two more, small and ragged products.

    An adapter that is merged into the weights costs nothing, and needs a replica of its own.
    """
    return output_token_rate * adapter_speed_share


@formula(sources=[_SPEED, cite("vllm-pr-15655", "8 to 24 % slower"), cite("vllm-issue-10062", "up to half")])
def adapted_time_per_output_token(time_per_output_token: Seconds, adapter_speed_share: Ratio) -> Seconds:
    """Time per output token when requests use adapters."""
    return time_per_output_token / adapter_speed_share
