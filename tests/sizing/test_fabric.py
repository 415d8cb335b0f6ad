"""Fabrics of any size: enough ports everywhere, even paths, and clear refusals; collectives as they are measured."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.sizing.fabric import fat_tree_ports, two_tier_ports
from advisor.sizing.fabric_bill import fabric_bill
from advisor.sizing.network import bus_bandwidth, port_for
from advisor.units import parse

RADIX = st.sampled_from([32, 40, 48, 64, 128, 144])


@given(st.integers(1, 3000), st.sampled_from([1, 2, 4, 8]), RADIX, st.booleans())
def test_every_port_has_a_place(nodes: int, rails: int, radix: int, rail_optimised: bool) -> None:
    assume(nodes * rails <= fat_tree_ports(radix) / 2)
    bill = fabric_bill(nodes, rails, radix, rail_optimised=rail_optimised)
    assert bill.ports == nodes * rails == bill.node_cables
    if bill.tiers == 1:
        assert (bill.leaves, bill.spines, bill.cores, bill.spine_cables) == (1, 0, 0, 0)
        return
    half = radix // 2
    assert bill.leaves * half >= bill.ports
    assert bill.spine_cables == bill.leaves * half
    if bill.tiers == 2:
        assert bill.leaves <= radix
        assert bill.spines * radix >= bill.spine_cables
        assert half % bill.spines == 0
        assert bill.ports <= two_tier_ports(radix)
    else:
        assert bill.spines * half >= bill.spine_cables
        assert bill.cores * radix >= bill.core_cables


def test_oversubscription_takes_fewer_switches_above_the_leaves() -> None:
    even = fabric_bill(128, 8, 64)
    three = fabric_bill(128, 8, 64, oversubscription=3.0)
    assert three.leaves == 24  # 48 of 64 ports lead down, and a rail of 128 nodes takes three leaves
    assert three.spines < even.spines
    assert three.spine_cables == 24 * 16


def test_a_scalable_unit_whose_spines_must_divide_the_uplinks() -> None:
    bill = fabric_bill(95, 8, 64, management_ports=4)
    assert (bill.leaves, bill.spines) == (24, 16)


def test_twin_port_modules_halve_transceivers_and_copper_needs_none() -> None:
    optical = fabric_bill(64, 8, 64)
    twin = fabric_bill(64, 8, 64, cables_per_transceiver=2)
    copper = fabric_bill(64, 8, 64, copper_share=1.0)
    assert optical.transceivers == 2 * (512 + 512)
    assert twin.transceivers == optical.transceivers / 2
    assert copper.transceivers == 2 * 512
    assert optical.switches == 24


def test_too_many_ports_are_refused() -> None:
    with pytest.raises(InputError, match="do not fit three tiers") as caught:
        fabric_bill(20000, 8, 64)
    assert caught.value.where == "fabric.radix"
    with pytest.raises(InputError, match="nodes is 0"):
        fabric_bill(0, 8, 64)


@pytest.mark.parametrize(
    ("milliseconds", "ranks", "printed"),
    # NVIDIA/nccl issue 527: all-reduce of 1 GiB on one to four nodes of eight A100.
    [(8.1426, 8, 230.77), (35.215, 16, 57.17), (64.782, 24, 31.77), (70.253, 32, 29.61)],
)
def test_bus_bandwidth_of_measured_all_reduces(milliseconds: float, ranks: int, printed: float) -> None:
    assert bus_bandwidth(2.0**30, milliseconds / 1000, ranks) == pytest.approx(printed * 1e9, rel=0.01)


@pytest.mark.parametrize(("milliseconds", "printed"), [(50, 35.0), (80, 21.875)])
def test_bus_bandwidth_of_a_worked_example(milliseconds: float, printed: float) -> None:
    assert bus_bandwidth(1e9, milliseconds / 1000, 8) == pytest.approx(printed * 1e9, rel=1e-9)


def test_the_slowest_port_that_is_fast_enough() -> None:
    sold = tuple(parse(rate, "byte/second") for rate in ("100 Gbit/s", "200 Gbit/s", "400 Gbit/s", "800 Gbit/s"))
    assert port_for(12e9, sold) == sold[0]
    assert port_for(24e9, sold) == sold[1]
    assert port_for(55e9, sold) == sold[3]
    assert port_for(1e12, sold) is None
