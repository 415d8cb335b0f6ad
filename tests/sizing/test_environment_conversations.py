"""Questions that people asked in public about networks, loading, power supplies and cloud prices, by the formulas of a plan."""

import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.library import Library
from advisor.sizing.formula import formulas

GBIT = 1e9 / 8


def test_two_machines_on_an_office_switch_wait_for_the_gradients() -> None:
    """horovod issue 752: gradients of 102 MB over 1 Gbit/s take longer than a step of 64 pictures computes."""
    sent = 25.5e6 * 4 * 2 * (4 - 1) / 4
    facts = {"transferred_bytes": sent, "achieved_line_share": 1.0}
    slow = formulas().evaluate(["transfer_time"], {**facts, "link_rate": GBIT})["transfer_time"]
    compute = 64 / 171
    assert slow == pytest.approx(1.224, rel=0.01)
    assert slow > 3 * compute
    fast = formulas().evaluate(["transfer_time"], {**facts, "link_rate": 25 * GBIT})["transfer_time"]
    assert fast < 0.15 * compute


def test_a_model_of_894_gib_loads_in_minutes_from_the_network_and_seconds_from_drives() -> None:
    """modelplane issue 204: 43 minutes are 0.37 GB/s; local drives of 20 GB/s read a full copy in 48 s."""
    size = 894 * 2.0**30
    facts = {"read_bytes": size, "read_time": 43 * 60.0}
    assert formulas().evaluate(["effective_read_rate"], facts)["effective_read_rate"] == pytest.approx(0.372e9, rel=0.01)
    loaded = {"load_method": "sequential", "model_file_bytes": size, "load_bandwidth": 20e9}
    assert formulas().evaluate(["model_load_time"], loaded)["model_load_time"] == pytest.approx(48, rel=0.01)


def test_a_supply_of_850_watt_is_short_of_two_cards(library: Library) -> None:
    """tensorflow issue 8858: two cards of 250 W trip 850 W, though all parts together are designed for 645."""
    constants = {id: library.get(Efficiency, id).cases[0].typical for id in ("transient_factor", "rest_of_system_power")}
    facts = {"accelerators_per_node": 2.0, "power_per_accelerator": 250.0, **constants}
    needed = formulas().evaluate(["power_supply_needed"], facts)["power_supply_needed"]
    assert 850 < 1_200 <= needed <= 1_300


def test_mixtral_at_four_bit_needs_the_larger_card_whatever_the_smaller_costs(library: Library) -> None:
    """ollama issue 2269: 26 GB of weights do not go on a T4 at 0.526 USD/h; a 48 GB card at 1.10 USD/h, twice as fast, does."""
    weights = 46.7e9 * 4.5 / 8
    small, large = (library.get(Accelerator, id).memory or 0.0 for id in ("t4", "rtx-a6000"))
    assert small < weights < large
    # Per token the dearer one costs no more: its rate over the other's is less than its speed over the other's.
    facts = {"utilisation": 1.0}
    dear = formulas().evaluate(["cost_per_million_tokens"], {**facts, "cost_rate": 1.10 / 3600, "served_token_rate": 2.1})
    cheap = formulas().evaluate(["cost_per_million_tokens"], {**facts, "cost_rate": 0.526 / 3600, "served_token_rate": 1.0})
    assert dear["cost_per_million_tokens"] == pytest.approx(cheap["cost_per_million_tokens"], rel=0.01)
