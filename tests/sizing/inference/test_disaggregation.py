"""Separate prompt and answer replicas: published transfers, queues against their closed form, and pools that balance."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.sizing.formula import formulas


def evaluate(wanted: str, **facts: Any) -> Any:
    return formulas().evaluate([wanted], facts)[wanted]


# OPT-66B: 64 layers of width 9,216 at 16 bit.
OPT_66B = {"input_tokens": 512.0, "cache_bytes_per_token": 2 * 64 * 9216 * 2.0}


def test_published_transfer() -> None:
    # DistServe §3.3: 1.13 GB (binary) for 512 tokens, and 90 Gbit/s at ten requests a second.
    assert evaluate("transferred_cache", **OPT_66B) == pytest.approx(1.13 * 2**30, rel=0.01)
    assert evaluate("cache_transfer_rate", **OPT_66B, model_calls_per_second=10.0) * 8 == pytest.approx(90e9, rel=0.08)
    # Over 25 Gbit/s it would take half a second, inside a node a few milliseconds.
    slow = evaluate("cache_transfer_time", **OPT_66B, cache_link_bandwidth=25e9 / 8, cache_transfer_efficiency=0.8)
    fast = evaluate("cache_transfer_time", **OPT_66B, cache_link_bandwidth=300e9, cache_transfer_efficiency=0.8)
    assert slow == pytest.approx(0.48, rel=0.02)
    assert fast < 0.006
    assert evaluate("transfer_share", cache_transfer_time=slow, prompt_pool_time=0.25) > 1


def test_whole_replicas_cache() -> None:
    assert evaluate("cache_bytes_per_token", kv_cache_per_token=16384.0, tensor_parallel=4.0, pipeline_parallel=2.0) == 131072


def test_queue_of_one_replica_is_the_closed_form() -> None:
    # Random arrivals, one length: D + R D² / (2 (1 - R D)).
    rate, alone = 6.0, 0.1
    facts = {"model_calls_per_second": rate, "prompt_pool_time": alone, "prompt_replicas": 1.0}
    expected = alone + rate * alone**2 / (2 * (1 - rate * alone))
    assert evaluate("split_time_to_first_token", **facts) == pytest.approx(expected)
    assert evaluate("prompt_queue_wait", **{**facts, "model_calls_per_second": 10.0}) > 1e9


def test_pools_balance() -> None:
    facts = {
        "model_calls_per_second": 20.0,
        "prompt_pool_time": 0.15,
        "prompt_pool_utilisation": 0.6,
        "output_tokens": 250.0,
        "answer_pool_token_time": 0.02,
        "answer_batch": 40.0,
        "accelerators_per_prompt_replica": 1.0,
        "accelerators_per_answer_replica": 2.0,
        "accelerators": 18.0,
        "cache_transfer_time": 0.05,
    }
    assert evaluate("prompt_replicas", **facts) == 5
    assert evaluate("answer_replicas", **facts) == 3
    assert evaluate("split_accelerators", **facts) == 11
    assert evaluate("split_gain", **facts) == pytest.approx(18 / 11)
    assert evaluate("split_time_per_output_token", **facts) == pytest.approx(0.02 + 0.05 / 249)


@given(rate=st.floats(0.1, 500), alone=st.floats(0.001, 2), target=st.floats(0.2, 0.95))
def test_more_load_never_needs_fewer_replicas(rate: float, alone: float, target: float) -> None:
    facts = {"prompt_pool_time": alone, "prompt_pool_utilisation": target}
    found = evaluate("prompt_replicas", **facts, model_calls_per_second=np.array([rate, 2 * rate]))
    assert found[1] >= found[0] >= 1
    assert rate * alone <= found[0] * target + 1e-6
