"""Fitting constants to measured rows: maximum a posteriori by damped Gauss-Newton on relative errors.

Residuals are relative errors under a pseudo-Huber loss, so that a few absurd rows do not decide; every group of rows (source,
model, accelerator) counts with a power of its size, so that a large group does not drown the small ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.evidence.families import FAMILIES, Family
from advisor.evidence.gauss_newton import Array, Shape, minimise
from advisor.evidence.serving import Cases, estimate

# Hyper-parameters of the fit, chosen on held-out halves of the same table; they shape how far constants move, not what they are.
SHAPE = Shape(prior_weight=1.2, loss_scale=0.1, enough=5e-4)
GROUP_POWER = 0.25
DATA_WEIGHT = 0.15
FIRST_TOKEN_WEIGHT = 0.5
FIRST_TOKEN_POWER = 0.7
PRIMARY = ("time_per_output_token", "batch_latency", "batch_first_token", "offline_token_rate")


@dataclass(frozen=True)
class Layout:
    """Where each family's keys stand in the vector of logarithms, and which of them each row has."""

    families: tuple[Family, ...]
    keys: tuple[tuple[str, ...], ...]
    starts: tuple[int, ...]
    index: tuple[NDArray[np.int64] | None, ...]
    common: tuple[int | None, ...]
    centre: Array
    spread: Array

    def constants(self, vector: Array, rows: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """The constants of each row as columns."""
        values = np.exp(vector)
        found: dict[str, Any] = {}
        for family, start, index, shared in zip(self.families, self.starts, self.index, self.common, strict=True):
            level = values[shared] if shared is not None else 1.0
            if index is None:
                found[family.name] = values[start] * level
            else:
                found[family.name] = values[start + (index if rows is None else index[rows])] * level
        return found


def layout(columns: Mapping[str, Any], size: int, families: Sequence[Family] = FAMILIES) -> Layout:
    """The vector's layout for rows of facts."""
    keys: list[tuple[str, ...]] = []
    starts: list[int] = []
    index: list[NDArray[np.int64] | None] = []
    common: list[int | None] = []
    centre: list[float] = []
    spread: list[float] = []
    for family in families:
        words, places = _keys(family.by, columns, size)
        keys.append(words)
        starts.append(len(centre))
        index.append(places)
        centre += [float(np.log(family.by_key.get(word, family.typical))) for word in words]
        spread += [family.spread] * len(words)
        if family.by and family.common > 0 and len(words) > 1:
            common.append(len(centre))
            centre.append(0.0)
            spread.append(family.common)
        else:
            common.append(None)
    return Layout(tuple(families), tuple(keys), tuple(starts), tuple(index), tuple(common), np.array(centre), np.array(spread))


def fit(cases: Cases, plan: Layout, rows: NDArray[np.bool_], *, start: Array | None = None, iterations: int = 14) -> Array:
    """The vector of logarithms that fits the chosen rows best, starting from the priors' centres."""
    columns = taken(cases.columns, rows)
    first = cases.measured("time_to_first_token")[rows]
    primary = _primary(cases)[rows]
    kind = _kinds(cases)[rows]
    size = int(rows.sum())
    weights = _weights(cases.groups[rows], first)
    known = weights > 0
    logs = np.log(np.concatenate([primary, np.where(np.isfinite(first), first, 1.0)]))
    fixed = {name: value for name, value in columns.items()}

    def residuals(vector: Array) -> Array:
        values = estimate(fixed, plan.constants(vector, rows))
        estimated = np.choose(kind, [np.broadcast_to(values[name], (size,)) for name in PRIMARY])
        both = np.concatenate([estimated, np.broadcast_to(values["time_to_first_token"], (size,))])
        difference = np.clip(np.log(np.maximum(both, 1e-12)) - logs, -3, 1.5)
        difference[~known] = 0
        first_token = np.expm1(FIRST_TOKEN_POWER * difference[size:]) / FIRST_TOKEN_POWER
        return np.asarray(np.concatenate([np.expm1(difference[:size]), first_token]), dtype=float)

    return minimise(residuals, plan, rows, weights, SHAPE, start=start, iterations=iterations)


def taken(columns: Mapping[str, Any], rows: NDArray[np.bool_]) -> dict[str, Any]:
    """The chosen rows of every column; a value that all rows share stays as it is."""
    return {name: array[..., rows] if (array := np.asarray(column)).ndim else column for name, column in columns.items()}


def _primary(cases: Cases) -> Array:
    """Each row's main figure: what its kind of measurement is about."""
    measured = [cases.measured(name) for name in PRIMARY]
    return np.asarray(np.choose(_kinds(cases), measured), dtype=float)


def _kinds(cases: Cases) -> NDArray[np.int64]:
    return np.array([next(place for place, name in enumerate(PRIMARY) if name in _names(case.measured)) for case in cases.cases])


def _names(measured: Mapping[str, float]) -> set[str]:
    # A row with a first-token time alone is fitted by it; its main figure is then never looked at.
    return set(measured) if set(measured) & set(PRIMARY) else {PRIMARY[0]}


def _weights(groups: NDArray[np.str_], first: Array) -> Array:
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    weights = counts[inverse] ** -GROUP_POWER
    weights = weights * len(groups) / weights.sum() * DATA_WEIGHT
    both = np.concatenate([weights, np.where(np.isfinite(first), weights * FIRST_TOKEN_WEIGHT, 0)])
    return np.asarray(both, dtype=float)


def _keys(by: tuple[str, ...], columns: Mapping[str, Any], size: int) -> tuple[tuple[str, ...], NDArray[np.int64] | None]:
    if not by:
        return ("all",), None
    words = np.array(["/".join(parts) for parts in zip(*(columns[name].tolist() for name in by), strict=True)])
    distinct, places = np.unique(words, return_inverse=True)
    assert len(places) == size
    return tuple(str(word) for word in distinct), places.astype(np.int64)
