"""Calibrating training speed: the fit on all rows, its error on held-out halves, and the bands that four of five values keep.

`make calibrate` runs this and writes the constants and bands that ship, what every split found, the residuals that neighbours
correct by, and docs/accuracy-training.md.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from advisor.evidence.fitting import Layout
from advisor.evidence.gauss_newton import Array
from advisor.evidence.training_fit import fit_training, training_layout
from advisor.evidence.training_speed import TrainingCases, read_training_cases, shipped_training_rows
from advisor.evidence.training_splits import SPLITS, Band, Split, bands_of, out_of_fold, splits_of
from advisor.library import Library, open_library


@dataclass(frozen=True)
class TrainingCalibration:
    """The fit on all rows with its layout, the splits that judge it, and what is left of every row by a fit without its group."""

    cases: TrainingCases
    plan: Layout
    vector: Array
    splits: tuple[Split, ...]
    outside: Array
    bands: Mapping[str, Band]


def calibrate_training(library: Library, folder: Path, *, splits: int = SPLITS) -> TrainingCalibration:
    """Fit and judge on the measured rows in `folder`; deterministic."""
    cases = read_training_cases(library, shipped_training_rows(folder))
    plan = training_layout(cases)
    everything = np.ones(len(cases), dtype=bool)
    vector = fit_training(cases, plan, everything, iterations=25)
    outside = out_of_fold(cases, plan, everything, vector, splits)
    bands = bands_of(outside, cases.metrics, cases.groups)
    return TrainingCalibration(cases, plan, vector, splits_of(cases, splits), outside, bands)


def write_training(found: TrainingCalibration, root: Path, say: Callable[[str], None]) -> None:
    """Write everything that ships of a calibration."""
    from advisor.evidence.training_files import write_residuals, write_speed_constants, write_splits, write_training_accuracy

    write_speed_constants(found, root / "knowledge" / "efficiencies" / "training_speed.yaml")
    write_residuals(found, root / "knowledge" / "measurements" / "training_residuals.csv")
    write_splits(found, root / "knowledge" / "measurements" / "training_splits.csv")
    say(write_training_accuracy(found, root / "docs" / "accuracy-training.md"))


def main() -> None:
    """Calibrate and write what ships."""
    root = Path(__file__).resolve().parents[2]

    def say(text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    write_training(calibrate_training(open_library(), root / "knowledge"), root, say)


if __name__ == "__main__":
    main()
