"""Measured rows near a candidate: the nearest ones to show, and the correction that their residuals suggest.

The correction is a kernel-weighted mean of the neighbours' log residuals, shrunken towards none, in which every group of rows
(source, model, accelerator) counts once. A row never corrects itself, nor does the rest of its group.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from advisor.evidence.serving import Cases

Array = NDArray[np.float64]

# How far apart two rows are for each thing in which they differ; chosen on held-out halves of the measured table.
SAME_ATTENTION, OTHER_ATTENTION = 2.0, 3.5
SAME_GENERATION, OTHER_GENERATION = 0.3, 0.8
OTHER_ENGINE, OTHER_PERIOD, OTHER_FORMAT = 0.9, 0.25, 0.5
PER_LOG_LOAD, PER_LOG_INPUT, PER_LOG_OUTPUT, PER_DOUBLING = 0.35, 0.25, 0.15, 0.2
SHRINK = 0.6
LARGEST_RESIDUAL = 0.7
_FULL = 64.0


def neighbour_keys(cases: "Cases") -> dict[str, Any]:
    """What tells measured rows apart, for distances."""
    names = ("attention_class", "accelerator", "accelerator_class", "engine_class", "engine_period", "weight_class")
    numbers = ("running_requests", "input_tokens", "output_tokens", "accelerators_per_replica")
    found = {name: cases.columns[name] for name in (*names, *numbers)}
    return {**found, "model_id": np.array([case.question.model.id for case in cases.cases])}


def distance(rows: Mapping[str, Any], others: Mapping[str, Any]) -> Array:
    """Distance of every row (first axis) from every other (second axis), by their facts.

    Facts read: model_id, attention_class, accelerator, accelerator_class, engine_class, engine_period, weight_class,
    running_requests, input_tokens, output_tokens, accelerators_per_replica.
    """

    def pair(name: str) -> tuple[Any, Any]:
        return np.asarray(rows[name])[:, None], np.asarray(others[name])[None, :]

    def differs(name: str, cost: float) -> Any:
        mine, theirs = pair(name)
        return cost * (mine != theirs)

    mine, theirs = pair("model_id")
    model = np.where(mine == theirs, 0.0, OTHER_ATTENTION)
    kind, other_kind = pair("attention_class")
    model = np.where((mine != theirs) & (kind == other_kind), SAME_ATTENTION, model)
    part, other_part = pair("accelerator")
    generation, other_generation = pair("accelerator_class")
    total = model + np.where(part == other_part, 0.0, np.where(generation == other_generation, SAME_GENERATION, OTHER_GENERATION))
    total = (
        total
        + differs("engine_class", OTHER_ENGINE)
        + differs("engine_period", OTHER_PERIOD)
        + differs("weight_class", OTHER_FORMAT)
    )
    for name, cost, log in (
        ("running_requests", PER_LOG_LOAD, np.log),
        ("input_tokens", PER_LOG_INPUT, np.log),
        ("output_tokens", PER_LOG_OUTPUT, np.log),
        ("accelerators_per_replica", PER_DOUBLING, np.log2),
    ):
        here, there = pair(name)
        total = total + cost * np.abs(log(_finite_load(here)) - log(_finite_load(there)))
    return np.asarray(total, dtype=float)


def correction(distances: Array, residuals: Array, groups: NDArray[Any], own_groups: NDArray[Any] | None = None) -> Array:
    """The mean log residual (estimate over measured) that a row's neighbours suggest, shrunken towards zero.

    distances: rows by neighbours; residuals, groups: of the neighbours; own_groups: of the rows, none where they belong to none.
    Divide an estimate by exp(correction).
    """
    known = np.isfinite(residuals)
    near = np.exp(-distances[:, known])
    of = groups[known]
    if own_groups is not None:
        near[own_groups[:, None] == of[None, :]] = 0.0
    bounded = np.clip(residuals[known], -LARGEST_RESIDUAL, LARGEST_RESIDUAL)
    weight, total = np.full(len(distances), SHRINK), np.zeros(len(distances))
    for group in dict.fromkeys(of.tolist()):
        here = near[:, of == group]
        summed, nearest = here.sum(1), here.max(1)
        counts = nearest * summed / (summed + 0.5 * nearest + 1e-12)
        total += counts * (here @ bounded[of == group]) / np.maximum(summed, 1e-12)
        weight += counts
    return np.asarray(total / weight)


def _finite_load(values: Any) -> Any:
    """Loads of rows kept full count as a usual one: how far they are from a stated load is not what tells them apart."""
    return np.where(values > 1e8, _FULL, np.maximum(values, 1.0))
