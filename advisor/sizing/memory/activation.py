"""What the engine takes beside weights and cache: activations of its start-up dummy run, graphs, contexts and buffers."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerRequest, Count, Requests, Tokens, TokensPerRequest, largest, maximum, minimum, where

_SAMPLER = cite("vllm-startup-logs", "sampler peak, 10 rows")
_FORWARD = cite("vllm-startup-logs", "forward peak, 5 rows")
_BUFFER = cite("vllm-startup-logs", "llama.cpp compute buffer, 6 rows")


@formula(sources=[_SAMPLER])
def sampler_peak(sampler_copies: Count, max_num_seqs: Requests, vocabulary: Count, pytorch_sampler: Count) -> Bytes:
    """Peak of PyTorch's sampler: copies of the fp32 logits of as many sequences as may run at once.

    It depends neither on the model's size nor on tensor parallelism; a fused sampler avoids it.
    """
    return sampler_copies * max_num_seqs * vocabulary * 4 * pytorch_sampler


@formula(sources=[_FORWARD])
def active_intermediate(
    intermediate: Count, expert_intermediate: Count, experts_per_token: Count, shared_experts: Count
) -> Count:
    """Feed-forward width one token passes through in a layer: the dense block's, or that of the experts it visits."""
    return maximum(intermediate, expert_intermediate * (experts_per_token + shared_experts))


@formula(sources=[_FORWARD])
def forward_peak(
    max_num_batched_tokens: Tokens,
    feed_forward_copies: Count,
    active_intermediate: Count,
    hidden_copies: Count,
    hidden: Count,
    tensor_parallel: Count,
    routed_width: Count,
    recurrent_peak: Bytes,
) -> Bytes:
    """Peak of the forward pass at 16 bit: the feed-forward block, the residual stream and a recurrent layer's states of one step.

    The block is a dense one's, or what fused expert kernels hold for every expert that a token visits, whichever is larger; they
    take at most 32,768 tokens at a time.
    """
    return (
        2
        * maximum(
            max_num_batched_tokens * feed_forward_copies * active_intermediate / tensor_parallel,
            minimum(max_num_batched_tokens, 32768) * routed_width,
        )
        + 2 * max_num_batched_tokens * hidden_copies * hidden
        + recurrent_peak
    )


@formula(sources=[cite("vllm-source", "fused_experts: two buffers for every expert that a token visits")])
def routed_width(experts_per_token: Count, expert_intermediate: Count, hidden: Count, tensor_parallel: Count) -> Count:
    """Elements a token takes in fused expert kernels: the wider of gate-and-up and output, and the activated product."""
    return (
        experts_per_token
        * (maximum(2 * expert_intermediate / tensor_parallel, hidden) + expert_intermediate / tensor_parallel)
        * where(expert_intermediate > 0, 1, 0)
    )


@formula(sources=[cite("flash-linear-attention", "chunked kernels, 64 tokens a chunk")])
def recurrent_peak(max_num_batched_tokens: Tokens, group_state_bytes: BytesPerRequest, tensor_parallel: Count) -> Bytes:
    """States that chunked kernels of a recurrent layer write for every 64 tokens of a step."""
    return max_num_batched_tokens / 64 * largest(group_state_bytes) / tensor_parallel


@formula(sources=[cite("vllm-startup-logs", "vision peak, 7 rows")])
def vision_peak(vision: Count, vision_encoder_peak: Bytes) -> Bytes:
    """Peak of a vision encoder on the largest images that the engine allows by default; 1.6 to 37 GiB with limits set by hand."""
    return vision * vision_encoder_peak


@formula(sources=[cite("vllm-startup-logs", "row m027: 7.0 GiB beside weights and cache")])
def indexer_peak(sparse_attention: Count) -> Bytes:
    """Scores of a sparse-attention indexer; engines that score a long step in pieces need little for them."""
    return 0 * sparse_attention


@formula(
    of="indexer_peak",
    when='engine_generation == "vllm-v1"',
    sources=[cite("vllm-startup-logs", "row m027: 7.0 GiB beside weights and cache")],
)
def indexer_peak_whole_step(sparse_attention: Count, max_num_batched_tokens: Tokens, max_model_len: TokensPerRequest) -> Bytes:
    """An fp32 score for every token of a step against every position of the longest sequence, as vLLM before 0.21 kept them."""
    return sparse_attention * max_num_batched_tokens * max_model_len * 4


@formula(sources=[cite("vllm-startup-logs", "row m213")])
def encoder_peak(encoder_tokens: Count) -> Bytes:
    """An encoder whose output the decoder attends to; engines that encode as requests arrive set little aside for it."""
    return 0 * encoder_tokens


@formula(of="encoder_peak", when='engine_generation == "vllm-v0"', sources=[cite("vllm-startup-logs", "row m213: 36.6 GiB")])
def encoder_peak_all_sequences(encoder_tokens: Count, max_num_seqs: Requests, hidden: Count, encoder_copies: Count) -> Bytes:
    """vLLM's first engine encoded one input for every sequence that may run, all at once."""
    return encoder_copies * max_num_seqs * encoder_tokens * hidden * 2


@formula(sources=[_SAMPLER, _FORWARD])
def activation_peak(
    sampler_peak: Bytes, forward_peak: Bytes, vision_peak: Bytes, indexer_peak: Bytes, encoder_peak: Bytes
) -> Bytes:
    """Activation memory the engine sets aside: the largest of the peaks, which do not coincide."""
    return maximum(sampler_peak, forward_peak, vision_peak, indexer_peak, encoder_peak)


@formula(of="activation_peak", when='engine_family == "llama.cpp"', sources=[_BUFFER])
def compute_buffer(micro_batch_tokens: Tokens, vocabulary: Count, hidden: Count) -> Bytes:
    """llama.cpp's compute buffer with flash attention: fp32 logits and two residual streams of one micro batch."""
    return micro_batch_tokens * 4 * (vocabulary + 2 * hidden)


@formula(sources=[cite("vllm-startup-logs", "CUDA graphs by version")])
def charged_graphs(graph_memory: Bytes, graphs_charged: Count, eager: Count) -> Bytes:
    """Graph memory that comes out of the engine's budget; up to vLLM 0.20 graphs were captured outside of it."""
    return where(eager > 0, 0, graph_memory * graphs_charged)
