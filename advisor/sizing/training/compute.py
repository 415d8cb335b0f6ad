"""Work of training one token, and the time that work takes a pipeline stage for one micro batch.

Convention: model FLOPs. A multiplication and an addition are two; six for each parameter that a token meets and that is trained
(two forward, two for the gradient of the input, two for the gradient of the weight), four where weights are frozen and only
adapters learn; attention counts the causal half; recomputation is extra work of the hardware, never of the model. An input
embedding is looked up, not multiplied. Times are seconds of the accelerators that share one micro batch.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    Count,
    Flop,
    FlopPerSecond,
    Ratio,
    Seconds,
    Tokens,
    maximum,
    minimum,
    total,
    where,
)

_FIT = cite("training-measurements", "fit of training speed")
_MEGATRON = cite("narayanan-2021-megatron", "appendix, floating-point operations")
_KORTHIKANTI = cite("korthikanti-2022-recomputation", "§5, model and hardware FLOPs")
_LORA = cite("dettmers-2023-qlora", "frozen base weights")


@formula(sources=[_MEGATRON])
def group_query_width(heads: Count, group_head_dim: Count, group_value_head_dim: Count) -> Count:
    """Elements of a layer's queries and of its weighted values, on the mean of the two."""
    return heads * (group_head_dim + group_value_head_dim) / 2


@formula(sources=[_MEGATRON])
def group_training_reach(group_window: Count, group_compressed_ratio: Ratio, sequence_length: Tokens) -> Tokens:
    """Tokens that count for a layer's attention: the sequence, or twice a sliding window, which all but the first see whole."""
    return where(group_window > 0, minimum(sequence_length, 2 * group_window), sequence_length) / group_compressed_ratio


@formula(sources=[_MEGATRON])
def attention_operations_per_token(group_layers: Count, group_query_width: Count, group_training_reach: Tokens) -> Flop:
    """Attention work of one trained token, forward and backward, with half of every sequence masked."""
    return 6 * total(group_layers * group_query_width * group_training_reach)


@formula(sources=[_MEGATRON])
def dense_active_parameters(
    active_parameters: Count, active_expert_parameters: Count, untied_head: Ratio, table_parameters: Count
) -> Count:
    """Parameters outside routed experts that every token is multiplied with; an input embedding of its own is only looked up."""
    return maximum(0, active_parameters - active_expert_parameters - untied_head * table_parameters)


@formula(sources=[_MEGATRON, _LORA])
def work_per_parameter(trains_adapters: Ratio, reference_model: Ratio) -> Flop:
    """Work per parameter and token: six, four under frozen weights, two more where a frozen reference model reads along."""
    return 6 - 2 * trains_adapters + 2 * reference_model


@formula(sources=[_MEGATRON])
def training_flops_per_token(
    work_per_parameter: Flop,
    dense_active_parameters: Count,
    active_expert_parameters: Count,
    attention_operations_per_token: Flop,
) -> Flop:
    """Model FLOPs of one trained token."""
    return work_per_parameter * (dense_active_parameters + active_expert_parameters) + attention_operations_per_token


@formula(sources=[_KORTHIKANTI])
def recomputation_work(layers: Count) -> Ratio:
    """Work of the hardware over that of the model, with every activation kept."""
    return layers / layers


@formula(of="recomputation_work", when='recomputation == "full"', sources=[_KORTHIKANTI])
def recomputation_work_full(full_recompute_work: Ratio) -> Ratio:
    """Work of the hardware over that of the model when the forward pass is done twice."""
    return full_recompute_work


@formula(of="recomputation_work", when='recomputation == "selective"', sources=[_KORTHIKANTI])
def recomputation_work_selective(selective_recompute_work: Ratio) -> Ratio:
    """Work of the hardware over that of the model when only cheap, large activations are computed again."""
    return selective_recompute_work


@formula(sources=[_KORTHIKANTI])
def hardware_flops_per_token(training_flops_per_token: Flop, recomputation_work: Ratio) -> Flop:
    """FLOPs the hardware spends on one trained token, recomputation included."""
    return training_flops_per_token * recomputation_work


@formula(sources=[_KORTHIKANTI])
def step_work_per_accelerator(hardware_flops_per_token: Flop, tokens_per_step: Tokens, accelerators: Count) -> Flop:
    """FLOPs that one accelerator does in an optimizer step."""
    return hardware_flops_per_token * tokens_per_step / accelerators


@formula(sources=[_FIT])
def model_ranks(tensor_parallel: Count, context_parallel: Count, pipeline_parallel: Count) -> Count:
    """Accelerators that share one micro batch."""
    return tensor_parallel * context_parallel * pipeline_parallel


@formula(sources=[_FIT])
def micro_batch_tokens_trained(micro_batch: Count, sequence_length: Tokens) -> Tokens:
    """Tokens of one micro batch."""
    return micro_batch * sequence_length


@formula(sources=[_FIT])
def matrix_rate(
    peak_sixteen_bit: FlopPerSecond,
    training_compute_efficiency: Ratio,
    training_precision_gain: Ratio,
    training_stack_factor: Ratio,
    training_period_factor: Ratio,
    training_kernel_factor: Ratio,
    adapter_training_factor: Ratio,
    hidden: Count,
    narrow_width: Count,
) -> FlopPerSecond:
    """Rate of large matrix multiplications: a share of the sixteen-bit peak, less where matrices are narrow."""
    return (
        peak_sixteen_bit
        * training_compute_efficiency
        * training_precision_gain
        * training_stack_factor
        * training_period_factor
        * training_kernel_factor
        * adapter_training_factor
        * hidden
        / (hidden + narrow_width)
    )


@formula(sources=[_FIT])
def dense_matrix_time(
    micro_batch_tokens_trained: Tokens,
    model_ranks: Count,
    work_per_parameter: Flop,
    dense_active_parameters: Count,
    recomputation_work: Ratio,
    matrix_rate: FlopPerSecond,
) -> Seconds:
    """A stage's matrix multiplications outside routed experts, for one micro batch."""
    return (
        micro_batch_tokens_trained / model_ranks * work_per_parameter * dense_active_parameters * recomputation_work / matrix_rate
    )


@formula(sources=[_FIT])
def expert_matrix_time(
    micro_batch_tokens_trained: Tokens,
    model_ranks: Count,
    work_per_parameter: Flop,
    active_expert_parameters: Count,
    recomputation_work: Ratio,
    matrix_rate: FlopPerSecond,
    expert_matrix_factor: Ratio,
    expert_intermediate: Count,
    narrow_expert_width: Count,
) -> Seconds:
    """A stage's routed experts for one micro batch: slower the narrower an expert is."""
    return (
        micro_batch_tokens_trained
        / model_ranks
        * work_per_parameter
        * active_expert_parameters
        * recomputation_work
        * (expert_intermediate + narrow_expert_width)
        / maximum(expert_intermediate, 1)
        / (matrix_rate * expert_matrix_factor)
    )


@formula(sources=[_FIT])
def attention_training_time(
    micro_batch_tokens_trained: Tokens,
    model_ranks: Count,
    attention_operations_per_token: Flop,
    recomputation_work: Ratio,
    peak_sixteen_bit: FlopPerSecond,
    training_attention_efficiency: Ratio,
    training_stack_factor: Ratio,
) -> Seconds:
    """A stage's attention for one micro batch; fused kernels compute it in sixteen bit."""
    return (
        micro_batch_tokens_trained
        / model_ranks
        * attention_operations_per_token
        * recomputation_work
        / (peak_sixteen_bit * training_attention_efficiency * training_stack_factor)
    )


@formula(sources=[_FIT])
def routed_expert_width(
    expert_parameters: Count, experts: Count, expert_layers: Count, expert_intermediate: Count, hidden: Count
) -> Count:
    """Width in which tokens travel to experts: the hidden size, or a narrower one where experts work in a projection of it."""
    return where(
        expert_parameters > 0,
        minimum(hidden, expert_parameters / maximum(experts * expert_layers * expert_intermediate * 2, 1)),
        hidden,
    )


@formula(sources=[_FIT])
def small_kernel_traffic(
    layers: Count,
    hidden: Count,
    element_traffic: Bytes,
    recomputation_work: Ratio,
    expert_layers: Count,
    experts_per_token: Count,
    routed_expert_width: Count,
    expert_traffic: Bytes,
    recurrent_layers: Count,
    recurrent_traffic: Bytes,
    vocabulary: Count,
    logit_traffic: Bytes,
) -> Bytes:
    """Bytes that one token moves through memory beside matrices: norms, activations, routing, recurrent layers, loss."""
    return (
        layers * hidden * element_traffic * recomputation_work
        + expert_layers * experts_per_token * routed_expert_width * expert_traffic
        + recurrent_layers * hidden * recurrent_traffic
        + vocabulary * logit_traffic
    )


@formula(sources=[_FIT])
def small_kernel_time(
    micro_batch_tokens_trained: Tokens,
    model_ranks: Count,
    small_kernel_traffic: Bytes,
    memory_bandwidth: BytesPerSecond,
    training_period_factor: Ratio,
) -> Seconds:
    """A stage's kernels that move memory rather than multiply, for one micro batch."""
    return micro_batch_tokens_trained / model_ranks * small_kernel_traffic / memory_bandwidth / training_period_factor


@formula(sources=[_FIT])
def launch_time(layers: Count, pipeline_parallel: Count, layer_launch_time: Seconds, training_period_factor: Ratio) -> Seconds:
    """Time that a stage's layers take whatever the micro batch: kernel launches, routing on the host, synchronisation."""
    return layers / pipeline_parallel * layer_launch_time / training_period_factor


@formula(sources=[_FIT])
def parameters_on_rank(
    parameters: Count,
    expert_parameters: Count,
    tensor_parallel: Count,
    pipeline_parallel: Count,
    expert_parallel: Count,
) -> Count:
    """Parameters that a stage's accelerator computes with: experts are divided among expert-parallel ranks."""
    return (parameters - expert_parameters) / (tensor_parallel * pipeline_parallel) + expert_parameters / (
        pipeline_parallel * where(expert_parallel > 1, expert_parallel, tensor_parallel)
    )


@formula(sources=[_FIT])
def weight_stream_time(parameters_on_rank: Count, weight_traffic: Bytes, memory_bandwidth: BytesPerSecond) -> Seconds:
    """Time to read the stage's weights for the passes of one micro batch, which tiny micro batches do not hide."""
    return parameters_on_rank * weight_traffic / memory_bandwidth


@formula(sources=[_FIT])
def dequantization_time(
    parameters: Count, quantized_base: Ratio, dequantization_work: Flop, peak_sixteen_bit: FlopPerSecond
) -> Seconds:
    """Time to bring a quantised frozen base into sixteen bit for one micro batch."""
    return parameters * quantized_base * dequantization_work / peak_sixteen_bit
