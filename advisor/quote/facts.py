"""The facts that rules on quotes read: counts and sums of the lines, what the words say, and what formulas make of them.

Hardware is of one node unless its name says total; a fact that the quote does not give is left out.
"""

from advisor.facts import FactDeclaration


def _quantities(unit: str, *names: str) -> dict[str, FactDeclaration]:
    return {name: FactDeclaration(name=name, kind="quantity", unit=unit) for name in names}


def _shares(*names: str) -> dict[str, FactDeclaration]:
    return {name: FactDeclaration(name=name, kind="quantity", unit="1", percentage=True) for name in names}


def _flags(*names: str) -> dict[str, FactDeclaration]:
    return {name: FactDeclaration(name=name, kind="flag") for name in names}


def _texts(*names: str) -> dict[str, FactDeclaration]:
    return {name: FactDeclaration(name=name, kind="text") for name in names}


# What the words of a quote can say; each is a flag, absent where nothing of the kind is said.
SAYINGS = (
    *("spares", "burn_in", "support_term", "return_to_base", "excludes", "running_cost", "price_moving", "unsupported"),
    *("shared_uplink", "few_socket_links", "topology_trouble", "bus_errors", "shared_file_system", "parallel_file_system"),
    *("no_redundancy", "redundancy_promised", "server_supply", "joined_supplies", "third_party_fabric", "does_not_fit"),
    *("forced_air", "open_air_cards", "mining_frame", "heat_trouble", "living_space", "production", "unattended", "no_ecc"),
    *("has_ecc", "sparse_claim", "unlocked_claim", "supported_claim", "against_cloud", "options", "acceptance", "interactive"),
    *("long_prompts", "prefill_trouble", "narrow_link", "lora", "moe", "price_trouble", "side_cooler", "redundant_feeds"),
    *(
        "nodes_in_one_rack",
        "count_open",
        "later_water",
        "partial_fit",
        "provision",
        "household_outlet",
        "way_limits",
        "desktop_machine",
    ),
)

_WORK = FactDeclaration(name="quoted_work", kind="choice", choices=("training", "finetune", "inference", "mixed", "hpc", "other"))
_LINK = FactDeclaration(
    name="quoted_link",
    kind="choice",
    choices=(*("nvlink", "nvlink-bridge", "xgmi", "ici", "neuronlink", "roce", "xe-link", "pcie", "none", "unified", "unknown"),),
)

QUOTE_FACTS: dict[str, FactDeclaration] = {
    "quoted_work": _WORK,
    "quoted_link": _LINK,
    **_quantities("1", "gpu_hours", "later_water_supply", "lift_mass", "most_sockets", "oversubscription", "partial_nodes"),
    **_quantities("1", "partial_of_nodes", "price_over_usual", "quoted_circuit_feeds", "quoted_circuit_phases"),
    **_quantities("1", "quoted_cores", "quoted_cores_needed", "quoted_dimms", "quoted_fabric_ports", "quoted_gpu_models"),
    **_quantities("1", "quoted_gpus", "quoted_gpus_per_node", "quoted_host_pcie", "quoted_lanes_needed", "quoted_lines"),
    **_quantities("1", "quoted_lines_total", "quoted_loader_workers", "quoted_memory_channels", "quoted_memory_over_need"),
    **_quantities("1", "quoted_memory_ratio", "quoted_nodes", "quoted_nodes_on_one_feed", "quoted_nodes_per_rack"),
    **_quantities("1", "quoted_options", "quoted_pcie_lanes", "quoted_ports_of_largest_switch", "quoted_positions"),
    **_quantities("1", "quoted_rack_units_needed", "quoted_racks", "quoted_required_gpus", "quoted_slots_needed"),
    **_quantities("1", "quoted_sockets", "quoted_spare_supplies", "quoted_stated_total", "quoted_supplies"),
    **_quantities("1", "quoted_switch_excess", "quoted_switch_ports", "quoted_switches", "quoted_sync_over_compute"),
    **_quantities("1", "quoted_total_difference", "rack_width", "smallest_wanted_parameters", "stated_gpus", "stated_nodes"),
    **_quantities("1", "titled_gpus", "titled_nodes", "wanted_parameters", "water_supply"),
    **_quantities("FLOP/second", "quoted_compute_per_gpu", "quoted_gpu_compute"),
    **_quantities("ampere", "quoted_circuit_current"),
    **_quantities("byte", "quoted_checkpoint_size", "quoted_gpu_memory", "quoted_gpu_memory_total", "quoted_host_memory"),
    **_quantities("byte", "quoted_largest_gpu_memory", "quoted_least_option_memory", "quoted_local_storage"),
    **_quantities("byte", "quoted_most_option_memory", "quoted_shared_storage", "quoted_smallest_gpu_memory"),
    **_quantities("byte", "quoted_stated_weights", "quoted_total_storage", "quoted_training_state", "smallest_wanted_memory"),
    **_quantities("byte", "wanted_memory"),
    **_quantities("byte/second", "quoted_expected_bandwidth", "quoted_fabric_bandwidth", "quoted_fabric_per_gpu"),
    **_quantities("byte/second", "quoted_fabric_port_speed", "quoted_gpu_bandwidth", "quoted_measured_bandwidth"),
    **_quantities("byte/second", "quoted_reference_per_gpu", "quoted_storage_link", "quoted_switch_bandwidth"),
    **_quantities("second", "quoted_gpu_time", "quoted_gradient_compute_time", "quoted_gradient_sync_time"),
    **_quantities("second", "quoted_model_load_time", "quoted_prefill_time", "quoted_time_available", "quoted_time_needed"),
    **_quantities("token", "quoted_context_tokens", "quoted_training_tokens"),
    **_quantities("token/second", "quoted_token_rate_bound"),
    **_quantities("volt", "quoted_circuit_voltage"),
    **_quantities("watt", "nodes_power", "quoted_card_power", "quoted_card_power_limit", "quoted_circuit_continuous"),
    **_quantities("watt", "quoted_circuit_rating", "quoted_component_power", "quoted_cpu_power", "quoted_gpu_power"),
    **_quantities("watt", "quoted_least_card_power", "quoted_limited_load", "quoted_measured_wall_power", "quoted_node_load"),
    **_quantities("watt", "quoted_node_power", "quoted_node_spike", "quoted_nodes_power_total", "quoted_rack_cooling"),
    **_quantities("watt", "quoted_rack_feed_power", "quoted_rack_power_limit", "quoted_rack_power_needed"),
    **_quantities("watt", "quoted_room_cooling", "quoted_site_power", "quoted_stated_load", "quoted_supply_power"),
    **_quantities("watt", "quoted_supply_power_after_loss", "quoted_system_power", "quoted_wall_power"),
    **_shares("priced_share", "quoted_bandwidth_reached", "quoted_breaker_use", "quoted_channels_filled"),
    **_shares("quoted_checkpoints_share", "quoted_circuit_use", "quoted_components_of_supplies"),
    **_shares("quoted_cooling_use", "quoted_cores_share", "quoted_feed_use", "quoted_feed_use_after_loss"),
    **_shares("quoted_feeds_of_cooling", "quoted_lanes_share", "quoted_least_card_share", "quoted_load_after_loss"),
    **_shares("quoted_load_of_supplies", "quoted_memory_use", "quoted_option_ratio", "quoted_rack_limit_use"),
    **_shares("quoted_rack_units_use", "quoted_reference_share", "quoted_room_cooling_use", "quoted_site_use"),
    **_shares("quoted_slots_share", "quoted_smallest_memory_use", "quoted_spike_of_supplies"),
    **_shares("quoted_stated_weights_share", "quoted_storage_use", "quoted_system_of_supplies"),
    **_shares("quoted_time_share", "quoted_total_difference_share", "quoted_training_memory_use"),
    **_shares("quoted_wall_of_common_circuit", "quoted_wall_of_household_circuit"),
    **_texts("card", "connector_speed", "dropped_by", "false_claim", "incompatible_part", "lacking_format"),
    **_texts("missing_parts", "narrow_width", "other_card", "plan_limit", "plan_workload", "plug_in"),
    **_texts("quote_kind", "wanted_precision", "wrong_connector"),
    **_flags("accelerator_memory_off", "cards_only", "consumer_cards", "consumer_platform", "fibre_channel_only"),
    **_flags("gpu_known", "has_adapter", "has_cables", "has_case", "has_fabric_switch", "has_facility_limit"),
    **_flags("has_gpus", "has_hosting", "has_pcie_switch", "has_prices", "has_risers", "has_server"),
    **_flags("has_storage", "has_support", "has_workload", "hpc_network", "integrated_system", "is_offer"),
    **_flags("is_reference", "is_request", "itemised", "lacks_bf16", "lacks_wanted_format", "liquid_cooled"),
    **_flags("memory_sum_off", "mixture_of_experts", "model_wanted", "multi_node", "old_architecture"),
    **_flags("other_vendor", "passive_cards", "plan_memory_binds", "plan_met", "priced_in_dollars"),
    **_flags("rack_is_narrow", "rents_compute", "slow_disks", "storage_port_missing", "sxm_without_board"),
    **_flags("unified_memory", "unpriced", "workstation_platform"),
    **_flags(*(f"says_{name}" for name in SAYINGS)),
}
