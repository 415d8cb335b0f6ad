"""Validating training speed: measured rows against estimates in tokens per second of one accelerator.

Rows that ship with the advisor are judged by the constants of splits that left their (source, model) group out, and the figures
are the mean over the splits; other rows by the constants that ship. Errors are shares of the measured value; an interval is the
calibrated band around the estimate, wider where a constant was never measured for the row's part, precision or software.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.efficiency import Efficiency
from advisor.evidence.gauss_newton import Array
from advisor.evidence.scores import Compared, Metric, Validation, metric, worst
from advisor.evidence.table import read_table
from advisor.evidence.training_files import BAND, read_splits
from advisor.evidence.training_fit import training_layout
from advisor.evidence.training_speed import (
    COLUMNS,
    DENSE,
    EXPERTS,
    METRICS,
    TrainingCase,
    TrainingCases,
    estimate_speed,
    read_training_cases,
    shipped_training_rows,
    training_speed_constants,
)
from advisor.evidence.training_splits import Band, left_out_by
from advisor.library import Library
from advisor.sizing.efficiencies import applied_level, efficiency_columns
from advisor.sizing.serving.constants import UNSEEN_WIDENING

WORST_OF_EACH = 5
PARTS: dict[str, Callable[[TrainingCase], str]] = {
    "stack": lambda case: str(case.columns["training_stack_class"]),
    "accelerator": lambda case: case.setup.accelerator.id,
    "precision": lambda case: case.setup.training_precision,
    "method": lambda case: case.row["method"],
}


@dataclass(frozen=True)
class SpeedEstimates:
    """Estimates of rows in tokens per second of one accelerator, and the interval in which four of five should stand."""

    value: Array
    low: Array
    high: Array


def validate_training(library: Library, path: Path, *, neighbours: bool = False) -> Validation:
    """Compare every row of a table of measured training speed that states all its inputs.

    neighbours: correct each estimate by the shipped rows near it, its own group left out. Raises DocumentError for a file that
    is not such a table.
    """
    rows = read_table(path, COLUMNS)
    found = read_training_cases(library, rows)
    if not len(found):
        return Validation(
            kind="training",
            rows=len(rows),
            evaluated=0,
            left_out=dict(found.left_out),
            metrics={name: Metric(n=0) for name in METRICS},
            worst=(),
        )
    rounds = _rounds(library, found, neighbours=neighbours)
    pairs = [_compared(found, estimates, chosen) for estimates, chosen in rounds]
    flat = [each for pair in pairs for each in pair]
    by = {part: _parts(pairs, word) for part, word in PARTS.items()}
    if len(pairs) > 1:
        by["split"] = {str(number): _metrics(pair) for number, pair in enumerate(pairs, 1)}
    missed = _once([each for _, each in flat])
    return Validation(
        kind="training",
        rows=len(rows),
        evaluated=len(found),
        left_out=dict(found.left_out),
        metrics={**_mean(pairs)},
        worst=tuple(each for name in METRICS for each in worst([one for one in missed if one.metric == name], WORST_OF_EACH)),
        by=by,
        notes=_notes(pairs, found, library, neighbours=neighbours),
    )


def estimated_speed(library: Library, found: TrainingCases) -> SpeedEstimates:
    """Estimates with the constants that ship, and their intervals."""
    constants = training_speed_constants(library)
    value = np.broadcast_to(estimate_speed(found.columns, efficiency_columns(constants, found.columns)), (len(found),))
    level = {name: _band(library, name) for name in METRICS}
    return _with_bands(value, found, level, np.where(_unseen(constants, found), UNSEEN_WIDENING, 1.0))


def speed_interval(library: Library, facts: Mapping[str, Any], row: int = 0) -> Band:
    """Measured over estimated tokens per second between which four of five runs like this row stand; for plans.

    facts: as `speed_facts` makes them, for any layouts; wider where a constant rests on no measurement of its kind.
    """
    level = applied_level(library.get(Efficiency, BAND), facts, row)
    wider = UNSEEN_WIDENING if _rests_on_none(training_speed_constants(library), facts, row) else 1.0
    return level.low**wider, level.high**wider


def _rounds(library: Library, found: TrainingCases, *, neighbours: bool) -> list[tuple[SpeedEstimates, NDArray[np.bool_]]]:
    """Estimates with the rows they judge: one round for each split where rows ship with the advisor, else one."""
    shipped = _shipped(library, found)
    everything = np.ones(len(found), dtype=bool)
    plain = estimated_speed(library, found)
    if neighbours:
        from advisor.evidence.training_neighbours import corrected

        return [(corrected(library, found, plain), everything)]
    if not shipped.any():
        return [(plain, everything)]
    plan = training_layout(found)
    known = read_training_cases(library, shipped_training_rows(library.folders[0]))
    rounds = []
    vectors = read_splits(library.folders[0] / "measurements" / "training_splits.csv", plan)
    for seed, (vector, bands) in enumerate(vectors):
        left_out = left_out_by(known.groups, seed)
        chosen = np.array([group in left_out for group in found.groups.tolist()])
        value = np.broadcast_to(estimate_speed(found.columns, plan.constants(vector)), (len(found),))
        held = _with_bands(value, found, bands, np.ones(len(found)))
        mixed = SpeedEstimates(*(np.where(shipped, own, others) for own, others in zip(_of(held), _of(plain), strict=True)))
        rounds.append((mixed, chosen | ~shipped))
    return rounds


def _of(estimates: SpeedEstimates) -> tuple[Array, Array, Array]:
    return estimates.value, estimates.low, estimates.high


def _with_bands(value: Array, found: TrainingCases, bands: Mapping[str, Band], wider: Array) -> SpeedEstimates:
    experts = found.metrics == EXPERTS
    low, high = (np.where(experts, bands[EXPERTS][end], bands[DENSE][end]) ** wider for end in (0, 1))
    return SpeedEstimates(value, value * low, value * high)


def _band(library: Library, name: str) -> Band:
    level = applied_level(library.get(Efficiency, BAND), {"model_class": "moe" if name == EXPERTS else "dense"}, 0)
    return level.low, level.high


def _unseen(constants: Sequence[Efficiency], found: TrainingCases) -> NDArray[np.bool_]:
    """Rows for which some constant rests on no measurement of its kind."""
    return np.array([_rests_on_none(constants, case.columns, 0) for case in found.cases])


def _rests_on_none(constants: Sequence[Efficiency], facts: Mapping[str, Any], row: int) -> bool:
    return any(applied_level(constant, facts, row).rows == 0 for constant in constants if constant.by)


def _shipped(library: Library, found: TrainingCases) -> NDArray[np.bool_]:
    known = {(row["id"], row["source"]) for row in shipped_training_rows(library.folders[0])}
    return np.array([(case.row["id"], case.row["source"]) in known for case in found.cases])


Pair = tuple[TrainingCase, Compared]


def _compared(found: TrainingCases, of: SpeedEstimates, chosen: NDArray[np.bool_]) -> list[Pair]:
    pairs: list[Pair] = []
    for place in np.flatnonzero(chosen & np.isfinite(of.value)).tolist():
        case, measured = found.cases[place], float(found.measured[place])
        value, low, high = (float(column[place]) for column in _of(of))
        pairs.append((case, Compared(case.row["id"], case.metric, value, measured, measured, low, high)))
    return pairs


def _metrics(pairs: Sequence[Pair]) -> dict[str, Metric]:
    return {name: metric([each for _, each in pairs if each.metric == name]) for name in METRICS}


def _mean(rounds: Sequence[Sequence[Pair]]) -> dict[str, Metric]:
    """The mean of each figure over the rounds that have rows of a metric; n: the distinct rows of all rounds."""
    found: dict[str, Metric] = {}
    each = [_metrics(pairs) for pairs in rounds]
    for name in METRICS:
        those = [figures[name] for figures in each if figures[name].n]
        values = {
            field: [value for one in those if (value := getattr(one, field)) is not None]
            for field in ("mape", "median", "p90", "bias", "coverage_80")
        }
        means = {field: float(np.mean(known)) if known else None for field, known in values.items()}
        rows = {(case.row["id"], case.row["source"]) for pairs in rounds for case, one in pairs if one.metric == name}
        found[name] = Metric(n=len(rows), **means)
    return found


def _parts(rounds: Sequence[Sequence[Pair]], word: Callable[[TrainingCase], str]) -> dict[str, dict[str, Metric]]:
    """Mean figures of each part of the rows, the part with most rows first; metrics that a part has none of are left out."""
    words = {word(case) for pairs in rounds for case, _ in pairs}
    found = {
        key: {
            name: of for name, of in _mean([[pair for pair in pairs if word(pair[0]) == key] for pairs in rounds]).items() if of.n
        }
        for key in words
    }
    return dict(sorted(found.items(), key=lambda part: (-sum(one.n for one in part[1].values()), part[0])))


def _once(compared: Sequence[Compared]) -> list[Compared]:
    """Each row once, as the middle one of its splits has it."""
    found: dict[tuple[str, str], list[Compared]] = {}
    for each in compared:
        found.setdefault((each.row, each.metric), []).append(each)
    return [sorted(those, key=lambda each: each.error)[len(those) // 2] for those in found.values()]


def _notes(pairs: Sequence[Sequence[Pair]], found: TrainingCases, library: Library, *, neighbours: bool) -> tuple[str, ...]:
    notes = []
    if neighbours:
        notes.append("estimates are corrected by the shipped rows near them, never by a row of the same source and model")
    if len(pairs) > 1:
        count = int(_shipped(library, found).sum())
        notes.append(
            f"{count} of these rows ship with the advisor; figures are the mean over {len(pairs)} splits, each estimating with "
            "constants fitted on one half of the (source, model) groups the rows of the other half"
        )
        for name in METRICS:
            of = [figures[name] for figures in map(_metrics, pairs) if figures[name].n]
            if of:
                mean, inside = (np.array([getattr(one, field) or 0.0 for one in of]) for field in ("mape", "coverage_80"))
                notes.append(
                    f"{name} over the splits: mean error {mean.min():.1%} to {mean.max():.1%} (standard deviation "
                    f"{mean.std():.1%}), in 80 % band {inside.min():.1%} to {inside.max():.1%} ({inside.std():.1%})"
                )
    return tuple(notes)
