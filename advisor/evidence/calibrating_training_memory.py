"""Calibrating training memory: the fit on all rows, its error on held-out halves, and the band that four of five peaks keep.

`make calibrate` runs this and writes knowledge/efficiencies/training_memory.yaml, the constants and the band that ship, and
docs/accuracy-training-memory.md, the figures. Splits leave whole groups (source and model) on one side.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.evidence.fitting import Layout, layout
from advisor.evidence.gauss_newton import Array
from advisor.evidence.grouped_band import SPLITS, grouped_band, halves, parts
from advisor.evidence.training_memory import TrainingCases, estimate, read_training_cases, shipped_training_rows
from advisor.evidence.training_memory_fit import estimated_peaks, fit_training_memory
from advisor.evidence.training_memory_priors import FAMILIES
from advisor.library import Library, open_library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.training.memory.constants import SETTLED

FOLDS = 6


@dataclass(frozen=True)
class Split:
    """One split's held-out figures: mean, median and 90 % error, bias, share in the band; and calls of both outcomes.

    calls: runs out of memory, those called, runs that worked, those refused. band: logarithms of its ends.
    """

    figures: tuple[float, ...]
    calls: tuple[int, int, int, int]
    band: tuple[float, float]


@dataclass(frozen=True)
class TrainingMemoryCalibration:
    """The fitted vector with its layout, its spread over half-fits, every split's figures, and the band of all residuals."""

    cases: TrainingCases
    plan: Layout
    vector: Array
    spread: Array
    splits: tuple[Split, ...]
    band: tuple[float, float]

    @property
    def rows(self) -> int:
        """Rows with a measured peak."""
        return int(np.isfinite(self.cases.peaks).sum())


def calibrate_training_memory(
    library: Library, folder: Path, *, splits: int = SPLITS, say: Callable[[str], None]
) -> TrainingMemoryCalibration:
    """Fit and judge on the measured rows in `folder`; deterministic."""
    cases = read_training_cases(library, shipped_training_rows(folder))
    settled = efficiency_columns([library.get(Efficiency, id) for id in SETTLED], cases.columns)
    plan = layout(cases.columns, len(cases.cases), FAMILIES)
    found: list[Split] = []
    vectors: list[Array] = []
    for seed, trained in enumerate(halves(cases.groups, splits)):
        vector = fit_training_memory(cases, plan, settled, trained)
        outside = out_of_fold(cases, plan, settled, trained, seed)
        vectors.append(vector)
        found.append(_judge(cases, plan, settled, vector, ~trained, grouped_band(outside[trained], cases.groups[trained])))
        say(f"split {seed + 1}/{splits}: mean error {found[-1].figures[0]:.1%}, in band {found[-1].figures[4]:.1%}")
    everything = np.ones(len(cases.cases), dtype=bool)
    vector = fit_training_memory(cases, plan, settled, everything)
    outside = out_of_fold(cases, plan, settled, everything, splits)
    return TrainingMemoryCalibration(
        cases, plan, vector, np.asarray(np.std(np.array(vectors), axis=0)), tuple(found), grouped_band(outside, cases.groups)
    )


def out_of_fold(cases: TrainingCases, plan: Layout, settled: Mapping[str, Any], trained: NDArray[np.bool_], seed: int) -> Array:
    """Logarithms of measured over estimated of the trained rows, each from a fit that left its group out."""
    found = np.full(len(cases.cases), np.nan)
    folds = np.where(trained, parts(cases.groups, 100 + seed, FOLDS), -1)
    for fold in range(FOLDS):
        kept = trained & (folds != fold)
        if not kept.any() or not (folds == fold).any():
            continue
        residuals = _residuals(cases, plan, settled, fit_training_memory(cases, plan, settled, kept))
        found[folds == fold] = residuals[folds == fold]
    return found


def _values(cases: TrainingCases, plan: Layout, settled: Mapping[str, Any], vector: Array) -> dict[str, Any]:
    return estimate({**settled, **cases.columns}, plan.constants(vector))


def _residuals(cases: TrainingCases, plan: Layout, settled: Mapping[str, Any], vector: Array) -> Array:
    return np.asarray(np.log(cases.peaks / estimated_peaks(cases, _values(cases, plan, settled, vector))), dtype=float)


def _judge(
    cases: TrainingCases,
    plan: Layout,
    settled: Mapping[str, Any],
    vector: Array,
    held: NDArray[np.bool_],
    band: tuple[float, float],
) -> Split:
    values = _values(cases, plan, settled, vector)
    residuals = np.log(cases.peaks / estimated_peaks(cases, values))
    worked = held & np.isfinite(residuals)
    ended = held & ~np.isfinite(residuals)
    refused = np.broadcast_to(np.asarray(values["training_memory_margin"]) < 0, held.shape)
    errors = np.exp(-residuals[worked]) - 1
    sizes = np.abs(errors)
    inside = (residuals[worked] >= band[0]) & (residuals[worked] <= band[1])
    return Split(
        (sizes.mean(), float(np.median(sizes)), float(np.quantile(sizes, 0.9)), errors.mean(), float(inside.mean())),
        (int(ended.sum()), int((ended & refused).sum()), int(worked.sum()), int((worked & refused).sum())),
        band,
    )


def main() -> None:
    """Calibrate and write what ships."""
    from advisor.evidence.training_memory_files import accuracy_lines, write_training_accuracy, write_training_constants

    root = Path(__file__).resolve().parents[2]

    def say(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    splits = int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS
    found = calibrate_training_memory(open_library(), root / "knowledge", splits=splits, say=say)
    if splits < SPLITS:  # a quick look writes nothing
        say(accuracy_lines(found))
        return
    write_training_constants(found, root / "knowledge" / "efficiencies" / "training_memory.yaml")
    say(write_training_accuracy(found, root / "docs" / "accuracy-training-memory.md"))


if __name__ == "__main__":
    main()
