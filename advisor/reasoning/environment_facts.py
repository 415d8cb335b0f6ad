"""Facts of hosts, storage, network, power, availability and cost that rules read, under the names of their formulas.

A plan that sizes its environment puts them back; a rule on one that a plan does not have stays silent. Units are those of the
formulas, which a test compares.
"""

from advisor.facts import FactDeclaration

SIZED: dict[str, str] = {
    # Hosts.
    "node_cores": "1",
    "node_host_memory": "byte",
    "training_host_memory": "byte",
    "serving_host_cores": "1",
    "node_loader_cores": "1",
    "host_memory_needed": "byte",
    "host_memory_floor": "byte",
    "host_memory_planned": "byte",
    "node_accelerator_memory": "byte",
    "offload_memory": "byte",
    "loading_memory": "byte",
    "processor_decode_bound": "token/second",
    # Storage.
    "local_capacity": "byte",
    "shared_file_capacity": "byte",
    "shared_file_provisioned": "byte",
    "object_capacity": "byte",
    "loader_read_rate": "byte/second",
    "shared_read_rate": "byte/second",
    "model_load_time": "second",
    "staging_time": "second",
    "checkpoint_size": "byte",
    "checkpoint_interval": "second",
    "checkpoint_space": "byte",
    "checkpoint_write_time": "second",
    # Network.
    "network_bandwidth_per_accelerator": "byte/second",
    "bandwidth_drop_between_nodes": "1",
    "user_network_rate": "byte/second",
    "leaf_switches": "1",
    "spine_switches": "1",
    "core_switches": "1",
    "fabric_tiers": "1",
    "training_nodes": "1",
    # Power.
    "server_power": "watt",
    "rack_load": "watt",
    "racks": "1",
    "servers_per_rack": "1",
    "servers_per_circuit": "1",
    "servers_at_site": "1",
    "circuit_power": "watt",
    "it_power": "watt",
    "facility_power": "watt",
    "needs_liquid_cooling": "1",
    "energy_per_year": "joule",
    # Availability and time.
    "downtime_per_year": "second",
    "cold_start_time": "second",
    "warm_replicas": "1",
    "standing_replicas": "1",
    "queue_limit": "request",
    "recovery_time": "second",
    "mean_time_between_interruptions": "second",
    "expected_interruptions": "1",
    "time_to_train": "second",
    # Cost.
    "hardware_cost": "USD",
    "owned_cost_per_year": "USD",
    "rented_cost_per_year": "USD",
    "operating_cost_per_year": "USD",
    "capital_cost_per_year": "USD",
    "energy_cost_per_year": "USD",
    "staff_cost_per_year": "USD",
    "storage_cost_per_year": "USD",
    "transfer_cost_per_year": "USD",
    "idle_cost_per_year": "USD",
    "api_cost_per_year": "USD",
    "saving_over_term": "USD",
    "cost_per_request": "USD",
    "cost_per_million_tokens": "USD",
    "break_even_time": "second",
    "run_rent": "USD",
}
SHOWN_IN: dict[str, str] = {
    **dict.fromkeys(("network_bandwidth_per_accelerator", "user_network_rate"), "Gbit/s"),
    **dict.fromkeys(("loader_read_rate", "shared_read_rate"), "GB/s"),
    **dict.fromkeys(("checkpoint_size", "checkpoint_space", "shared_file_capacity", "shared_file_provisioned"), "TB"),
    **dict.fromkeys(("object_capacity", "local_capacity"), "TB"),
}
SIZED_SHARES: tuple[str, ...] = (
    "service_availability",
    "replica_availability",
    "peak_utilisation",
    "break_even_utilisation",
    "goodput",
    "lost_work_share",
    "exposed_communication_share",
    "model_flops_utilization",
    "loader_sufficiency",
    "storage_sufficiency",
)
GIVEN: dict[str, str] = {"nodes": "1", "accelerators_per_node": "1", "host_memory": "byte", "host_cores": "1", "term": "second"}
"""Inputs of formulas that a sized plan knows: how many nodes, and what is in one."""
GIVEN_SHARES: tuple[str, ...] = ("utilisation", "idle_share", "break_even_rented_share")
"""Parts: of paid time with work in it, of what is sold that stands idle, of a year rented from which on owning costs less."""

ENVIRONMENT_FACTS: dict[str, FactDeclaration] = {
    **{
        name: FactDeclaration(name=name, kind="quantity", unit=unit, shown_in=SHOWN_IN.get(name, ""))
        for name, unit in {**SIZED, **GIVEN}.items()
    },
    **{name: FactDeclaration(name=name, kind="quantity", unit="1", percentage=True) for name in (*SIZED_SHARES, *GIVEN_SHARES)},
}
