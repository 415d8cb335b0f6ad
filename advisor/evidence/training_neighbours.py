"""Measured training runs near a candidate: the nearest ones to show, and the correction that their residuals suggest.

The residuals ship with the knowledge (`make calibrate` writes them), each from a fit that never saw the row's group.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.fitting import Array
from advisor.evidence.neighbours import correction
from advisor.evidence.table import number_in, read_table
from advisor.evidence.training_speed import EXPERTS, METRICS, TrainingCases, read_training_cases, shipped_training_rows
from advisor.evidence.training_splits import conformal_ends
from advisor.evidence.training_validation import SpeedEstimates
from advisor.library import Library

# How far apart two runs are for each thing in which they differ.
OTHER_MODEL, OTHER_KIND, OTHER_PART, OTHER_GENERATION = 1.0, 1.5, 0.3, 0.8
OTHER_STACK, OTHER_PRECISION, OTHER_PERIOD, OTHER_METHOD = 1.2, 0.6, 0.3, 0.6
PER_LOG_PARAMETERS, PER_LOG_SEQUENCE, PER_DOUBLING = 0.3, 0.25, 0.1
_WORDS = (
    ("model_class", OTHER_KIND),
    ("training_stack", OTHER_STACK),
    ("training_precision", OTHER_PRECISION),
    ("training_period", OTHER_PERIOD),
    ("adapter_class", OTHER_METHOD),
)
_NUMBERS = (
    ("parameters", PER_LOG_PARAMETERS, np.log),
    ("sequence_length", PER_LOG_SEQUENCE, np.log),
    ("accelerators", PER_DOUBLING, np.log2),
)


@dataclass(frozen=True)
class KnownRuns:
    """The runs that ship: their facts, and the log of estimate over measured, from fits without their group."""

    cases: TrainingCases
    keys: Mapping[str, Any]
    residuals: Array


@dataclass(frozen=True)
class NearRun:
    """One measured run near a candidate: its row's id and source, what it measured, and how far it stands."""

    row: str
    source: str
    model: str
    accelerator: str
    accelerators: float
    tokens_per_second_per_accelerator: float
    distance: float


@lru_cache(maxsize=2)
def known_runs(library: Library) -> KnownRuns:
    """The shipped rows with their residuals."""
    folder = library.folders[0]
    cases = read_training_cases(library, shipped_training_rows(folder))
    table = read_table(folder / "measurements" / "training_residuals.csv", ("id", "source", "log_error"))
    residual = {(row["id"], row["source"]): number_in(row, "log_error") for row in table}
    found = [residual.get((case.row["id"], case.row["source"])) for case in cases.cases]
    return KnownRuns(cases, keys_of(cases), np.array([np.nan if value is None else value for value in found]))


def keys_of(cases: TrainingCases) -> dict[str, Any]:
    """What tells measured runs apart, for distances."""
    names = [name for name, _ in _WORDS] + [name for name, _, _ in _NUMBERS]
    found = {name: cases.columns[name] for name in (*names, "accelerator", "training_generation")}
    return {**found, "model_id": np.array([case.setup.model.id for case in cases.cases])}


def training_distance(rows: Mapping[str, Any], others: Mapping[str, Any]) -> Array:
    """Distance of every run (first axis) from every other (second axis), by the facts of `keys_of`."""

    def pair(name: str) -> tuple[Any, Any]:
        return np.asarray(rows[name])[:, None], np.asarray(others[name])[None, :]

    mine, theirs = pair("model_id")
    total = np.where(mine == theirs, 0.0, OTHER_MODEL)
    part, other_part = pair("accelerator")
    generation, other_generation = pair("training_generation")
    total = total + np.where(part == other_part, 0.0, np.where(generation == other_generation, OTHER_PART, OTHER_GENERATION))
    for name, cost in _WORDS:
        here, there = pair(name)
        total = total + cost * (here != there)
    for name, cost, log in _NUMBERS:
        here, there = pair(name)
        total = total + cost * np.abs(log(np.maximum(here, 1)) - log(np.maximum(there, 1)))
    return np.asarray(total, dtype=float)


def nearest_runs(library: Library, facts: Mapping[str, Any], model_id: str, count: int = 3) -> tuple[NearRun, ...]:
    """The measured runs nearest to one row of facts (as `speed_facts` makes them), nearest first, one of each source and model."""
    known = known_runs(library)
    own = {name: np.asarray(facts[name]).reshape(-1)[:1] for name in known.keys if name != "model_id"}
    distances = training_distance({**own, "model_id": np.array([model_id])}, known.keys)[0]
    found: dict[str, NearRun] = {}
    for place in np.argsort(distances, kind="stable").tolist():
        case = known.cases.cases[place]
        if case.group not in found:
            found[case.group] = NearRun(
                case.row["id"],
                case.row["source"],
                case.setup.model.id,
                case.setup.accelerator.id,
                float(known.cases.columns["accelerators"][place]),
                float(known.cases.measured[place]),
                float(distances[place]),
            )
        if len(found) == count:
            break
    return tuple(found.values())


def corrected(library: Library, cases: TrainingCases, plain: SpeedEstimates) -> SpeedEstimates:
    """Estimates divided by what their neighbours suggest, in the bands that are left after it; a row's own group has no say."""
    known = known_runs(library)
    groups = known.cases.groups
    moved = correction(training_distance(keys_of(cases), known.keys), known.residuals, groups, cases.groups)
    own = correction(training_distance(known.keys, known.keys), known.residuals, groups, groups)
    value = plain.value / np.exp(moved)
    left = own - known.residuals
    ends: dict[str, tuple[float, float]] = {}
    for name in METRICS:
        chosen: NDArray[np.bool_] = (known.cases.metrics == name) & np.isfinite(left)
        ends[name] = conformal_ends(left[chosen], groups[chosen])
    low, high = (np.exp(np.where(cases.metrics == EXPERTS, ends[EXPERTS][end], ends[METRICS[0]][end])) for end in (0, 1))
    return SpeedEstimates(value, value * low, value * high)
