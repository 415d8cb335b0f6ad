"""Validating training memory: measured peaks against the estimates that plans would give, with the constants that ship.

Errors are shares of the measured peak. Intervals are split-conformal: in each of twenty splits one half of the groups (source and
model) sets the band around estimates and the other half is tested against it; the share of measured peaks inside is the mean of
the splits.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.evidence.gauss_newton import Array
from advisor.evidence.grouped_band import split_coverage
from advisor.evidence.scores import Compared, Metric, OutOfMemory, Validation, Worked, metric, worst
from advisor.evidence.table import read_table
from advisor.evidence.training_memory import (
    COLUMNS,
    TrainingCase,
    TrainingCases,
    estimate,
    read_training_cases,
    training_memory_constants,
)
from advisor.evidence.training_memory_fit import estimated_peaks
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns

BAND = "training_memory_band"
PEAK = "peak_memory"
PARTS: dict[str, Callable[[TrainingCase], str]] = {
    "method": lambda case: case.row["method"],
    "training_stack": lambda case: str(case.settings.training_stack),
    "recomputation": lambda case: str(case.settings.recomputation),
    "peak_kind": lambda case: case.row["peak_kind"] or "unknown",
    "model_family": lambda case: case.model.family,
}


def validate_training_memory(library: Library, path: Path) -> Validation:
    """Compare every row of a table of training runs that states all its inputs.

    Raises DocumentError for a file that is not such a table.
    """
    rows = read_table(path, COLUMNS)
    cases = read_training_cases(library, rows)
    if not cases.cases:
        return Validation(
            kind="training-memory",
            rows=len(rows),
            evaluated=0,
            left_out=dict(cases.left_out),
            metrics={PEAK: Metric(n=0), "out_of_memory": OutOfMemory(n=0, right=0), "worked": Worked(n=0, refused=0)},
            worst=(),
        )
    values = estimate(cases.columns, efficiency_columns(training_memory_constants(library), cases.columns))
    estimated = estimated_peaks(cases, values)
    refused = np.broadcast_to(np.asarray(values["training_memory_margin"]) < 0, estimated.shape)
    band = library.get(Efficiency, BAND).cases[0]
    compared = [_compared(case, float(estimated[place]), band.low, band.high) for place, case in enumerate(cases.cases)]
    peaks = [each for each in compared if each is not None]
    coverage = split_coverage(np.log(cases.peaks / estimated), cases.groups)
    return Validation(
        kind="training-memory",
        rows=len(rows),
        evaluated=len(cases.cases),
        left_out=dict(cases.left_out),
        metrics={PEAK: _with_coverage(metric(peaks), coverage), **_calls(cases, refused)},
        worst=worst(peaks),
        by={part: _by(cases.cases, compared, key) for part, key in PARTS.items()},
        notes=_notes(metric(peaks), coverage),
    )


def _compared(case: TrainingCase, estimated: float, low: float, high: float) -> Compared | None:
    if case.peak is None:
        return None
    return Compared(case.row["id"], PEAK, estimated, case.peak, case.peak, estimated * low, estimated * high)


def _calls(cases: TrainingCases, refused: NDArray[np.bool_]) -> dict[str, OutOfMemory | Worked]:
    """Both outcomes called; a row whose card is not known says nothing about room."""
    known = np.array([case.usable_memory is not None for case in cases.cases])
    ended = known & ~np.isfinite(cases.peaks)
    worked = known & np.isfinite(cases.peaks)
    return {
        "out_of_memory": OutOfMemory(n=int(ended.sum()), right=int((ended & refused).sum())),
        "worked": Worked(n=int(worked.sum()), refused=int((worked & refused).sum())),
    }


def _by(
    cases: Sequence[TrainingCase], compared: Sequence[Compared | None], key: Callable[[TrainingCase], str]
) -> dict[str, dict[str, Metric]]:
    parts: dict[str, list[Compared]] = {}
    for case, each in zip(cases, compared, strict=True):
        if each is not None:
            parts.setdefault(key(case), []).append(each)
    return {name: {PEAK: metric(found)} for name, found in sorted(parts.items())}


def _with_coverage(figures: Metric, coverage: Array) -> Metric:
    return figures.model_copy(update={"coverage_80": float(coverage.mean())}) if len(coverage) else figures


def _notes(figures: Metric, coverage: Array) -> tuple[str, ...]:
    notes = ["peaks are compared with what was read of them: allocated, reserved or the whole device"]
    if len(coverage):
        notes.append(
            f"share in the 80 % interval: mean of {len(coverage)} splits that leave half of the (source, model) groups out; "
            f"spread {coverage.std():.1%}, least {coverage.min():.1%}, most {coverage.max():.1%}"
        )
    if figures.coverage_80 is not None:
        notes.append(f"share in the interval that plans show: {figures.coverage_80:.1%}")
    return tuple(notes)
