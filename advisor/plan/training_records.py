"""What a plan of a training run holds beside that of a served model: its layout, its time, and what keeps it going."""

from typing import Final

from advisor.plan.record import PlanRecord

TRAINING_KINDS: Final = ("pretraining", "fine-tuning")


class TrainingLayout(PlanRecord):
    """How a run is spread and what it keeps; counts are accelerators or sequences.

    stack: the software, such as megatron, fsdp, transformers or deepspeed. method: full, lora, qlora, dpo and the like; adapter:
    lora, dora, qlora or none. precision: of the arithmetic. weight_format: of frozen weights under adapters, else none.
    sharding_library: what shards states (fsdp, deepspeed, megatron or none), over sharded_over ranks. micro_batch: sequences of
    one pass; gradient_accumulation: passes of one step; global_batch: sequences of one step over all accelerators.
    """

    stack: str
    method: str
    adapter: str = "none"
    optimizer: str
    precision: str
    weight_format: str | None = None
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    virtual_stages: int = 1
    context_parallel: int = 1
    expert_parallel: int = 1
    data_parallel: int = 1
    zero_stage: int = 0
    sharding_library: str = "none"
    sharded_over: int = 1
    micro_batch: int = 1
    gradient_accumulation: int = 1
    global_batch: int = 1
    sequence_length: int
    recomputation: str = "none"
    attention_kernel: str = "flash"
    loss_kernel: str = "plain"
    optimizer_offload: str = "none"
    parameter_offload: str = "none"
    lora_rank: int | None = None
    lora_targets: str | None = None
