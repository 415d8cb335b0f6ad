"""Percentiles of what users see: lognormal lengths by their own closed form, the right order, no tail where nothing varies."""

from typing import Any

import numpy as np
import pytest

from advisor.catalogue.efficiency import Efficiency
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import formulas
from advisor.sizing.serving.tails import COEFFICIENTS, TAIL_CONSTANTS, TAIL_QUANTITIES


def _evaluated(library: Library, process: str, spread: float, running: Any = 16.0) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "arrival_process": process,
        "input_p95_to_p50": spread,
        "output_p95_to_p50": spread,
        "running_requests": np.asarray(running),
        "step_batch": np.asarray(running),
        "decode_step_time": 0.02,
        "prefill_interference": 0.85,
        "prompt_extra_time": 0.06,
        "prefill_time": 0.06,
        "prompt_token_overhead": 0.0,
        "input_tokens": 1000.0,
        "output_tokens": 300.0,
        "cache_read_time": 0.004,
        "sequence_overhead": 0.0,
        "attention_data_parallel": 1.0,
        "time_to_first_token": 0.1,
    }
    facts |= efficiency_columns([library.get(Efficiency, id) for id in TAIL_CONSTANTS], facts)
    return formulas().evaluate(TAIL_QUANTITIES, facts)


@pytest.mark.parametrize("spread", [1.0, 1.5, 4.0, 10.0])
def test_length_tails_are_those_of_a_lognormal(spread: float) -> None:
    drawn = np.exp(np.log(spread) / 1.644854 * np.random.default_rng(1).standard_normal(2_000_000))
    wanted = [f"input_tail_p{each}" for each in (50, 95, 99)]
    values = formulas().evaluate(wanted, {"input_p95_to_p50": spread})
    for name, percentile in zip(wanted, (50, 95, 99), strict=True):
        assert values[name] == pytest.approx(np.percentile(drawn, percentile) / drawn.mean(), rel=0.02)


@pytest.mark.parametrize("process", ["closed", "open", "bursty", "unheard of"])
@pytest.mark.parametrize("spread", [1.0, 4.0])
def test_percentiles_are_in_order(library: Library, process: str, spread: float) -> None:
    values = _evaluated(library, process, spread, np.geomspace(1, 200, 30))
    for quantity in COEFFICIENTS:
        p50, p95, p99 = (np.asarray(values[f"{quantity}_{at}"]) for at in ("p50", "p95", "p99"))
        assert np.all(p50 > 0)
        assert np.all(p50 <= p95)
        assert np.all(p95 <= p99)


def test_clients_in_a_loop_with_equal_requests_all_wait_alike(library: Library) -> None:
    values = _evaluated(library, "closed", 1.0)
    assert float(values["time_per_output_token_p95"]) == pytest.approx(float(values["time_per_output_token"]), rel=0.02)
    assert float(values["request_latency_p99"]) == pytest.approx(float(values["request_latency"]), rel=0.02)


def test_tails_grow_from_closed_to_open_to_bursty_and_with_spread(library: Library) -> None:
    for spread in (1.0, 4.0):
        tails = [float(_evaluated(library, process, spread)["request_latency_p95"]) for process in ("closed", "open", "bursty")]
        assert tails == sorted(tails)
    for name in TAIL_QUANTITIES:
        if not name.endswith("p50"):
            assert float(_evaluated(library, "open", 4.0)[name]) > float(_evaluated(library, "open", 1.0)[name])
