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
class _Tables:
    """The lines of the three shipped files, by row id, and their headings."""

    keys: tuple[str, ...]
    key_heading: tuple[str, ...]
    residuals: Mapping[str, str]
    residual_heading: tuple[str, ...]
    rows: Mapping[str, str]
    row_heading: tuple[str, ...]


def nearest_rows(folder: Path, facts: Mapping[str, Any], quantities: Sequence[str], *, count: int = 3) -> tuple[MeasuredRow, ...]:
    """Up to `count` measured rows nearest to a configuration, at most one of each sweep over the load.

    folder: the shipped knowledge. facts: the configuration's value for every fact that `distance` reads. quantities: those that
    a row must have measured at least one of. Nothing where no row shares the model or the accelerator.
    """
    tables = _tables(folder)
    marks = [f",{facts[name]}," for name in ("model_id", "accelerator")]
    rows = [_split(line) for line in tables.keys if any(mark in f"{line}," for mark in marks)]
    residual_of = {name: place for place, name in enumerate(tables.residual_heading)}
    wanted = [residual_of[name] for name in quantities]
    measured = [(cells, _split(tables.residuals[cells[0]])) for cells in rows if cells[0] in tables.residuals]
    measured = [(cells, found) for cells, found in measured if any(found[place] for place in wanted)]
    if not measured:
        return ()
    columns: dict[str, Any] = {}
    for place, name in enumerate(tables.key_heading):
        values = [cells[place] for cells, _ in measured]
        columns[name] = np.array(values, dtype=float) if name in _NUMBERS else np.array(values)
    away = distance({name: np.array([facts[name]]) for name in columns if name != "id"}, columns)[0]
    found: list[MeasuredRow] = []
    sweeps: set[tuple[str, ...]] = set()
    for place in np.argsort(away, kind="stable").tolist():
        if away[place] > _FARTHEST or len(found) == count:
            break
        id = measured[place][0][0]
        cells = dict(zip(tables.row_heading, _split(tables.rows[id]), strict=True))
        sweep = tuple(cells[name] for name in _SWEEP)
        if sweep in sweeps:
            continue
        sweeps.add(sweep)
        residuals = measured[place][1]
        ratios = {name: float(np.exp(float(residuals[residual_of[name]]))) for name in quantities if residuals[residual_of[name]]}
        found.append(MeasuredRow(cells, float(away[place]), ratios))
    return tuple(found)


@lru_cache(maxsize=4)
def _tables(folder: Path) -> _Tables:
    key_heading, keys = _lines(folder / "measurements" / KEYS_FILE)
    residual_heading, residuals = _lines(folder / "measurements" / _RESIDUALS_FILE)
    row_heading, rows = _lines(folder / "measurements" / _ROWS_FILE)
    return _Tables(keys, key_heading, _by_id(residuals), residual_heading, _by_id(rows), row_heading)


def _lines(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    heading, *lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(_split(heading)), tuple(lines)


def _by_id(lines: Sequence[str]) -> dict[str, str]:
    return {line.partition(",")[0]: line for line in lines}


def _split(line: str) -> list[str]:
    return next(csv.reader([line]))
