"""Constants that the formulas of an environment take as facts: ids of entries in knowledge/efficiencies, by section of a plan.

What is known of a site or a budget (its PUE, its discount rate) is a fact and goes before the constant of that name. Some
depend on words that must stand among the facts: deployment (power), vector_engine (retrieval), agents_per_task (agents).
PLANNING_CONSTANTS are judgement for what nobody stated; plans mark them as assumed.
"""

HOST_CONSTANTS: tuple[str, ...] = (
    "system_cores",
    "samples_per_core",
    "core_utilisation",
    "tokenised_tokens_per_core",
    "tokenising_bandwidth",
    "host_memory_floor_ratio",
    "offload_bytes_per_parameter",
    "cross_socket_factor",
)
STORAGE_CONSTANTS: tuple[str, ...] = ("usable_fraction", "mapped_read_penalty", "achieved_line_share")
NETWORK_CONSTANTS: tuple[str, ...] = ("achieved_line_share", "streamed_bytes_per_token", "text_bytes_per_token")
POWER_CONSTANTS: tuple[str, ...] = (
    "whole_system_power_ratio",
    "server_overhead_share",
    "load_factor",
    "power_usage_effectiveness",
    "air_cooling_limit",
    "transient_factor",
    "rest_of_system_power",
    "continuous_share",
    "grid_carbon_intensity",
)
COST_CONSTANTS: tuple[str, ...] = (
    "hardware_life",
    "residual_value",
    "hidden_hardware_share",
    "discount_rate",
    "maintenance_share",
    "staff_posts",
)
RETRIEVAL_CONSTANTS: tuple[str, ...] = (
    "graph_link_bytes",
    "vector_overhead_bytes",
    "index_overhead",
    "build_memory_factor",
    "identifier_bytes",
)
PLANNING_CONSTANTS: tuple[str, ...] = (
    "system_memory",
    "service_cores",
    "service_memory",
    "service_node_cores",
    "service_node_memory",
    "service_node_power",
    "system_disk",
    "log_days",
    "daily_change_share",
    "snapshot_days",
    "model_versions",
    "dataset_versions",
    "start_time_target",
    "chunk_tokens",
    "chunk_overlap",
    "graph_links",
    "index_copies",
    "rack_power",
    "rack_units",
    "server_rack_units",
    "switch_radix",
    "power_per_switch",
    "electricity_price",
    "colocation_rate",
    "salary",
    "server_price_ratio",
    "fabric_price_share",
    "spot_stretch",
)
AGENT_CONSTANTS: tuple[str, ...] = ("agent_token_factor",)
