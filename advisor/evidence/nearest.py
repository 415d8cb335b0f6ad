"""The measured rows nearest to a configuration, with their conditions: what a plan shows beside its estimate.

What tells rows apart is worked out once, by `make calibrate`, and ships as a table of keys; a plan reads only the lines of its
model or accelerator, so that looking takes milliseconds.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.neighbours import distance

KEYS_FILE = "serving_keys.csv"
_RESIDUALS_FILE = "serving_residuals.csv"
_ROWS_FILE = "inference_performance.csv"
_NUMBERS = ("running_requests", "input_tokens", "output_tokens", "accelerators_per_replica")
# Rows of one sweep differ in the load alone; the nearest of them speaks for it.
_SWEEP = ("source", "engine_id", "engine_version", "model_id", "accelerator_id", "precision_id", "gpu_count", "tp", "isl", "osl")
# Beyond this a row shares neither model nor accelerator with the configuration, or little else.
_FARTHEST = 4.0


@dataclass(frozen=True)
class MeasuredRow:
    """One measured row near a configuration: its cells as published, how far it is, and the estimate for it.

    estimated_over_measured: by quantity, from a fit that never saw the row's source, model and accelerator together; only of
    what was measured.
    """

    cells: Mapping[str, str]
    distance: float
    estimated_over_measured: Mapping[str, float]


@dataclass(frozen=True)
class _Near:
    """The shipped rows of a model or an accelerator: ids, what tells them apart, residuals, and the lines they stand in."""

    ids: NDArray[np.str_]
    keys: Mapping[str, Any]
    residuals: Mapping[str, NDArray[np.float64]]
    heading: tuple[str, ...]
    lines: Mapping[str, str]

    def cells(self, id: str) -> dict[str, str]:
        """A row's cells as published."""
        return dict(zip(self.heading, _split(self.lines[id]), strict=True))


def nearest_rows(folder: Path, facts: Mapping[str, Any], quantities: Sequence[str], *, count: int = 3) -> tuple[MeasuredRow, ...]:
    """Up to `count` measured rows nearest to a configuration, at most one of each sweep over the load.

    folder: the shipped knowledge. facts: the configuration's value for every fact that `distance` reads. quantities: those that
    a row must have measured at least one of. Nothing where no row shares the model or the accelerator.
    """
    near = _near(folder, facts["model_id"], facts["accelerator"])
    has = np.logical_or.reduce([np.isfinite(near.residuals[name]) for name in quantities])
    if not has.any():
        return ()
    columns = {name: column[has] for name, column in near.keys.items()}
    away = distance({name: np.array([facts[name]]) for name in columns}, columns)[0]
    ids, residuals = near.ids[has], {name: near.residuals[name][has] for name in quantities}
    found: list[MeasuredRow] = []
    sweeps: set[tuple[str, ...]] = set()
    for place in np.argsort(away, kind="stable").tolist():
        if away[place] > _FARTHEST or len(found) == count:
            break
        cells = near.cells(str(ids[place]))
        sweep = tuple(cells[name] for name in _SWEEP)
        if sweep in sweeps:
            continue
        sweeps.add(sweep)
        ratios = {name: float(np.exp(column[place])) for name, column in residuals.items() if np.isfinite(column[place])}
        found.append(MeasuredRow(cells, float(away[place]), ratios))
    return tuple(found)


@lru_cache(maxsize=64)
def _near(folder: Path, model: str, accelerator: str) -> _Near:
    heading, lines = _lines(folder / "measurements" / KEYS_FILE)
    marks = (f",{model},", f",{accelerator},")
    keys = [_split(line) for line in lines if any(mark in f"{line}," for mark in marks)]
    residual_heading, residual_lines = _lines(folder / "measurements" / _RESIDUALS_FILE)
    residual_of = {line.partition(",")[0]: line for line in residual_lines}
    keys = [cells for cells in keys if cells[0] in residual_of]
    residuals = [_split(residual_of[cells[0]]) for cells in keys]
    row_heading, rows = _lines(folder / "measurements" / _ROWS_FILE)
    columns = {name: np.array([cells[place] for cells in keys]) for place, name in enumerate(heading)}
    return _Near(
        columns.pop("id"),
        {name: column.astype(float) if name in _NUMBERS else column for name, column in columns.items()},
        {
            name: np.array([float(cells[place] or "nan") for cells in residuals])
            for place, name in enumerate(residual_heading)
            if name != "id"
        },
        row_heading,
        {line.partition(",")[0]: line for line in rows},
    )


@lru_cache(maxsize=8)
def _lines(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    heading, *lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(_split(heading)), tuple(lines)


def _split(line: str) -> list[str]:
    return next(csv.reader([line])) if '"' in line else line.split(",")
