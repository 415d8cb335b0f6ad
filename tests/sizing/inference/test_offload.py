"""Weights outside the accelerator, and decoding on a processor: published speeds, and the link that bounds them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.efficiency import Efficiency
from advisor.library import Library
from advisor.sizing.formula import formulas


def evaluate(wanted: str, **facts: Any) -> Any:
    return formulas().evaluate([wanted], facts)[wanted]


def ends(library: Library, id: str) -> tuple[float, float]:
    level = library.get(Efficiency, id).cases[0]
    return level.low, level.high


@pytest.mark.parametrize(
    ("weights", "batch", "published"),
    # FlexGen's table: tokens/s of a T4 (16 GB/s link) with weights in host memory. ZeRO-Inference twice, then Accelerate.
    [(60e9, 4.0, 0.60), (13.4e9, 16.0, 9.28), (60e9, 8.0, 0.62)],
)
def test_published_offloading(library: Library, weights: float, batch: float, published: float) -> None:
    facts = {"weights": weights, "weight_room": 0.0, "step_weight_share": 1.0, "host_link_bandwidth": 16e9}
    facts |= {"offload_source_bandwidth": 100e9, "resident_step_time": 0.02, "running_batch": batch}
    low, high = (
        evaluate("offloaded_token_rate", **facts, offload_transfer_efficiency=each)
        for each in ends(library, "offload_transfer_efficiency")
    )
    assert low * 0.99 <= published <= high


def test_a_drive_is_slower_than_the_link() -> None:
    facts = {"weights": 140e9, "weight_room": 20e9, "step_weight_share": 1.0, "host_link_bandwidth": 64e9, "running_batch": 1.0}
    facts |= {"resident_step_time": 0.03, "offload_transfer_efficiency": 1.0}
    memory, drive = (evaluate("offloaded_token_rate", **facts, offload_source_bandwidth=each) for each in (300e9, 7e9))
    assert memory == pytest.approx(64 / 120)
    assert drive == pytest.approx(7 / 120)
    host = {"offloaded_weights": 120e9, "offload_buffers": 4e9}
    assert evaluate("offload_host_memory", **host, weights_on_drive=0.0) == 124e9
    assert evaluate("offload_host_memory", **host, weights_on_drive=120e9) == 4e9


def test_nothing_is_moved_when_all_fits() -> None:
    facts = {"weights": 16e9, "weight_room": 60e9, "step_weight_share": 1.0, "host_link_bandwidth": 64e9}
    facts |= {"offload_source_bandwidth": 300e9, "offload_transfer_efficiency": 0.5, "resident_step_time": 0.01}
    assert evaluate("offloaded_step_time", **facts) == 0.01


def test_computing_in_place_beats_moving() -> None:
    # Experts of a large model in host memory: 460 GB/s against a link of 32 GB/s.
    moved = evaluate(
        "offloaded_token_rate", offloaded_read_per_step=20e9, host_link_bandwidth=32e9, offload_source_bandwidth=460e9,
        offload_transfer_efficiency=0.8, resident_step_time=0.01, running_batch=1.0,
    )  # fmt: skip
    placed = evaluate(
        "split_token_rate", offloaded_read_per_step=20e9, processor_bandwidth=460e9, host_decode_efficiency=0.7,
        resident_part_time=0.01, running_batch=1.0,
    )  # fmt: skip
    assert placed > 5 * moved


def test_processors_reach_what_was_measured(library: Library) -> None:
    low, high = ends(library, "host_decode_efficiency")
    # llama.cpp issue 11744: two EPYC 9175F, 16 channels of DDR5-6400, 70B at 16 bit: 4.31 tokens/s, 2.4 with weights ill placed.
    bound = 16 * 6400e6 * 8 / (2 * 70.55e9)
    for measured in (4.31, 2.4):
        found = [
            evaluate("processor_token_rate", processor_decode_rate=bound, host_decode_efficiency=each) for each in (low, high)
        ]
        assert found[0] * 0.99 <= measured <= found[1]
    # vLLM issue 7379: 8B at 32 bit and 40 GB/s, 1.25 tokens/s at best.
    assert evaluate("processor_token_rate", processor_decode_rate=40 / 32, host_decode_efficiency=high) < 1.25


@given(room=st.floats(0, 200e9), more=st.floats(1e9, 50e9))
def test_more_room_is_never_slower(room: float, more: float) -> None:
    facts = {"weights": 140e9, "step_weight_share": 1.0, "host_link_bandwidth": 32e9, "offload_source_bandwidth": 200e9}
    facts |= {"offload_transfer_efficiency": 0.5, "resident_step_time": 0.02, "running_batch": 4.0}
    found = evaluate("offloaded_token_rate", **facts, weight_room=np.array([room, room + more]))
    assert found[1] >= found[0]
