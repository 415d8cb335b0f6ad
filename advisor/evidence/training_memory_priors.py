"""Constants of training memory before anything is measured: what each means, what it is keyed by, and how far it may move."""

from advisor.evidence.families import Family
from advisor.units import parse

_GIB = parse("1 GiB", "byte")
_STACKS = ("transformers", "torchtitan", "torchtune", "litgpt", "megatron", "unsloth", "colossalai", "internevo")
_LIBRARIES = ("none", "fsdp", "deepspeed", "megatron")

FAMILIES: tuple[Family, ...] = (
    Family(
        "logit_bytes",
        "Bytes that one logit takes with its copies in higher precision and its gradient, at the loss.",
        ("loss_kernel", "stack_family", "sharding_library"),
        12.0,
        0.3,
        0.0,
        {
            f"{kernel}/{stack}/{library}": size
            for kernel, size in (("chunked", 1.0), ("fused", 8.5), ("plain", 12.0))
            for stack in _STACKS
            for library in _LIBRARIES
        },
    ),
    Family(
        "gradient_tensors", "Gradients as wide as the feed-forward block that stand while a layer runs backward.", (), 3.0, 0.3
    ),
    Family(
        "selective_share",
        "Share of a layer's activations that selective recomputation keeps.",
        ("stack_family",),
        0.5,
        0.4,
        0.0,
        # Megatron recomputes scores alone; torchtitan keeps every second matrix product, attention's output and its input.
        {"megatron": 1.0, "torchtitan": 0.34},
    ),
    Family("score_bytes", "Bytes that one attention score takes with its softmax and dropout.", (), 5.0, 0.3),
    Family("adapter_inputs", "Copies of the hidden state that adapters keep in a layer without recomputation.", (), 3.0, 0.3),
    Family("quantized_inputs", "Copies of the hidden state that quantized layers keep without recomputation.", (), 6.0, 0.3),
    Family("gathered_layers", "Layers whose weights FSDP holds gathered at once.", (), 2.0, 0.2),
    Family("live_parameters", "Parameters that DeepSpeed ZeRO-3 keeps gathered.", (), 1e9, 0.5),
    Family(
        "step_copies",
        "Copies of one state tensor that the optimizer makes during its step.",
        ("stack_family", "sharding_library"),
        0.05,
        0.5,
        0.0,
        {"transformers/none": 1.0, "transformers/fsdp": 1.0, **{f"{stack}/deepspeed": 1.0 for stack in _STACKS}},
    ),
    Family("context_bytes", "Driver context and libraries on an accelerator.", (), 0.75 * _GIB, 0.3, unit="byte"),
    Family(
        "link_buffers",
        "Communicators and their workspaces on an accelerator that works with others.",
        ("sharding_library",),
        0.9 * _GIB,
        0.3,
        unit="byte",
    ),
    Family(
        "fragmentation",
        "Share of passing memory that stands in gaps no tensor fits into.",
        ("sharding_library",),
        0.06,
        0.6,
        0.0,
        {"fsdp": 0.12},
    ),
    Family(
        "cached_share",
        "What the allocator keeps after it was freed, as a share of logits and working layer.",
        ("training_stack",),
        0.15,
        0.6,
    ),
)
