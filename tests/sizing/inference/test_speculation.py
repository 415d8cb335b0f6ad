"""Speculative decoding: the table of Leviathan et al., the memory of a draft, and batches at which it stops paying."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.sizing.formula import formulas


def evaluate(wanted: str, **facts: Any) -> Any:
    return formulas().evaluate([wanted], facts)[wanted]


@pytest.mark.parametrize(
    ("acceptance", "length", "work", "speed"),
    # Their table 1, with a draft that costs nothing.
    [
        (0.6, 2, 1.53, 1.96),
        (0.7, 3, 1.58, 2.53),
        (0.8, 2, 1.23, 2.44),
        (0.8, 5, 1.63, 3.69),
        (0.9, 2, 1.11, 2.71),
        (0.9, 10, 1.60, 6.86),
    ],
)
def test_published_speed_and_work(acceptance: float, length: float, work: float, speed: float) -> None:
    facts = {"acceptance_rate": acceptance, "draft_length": float(length), "draft_cost_ratio": 0.0, "draft_work_ratio": 0.0}
    assert evaluate("speculative_speedup", **facts) == pytest.approx(speed, abs=0.006)
    assert evaluate("speculative_work_ratio", **facts) == pytest.approx(work, abs=0.006)


def test_a_draft_that_is_always_right() -> None:
    assert evaluate("speculative_tokens_per_step", acceptance_rate=1.0, draft_length=4.0) == 5


def test_memory_of_a_draft() -> None:
    # 1B at 16 bit, 32 KiB a token, ten requests of 4,000 tokens.
    facts = {"draft_parameters": 1.24e9, "draft_bits": 16.0, "draft_cache_per_token": 32768.0, "sequence_tokens": 4000.0}
    assert evaluate("draft_memory", **facts, running_requests=10.0, tensor_parallel=1.0) == pytest.approx(2.48e9 + 32768 * 40000)


def test_it_pays_alone_and_loses_in_large_batches() -> None:
    # Reading weights takes 10 ms; one token's arithmetic 0.05 ms a request.
    batch = np.array([1.0, 8.0, 64.0, 512.0])
    compute = batch * 5e-5
    facts = {
        "decode_memory_time": 0.01,
        "decode_compute_time": compute,
        "roofline_sharpness": 2.0,
        "decode_matrix_time": (0.01**2 + compute**2) ** 0.5,
        "decode_step_time": (0.01**2 + compute**2) ** 0.5 + 0.001,
        "draft_cost_ratio": 0.05,
        "acceptance_rate": 0.7,
        "draft_length": 4.0,
    }
    gain = evaluate("speculative_gain", **facts)
    assert gain[0] > 2
    assert np.all(np.diff(gain) < 0)
    assert gain[-1] < 1
    # In the end it is the work that counts.
    assert gain[-1] == pytest.approx(evaluate("speculative_tokens_per_step", **facts) / 5, rel=0.15)
    assert evaluate("speculative_time_per_output_token", **facts, time_per_output_token=0.02)[0] == pytest.approx(0.02 / gain[0])


def test_where_checking_becomes_arithmetic() -> None:
    # 8B at 16 bit on an H100 that reads at 3.35 TB/s: some 295 tokens a step are free.
    facts = {
        "peak_layer_compute": 989e12,
        "compute_efficiency": 1.0,
        "decode_memory_time": 16e9 / 3.35e12,
        "active_parameters": 8e9,
    }
    assert evaluate("speculation_batch_limit", **facts, draft_length=0.0) == pytest.approx(295, rel=0.01)
    assert evaluate("speculation_batch_limit", **facts, draft_length=4.0) == pytest.approx(59, rel=0.01)


@given(acceptance=st.floats(0, 0.999), length=st.integers(1, 16))
def test_longer_drafts_never_yield_less_and_never_more_than_they_are_long(acceptance: float, length: int) -> None:
    found = [
        evaluate("speculative_tokens_per_step", acceptance_rate=acceptance, draft_length=float(each))
        for each in (length, length + 1)
    ]
    assert 1 <= found[0] <= found[1] + 1e-12
    assert found[0] <= length + 1
