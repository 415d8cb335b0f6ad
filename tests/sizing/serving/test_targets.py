"""Replicas for targets: the least that meet them, found by halving."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.sizing.serving.targets import Target, replicas_for


def _latency_of(load: float, per_request: Any) -> Any:
    """A replica answers more slowly the more requests share it."""

    def evaluate(replicas: Any, rows: Any) -> Mapping[str, Any]:
        return {"time_per_output_token": 0.01 + np.asarray(per_request)[rows] * load / replicas}

    return evaluate


@given(
    load=st.floats(1, 5000),
    limit=st.floats(0.011, 0.2),
    per_request=st.lists(st.floats(1e-6, 1e-2), min_size=1, max_size=5),
)
def test_they_are_the_least_that_meet_the_target(load: float, limit: float, per_request: list[float]) -> None:
    target = Target("tpot_mean", "time_per_output_token", limit, "second")
    evaluate = _latency_of(load, per_request)
    rows = np.arange(len(per_request))
    found = replicas_for(np.ones(len(rows)), load, np.ones(len(rows), dtype=bool), [target], evaluate)
    assert np.all(found == np.round(found))
    time = evaluate(found, rows)["time_per_output_token"]
    one_less = evaluate(np.maximum(1, found - 1), rows)["time_per_output_token"]
    for each, fewer, count in zip(time, one_less, found, strict=True):
        assert each <= limit or count == np.ceil(load)
        assert count == 1 or fewer > limit


def test_a_row_that_memory_refused_keeps_what_it_has() -> None:
    target = Target("tpot_mean", "time_per_output_token", 0.02, "second")
    kept = np.array([False, True])
    found = replicas_for(np.array([3.0, 1.0]), 40.0, kept, [target], _latency_of(40.0, [1.0, 0.001]))
    assert found.tolist() == [3.0, 4.0]


def test_no_target_asks_for_no_more_than_memory_does() -> None:
    least = np.array([2.0, 5.0])
    found = replicas_for(least, 40.0, np.ones(2, dtype=bool), (), _latency_of(40.0, [1.0, 1.0]))
    assert found.tolist() == least.tolist()


@pytest.mark.parametrize(("at_least", "value", "holds"), [(True, 120.0, True), (True, 80.0, False), (False, 80.0, True)])
def test_a_target_is_a_ceiling_or_a_floor(at_least: bool, value: float, holds: bool) -> None:
    target = Target("rate", "output_token_rate", 100.0, "token/second", at_least=at_least)
    assert bool(np.all(target.holds(np.array([value])))) is holds
