"""Checkpoints, interruptions, feeding, spot capacity and deadlines: closed forms, bounds and what must never happen."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.sizing.formula import formulas
from advisor.sizing.training.deadline import best_times, count_for_deadline, finish_date
from advisor.sizing.training.feeding import slowest_layer

seconds = st.floats(min_value=1.0, max_value=1e5)


@settings(max_examples=60)
@given(stall=st.floats(0.1, 600), between=st.floats(1e4, 1e7), factor=st.floats(0.2, 5))
def test_no_interval_loses_less_than_the_best(stall: float, between: float, factor: float) -> None:
    def lost(interval: float) -> float:
        facts = {
            "checkpoint_stall": stall,
            "checkpoint_interval": interval,
            "recovery_time": 300.0,
            "mean_time_between_interruptions": between,
        }
        values = formulas().evaluate(("saving_share", "lost_work_share"), facts)
        return float(values["saving_share"] + values["lost_work_share"])

    best = formulas().evaluate(("best_interval",), {"checkpoint_stall": stall, "mean_time_between_interruptions": between})
    assert lost(float(best["best_interval"])) <= lost(float(best["best_interval"]) * factor) * (1 + 1e-12)


@settings(max_examples=60)
@given(stall=seconds, interval=seconds, recovery=seconds, between=seconds)
def test_goodput_is_a_share(stall: float, interval: float, recovery: float, between: float) -> None:
    facts = {
        "checkpoint_stall": stall,
        "checkpoint_interval": interval,
        "recovery_time": recovery,
        "mean_time_between_interruptions": between,
    }
    assert 0 <= formulas().evaluate(("goodput",), facts)["goodput"] <= 1


def test_the_band_of_the_finish_is_that_of_simulated_runs() -> None:
    interval, recovery, between, work = 1800.0, 900.0, 20_000.0, 2e6
    random = np.random.default_rng(1)
    finish = np.full(400, work)
    # Every interval is tried until no interruption falls into it; a new try begins with the recovery.
    waiting = np.full((400, round(work / interval)), True)
    length = np.full(waiting.shape, interval)
    while waiting.any():
        until = random.exponential(between, waiting.shape)
        broken = waiting & (until < length)
        finish += np.where(broken, until, np.where(waiting, length - interval, 0)).sum(axis=1)
        waiting, length = broken, np.full(waiting.shape, interval + recovery)
    finishes = finish
    facts = {
        "checkpoint_stall": 0.0,
        "checkpoint_interval": interval,
        "recovery_time": recovery,
        "mean_time_between_interruptions": between,
        "undisturbed_time": work,
        "dataset_staging_time": 0.0,
        "tenth_deviations": 1.2816,
    }
    values = formulas().evaluate(("expected_finish", "early_finish", "late_finish"), facts)
    assert values["expected_finish"] == pytest.approx(np.mean(finishes), rel=0.002)
    assert values["late_finish"] - values["expected_finish"] == pytest.approx(
        np.quantile(finishes, 0.9) - np.mean(finishes), rel=0.1
    )
    assert values["early_finish"] == pytest.approx(np.quantile(finishes, 0.1), rel=0.005)


def test_an_asynchronous_save_stops_only_for_the_copy() -> None:
    facts = {
        "checkpoint_size": 1e12,
        "checkpoint_storage_bandwidth": 1e10,
        "accelerators": 64.0,
        "host_copy_bandwidth": 2e10,
        "least_checkpoint_interval": 0.0,
        "mean_time_between_interruptions": 100.0,
        "recovery_time": 10.0,
    }
    both = [
        formulas().evaluate(("checkpoint_stall", "checkpoint_interval"), {**facts, "checkpoint_mode": mode})
        for mode in ("synchronous", "asynchronous")
    ]
    assert both[0]["checkpoint_stall"] == pytest.approx(100)
    assert both[1]["checkpoint_stall"] == pytest.approx(1e12 / 64 / 2e10)
    assert both[1]["checkpoint_interval"] >= 100, "no save begins before the last is written"


def test_the_slowest_layer_is_named_and_its_lack_is_idle_time() -> None:
    facts = {
        "storage_sufficiency": np.array([2.0, 0.5, 1.5]),
        "loader_sufficiency": np.array([1.5, 0.8, 0.05]),
        "storage_link_sufficiency": np.array([3.0, 3.0, 3.0]),
    }
    values = formulas().evaluate(("accelerator_idle_share",), facts)
    assert slowest_layer(values).tolist() == ["", "storage", "data-loader cores"]
    assert values["accelerator_idle_share"] == pytest.approx([0, 0.5, 0.95])


def test_eight_cards_on_photographs_take_more_than_thirty_cores() -> None:
    """Idle cards in ImageNet training, and an X-ray classifier at a twentieth of its card: cores are short, not cards."""
    photographs = {"training_items_per_second": 8 * 1000.0, "items_per_core": 285.0, "core_load": 0.8, "counts_items": 1.0}
    assert formulas().evaluate(("loader_cores",), photographs)["loader_cores"] >= 32
    pictures = {
        "training_items_per_second": 600.0,
        "items_per_core": 10.0,
        "core_load": 1.0,
        "counts_items": 1.0,
        "loader_cores_available": 4.0,
        "storage_sufficiency": 1.5,
        "storage_link_sufficiency": 9.0,
    }
    values = formulas().evaluate(("accelerator_idle_share",), pictures)
    assert values["accelerator_idle_share"] > 0.9
    assert slowest_layer(values).tolist() == ["data-loader cores"]


@settings(max_examples=60)
@given(price=st.floats(0.2, 0.9), overhead=st.floats(0, 0.1), interval=st.floats(60, 7200), reacquire=st.floats(0, 3600))
def test_spot_costs_the_same_at_its_break_even(price: float, overhead: float, interval: float, reacquire: float) -> None:
    facts = {
        "spot_price": price,
        "on_demand_price": 1.0,
        "spot_saving_overhead": overhead,
        "spot_checkpoint_interval": interval,
        "reacquire_time": reacquire,
        "uninterrupted_time": 1e6,
    }
    rate = float(formulas().evaluate(("spot_break_even_rate",), facts)["spot_break_even_rate"])
    cost = [
        formulas().evaluate(("spot_cost", "on_demand_cost"), {**facts, "spot_interruption_rate": rate * share})
        for share in (0.5, 1.0, 1.1)
    ]
    if rate > 0:
        assert cost[0]["spot_cost"] < cost[0]["on_demand_cost"]
        assert cost[1]["spot_cost"] == pytest.approx(cost[1]["on_demand_cost"])
        assert cost[2]["spot_cost"] > cost[2]["on_demand_cost"]


def test_a_deadline_becomes_a_count_and_a_count_a_date() -> None:
    counts, times = [32, 8, 16, 64], [250.0, 800.0, 400.0, 300.0]
    assert best_times(counts, times)[1].tolist() == [800, 400, 250, 250]
    assert count_for_deadline(counts, times, 400) == 16
    assert count_for_deadline(counts, times, 399) == 32
    assert count_for_deadline(counts, times, 100) is None
    assert finish_date(date(2026, 12, 1), 3 * 86_400) == date(2026, 12, 3)
    assert finish_date(date(2026, 12, 1), 3 * 86_400 + 1) == date(2026, 12, 4)
    with pytest.raises(InputError, match="leaves no time"):
        count_for_deadline(counts, times, 0)
    with pytest.raises(InputError, match="no date"):
        finish_date(date(2026, 12, 1), float("inf"))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 4096), st.floats(1, 1e9)), min_size=1, max_size=30))
def test_more_accelerators_never_take_longer(runs: list[tuple[int, float]]) -> None:
    counts, times = zip(*runs, strict=True)
    distinct, best = best_times(counts, times)
    assert np.all(np.diff(best) <= 0)
    assert len(distinct) == len(set(counts))
