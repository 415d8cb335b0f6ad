"""How estimates compare with measured values: error, bias and coverage, the same figures for every kind of validation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True)
class Compared:
    """One estimate beside its measured value.

    scale: what the error is a share of (the measured value, or a card's memory). low, high: the 80 % interval, if there is one.
    """

    row: str
    metric: str
    estimated: float
    measured: float
    scale: float
    low: float | None = None
    high: float | None = None

    @property
    def error(self) -> float:
        """Signed error as a fraction of the scale; positive where the estimate is too high."""
        return (self.estimated - self.measured) / self.scale


class Metric(BaseModel):
    """Figures over the compared rows, as fractions. coverage_80: share of measured values inside their 80 % interval."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    mape: float | None = None
    median: float | None = None
    p90: float | None = None
    bias: float | None = None
    coverage_80: float | None = None


class Starts(BaseModel):
    """Starts called: failures that were real, those called; starts that were real, those refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    failures: int
    called: int
    started: int
    refused: int


class OutOfMemory(BaseModel):
    """Runs that ended out of memory, and how many of them the estimate calls so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    right: int


class Worked(BaseModel):
    """Runs that worked, and how many of them the estimate refuses."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    refused: int


class Worst(BaseModel):
    """One of the rows an estimate misses most."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    row: str
    metric: str
    estimated: float
    measured: float
    error: float


class Validation(BaseModel):
    """What `advisor validate` prints: rows read, evaluated and left out with the reason, figures per metric, worst rows.

    by: the same figures for parts of the rows, as `by["engine"]["vllm"]["tpot"]`. notes: what to know when reading them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    rows: int
    evaluated: int
    left_out: dict[str, int]
    metrics: dict[str, Metric | Starts | OutOfMemory | Worked]
    worst: tuple[Worst, ...]
    by: dict[str, dict[str, dict[str, Metric]]] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


def metric(compared: Sequence[Compared]) -> Metric:
    """Figures of one metric. bias is the mean signed error."""
    if not compared:
        return Metric(n=0)
    errors = np.array([each.error for each in compared])
    sizes = np.abs(errors)
    bounded = [each for each in compared if each.low is not None and each.high is not None]
    inside = [each.low <= each.measured <= each.high for each in bounded if each.low is not None and each.high is not None]
    return Metric(
        n=len(errors),
        mape=float(sizes.mean()),
        median=float(np.median(sizes)),
        p90=float(np.quantile(sizes, 0.9)),
        bias=float(errors.mean()),
        coverage_80=float(np.mean(inside)) if inside else None,
    )


def worst(compared: Sequence[Compared], count: int = 10) -> tuple[Worst, ...]:
    """The rows missed most, largest error first."""
    ordered = sorted(compared, key=lambda each: (-abs(each.error), each.row, each.metric))
    return tuple(
        Worst(row=each.row, metric=each.metric, estimated=each.estimated, measured=each.measured, error=each.error)
        for each in ordered[:count]
    )
