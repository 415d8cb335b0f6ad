"""Erlang's formulas against their textbook sums, and waits that behave as waits do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.sizing.formula import all_formulas, formulas
from advisor.sizing.queueing import erlang_b, erlang_c, fewest_servers, fewest_servers_within


def direct(servers: int, load: float) -> float:
    """Erlang's C as textbooks write it."""
    terms = [load**k / math.factorial(k) for k in range(servers + 1)]
    last = terms[-1] * servers / (servers - load)
    return last / (sum(terms[:-1]) + last)


@given(st.integers(1, 60), st.floats(0.01, 0.99))
def test_the_recursion_gives_the_sum(servers: int, busy: float) -> None:
    assert erlang_c(servers, servers * busy) == pytest.approx(direct(servers, servers * busy), rel=1e-9)


@given(st.integers(1, 2000), st.floats(0.1, 3000))
def test_probabilities_are_probabilities_and_fall_with_servers(servers: int, load: float) -> None:
    assert 0 <= erlang_b(servers, load) <= erlang_c(servers, load) <= 1
    assert erlang_c(servers + 1, load) <= erlang_c(servers, load) + 1e-12


@given(st.floats(0.05, 300), st.floats(0.001, 0.9))
def test_the_fewest_servers_are_enough_and_one_less_is_not(load: float, share: float) -> None:
    count = fewest_servers(load, share)
    assert erlang_c(count, load) <= share
    assert count == 1 or erlang_c(count - 1, load) > share


@given(st.floats(0.05, 300), st.floats(0, 100), st.floats(0.1, 0.999))
def test_the_fewest_servers_for_a_service_level_are_the_fewest(load: float, limit: float, share: float) -> None:
    def within(servers: int) -> float:
        return 1 - erlang_c(servers, load) * math.exp(-(servers - load) * limit / 30)

    count = fewest_servers_within(load, 30, limit, share)
    assert count > load
    assert within(count) >= share - 1e-12
    assert count - 1 <= load or within(count - 1) < share


def test_thousands_of_slots_stay_quick_and_in_range() -> None:
    assert 20_000 < fewest_servers(20_000, 0.01) < 20_600
    assert 20_000 < fewest_servers_within(20_000, 10, 1, 0.99) < 20_600


def test_too_much_load_waits_for_ever() -> None:
    facts = {
        "servers": np.array([2.0, 4.0]),
        "offered_load": 3.0,
        "service_time": 10.0,
        "service_variation": 1.0,
        "wanted_share": 0.95,
    }
    values = formulas().evaluate(["mean_wait", "wait_within", "wait_probability"], facts)
    assert values["wait_probability"][0] == 1
    assert np.isinf(values["mean_wait"][0])
    assert np.isinf(values["wait_within"][0])
    assert np.isfinite(values["mean_wait"][1])


def test_quantiles_lie_where_the_tail_says() -> None:
    facts = {"servers": 10.0, "offered_load": 9.0, "service_time": 30.0, "wanted_share": 0.95}
    wait = float(formulas().evaluate(["wait_within"], facts)["wait_within"])
    longer = formulas().evaluate(["waits_longer"], {**facts, "wait_limit": wait})["waits_longer"]
    assert float(longer) == pytest.approx(0.05, rel=1e-9)
    assert float(formulas().evaluate(["wait_within"], {**facts, "wanted_share": 0.05})["wait_within"]) == 0


def test_equal_service_times_halve_the_wait() -> None:
    facts = {"servers": 10.0, "offered_load": 9.0, "service_time": 30.0}
    registry = all_formulas()
    equal = registry.evaluate(["mean_wait"], {**facts, "service_variation": 0.0})["mean_wait"]
    exponential = registry.evaluate(["mean_wait"], {**facts, "service_variation": 1.0})["mean_wait"]
    assert float(equal) == pytest.approx(float(exponential) / 2)


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(InputError, match="below zero"):
        erlang_b(3, -1)
    with pytest.raises(InputError, match="share of 0 may wait"):
        fewest_servers(2, 0)
    with pytest.raises(InputError, match="within the limit"):
        fewest_servers_within(2, 30, 10, 1)
    with pytest.raises(InputError, match="no number of servers"):
        fewest_servers(math.inf, 0.1)
