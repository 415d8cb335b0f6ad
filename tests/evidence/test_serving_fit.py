"""Fitting serving speed: the constants that rows were made with are found again, bands hold, a quick look writes nothing."""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from advisor.evidence import calibrating, calibration_files, fitting
from advisor.evidence.calibrating import SPLITS, calibrate, conformal_band, with_known_constants
from advisor.evidence.families import FAMILIES, Family
from advisor.evidence.fitting import fit, layout
from advisor.evidence.serving import COLUMNS, WANTED, Cases, estimate, read_cases, serving_constants
from advisor.evidence.table import read_table
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.serving.constants import SERVING_CONSTANTS

DATA = Path(__file__).parent / "data" / "serving.csv"
# Wide priors about a wrong centre: what is found comes from the rows.
BANDWIDTH = Family("weights_bandwidth_efficiency", "Share of peak bandwidth.", (), 0.9, 1.0)
OVERHEAD = Family("sequence_overhead", "Time a sequence adds to a step.", (), 3e-5, 1.0, unit="second/request")


@pytest.fixture(scope="module")
def cases(library: Library) -> Cases:
    """The rows with every constant as it ships."""
    found = with_known_constants(library, read_cases(library, read_table(DATA, COLUMNS)))
    constants = efficiency_columns(serving_constants(library), found.columns)
    return Cases(found.cases, {**found.columns, **constants}, found.left_out)


def _made_with(cases: Cases, constants: Mapping[str, Any], noise: float = 0.0, seed: int = 0) -> Cases:
    """The same rows, measured exactly as estimated with these constants, but for a noise on each."""
    values = estimate(cases.columns, constants)
    size = len(cases.cases)
    factors = np.exp(noise * np.random.RandomState(seed).standard_normal(size))
    columns = {name: np.broadcast_to(np.asarray(values[name], dtype=float), (size,)) for name in WANTED}
    made = tuple(
        replace(case, measured={name: float(columns[name][place] * factors[place]) for name in case.measured})
        for place, case in enumerate(cases.cases)
    )
    return Cases(made, cases.columns, cases.left_out)


def _all(cases: Cases) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.ones(len(cases.cases), dtype=bool)


def test_constants_that_rows_were_made_with_are_found_again(cases: Cases) -> None:
    truth = {"weights_bandwidth_efficiency": 0.6, "sequence_overhead": 8e-5}
    made = _made_with(cases, truth)
    plan = layout(made.columns, len(made.cases), (BANDWIDTH, OVERHEAD))
    found = plan.constants(fit(made, plan, _all(made), iterations=30))
    assert found["weights_bandwidth_efficiency"] == pytest.approx(0.6, rel=0.03)
    assert found["sequence_overhead"] == pytest.approx(8e-5, rel=0.05)


def test_an_absurd_row_hardly_moves_them(cases: Cases) -> None:
    made = _made_with(cases, {"weights_bandwidth_efficiency": 0.6})
    plan = layout(made.columns, len(made.cases), (BANDWIDTH,))
    usual = plan.constants(fit(made, plan, _all(made), iterations=30))["weights_bandwidth_efficiency"]
    for factor in (50, 1 / 50):
        absurd = replace(made.cases[0], measured={name: factor * value for name, value in made.cases[0].measured.items()})
        wrong = Cases((absurd, *made.cases[1:]), made.columns, made.left_out)
        found = plan.constants(fit(wrong, plan, _all(wrong), iterations=30))["weights_bandwidth_efficiency"]
        assert found == pytest.approx(usual, rel=0.02)


def test_noise_averages_out(cases: Cases) -> None:
    plan = layout(cases.columns, len(cases.cases), (BANDWIDTH,))
    found = []
    for seed in range(8):
        made = _made_with(cases, {"weights_bandwidth_efficiency": 0.6}, noise=0.1, seed=seed)
        found.append(plan.constants(fit(made, plan, _all(made), iterations=30))["weights_bandwidth_efficiency"])
    assert np.mean(found) == pytest.approx(0.6, rel=0.06)
    assert np.std(found) < 0.06


def test_a_constant_by_key_is_found_for_each_key(cases: Cases) -> None:
    family = replace(BANDWIDTH, by=("accelerator_class",))
    classes = cases.columns["accelerator_class"]
    truth = np.where(classes == "hopper", 0.5, 0.8)
    made = _made_with(cases, {"weights_bandwidth_efficiency": truth})
    plan = layout(made.columns, len(made.cases), (family,))
    found = plan.constants(fit(made, plan, _all(made), iterations=30))["weights_bandwidth_efficiency"]
    assert plan.keys[0] == tuple(sorted(set(classes.tolist())))
    assert np.unique(found[classes == "hopper"]) == pytest.approx([0.5], rel=0.05)


def test_rows_left_out_of_a_fit_do_not_count(cases: Cases) -> None:
    made = _made_with(cases, {"weights_bandwidth_efficiency": 0.6})
    rows = np.arange(len(made.cases)) % 2 == 0
    other = tuple(
        case if rows[place] else replace(case, measured={name: 9 * value for name, value in case.measured.items()})
        for place, case in enumerate(made.cases)
    )
    plan = layout(made.columns, len(made.cases), (BANDWIDTH,))
    assert fit(made, plan, rows) == pytest.approx(fit(Cases(other, made.columns, made.left_out), plan, rows))


def test_the_priors_cover_the_constants_that_ship(library: Library) -> None:
    names = {family.name for family in FAMILIES}
    assert names | set(calibrating.OTHER_CONSTANTS) == set(SERVING_CONSTANTS)
    assert len(names) == len(FAMILIES)


def test_a_band_is_made_of_the_quantiles_for_a_finite_sample() -> None:
    residuals = np.random.RandomState(0).permutation(np.arange(1.0, 100.0))
    assert conformal_band(residuals) == (10, 90)
    assert conformal_band(np.append(residuals, np.nan)) == (10, 90)
    assert conformal_band(np.array([1.0, 2.0])) == (1, 2)


def test_a_band_keeps_four_of_five_further_values() -> None:
    random = np.random.RandomState(0)
    shares = []
    for _ in range(300):
        low, high = conformal_band(random.standard_exponential(200))
        fresh = random.standard_exponential(500)
        shares.append(np.mean((fresh >= low) & (fresh <= high)))
    assert np.mean(shares) == pytest.approx(0.8, abs=0.01)


def test_a_quick_look_prints_figures_and_writes_nothing(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "measurements").mkdir()
    shutil.copy(DATA, tmp_path / "measurements" / "inference_performance.csv")
    monkeypatch.setattr(calibrating, "FOLDS", 2)
    monkeypatch.setattr(fitting, "SHAPE", replace(fitting.SHAPE, enough=0.1))

    def on_few_rows(library: Library, folder: Path, *, splits: int, say: Any) -> calibrating.Calibration:
        assert splits == 1 < SPLITS
        return calibrate(library, tmp_path, splits=splits, say=say)

    def refuse(*given: Any) -> None:
        pytest.fail("a quick look writes a file")

    monkeypatch.setattr(calibrating, "calibrate", on_few_rows)
    for name in ("write_constants", "write_residuals", "write_accuracy"):
        monkeypatch.setattr(calibration_files, name, refuse)
    monkeypatch.setattr(sys, "argv", ["calibrating", "1"])
    calibrating.main()
    printed = capsys.readouterr().out
    assert printed.startswith("split 1/1: time_per_output_token ")
    assert "| time per output token | 22 | without |" in printed
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["inference_performance.csv"]
