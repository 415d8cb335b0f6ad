"""Adapters: parameters that LoRA and DoRA train beside frozen weights, and what of the model itself is trained."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Ratio, total, where

_LORA = cite("hu-2021-lora", "§4")


@formula(sources=[_LORA])
def group_attention_width(group_kv_heads: Count, group_head_dim: Count, heads: Count, hidden: Count) -> Count:
    """Inputs and outputs of a layer's query, key, value and output projections together: what adapters on all four span."""
    return 4 * hidden + 2 * heads * group_head_dim + 2 * group_kv_heads * group_head_dim


@formula(of="group_attention_width", when='lora_targets == "query-value"', sources=[_LORA])
def group_attention_width_query_value(group_kv_heads: Count, group_head_dim: Count, heads: Count, hidden: Count) -> Count:
    """Inputs and outputs of the query and value projections, which the method's paper adapts."""
    return 2 * hidden + heads * group_head_dim + group_kv_heads * group_head_dim


@formula(sources=[_LORA])
def feed_forward_adapted_width(layers: Count, hidden: Count) -> Count:
    """Inputs and outputs of adapted feed-forward projections in all layers; none where adapters stand on attention alone."""
    return 0 * layers * hidden


@formula(of="feed_forward_adapted_width", when='lora_targets == "all-linear"', sources=[cite("dettmers-2023-qlora", "§4")])
def feed_forward_adapted_width_all(
    layers: Count,
    expert_layers: Count,
    hidden: Count,
    intermediate: Count,
    experts: Count,
    shared_experts: Count,
    expert_intermediate: Count,
    feed_forward_matrices: Count,
) -> Count:
    """The same where every linear layer has an adapter: dense blocks and each expert by itself."""
    return feed_forward_matrices * (
        (layers - expert_layers) * (hidden + intermediate)
        + expert_layers * (experts + shared_experts) * (hidden + expert_intermediate)
    )


@formula(sources=[_LORA])
def adapted_width(group_layers: Count, group_attention_width: Count, feed_forward_adapted_width: Count) -> Count:
    """Inputs and outputs of all adapted projections of the model."""
    return total(group_layers * group_attention_width) + feed_forward_adapted_width


@formula(sources=[_LORA])
def adapter_parameters(lora_rank: Count, adapted_width: Count) -> Count:
    """Parameters of LoRA adapters: two thin matrices of the rank's width beside each adapted projection."""
    return lora_rank * adapted_width


@formula(of="adapter_parameters", when='adapter == "dora"', sources=[cite("liu-2024-dora", "§4")])
def adapter_parameters_dora(lora_rank: Count, adapted_width: Count) -> Count:
    """Parameters of DoRA adapters: those of LoRA, and a magnitude for each output, about half of all inputs and outputs."""
    return (lora_rank + 0.5) * adapted_width


@formula(sources=[_LORA])
def adapters_per_rank(adapter_parameters: Count, stage_share: Ratio, tensor_parallel: Count) -> Count:
    """Adapter parameters on the fullest rank."""
    return adapter_parameters * stage_share / tensor_parallel


@formula()
def trained_per_rank(parameters_per_rank: Count) -> Count:
    """Parameters a rank has gradients for before ZeRO: all of its own in full training."""
    return parameters_per_rank


@formula(of="trained_per_rank", when='adapter != "none"', sources=[_LORA])
def trained_per_rank_adapters(
    adapters_per_rank: Count,
    trained_tables: Count,
    tables_per_rank: Count,
    table_element_size: Bytes,
    adapter_element_size: Bytes,
) -> Count:
    """Adapters, and the vocabulary tables where they are trained along (trained_tables is 1 then, else 0).

    Tables are copied in the precision of the model, so their states are of that size; they count as so many adapter parameters.
    """
    return adapters_per_rank + trained_tables * tables_per_rank * table_element_size / adapter_element_size


@formula(sources=[cite("rajbhandari-2020-zero", "§5")])
def trained_per_shard(parameters_per_shard: Count) -> Count:
    """Parameters whose states a rank keeps where ZeRO spreads them."""
    return parameters_per_shard


@formula(of="trained_per_shard", when='adapter != "none"', sources=[cite("rajbhandari-2020-zero", "§5")])
def trained_per_shard_adapters(trained_per_rank: Count, dense_shards: Count) -> Count:
    """The same for adapters, which are spread like dense parameters."""
    return trained_per_rank / dense_shards


@formula()
def added_parameters_kept(layers: Count) -> Count:
    """Trained parameters that are held beside the model's own; none in full training, which trains the weights themselves."""
    return 0 * layers


@formula(of="added_parameters_kept", when='adapter != "none"', sources=[_LORA])
def added_parameters_kept_adapters(zero_stage: Count, trained_per_shard: Count, trained_per_rank: Count) -> Count:
    """Adapters, and a trainable copy of what else is trained; a shard of them from ZeRO stage 3 on."""
    return where(zero_stage >= 3, trained_per_shard, trained_per_rank)
