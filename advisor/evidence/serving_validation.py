"""Validating serving speed: measured rows against the estimates that plans would give for them, with the constants that ship.

Errors are shares of the measured value. An interval is a quantity's calibrated band around its estimate, wider where a
constant was never measured for the row's kind of accelerator, format or engine, as in plans.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.evidence.scores import Compared, Metric, Validation, metric, worst
from advisor.evidence.serving import (
    COLUMNS,
    QUANTITIES,
    WANTED,
    Case,
    Cases,
    band,
    estimate,
    read_cases,
    serving_constants,
    shipped_rows,
)
from advisor.evidence.table import read_table
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns, key_of
from advisor.sizing.serving.constants import SERVING_CONSTANTS, UNSEEN_WIDENING

WORST_OF_EACH = 5
# What rows are told apart by in the figures for parts of them.
PARTS: dict[str, Callable[[Case], str]] = {
    "engine": lambda case: case.question.engine_family,
    "accelerator": lambda case: case.question.hosts[0].accelerator.id,
    "model_family": lambda case: case.question.model.family,
    "metric_kind": lambda case: case.row["metric_kind"],
}


@dataclass(frozen=True)
class Estimated:
    """A quantity's estimates by row, and the ends of measured over estimated between which four of five should stand."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def validate_serving(library: Library, path: Path, *, neighbours: bool = False) -> Validation:
    """Compare every row of a table of measured speed that states all its inputs.

    neighbours: correct each estimate by the shipped rows near it, its own group left out. Raises DocumentError for a file that
    is not such a table.
    """
    rows = read_table(path, COLUMNS)
    found = read_cases(library, rows)
    left_out = Counter(found.left_out)
    estimates = estimated_by(library, found, neighbours=neighbours)
    compared: list[tuple[Case, Compared]] = []
    for place, case in enumerate(found.cases):
        pairs = comparisons(case, place, estimates)
        if not pairs:
            left_out["its estimate is not a finite number"] += 1
        compared += [(case, each) for each in pairs]
    everything = [each for _, each in compared]
    return Validation(
        kind="serving",
        rows=len(rows),
        evaluated=len(rows) - left_out.total(),
        left_out=dict(left_out.most_common()),
        metrics={name: metric(_of(everything, name)) for name in QUANTITIES},
        worst=tuple(each for name in QUANTITIES for each in worst(_of(everything, name), WORST_OF_EACH)),
        by={part: _parts(compared, word) for part, word in PARTS.items()},
        notes=_notes(library, found, neighbours=neighbours),
    )


def estimated_by(library: Library, found: Cases, *, neighbours: bool = False) -> dict[str, Estimated]:
    """Estimates and bands of every quantity, with the constants that ship."""
    if not found.cases:
        return {}
    size = len(found.cases)
    constants = serving_constants(library)
    values = estimate(found.columns, efficiency_columns(constants, found.columns))
    wider = np.where(unseen_rows(library, found), UNSEEN_WIDENING, 1.0)
    plain = {name: np.broadcast_to(np.asarray(values[name], dtype=float), (size,)) for name in WANTED}
    if not neighbours:
        bands = {name: band(library, name) for name in WANTED}
        return {name: Estimated(plain[name], bands[name][0] ** wider, bands[name][1] ** wider) for name in WANTED}
    from advisor.evidence.correcting import corrections, shipped

    moved = corrections(library, found, shipped(library))
    return {name: Estimated(plain[name] / each.divisor, each.low**wider, each.high**wider) for name, each in moved.items()}


def unseen_rows(library: Library, found: Cases) -> NDArray[np.bool_]:
    """Rows for which some constant has no value of its own kind of accelerator, format or engine."""
    missing = np.zeros(len(found.cases), dtype=bool)
    for id in SERVING_CONSTANTS:
        constant = library.get(Efficiency, id)
        if constant.by:
            missing |= np.array([key_of(constant, found.columns, row) not in constant.values for row in range(len(missing))])
    return missing


def comparisons(case: Case, place: int, estimates: Mapping[str, Estimated]) -> list[Compared]:
    """What a row measured beside its estimates, under the names of the metrics; none where an estimate is not finite."""
    pairs: list[Compared] = []
    for name, quantities in QUANTITIES.items():
        for quantity in quantities:
            measured = case.measured.get(quantity)
            if measured is None or not np.isfinite(estimates[quantity].value[place]):
                continue
            of = estimates[quantity]
            value = float(of.value[place])
            low, high = value * float(of.low[place]), value * float(of.high[place])
            pairs.append(Compared(case.row["id"], name, value, measured, measured, low, high))
    return pairs


def _of(compared: Sequence[Compared], name: str) -> list[Compared]:
    return [each for each in compared if each.metric == name]


def _parts(compared: Sequence[tuple[Case, Compared]], word: Callable[[Case], str]) -> dict[str, dict[str, Metric]]:
    """Figures of each part of the rows, the part with most figures first; metrics that a part has none of are left out."""
    parts: dict[str, list[Compared]] = {}
    for case, each in compared:
        parts.setdefault(word(case), []).append(each)
    ordered = sorted(parts.items(), key=lambda part: (-len(part[1]), part[0]))
    return {key: {name: metric(those) for name in QUANTITIES if (those := _of(each, name))} for key, each in ordered}


def _notes(library: Library, found: Cases, *, neighbours: bool) -> tuple[str, ...]:
    fitted = {(row["id"], row["source"]) for row in shipped_rows(library.folders[0])}
    count = sum((case.row["id"], case.row["source"]) in fitted for case in found.cases)
    notes = []
    if count:
        notes.append(
            f"{count} of these rows ship with the advisor and its constants were fitted to them; errors on other rows are larger "
            "(docs/accuracy-serving.md has those on held-out halves)"
        )
    if neighbours:
        notes.append(
            "estimates are corrected by the shipped rows near them, never by a row of the same source, model and accelerator"
        )
    return tuple(notes)
