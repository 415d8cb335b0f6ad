"""Calibrating serving speed: the fit on all rows, its error on held-out halves, and the bands that four of five values keep.

`make calibrate` runs this and writes knowledge/efficiencies/serving.yaml, the constants and bands that ship, and
docs/accuracy-serving.md, the figures. Splits leave whole groups (source, model, accelerator) on one side.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.evidence.fitting import Layout, fit, layout
from advisor.evidence.gauss_newton import Array
from advisor.evidence.neighbours import correction, distance, neighbour_keys
from advisor.evidence.serving import WANTED, Cases, estimate, read_cases, shipped_rows
from advisor.library import Library, open_library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.memory.constants import MEMORY_CONSTANTS

SPLITS = 20
FOLDS = 8
COVERAGE = 0.8
OTHER_CONSTANTS = ("selected_tokens", "least_room_share")


@dataclass
class Figures:
    """Held-out errors of one quantity, a row a split: mean absolute, median absolute, ninetieth percentile, bias, coverage."""

    plain: list[tuple[float, ...]] = field(default_factory=list)
    corrected: list[tuple[float, ...]] = field(default_factory=list)


@dataclass(frozen=True)
class Calibration:
    """The fitted vector with its layout, half-fits' spread, figures and bands."""

    cases: Cases
    plan: Layout
    vector: Array
    spread: Array
    figures: Mapping[str, Figures]
    bands: Mapping[str, tuple[float, float]]
    helped: Mapping[str, bool]
    residuals: Mapping[str, Array]


def calibrate(library: Library, folder: Path, *, splits: int = SPLITS, say: Callable[[str], None]) -> Calibration:
    """Fit and judge on the measured rows in `folder`; deterministic."""
    cases = with_known_constants(library, read_cases(library, shipped_rows(folder)))
    size = len(cases.cases)
    plan = layout(cases.columns, size)
    keys = neighbour_keys(cases)
    figures = {name: Figures() for name in WANTED}
    vectors: list[Array] = []
    bands: dict[str, list[tuple[float, float]]] = {name: [] for name in WANTED}
    for seed in range(splits):
        trained = _halves(cases.groups, seed)
        vector = fit(cases, plan, trained)
        vectors.append(vector)
        outside = _crossfit(cases, plan, trained, vector, seed)
        values = estimate(cases.columns, plan.constants(vector))
        for name in WANTED:
            band = _judge(name, cases, values, trained, outside[name], keys, figures[name])
            bands[name].append(band)
        say(f"split {seed + 1}/{splits}: " + ", ".join(f"{name} {figures[name].plain[-1][0]:.1%}" for name in WANTED))
    everything = fit(cases, plan, np.ones(size, dtype=bool), iterations=25)
    outside = _crossfit(cases, plan, np.ones(size, dtype=bool), everything, splits)
    helped = {name: _mean(figures[name].corrected)[0] < _mean(figures[name].plain)[0] for name in WANTED}
    return Calibration(
        cases,
        plan,
        everything,
        np.asarray(np.std(np.array(vectors), axis=0)),
        figures,
        {
            name: (float(np.mean([low for low, _ in bands[name]])), float(np.mean([high for _, high in bands[name]])))
            for name in WANTED
        },
        helped,
        outside,
    )


def with_known_constants(library: Library, cases: Cases) -> Cases:
    """The cases with the constants that are not fitted here, and one replica that gets all requests of its row."""
    known = efficiency_columns([library.get(Efficiency, id) for id in (*MEMORY_CONSTANTS, *OTHER_CONSTANTS)], cases.columns)
    columns = {**cases.columns, **known, "replicas": 1.0, "running_requests": cases.columns["concurrent_requests"]}
    return Cases(cases.cases, columns, cases.left_out)


def _halves(groups: NDArray[np.str_], seed: int, parts: int = 2) -> NDArray[np.bool_]:
    distinct = np.unique(groups)
    side = dict(zip(distinct.tolist(), np.random.RandomState(seed).permutation(len(distinct)) % parts, strict=True))
    return np.array([side[group] == 0 for group in groups.tolist()])


def _crossfit(cases: Cases, plan: Layout, trained: NDArray[np.bool_], start: Array, seed: int) -> dict[str, Array]:
    """Log residuals (estimate over measured) of the trained rows, each from a fit that left its group out."""
    distinct = np.unique(cases.groups[trained])
    fold_of = dict(zip(distinct.tolist(), np.random.RandomState(100 + seed).permutation(len(distinct)) % FOLDS, strict=True))
    folds = np.array([fold_of.get(group, -1) for group in cases.groups.tolist()])
    found = {name: np.full(len(trained), np.nan) for name in WANTED}
    for fold in range(FOLDS):
        kept, tested = trained & (folds != fold), trained & (folds == fold)
        values = estimate(cases.columns, plan.constants(fit(cases, plan, kept, start=start, iterations=5)))
        for name in WANTED:
            found[name][tested] = np.log(_column(values[name], len(trained)) / cases.measured(name))[tested]
    return found


def _judge(
    name: str,
    cases: Cases,
    values: Mapping[str, Any],
    trained: NDArray[np.bool_],
    outside: Array,
    keys: Mapping[str, Any],
    figures: Figures,
) -> tuple[float, float]:
    """Add one split's errors to the figures; the band of the plain estimate."""
    measured, estimated = cases.measured(name), _column(values[name], len(trained))
    held = ~trained & np.isfinite(measured)
    known = trained & np.isfinite(outside)
    near = distance(_rows(keys, held), _rows(keys, known))
    moved = correction(near, outside[known], cases.groups[known], cases.groups[held])
    among = distance(_rows(keys, known), _rows(keys, known))
    own = correction(among, outside[known], cases.groups[known], cases.groups[known])
    for residuals, estimates, into in (
        (outside[known], estimated[held], figures.plain),
        (outside[known] - own, estimated[held] / np.exp(moved), figures.corrected),
    ):
        low, high = conformal_band(-residuals)
        inside = np.log(measured[held] / estimates)
        errors = estimates / measured[held] - 1
        into.append((*_errors(errors), float(np.mean((inside >= low) & (inside <= high)))))
    return conformal_band(-outside[known])


def conformal_band(residuals: Array, coverage: float = COVERAGE) -> tuple[float, float]:
    """Split-conformal quantiles of log(measured / estimate), with the correction for a finite sample."""
    ordered = np.sort(residuals[np.isfinite(residuals)])
    count, tail = len(ordered), (1 - coverage) / 2
    # Rounded first: ten hundredths of a hundred must be ten, whatever binary fractions make of it.
    low = ordered[max(int(np.floor(round((count + 1) * tail, 6))) - 1, 0)]
    high = ordered[min(int(np.ceil(round((count + 1) * (1 - tail), 6))) - 1, count - 1)]
    return float(low), float(high)


def _errors(errors: Array) -> tuple[float, float, float, float]:
    sizes = np.abs(errors)
    return float(sizes.mean()), float(np.median(sizes)), float(np.quantile(sizes, 0.9)), float(errors.mean())


def _mean(rows: list[tuple[float, ...]]) -> Array:
    return np.asarray(np.mean(np.array(rows), axis=0))


def _pair(bands: list[tuple[float, float]]) -> tuple[float, float]:
    low, high = np.mean(np.array(bands), axis=0)
    return float(low), float(high)


def _rows(keys: Mapping[str, Any], chosen: NDArray[np.bool_]) -> dict[str, Any]:
    return {name: np.asarray(column)[chosen] for name, column in keys.items()}


def _column(values: Any, size: int) -> Array:
    return np.broadcast_to(np.asarray(values, dtype=float), (size,))


def main() -> None:
    """Calibrate and write what ships."""
    from advisor.evidence.calibration_files import accuracy_table, write_accuracy, write_constants, write_keys, write_residuals
    from advisor.evidence.nearest import KEYS_FILE

    root = Path(__file__).resolve().parents[2]

    def say(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    splits = int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS
    found = calibrate(open_library(), root / "knowledge", splits=splits, say=say)
    if splits < SPLITS:  # a quick look writes nothing
        say(accuracy_table(found))
        return
    write_constants(found, root / "knowledge" / "efficiencies" / "serving.yaml")
    write_residuals(found, root / "knowledge" / "measurements" / "serving_residuals.csv")
    write_keys(found.cases, root / "knowledge" / "measurements" / KEYS_FILE)
    say(write_accuracy(found, root / "docs" / "accuracy-serving.md"))


if __name__ == "__main__":
    main()
