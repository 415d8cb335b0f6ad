"""From facts to whole sections: host, storage, network, power and cost of several rows at once, and how they move."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.source import Source
from advisor.library import Library
from advisor.sizing import constants
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import all_formulas, formulas

CONSTANTS = tuple(dict.fromkeys(id for name in dir(constants) if name.endswith("_CONSTANTS") for id in getattr(constants, name)))
KWH, GB, YEAR = 3.6e6, 1e9, 31536000.0
NODES = np.array([1.0, 8.0, 64.0])
SUBJECTS = ("host", "storage", "network", "power", "cost", "retrieval", "agents")
MODULES = (*SUBJECTS, "fabric", "availability", "queueing", "scaling", "rent_or_buy")

HOST = {
    "accelerators_per_node": 8.0,
    "accelerator_memory": 80 * GB,
    "engines_per_node": NODES,
    "node_token_rate": 50_000.0,
    "processing_cores": 2.0,
    "system_memory": 16 * GB,
    "page_cache": 140 * GB,
    "loading_ranks": 1.0,
    "parameters": 70e9,
    "loading_element_size": 2.0,
    "loader_memory": 0.0,
    "offloaded_parameters": 0.0,
    "host_cache_memory": 0.0,
    "memory_module_size": 64 * GB,
    "cpu_sockets": 2.0,
    "memory_channels": 8.0,
}
STORAGE = {
    "hot_data": 10e12,
    "data_copies": 1.0,
    "checkpoint_size": 1e12,
    "checkpoints_kept": 5.0,
    "artefact_bytes": 1e12,
    "mean_requests_per_second": 10.0,
    "log_bytes_per_request": 8000.0,
    "log_days": 90.0,
    "index_storage": 40e9,
    "daily_change_share": 0.01,
    "snapshot_days": 7.0,
    "redundancy": "erasure",
    "data_shards": 8.0,
    "parity_shards": 2.0,
    "storage_replicas": 1.0,
    "loader_read_rate": 3 * GB,
    "replicas_starting": NODES,
    "model_file_bytes": 140 * GB,
    "start_time_target": 120.0,
    "checkpoint_write_bandwidth": 17 * GB,
    "rate_per_capacity": 250e6 / 2.0**40,
}
FABRIC = {
    "nodes": NODES,
    "rails": 8.0,
    "management_ports": 0.0,
    "switch_radix": 64.0,
    "oversubscription": 1.0,
    "rail_optimised": 1.0,
    "planes": 1.0,
    "copper_share": 0.0,
    "cables_per_transceiver": 2.0,
    "power_per_switch": 1500.0,
    "link_rate": 50 * GB,
}
POWER = {
    "accelerators_per_node": 8.0,
    "power_per_accelerator": 700.0,
    "other_it_power": 5000.0,
    "rack_power": 40_000.0,
    "rack_units": 42.0,
    "server_rack_units": 8.0,
    "circuit_phases": 3.0,
    "circuit_voltage": 400.0,
    "circuit_current": 32.0,
    "feeds": 2.0,
    "site_power": 1e6,
    "free_racks": 20.0,
    "deployment": "on-premises",
    "grid_carbon_intensity": 300 / KWH,
}
COST = {
    "server_price": 300_000.0,
    "network_hardware_cost": 100_000.0,
    "storage_hardware_cost": 50_000.0,
    "electricity_price": 0.12 / KWH,
    "colocation_cost_per_year": 0.0,
    "salary": 150_000.0 / YEAR,
    "licensed_units": 8 * NODES,
    "licence_rate": 4500.0 / YEAR,
    "storage_cost_per_year": 0.0,
    "transferred_out_rate": 1e6,
    "transfer_price": 0.09 / GB,
    "accelerators": 8 * NODES,
    "rent_per_accelerator": 4.0 / 3600,
    "rent_terms": "on-demand",
    "instances": NODES,
    "instance_rate": 32.0 / 3600,
    "rented_share": 0.6,
    "term": 3 * YEAR,
    "utilisation": 0.6,
}
SECTIONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "host": (HOST, ("serving_host_cores", "host_memory_planned", "memory_modules", "host_memory_installed")),
    "storage": (STORAGE, ("shared_file_raw_capacity", "shared_read_rate", "shared_write_rate", "shared_file_provisioned")),
    "fabric": (
        FABRIC,
        ("leaf_switches", "spine_switches", "core_switches", "transceivers", "fabric_power", "bisection_bandwidth"),
    ),
    "power": (
        {**FABRIC, **POWER},
        ("racks", "circuits_per_rack", "facility_power", "energy_per_year", "carbon_per_year", "servers_at_site"),
    ),
    "cost": (
        {**FABRIC, **POWER, **COST},
        ("owned_cost_per_year", "rented_cost_per_year", "break_even_utilisation", "payback_time", "net_present_value"),
    ),
}


def constants_of(library: Library, facts: dict[str, Any]) -> dict[str, Any]:
    """The typical value of every constant that the facts do not state."""
    words = {"deployment": "on-premises", "vector_engine": "hnswlib", "agents_per_task": 1.0, **facts}
    return efficiency_columns([library.get(Efficiency, id) for id in CONSTANTS if id not in facts], words)


def section(library: Library, name: str, **changed: Any) -> dict[str, Any]:
    facts, wanted = SECTIONS[name]
    facts = {**facts, **changed}
    values = formulas().evaluate(wanted, {**facts, **constants_of(library, facts)})
    return {each: np.broadcast_to(np.asarray(values[each], dtype=float), (3,)) for each in wanted}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_is_computed_for_all_rows_at_once(library: Library, name: str) -> None:
    for quantity, values in section(library, name).items():
        assert np.all(np.isfinite(values)), quantity
        assert quantity == "net_present_value" or np.all(values >= 0), quantity


def test_sixty_four_nodes_have_sixteen_leaves_and_one_has_a_switch(library: Library) -> None:
    fabric = section(library, "fabric")
    assert fabric["leaf_switches"].tolist() == [1, 1, 16]
    assert fabric["spine_switches"].tolist() == [0, 0, 8]


def test_half_the_overhead_of_a_hall_never_costs_more(library: Library) -> None:
    usual = section(library, "cost", power_usage_effectiveness=1.6)["owned_cost_per_year"]
    better = section(library, "cost", power_usage_effectiveness=1.3)["owned_cost_per_year"]
    assert np.all(better < usual)


def test_more_checkpoints_never_need_less_storage(library: Library) -> None:
    few = section(library, "storage", checkpoints_kept=2.0)["shared_file_raw_capacity"]
    many = section(library, "storage", checkpoints_kept=20.0)["shared_file_raw_capacity"]
    assert np.all(many > few)


def test_replicas_take_more_raw_capacity_than_shards(library: Library) -> None:
    shards = section(library, "storage")["shared_file_raw_capacity"]
    replicas = section(library, "storage", redundancy="replicas", storage_replicas=3.0)["shared_file_raw_capacity"]
    bare = section(library, "storage", redundancy="none")["shared_file_raw_capacity"]
    assert replicas == pytest.approx(3 * bare)
    assert np.all((bare < shards) & (shards < replicas))


def test_a_rack_that_carries_no_server_is_no_rack(library: Library) -> None:
    assert np.all(np.isinf(section(library, "power", rack_power=5000.0)["racks"]))


def test_host_memory_fills_all_channels_and_is_not_below_the_accelerators(library: Library) -> None:
    host = section(library, "host")
    assert np.all(host["memory_modules"] % 16 == 0)
    assert np.all(host["host_memory_installed"] >= 640 * GB)
    assert np.all(host["host_memory_installed"] >= host["host_memory_planned"])


@given(st.floats(0.05, 1), st.floats(0.05, 1))
def test_a_reservation_is_paid_whether_used_or_not(first: float, second: float) -> None:
    facts = {"rent_terms": "reserved", "instances": 4.0, "instance_rate": 1.0, "reserved_discount": 0.4}
    costs = [
        float(formulas().evaluate(["rent_cost_per_year"], {**facts, "rented_share": share})["rent_cost_per_year"])
        for share in (first, second)
    ]
    assert costs[0] == costs[1] == pytest.approx(4 * 0.6 * YEAR)


def test_tasks_of_agents_grow_with_the_square_of_their_turns() -> None:
    facts = {
        "turns": np.array([10.0, 20.0]),
        "base_context_tokens": 0.0,
        "added_tokens_per_turn": 1000.0,
        "prefix_hit_share": 0.9,
    }
    values = formulas().evaluate(["task_input_tokens", "computed_prompt_tokens"], facts)
    assert values["task_input_tokens"].tolist() == [45_000, 190_000]
    assert values["computed_prompt_tokens"] == pytest.approx(values["task_input_tokens"] * 0.1)


def test_an_inverted_file_of_codes_is_a_fraction_of_a_flat_index() -> None:
    facts = {
        "vectors": 1e8,
        "dimensions": 768.0,
        "component_bits": 32.0,
        "product_parts": 96.0,
        "product_bits": 8.0,
        "identifier_bytes": 8.0,
        "inverted_lists": 65536.0,
        "index_kind": np.array(["flat", "ivf-pq"]),
    }
    flat, codes = formulas().evaluate(["vector_index_memory"], facts | {"vector_engine": "faiss"} | _GRAPH)["vector_index_memory"]
    assert flat == pytest.approx(1e8 * 768 * 4)
    assert codes == pytest.approx(1e8 * 104 + 4 * 768 * 256 + 4 * 768 * 65536)


_GRAPH = {"graph_links": 16.0, "graph_link_bytes": 8.0, "vector_overhead_bytes": 0.0, "index_overhead": 1.0}


def test_every_citation_exists_and_every_constant_is_taken(library: Library) -> None:
    registry = all_formulas()
    ours = [
        each
        for variants in registry.formulas.values()
        for each in variants
        if each.function.__module__.removeprefix("advisor.sizing.") in MODULES
    ]
    assert len(ours) > 150
    assert [(each.name, cited.source) for each in ours for cited in each.sources if not library.has(Source, cited.source)] == []
    taken = {name for each in ours for name in each.parameters}
    assert set(CONSTANTS) <= taken
    for id in CONSTANTS:
        assert registry.units[id] == library.get(Efficiency, id).unit, id
