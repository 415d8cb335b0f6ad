"""The shipped tails against fresh simulations, and a fit that finds what made its data."""

from typing import Any

import numpy as np
import pytest

from advisor.catalogue.efficiency import Efficiency
from advisor.evidence.tails import fit_tails, grid_facts, lognormal, run_grid
from advisor.library import Library
from advisor.sizing.efficiencies import End, efficiency_columns
from advisor.sizing.formula import formulas
from advisor.sizing.serving.tails import TAIL_CONSTANTS, TAIL_QUANTITIES


def _some(facts: dict[str, Any], rows: np.ndarray[Any, np.dtype[np.int64]]) -> dict[str, Any]:
    size = len(facts["process"])
    return {name: value[rows] if np.shape(value) == (size,) else value for name, value in facts.items()}


def test_shipped_tails_meet_simulations_within_their_bands(library: Library) -> None:
    facts = grid_facts()
    some = _some(facts, np.random.default_rng(7).permutation(len(facts["process"]))[:60])
    grid = run_grid(some, requests=1500)
    start = {**some, "arrival_process": some["process"], "prompt_token_overhead": 0.0}
    ends: tuple[End, ...] = ("low", "high")
    for end in ends:
        compare = np.greater_equal if end == "low" else np.less_equal
        constants = efficiency_columns([library.get(Efficiency, id) for id in TAIL_CONSTANTS], start, end)
        values = formulas().evaluate(TAIL_QUANTITIES, {**start, **constants})
        inside = [
            np.mean(compare(grid.simulated[name], 0.97 * values[name] if end == "low" else 1.03 * values[name]))
            for name in TAIL_QUANTITIES
        ]
        assert np.mean(inside) > 0.8
        assert np.min(inside) > 0.6


def test_the_same_grid_gives_the_same_fit() -> None:
    facts = _some(grid_facts(), np.arange(0, 1152, 12))
    first, second = (fit_tails(run_grid(facts, requests=300)) for _ in range(2))
    assert {key: tail.coefficients.tolist() for key, tail in first.items()} == {
        key: tail.coefficients.tolist() for key, tail in second.items()
    }
    assert all(np.all(tail.coefficients >= 0) and tail.low <= 1 <= tail.high for tail in first.values())


def test_lengths_keep_their_mean() -> None:
    for spread in (1.0, 2.0, 8.0):
        drawn = lognormal(500, spread).draw(400_000, np.random.default_rng(1))
        assert drawn.mean() == pytest.approx(500, rel=0.02)
