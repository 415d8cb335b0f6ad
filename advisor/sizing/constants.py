"""Constants that the formulas of an environment take as facts: ids of entries in knowledge/efficiencies, by section of a plan.

What is known of a site or a budget (its PUE, its discount rate) is a fact and goes before the constant of that name. Some
depend on words that must stand among the facts: deployment (power), vector_engine (retrieval), agents_per_task (agents).
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
AGENT_CONSTANTS: tuple[str, ...] = ("agent_token_factor",)
