"""Neighbours of a measured row: how far rows are apart, and how little a correction believes them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from advisor.evidence.calibrating import with_known_constants
from advisor.evidence.correcting import Shipped, corrections, shipped
from advisor.evidence.neighbours import LARGEST_RESIDUAL, SHRINK, correction, distance, neighbour_keys
from advisor.evidence.serving import COLUMNS, WANTED, Cases, read_cases
from advisor.evidence.table import read_table
from advisor.library import Library

DATA = Path(__file__).parent / "data" / "serving.csv"


@pytest.fixture(scope="module")
def cases(library: Library) -> Cases:
    return with_known_constants(library, read_cases(library, read_table(DATA, COLUMNS)))


@pytest.fixture(scope="module")
def keys(cases: Cases) -> dict[str, Any]:
    return neighbour_keys(cases)


@pytest.fixture(scope="module")
def known(library: Library) -> Shipped:
    return shipped(library)


def test_distance_is_zero_with_itself_positive_else_and_the_same_both_ways(keys: dict[str, Any]) -> None:
    found = distance(keys, keys)
    assert np.diag(found) == pytest.approx(0)
    assert (found >= 0).all()
    assert found == pytest.approx(found.T)


@pytest.mark.parametrize(
    ("fact", "other"),
    [
        ("model_id", "another"),
        ("accelerator", "another"),
        ("engine_class", "another"),
        ("engine_period", "1999-1"),
        ("weight_class", "another"),
        ("running_requests", 1234.0),
        ("input_tokens", 12345.0),
        ("output_tokens", 12345.0),
        ("accelerators_per_replica", 512.0),
    ],
)
def test_every_difference_takes_rows_apart(keys: dict[str, Any], fact: str, other: Any) -> None:
    one = {name: np.asarray(column)[:1] for name, column in keys.items()}
    assert distance(one, {**one, fact: np.array([other])})[0, 0] > 0


def test_another_model_with_the_same_attention_is_nearer_than_one_with_another(keys: dict[str, Any]) -> None:
    one = {name: np.asarray(column)[:1] for name, column in keys.items()}
    alike = {**one, "model_id": np.array(["another"])}
    unlike = {**alike, "attention_class": np.array(["another"])}
    assert 0 < distance(one, alike)[0, 0] < distance(one, unlike)[0, 0]


def _corrected(distances: list[float], residuals: list[float], groups: list[str], own: str | None = None) -> float:
    return float(
        correction(np.array([distances]), np.array(residuals), np.array(groups), None if own is None else np.array([own]))[0]
    )


def test_a_correction_is_shrunken_towards_none() -> None:
    near = _corrected([0.0], [0.3], ["a"])
    far = _corrected([2.0], [0.3], ["a"])
    assert 0 < far < near < 0.3
    assert near == pytest.approx(0.3 / 1.5 / (1 / 1.5 + SHRINK), rel=1e-6)
    assert _corrected([0.0], [-0.3], ["a"]) == pytest.approx(-near)
    assert _corrected([50.0], [0.3], ["a"]) == pytest.approx(0, abs=1e-12)


def test_the_own_group_never_takes_part() -> None:
    assert _corrected([0.0, 0.0], [0.5, 0.5], ["mine", "mine"], own="mine") == 0
    assert _corrected([0.0, 1.0], [0.5, -0.2], ["mine", "other"], own="mine") == pytest.approx(
        _corrected([1.0], [-0.2], ["other"])
    )


def test_a_group_of_many_rows_counts_about_once() -> None:
    many = _corrected([0.0] * 1000, [0.3] * 1000, ["a"] * 1000)
    assert many == pytest.approx(0.3 / (1 + SHRINK), rel=1e-3)
    balanced = _corrected([0.0] * 1001, [0.3] * 1000 + [-0.3], ["a"] * 1000 + ["b"])
    assert 0 < balanced < many / 2


def test_absurd_residuals_are_bounded_and_missing_ones_ignored() -> None:
    assert _corrected([0.0], [9.0], ["a"]) == pytest.approx(_corrected([0.0], [LARGEST_RESIDUAL], ["a"]))
    assert _corrected([0.0, 0.0], [0.3, np.nan], ["a", "b"]) == pytest.approx(_corrected([0.0], [0.3], ["a"]))
    assert _corrected([0.0], [np.nan], ["a"]) == 0


def test_the_shipped_rows_have_residuals_of_what_they_measured(known: Shipped) -> None:
    assert set(known.residuals) == set(WANTED)
    for name, values in known.residuals.items():
        assert np.isfinite(values).sum() > 50, name
        assert abs(np.nanmedian(values)) < 0.3, name


def _some(known: Shipped, rows: NDArray[np.bool_]) -> Shipped:
    return Shipped(
        {name: np.asarray(column)[rows] for name, column in known.keys.items()},
        known.groups[rows],
        {name: values[rows] for name, values in known.residuals.items()},
    )


def test_shipped_rows_are_corrected_without_their_group(library: Library, cases: Cases, known: Shipped) -> None:
    known = _some(known, (np.arange(len(known.groups)) % 6 == 0) | (known.groups == cases.groups[0]))
    found = corrections(library, cases, known)
    for each in found.values():
        assert each.divisor.shape == (len(cases.cases),)
        assert (np.abs(np.log(each.divisor)) <= LARGEST_RESIDUAL).all()
        assert each.low < 1 < each.high
    group = cases.groups[0]
    without = _some(known, known.groups != group)
    mine = cases.groups == group
    again = corrections(library, cases, without)
    for name in WANTED:
        assert again[name].divisor[mine] == pytest.approx(found[name].divisor[mine])
