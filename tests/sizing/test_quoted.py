"""Formulas of checks on quotes against figures that reviewers worked out by hand."""

import pytest

from advisor.sizing.formula import formulas

CASES = [
    # Four cards of 450 W on 15 A and 120 V: each must stay near 245 W with 350 W for the rest of the machine.
    (
        "quoted_least_card_power",
        {
            "quoted_circuit_continuous": 1440.0,
            "quoted_power_supply_efficiency": 0.92,
            "quoted_node_load": 2150.0,
            "quoted_gpu_power": 1800.0,
            "quoted_gpus_per_node": 4.0,
        },
        243.7,
    ),
    # 2,425 W from the supplies are about 2,640 W at the wall.
    (
        "quoted_wall_power",
        {"quoted_node_load": 2425.0, "quoted_power_supply_efficiency": 0.92, "quoted_measured_wall_power": 0.0},
        2636,
    ),
    # 3 x 32 A at 230 V: 22.1 kW a feed; a node of 10.2 kW fits twice.
    (
        "quoted_circuit_rating",
        {"quoted_circuit_voltage": 230.0, "quoted_circuit_current": 32.0, "quoted_circuit_phases": 3.0},
        22_080,
    ),
    ("quoted_nodes_on_one_feed", {"quoted_circuit_rating": 22_080.0, "quoted_node_power": 10_200.0}, 2.165),
    # Eight H100 with two processors of 350 W: 10.2 kW.
    (
        "quoted_system_power",
        {"quoted_gpu_power": 5600.0, "quoted_cpu_power": 700.0, "quoted_system_overhead_factor": 1.62},
        10_206,
    ),
    # 16 GPUs with four loader workers each.
    ("quoted_cores_needed", {"quoted_gpus_per_node": 16.0, "quoted_loader_workers": 4.0, "quoted_host_cores": 4.0}, 84),
    ("quoted_channels_filled", {"quoted_dimms": 10.0, "quoted_memory_channels": 24.0}, 10 / 24),
    # 40.6 GB a token at 273 GB/s.
    ("quoted_token_rate_bound", {"quoted_gpu_bandwidth": 273e9, "smallest_wanted_memory": 40.61e9}, 6.72),
    # 104B of 18 bytes, 100B of 14 bytes.
    ("quoted_training_state", {"wanted_parameters": 104e9, "quoted_training_bytes_per_parameter": 18.0}, 1.872e12),
    ("quoted_checkpoint_size", {"wanted_parameters": 70e9, "quoted_checkpoint_bytes_per_parameter": 14.0}, 0.98e12),
    # Gradients of 0.43B parameters over eight nodes of 1.25 GB/s: 1.2 s.
    ("quoted_gradient_sync_time", {"wanted_parameters": 0.43e9, "quoted_nodes": 8.0, "quoted_fabric_bandwidth": 1.25e9}, 1.204),
    # 8.8 million hours in 4,344 h.
    ("quoted_required_gpus", {"quoted_gpu_time": 8.8e6 * 3600, "quoted_time_available": 4344 * 3600.0}, 2026),
    ("quoted_memory_ratio", {"quoted_host_memory": 2048e9, "quoted_gpu_memory": 1128e9}, 1.816),
    ("quoted_option_ratio", {"quoted_least_option_memory": 280e9, "quoted_most_option_memory": 376e9}, 0.745),
    # 3 switches of 64 ports at 800 Gbit/s for 64 ports at 400.
    ("quoted_switch_excess", {"quoted_switch_bandwidth": 19.2e12, "quoted_fabric_bandwidth": 200e9, "quoted_nodes": 16.0}, 6),
]


@pytest.mark.parametrize(("quantity", "facts", "value"), CASES, ids=[case[0] for case in CASES])
def test_worked_figures(quantity: str, facts: dict[str, float], value: float) -> None:
    assert float(formulas().evaluate([quantity], facts)[quantity]) == pytest.approx(value, rel=2e-3)
