"""What stands beside the estimates of a plan: published measurements, a simulation under traffic, another tool's figures."""

from pydantic import Field

from advisor.plan.quantity import Quantity
from advisor.plan.record import PlanRecord


class MeasuredNeighbour(PlanRecord):
    """A published measurement near the recommended configuration, with its conditions; times in seconds, rate in tokens/s.

    requests: in flight at once; none where as many were kept as fit. differs: what sets it apart from the configuration, in
    words. estimated_over_measured: by quantity, how the formulas fare on this row when its source, model and accelerator are
    kept out of the fit.
    """

    id: str
    source: str
    url: str
    model: str
    accelerator: str
    accelerators: float
    tensor_parallel: float | None = None
    precision: str
    engine: str
    engine_version: str
    input_tokens: float
    output_tokens: float
    requests: float | None = None
    time_to_first_token: float | None = None
    time_per_output_token: float | None = None
    output_token_rate: float | None = None
    differs: tuple[str, ...] = ()
    estimated_over_measured: dict[str, float] = Field(default_factory=dict)


class MeasuredRun(PlanRecord):
    """A published training run near the recommended layout: tokens per second of one accelerator, and what sets it apart."""

    id: str
    source: str
    model: str
    accelerator: str
    accelerators: float
    tokens_per_second_per_accelerator: float
    differs: tuple[str, ...] = ()


class Technique(PlanRecord):
    """A way of serving that was asked for, worked out on the recommended configuration. pays: whether it gains at this load."""

    name: str
    pays: bool
    says: str
    figures: dict[str, Quantity]


class SimulatedTimes(PlanRecord):
    """A time over the requests served, in seconds; none where no request has one."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


class SimulationReport(PlanRecord):
    """What a simulation of all replicas gave.

    requests: all that arrived; served, rejected (no replica could ever hold them) and preempted (computed again at least once)
    among them. busiest_cache_share: largest share of its KV blocks that a replica ever used. overloaded: the rate is above what
    the replicas answer in the long run, so that times grow with the horizon. method: how it was done, in words.
    """

    time_to_first_token: SimulatedTimes
    time_per_output_token: SimulatedTimes
    request_latency: SimulatedTimes
    requests: int
    served: int
    rejected: int
    preempted: int
    busiest_cache_share: float
    requests_per_second: float
    overloaded: bool
    method: str


class SecondFigure(PlanRecord):
    """One quantity of both, in its base unit. difference: how far the peer's lies from ours, as a share of ours."""

    ours: float | None
    peers: float
    unit: str
    difference: float | None


class SecondOpinion(PlanRecord):
    """What another tool says of a configuration, or why it says nothing.

    database: the tables it read, which may be of another engine version than the plan's. caution: why it calls its own figures
    inexact. refused: why there are none; the plan stands as it is.
    """

    tool: str
    version: str | None = None
    database: str | None = None
    figures: dict[str, SecondFigure] = Field(default_factory=dict)
    caution: str | None = None
    refused: str | None = None
