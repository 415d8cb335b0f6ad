"""Constants that training memory takes as facts: ids of entries in knowledge/efficiencies.

SETTLED ones follow from how stacks are written (element sizes, moments, defaults of their settings); FITTED ones were fitted
together to measured peaks. A fact given under a constant's name is taken instead of it.
"""

SETTLED: tuple[str, ...] = (
    "weight_element_size",
    "gradient_element_size",
    "master_weight_element_size",
    "moment_element_size",
    "optimizer_moments",
    "paged_share",
    "steps_at_once",
    "adapter_element_size",
    "activation_element_size",
    "compute_weight_size",
    "gradients_held",
    "loads_whole",
    "bucket_bytes",
    "load_element_size",
    "process_memory",
    "pinned_factor",
    "saved_copies",
    "nvme_buffer_share",
)
FITTED: tuple[str, ...] = (
    "step_copies",
    "score_bytes",
    "adapter_inputs",
    "quantized_inputs",
    "selective_share",
    "gradient_tensors",
    "logit_bytes",
    "gathered_layers",
    "live_parameters",
    "context_bytes",
    "link_buffers",
    "fragmentation",
    "cached_share",
)
TRAINING_MEMORY_CONSTANTS: tuple[str, ...] = (*SETTLED, *FITTED)
TRAINING_MEMORY = (
    "training_memory",
    "training_memory_margin",
    "training_host_memory",
    "training_weights",
    "training_gradients",
    "optimizer_states",
    "master_weights",
    "activation_memory",
    "logits_memory",
    "communication_buffers",
    "training_overhead",
)
