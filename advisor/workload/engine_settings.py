"""Settings of the engine that serves or trains, under the names the engines use."""

from typing import Annotated, Literal, get_args

from advisor.catalogue.record import Record
from advisor.workload.quantities import Quantity, Size
from advisor.workload.words import Choice, Flag, Name

MemoryShare = Annotated[
    float, Quantity("1", 0.01, 1, "it is a part of the accelerator's memory", "0.9", "no engine starts in less")
]
TokenLimit = Annotated[
    int, Quantity("token", 1, 1e8, "the longest context of any model is about ten million tokens", "8192", whole=True)
]
Ways = Annotated[int, Quantity("1", 1, 65_536, "no run is split so often", "8", whole=True)]
Number = Annotated[int, Quantity("1", 1, 1e6, "no engine runs more at once", "256", whole=True)]
Layers = Annotated[int, Quantity("1", 0, 10_000, "no model has more layers", "99", whole=True)]
Rank = Annotated[int, Quantity("1", 1, 65_536, "a rank is at most the model's width", "16", whole=True)]
Sampler = Literal["pytorch", "flashinfer"]
Sharding = Literal["none", "zero-1", "zero-2", "zero-3", "fsdp", "fsdp-grad-op"]
Offload = Literal["none", "optimizer", "parameters", "all"]
Checkpointing = Literal["none", "selective", "full"]
YesOrNo = Annotated[bool, Flag()]


class EngineSettings(Record):
    """What the engine is told at start; memory depends on it, so the plan prints what it assumed for the rest.

    Serving: the share of memory the engine may use under each engine's own name (gpu_memory_utilization: vLLM, of all memory;
    mem_fraction_static: SGLang; free_gpu_memory_fraction: TensorRT-LLM, of what is free after loading; cache_max_entry_count:
    LMDeploy), limits on sequences and tokens in a batch, the longest sequence (max_model_len; context in llama.cpp), parallelism.
    Training: how states are sharded and offloaded, activation checkpointing, sequences per step and accelerator (micro_batch).
    """

    gpu_memory_utilization: MemoryShare | None = None
    mem_fraction_static: MemoryShare | None = None
    free_gpu_memory_fraction: MemoryShare | None = None
    cache_max_entry_count: MemoryShare | None = None
    max_num_seqs: Number | None = None
    max_num_batched_tokens: TokenLimit | None = None
    max_model_len: TokenLimit | None = None
    context: TokenLimit | None = None
    block_size: Number | None = None
    kv_cache_memory: Size | None = None
    cpu_offload: Size | None = None
    swap_space: Size | None = None
    tensor_parallel: Ways | None = None
    pipeline_parallel: Ways | None = None
    data_parallel: Ways | None = None
    expert_parallel: Ways | None = None
    context_parallel: Ways | None = None
    enforce_eager: YesOrNo | None = None
    chunked_prefill: YesOrNo | None = None
    prefix_caching: YesOrNo | None = None
    disaggregated: YesOrNo | None = None
    sampler: Annotated[Sampler, Choice(get_args(Sampler))] | None = None
    attention_backend: Name | None = None
    speculative_tokens: Number | None = None
    gpu_layers: Layers | None = None
    parallel_slots: Number | None = None
    optimizer: Name | None = None
    sharding: (
        Annotated[Sharding, Choice(get_args(Sharding), (("zero1", "zero-1"), ("zero2", "zero-2"), ("zero3", "zero-3")))] | None
    ) = None
    offload: Annotated[Offload, Choice(get_args(Offload), (("cpu", "all"),))] | None = None
    activation_checkpointing: Annotated[Checkpointing, Choice(get_args(Checkpointing))] | None = None
    micro_batch: Number | None = None
    gradient_accumulation: Number | None = None
    lora_rank: Rank | None = None
