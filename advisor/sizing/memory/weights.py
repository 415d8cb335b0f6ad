"""Weights: bytes of the whole model by tensor class, and on the fullest accelerator of a replica."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Ratio, ceil, maximum, where

_NOTES = cite("vllm-startup-logs", "weights")


@formula(sources=[_NOTES])
def expert_weights(expert_parameters: Count, expert_bits: Count) -> Bytes:
    """Weights of all routed experts, scales included.

    All of them are resident, whatever share of them one token uses.
    """
    return expert_parameters * expert_bits / 8


@formula(sources=[_NOTES])
def table_weights(table_parameters: Count, resident_tables: Count, table_bits: Count) -> Bytes:
    """Weights of the vocabulary tables that stand in accelerator memory.

    resident_tables is two for an embedding and a separate output head, one where they are tied. Most quantized formats
    leave the tables at 16 bit.
    """
    return table_parameters * resident_tables * table_bits / 8


@formula()
def resident_tables(untied_head: Count) -> Count:
    """Vocabulary tables in accelerator memory: the embedding, and the output head where it is a table of its own."""
    return 1 + untied_head


@formula(
    of="resident_tables", when='engine_family == "llama.cpp"', sources=[cite("vllm-startup-logs", "llama.cpp rows m137, m140")]
)
def resident_tables_llama_cpp(untied_head: Count) -> Count:
    """llama.cpp keeps the input embedding in host memory; only the table used as output head is on the accelerator."""
    return 1 + 0 * untied_head


@formula(sources=[_NOTES])
def layer_parameters(
    parameters: Count, expert_parameters: Count, table_parameters: Count, untied_head: Count, tower_parameters: Count
) -> Count:
    """Parameters of attention, dense blocks, norms and routers: no routed experts, vocabulary tables or encoder tower."""
    return parameters - expert_parameters - table_parameters * (1 + untied_head) - tower_parameters


@formula(sources=[_NOTES])
def layer_weights(layer_parameters: Count, layer_bits: Count) -> Bytes:
    """Weights of attention, dense feed-forward blocks, norms and routers."""
    return layer_parameters * layer_bits / 8


@formula(of="layer_weights", when=["checkpoint_bytes > 0", "format_rank == 0"], sources=[cite("safetensors-format", "header")])
def layer_weights_of_checkpoint(
    checkpoint_bytes: Bytes,
    expert_weights: Bytes,
    table_parameters: Count,
    untied_head: Count,
    table_bits: Count,
    tower_weights: Bytes,
) -> Bytes:
    """What a checkpoint whose headers were read holds beside experts, tables and tower, in the format it was released in."""
    return maximum(0, checkpoint_bytes - expert_weights - table_parameters * (1 + untied_head) * table_bits / 8 - tower_weights)


@formula(sources=[_NOTES])
def tower_weights(tower_parameters: Count, tower_bits: Count) -> Bytes:
    """Weights of a vision or audio tower, which quantized checkpoints leave at 16 bit."""
    return tower_parameters * tower_bits / 8


@formula(sources=[_NOTES])
def weights(layer_weights: Bytes, expert_weights: Bytes, table_weights: Bytes, tower_weights: Bytes) -> Bytes:
    """Weights of the whole model once.

    Exact for a format that treats every tensor of a class alike; mixed checkpoints (some layers left at 16 bit) are larger.
    """
    return layer_weights + expert_weights + table_weights + tower_weights


@formula(sources=[cite("vllm-startup-logs", "pipeline ranks with embedding or head are heavier")])
def stage_share(layers: Count, pipeline_parallel: Count) -> Ratio:
    """Share of the layers on the fullest pipeline stage."""
    return ceil(layers / pipeline_parallel) / layers


@formula(sources=[_NOTES])
def stage_table_share(resident_tables: Count, pipeline_parallel: Count) -> Ratio:
    """Share of the vocabulary tables on the fullest stage: the first stage holds the embedding, the last the head."""
    return where(pipeline_parallel > 1, 1 / resident_tables, 1)


@formula(sources=[_NOTES])
def expert_padding(expert_intermediate: Count) -> Ratio:
    """Memory that experts take over their own size; kernels of most formats need no padding."""
    return 1 + 0 * expert_intermediate


@formula(
    of="expert_padding",
    when=['engine_family == "vllm"', 'precision == "mxfp4"', "expert_intermediate > 0"],
    sources=[cite("vllm-startup-logs", "gpt-oss rows: 13.5 to 13.7 and 64.4 to 66.0 GiB against 12.8 and 60.8 in the file")],
)
def expert_padding_mxfp4(expert_intermediate: Count, hidden: Count, tensor_parallel: Count) -> Ratio:
    """vLLM's MXFP4 experts: each rank's width rounded up to 256, the hidden size to 128."""
    return (
        ceil(expert_intermediate / tensor_parallel / 256)
        * 256
        * tensor_parallel
        / expert_intermediate
        * ceil(hidden / 128)
        * 128
        / hidden
    )


@formula(sources=[_NOTES])
def weights_per_accelerator(
    layer_weights: Bytes,
    expert_weights: Bytes,
    expert_padding: Ratio,
    table_weights: Bytes,
    tower_weights: Bytes,
    stage_share: Ratio,
    stage_table_share: Ratio,
    tensor_parallel: Count,
    attention_data_parallel: Count,
    loaded_buffers: Bytes,
) -> Bytes:
    """Weights on the fullest accelerator of a replica.

    Tensor parallelism shards layers, experts and tables; the tower is copied on every rank. Under data-parallel attention the
    attention and tables are copied per group and the experts spread over all ranks.
    """
    return (
        (layer_weights + expert_weights * expert_padding / attention_data_parallel) * stage_share / tensor_parallel
        + table_weights * stage_table_share / tensor_parallel
        + tower_weights
        + loaded_buffers
    )
