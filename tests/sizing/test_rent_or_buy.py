"""The part of a load worth owning, against trying every one; values over years against sums; bands and what moves them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.sizing.formula import formulas
from advisor.sizing.hybrid import hybrid_base, load_duration_curve
from advisor.sizing.rent_or_buy import present_value
from advisor.sizing.uncertainty import Effect, Range, band, sensitivity, strongest

YEAR = 31536000.0


@settings(max_examples=60)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=48), st.floats(100, 40000), st.floats(0.5, 12))
def test_no_other_base_costs_less(demand: list[int], owned: float, rent: float) -> None:
    found = hybrid_base(demand, owned, rent)
    needed = np.array(demand, dtype=float)
    costs = [base * owned + np.maximum(needed - base, 0).mean() * 8760 * rent for base in range(int(needed.max()) + 1)]
    assert found.total_cost == pytest.approx(min(costs))
    assert found.total_cost <= min(found.all_owned_cost, found.all_rented_cost) + 1e-6


def test_what_is_always_needed_is_owned_when_owning_is_cheaper() -> None:
    steady = hybrid_base([4.0] * 24, 10_000, 4.0)
    assert (steady.base, steady.rent_cost) == (4, 0.0)
    assert hybrid_base([4.0] * 24, 40_000, 4.0).base == 0
    peaks = hybrid_base([2.0] * 20 + [10.0] * 4, 10_000, 4.0)
    assert peaks.base == 2
    assert peaks.break_even == pytest.approx(10_000 / 35_040)


def test_the_assumed_curve_has_its_mean_and_peak() -> None:
    curve = load_duration_curve(30, 4)
    assert curve.mean() == pytest.approx(7.5, rel=1e-3)
    assert curve.max() == pytest.approx(30, rel=1e-3)
    assert load_duration_curve(30, 1).tolist() == [30.0] * 8760
    with pytest.raises(InputError, match="mean"):
        load_duration_curve(30, 0.5)


def test_impossible_curves_and_prices_are_refused() -> None:
    with pytest.raises(InputError, match="at least one value"):
        hybrid_base([], 1, 1)
    with pytest.raises(InputError, match="none below zero"):
        hybrid_base([-1], 1, 1)
    with pytest.raises(InputError, match="no price"):
        hybrid_base([1], 1, 0)
    with pytest.raises(InputError, match="nothing to discount"):
        present_value([1], -1)


@given(st.floats(1e4, 1e7), st.floats(0, 0.5), st.integers(1, 8), st.floats(0.01, 0.3))
def test_an_annuity_is_worth_what_it_pays_for(cost: float, residual: float, years: int, rate: float) -> None:
    facts = {"hardware_cost": cost, "residual_value": residual, "hardware_life": years * YEAR, "discount_rate": rate}
    payment = float(formulas().evaluate(["capital_cost_per_year"], facts)["capital_cost_per_year"])
    flows = [-cost, *([payment] * (years - 1)), payment + residual * cost]
    assert present_value(flows, rate) == pytest.approx(0, abs=cost * 1e-9)


@given(st.floats(1e4, 1e7), st.floats(0, 5e6), st.floats(0, 0.5), st.integers(1, 8), st.floats(0.01, 0.3))
def test_net_present_value_is_the_sum_of_years(cost: float, saved: float, residual: float, years: int, rate: float) -> None:
    facts = {
        "hardware_cost": cost,
        "rented_cost_per_year": saved + 1000.0,
        "operating_cost_per_year": 1000.0,
        "residual_value": residual,
        "term": years * YEAR,
        "discount_rate": rate,
    }
    value = float(formulas().evaluate(["net_present_value"], facts)["net_present_value"])
    flows = [-cost, *([saved] * (years - 1)), saved + residual * cost]
    assert value == pytest.approx(present_value(flows, rate), rel=1e-9, abs=1e-3)


FACTS = {"energy_per_year": 1e12, "electricity_price": 0.1 / 3.6e6}
RANGES = {"energy_per_year": Range(5e11, 1e12, 2e12), "electricity_price": Range(0.09 / 3.6e6, 0.1 / 3.6e6, 0.12 / 3.6e6)}


def test_the_strongest_input_comes_first() -> None:
    effects = sensitivity("energy_cost_per_year", FACTS, {**RANGES, "unrelated": Range(0, 1, 2)})
    assert [each.input for each in effects] == ["energy_per_year", "electricity_price", "unrelated"]
    assert effects[0].at_low == pytest.approx(effects[0].at_high / 4)
    assert effects[2].swing == 0
    assert [each.input for each in strongest(effects)] == ["energy_per_year"]
    assert strongest((Effect("one", 1, 1),)) == ()


def test_a_band_lies_inside_the_extremes_and_is_the_same_every_time() -> None:
    found = band("energy_cost_per_year", FACTS, RANGES)
    assert 5e11 * 0.09 / 3.6e6 < found.low < found.typical < found.high < 2e12 * 0.12 / 3.6e6
    assert found == band("energy_cost_per_year", FACTS, RANGES)
    assert found.typical == pytest.approx(1e12 * 0.1 / 3.6e6)
    wider = band("energy_cost_per_year", FACTS, RANGES, share=0.98)
    assert wider.low < found.low
    assert wider.high > found.high


def test_a_band_of_one_triangle_has_its_quantiles() -> None:
    found = band("energy_cost_per_year", {**FACTS, "electricity_price": 1.0}, {"energy_per_year": Range(0, 1, 2)})
    assert found.low == pytest.approx(0.2**0.5, rel=0.01)
    assert found.high == pytest.approx(2 - 0.2**0.5, rel=0.01)


def test_ranges_and_shares_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="not in this order"):
        Range(2, 1, 3)
    with pytest.raises(InputError, match="middle 1"):
        band("energy_cost_per_year", FACTS, RANGES, share=1)
    with pytest.raises(InputError, match="at most"):
        band("energy_cost_per_year", FACTS, {f"input_{place}": Range(0, 1, 2) for place in range(40)})
