"""Estimates of measured rows corrected by the rows that ship: their residuals, and the band that is left after correction.

The residuals ship with the knowledge (`make calibrate` writes them), each from a fit that never saw the row's group.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.calibrating import conformal_band, with_known_constants
from advisor.evidence.neighbours import Array, correction, distance, neighbour_keys
from advisor.evidence.serving import WANTED, Cases, read_cases, shipped_rows
from advisor.evidence.table import number_in, read_table
from advisor.library import Library

# Rows whose distances to all others are held at once.
_AT_ONCE = 256


@dataclass(frozen=True)
class Shipped:
    """The rows that ship: what tells them apart, their groups, and the log of estimate over measured by quantity."""

    keys: Mapping[str, Any]
    groups: NDArray[np.str_]
    residuals: Mapping[str, Array]


@dataclass(frozen=True)
class Correction:
    """What a quantity's estimates are divided by, row by row, and measured over corrected for four of five rows."""

    divisor: Array
    low: float
    high: float


def shipped(library: Library) -> Shipped:
    """The shipped rows with their residuals."""
    folder = library.folders[0]
    cases = with_known_constants(library, read_cases(library, shipped_rows(folder)))
    table = {row["id"]: row for row in read_table(folder / "measurements" / "serving_residuals.csv", ("id", *WANTED))}

    def residual(id: str, name: str) -> float:
        value = number_in(table[id], name) if id in table else None
        return float("nan") if value is None else value

    residuals = {name: np.array([residual(case.row["id"], name) for case in cases.cases]) for name in WANTED}
    return Shipped(neighbour_keys(cases), cases.groups, residuals)


def corrections(library: Library, cases: Cases, known: Shipped) -> dict[str, Correction]:
    """The correction of every estimated quantity of these rows; a row's own group never takes part in it."""
    moved = _moved(neighbour_keys(with_known_constants(library, cases)), cases.groups, known)
    own = _moved(known.keys, known.groups, known)
    found: dict[str, Correction] = {}
    for name in WANTED:
        low, high = conformal_band(own[name] - known.residuals[name])
        found[name] = Correction(np.exp(moved[name]), float(np.exp(low)), float(np.exp(high)))
    return found


def _moved(keys: Mapping[str, Any], groups: NDArray[np.str_], known: Shipped) -> dict[str, Array]:
    size = len(groups)
    found = {name: np.zeros(size) for name in WANTED}
    for begin in range(0, size, _AT_ONCE):
        here = slice(begin, begin + _AT_ONCE)
        near = distance({name: np.asarray(column)[here] for name, column in keys.items()}, known.keys)
        for name in WANTED:
            found[name][here] = correction(near, known.residuals[name], known.groups, groups[here])
    return found
