"""Sums over replicas against counting every case, and spares that are the fewest."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.sizing.availability import availability_of, fewest_spares, mean_time_between_failures_of
from advisor.sizing.formula import formulas


@given(st.integers(1, 7), st.integers(0, 4), st.floats(0, 1))
def test_the_sum_counts_every_case(needed: int, spares: int, one: float) -> None:
    count = needed + spares
    cases = product((True, False), repeat=count)
    expected = sum(float(np.prod([one if works else 1 - one for works in case])) for case in cases if sum(case) >= needed)
    assert availability_of(needed, count, one) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 200), st.floats(0.6, 0.99999), st.floats(0.5, 0.999999))
def test_spares_are_enough_and_one_less_is_not(needed: int, one: float, target: float) -> None:
    spares = fewest_spares(needed, one, target)
    assert spares is not None
    assert availability_of(needed, needed + spares, one) >= target
    assert spares == 0 or availability_of(needed, needed + spares - 1, one) < target


def test_more_needed_replicas_never_need_fewer_spares() -> None:
    facts = {
        "needed_replicas": np.arange(1.0, 60.0),
        "replica_availability": 0.98,
        "common_availability": 0.9999,
        "availability_target": 0.999,
    }
    spares = formulas().evaluate(["spare_replicas"], facts)["spare_replicas"]
    assert np.all(np.diff(spares) >= 0)
    assert spares[0] == 1


def test_what_replicas_share_sets_a_ceiling() -> None:
    facts = {"needed_replicas": 2.0, "replica_availability": 0.99, "common_availability": 0.998, "availability_target": 0.999}
    assert np.isinf(formulas().evaluate(["spare_replicas"], facts)["spare_replicas"])
    assert fewest_spares(2, 0.99, 1.0) is None
    assert fewest_spares(2, 0.0, 0.5) is None


def test_thousands_of_replicas_stay_in_range() -> None:
    assert 0 < availability_of(2000, 2100, 0.95) < 1
    spares = fewest_spares(2000, 0.95, 0.999)
    assert spares is not None
    assert 100 < spares < 200


def test_too_few_replicas_never_serve() -> None:
    assert availability_of(3, 2, 0.99) == 0


def test_repair_time_counts() -> None:
    facts = {"mean_time_between_failures": 99 * 3600.0, "mean_time_to_repair": 3600.0}
    assert formulas().evaluate(["replica_availability"], facts)["replica_availability"] == pytest.approx(0.99)


def test_a_system_of_parts_fails_as_often_as_all_of_them_together() -> None:
    assert mean_time_between_failures_of([(8, 80.0), (2, 20.0)]) == pytest.approx(5.0)
    with pytest.raises(InputError, match="no part"):
        mean_time_between_failures_of([])


def test_an_availability_above_one_is_refused() -> None:
    with pytest.raises(InputError, match="no share of time"):
        availability_of(1, 2, 99)
