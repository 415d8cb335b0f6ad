"""What one rank holds: its share of the parameters under tensor, pipeline and expert parallelism, and over how many ranks
ZeRO spreads what is kept for them.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, Ratio, maximum, where

_MEGATRON = cite("narayanan-2021-megatron", "§2")
_ZERO = cite("rajbhandari-2020-zero", "§5")


@formula(sources=[_MEGATRON])
def layer_parameters_per_rank(
    layer_parameters: Count, tower_parameters: Count, stage_share: Ratio, tensor_parallel: Count
) -> Count:
    """Parameters of attention, dense blocks, norms and routers on the fullest rank; an encoder tower is copied on every rank."""
    return layer_parameters * stage_share / tensor_parallel + tower_parameters


@formula(sources=[cite("megatron-core-moe", "expert parallelism")])
def expert_parameters_per_rank(
    expert_parameters: Count, stage_share: Ratio, tensor_parallel: Count, expert_parallel: Count
) -> Count:
    """Parameters of routed experts on the fullest rank.

    All experts count, whatever share of them one token uses: state follows total parameters, compute the active ones.
    """
    return expert_parameters * stage_share / (tensor_parallel * expert_parallel)


@formula(sources=[_MEGATRON])
def tables_per_rank(table_parameters: Count, untied_head: Count, pipeline_parallel: Count, tensor_parallel: Count) -> Count:
    """Parameters of vocabulary tables on the fullest rank: the first stage holds the embedding, the last one the head."""
    return table_parameters * where(pipeline_parallel > 1, 1, 1 + untied_head) / tensor_parallel


@formula(sources=[_MEGATRON])
def parameters_per_rank(layer_parameters_per_rank: Count, expert_parameters_per_rank: Count, tables_per_rank: Count) -> Count:
    """Parameters that the fullest rank works with, before ZeRO spreads what is kept for them."""
    return layer_parameters_per_rank + expert_parameters_per_rank + tables_per_rank


@formula(sources=[_ZERO])
def dense_shards(sharded_over: Count) -> Count:
    """Ranks that ZeRO spreads the states of dense parameters over."""
    return maximum(1, sharded_over)


@formula(sources=[cite("megatron-core-moe", "expert data parallelism")])
def expert_shards(sharded_over: Count, expert_parallel: Count) -> Count:
    """Ranks that ZeRO spreads the states of experts over: expert parallelism has already divided them among the others."""
    return maximum(1, sharded_over / expert_parallel)


@formula(sources=[_ZERO])
def parameters_per_shard(
    layer_parameters_per_rank: Count,
    expert_parameters_per_rank: Count,
    tables_per_rank: Count,
    dense_shards: Count,
    expert_shards: Count,
) -> Count:
    """Parameters whose states one rank keeps where ZeRO spreads them over its group."""
    return (layer_parameters_per_rank + tables_per_rank) / dense_shards + expert_parameters_per_rank / expert_shards


@formula(sources=[_ZERO])
def weights_kept(zero_stage: Count, parameters_per_shard: Count, parameters_per_rank: Count) -> Count:
    """Parameters whose weights stay on a rank between layers: all of its own, from ZeRO stage 3 on its shard alone."""
    return where(zero_stage >= 3, parameters_per_shard, parameters_per_rank)
