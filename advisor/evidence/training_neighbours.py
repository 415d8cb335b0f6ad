"""Measured training runs near a candidate: the nearest ones to show, and the correction that their residuals suggest.

The residuals ship with the knowledge (`make calibrate` writes them), each from a fit that never saw the row's group.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.gauss_newton import Array
from advisor.evidence.neighbours import correction
from advisor.evidence.table import read_table
from advisor.evidence.training_speed import EXPERTS, TrainingCases
from advisor.evidence.training_splits import conformal_ends
from advisor.evidence.training_validation import SpeedEstimates
from advisor.library import Library

# How far apart two runs are for each thing in which they differ.
OTHER_MODEL, OTHER_KIND, OTHER_PART, OTHER_GENERATION = 1.0, 1.5, 0.3, 0.8
OTHER_STACK, OTHER_PRECISION, OTHER_PERIOD, OTHER_METHOD = 1.2, 0.6, 0.3, 0.6
PER_LOG_PARAMETERS, PER_LOG_SEQUENCE, PER_DOUBLING = 0.3, 0.25, 0.1
_WORDS = (
    ("model_class", OTHER_KIND),
    ("training_stack_class", OTHER_STACK),
    ("training_precision", OTHER_PRECISION),
    ("training_period", OTHER_PERIOD),
    ("adapter_class", OTHER_METHOD),
)
_NUMBERS = (
    ("parameters", PER_LOG_PARAMETERS, np.log),
    ("sequence_length", PER_LOG_SEQUENCE, np.log),
    ("accelerators", PER_DOUBLING, np.log2),
)
WORD_KEYS = ("model_id", "accelerator", "training_generation", *(name for name, _ in _WORDS))
NUMBER_KEYS = tuple(name for name, _, _ in _NUMBERS)
FILE_COLUMNS = ("id", "source", *WORD_KEYS, *NUMBER_KEYS, "measured", "log_error")


@dataclass(frozen=True)
class KnownRuns:
    """The runs that ship: ids and groups, what tells them apart, what they measured, and the log of estimate over measured."""

    ids: tuple[str, ...]
    sources: tuple[str, ...]
    keys: Mapping[str, Any]
    measured: Array
    residuals: Array

    @property
    def groups(self) -> NDArray[np.str_]:
        """The group of each run: source and model."""
        return np.array([f"{source}/{model}" for source, model in zip(self.sources, self.keys["model_id"], strict=True)])

    @property
    def experts(self) -> NDArray[np.bool_]:
        """Which runs trained a model with experts."""
        return np.asarray(self.keys["model_class"] == "moe")


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
def known_runs(folder: Path) -> KnownRuns:
    """The runs that ship with the knowledge in `folder`."""
    rows = read_table(folder / "measurements" / "training_residuals.csv", FILE_COLUMNS)
    numbers = {name: np.array([float(row[name]) for row in rows]) for name in (*NUMBER_KEYS, "measured", "log_error")}
    words = {name: np.array([row[name] for row in rows]) for name in WORD_KEYS}
    return KnownRuns(
        tuple(row["id"] for row in rows),
        tuple(row["source"] for row in rows),
        {**words, **{name: numbers[name] for name in NUMBER_KEYS}},
        numbers["measured"],
        numbers["log_error"],
    )


def keys_of(cases: TrainingCases) -> dict[str, Any]:
    """What tells measured runs apart, for distances."""
    found = {name: cases.columns[name] for name in (*WORD_KEYS[1:], *NUMBER_KEYS)}
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
    """The measured runs nearest to one row of facts (as `speed_facts` makes them), nearest first, one a source and model."""
    known = known_runs(library.folders[0])
    own = {name: np.asarray(facts[name]).reshape(-1)[:1] for name in known.keys if name != "model_id"}
    distances = training_distance({**own, "model_id": np.array([model_id])}, known.keys)[0]
    groups: list[str] = known.groups.tolist()
    found: dict[str, NearRun] = {}
    for place in np.argsort(distances, kind="stable").tolist():
        if groups[place] not in found:
            found[groups[place]] = NearRun(
                known.ids[place],
                known.sources[place],
                str(known.keys["model_id"][place]),
                str(known.keys["accelerator"][place]),
                float(known.keys["accelerators"][place]),
                float(known.measured[place]),
                float(distances[place]),
            )
        if len(found) == count:
            break
    return tuple(found.values())


def corrected(library: Library, cases: TrainingCases, plain: SpeedEstimates) -> SpeedEstimates:
    """Estimates divided by what their neighbours suggest, in the bands that are left after it; a row's own group has no say."""
    known = known_runs(library.folders[0])
    groups = known.groups
    moved = correction(training_distance(keys_of(cases), known.keys), known.residuals, groups, cases.groups)
    own = correction(training_distance(known.keys, known.keys), known.residuals, groups, groups)
    value = plain.value / np.exp(moved)
    left = own - known.residuals
    of_experts, of_others = (conformal_ends(left[chosen], groups[chosen]) for chosen in (known.experts, ~known.experts))
    experts = cases.metrics == EXPERTS
    low, high = (np.exp(np.where(experts, of_experts[end], of_others[end])) for end in (0, 1))
    return SpeedEstimates(value, value * low, value * high)
