"""The Plan: what is recommended, what else would do, why the rest will not, and where every number came from.

Records are frozen; their JSON schema is versioned, and a part that no release computes yet is absent rather than empty.
"""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from advisor.facts import Fact, Label
from advisor.sizing.trace import TraceValue

SCHEMA_VERSION = "1.0"


class PlanRecord(BaseModel):
    """A frozen part of a plan."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Quantity(PlanRecord):
    """A number as a reader needs it: value in base unit `unit`, its 80 % interval if it is uncertain, and how it is known."""

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    label: Label


class Step(PlanRecord):
    """One quantity of the calculation: its value, and for a formula the equation as tested and with the numbers put in.

    inputs: names of the steps it was made from. applies: the condition under which this variant of the formula counts.
    """

    value: TraceValue
    unit: str
    low: float | None = None
    high: float | None = None
    label: Label
    summary: str | None = None
    equation: str | None = None
    filled: str | None = None
    applies: str | None = None
    because: str | None = None
    sources: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


class Rent(PlanRecord):
    """Rent of the instances that hold a configuration, at one dated list price; per_instance and total in USD per second.

    accelerators: those of the instances, idle ones included. Spot and committed prices are not used here.
    """

    total: float
    instances: int
    per_instance: float
    accelerators: int
    provider: str
    instance: str
    region: str | None
    as_of: date
    source: str


class Sold(PlanRecord):
    """How the parts are sold: boards or servers of `per_node`; `accelerators` bought for the ones needed, and those left idle."""

    per_node: int
    nodes: int
    accelerators: int
    idle: int


class Configuration(PlanRecord):
    """One way to carry the load. `accelerators` is what is needed, `sold` what has to be taken.

    role: recommended, or what an alternative is good for. against: what speaks against an alternative, with the figure.
    quality_note: what a smaller weight format costs in answers.
    """

    role: str
    accelerator: str
    accelerator_name: str
    accelerators: int
    replicas: int
    tensor_parallel: int
    pipeline_parallel: int
    precision: str
    kv_precision: str
    engine: str
    engine_version: str
    sold: Sold
    estimates: dict[str, Quantity]
    rent: Rent | None = None
    against: str | None = None
    quality_note: str | None = None


class LimitReport(PlanRecord):
    """A limit that refused candidates: what it says, how many it refused, the nearest of them, what that lacks, what would help.

    binding: it is the one that decides, since without it there would be a plan or a smaller one.
    """

    name: str
    says: str
    refused: int
    binding: bool = False
    nearest: str | None = None
    short_by: float | None = None
    unit: str | None = None
    relax: str


class NearMiss(PlanRecord):
    """The next smaller configuration of the recommended kind, which limit refuses it, and by how much."""

    configuration: str
    accelerators: int
    limit: str
    says: str
    short_by: float | None = None
    unit: str | None = None


class Assumption(PlanRecord):
    """A fact taken for the person: what, why, and which workload it belongs to."""

    workload: str | None
    name: str
    value: float | str | bool
    unit: str
    because: str


class AdviceReport(PlanRecord):
    """A rule that fired, with the numbers of this case in its words."""

    rule: str
    severity: str
    title: str
    advice: str
    because: str
    sources: tuple[str, ...]
    workload: str | None = None


class ModelReport(PlanRecord):
    """The model that was sized, and how well its shape is known."""

    id: str
    name: str
    parameters: float
    active_parameters: float | None = None
    context: int | None = None
    attention: str
    basis: str | None = None
    sources: tuple[str, ...] = ()


class WorkloadPlan(PlanRecord):
    """The plan of one workload. `recommended` is absent when nothing keeps every limit; `limits` then says which one binds.

    ranked_by: what put the recommended one first. facts: everything it was sized from, by name. trace: the calculation of the
    recommended configuration, or of the nearest refused one, by quantity.
    """

    name: str
    kind: str
    environment: str
    model: ModelReport
    recommended: Configuration | None = None
    ranked_by: str | None = None
    alternatives: tuple[Configuration, ...] = ()
    limits: tuple[LimitReport, ...] = ()
    near_miss: NearMiss | None = None
    considered: int = 0
    facts: dict[str, Fact] = Field(default_factory=dict)
    trace: dict[str, Step] = Field(default_factory=dict)


class MadeWith(PlanRecord):
    """What made the plan; the same three and the same document make it again."""

    code: str
    knowledge: str
    rules: str


class Plan(PlanRecord):
    """Everything a plan holds. today: the day prices and terms were reckoned from. overridden: entries of the user's own."""

    schema_version: str = SCHEMA_VERSION
    name: str
    today: date
    workloads: tuple[WorkloadPlan, ...]
    assumptions: tuple[Assumption, ...] = ()
    advice: tuple[AdviceReport, ...] = ()
    not_modelled: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    made_with: MadeWith

    @property
    def meets_limits(self) -> bool:
        """Whether every workload has a recommendation."""
        return all(workload.recommended is not None for workload in self.workloads)


def plan_schema() -> dict[str, object]:
    """The JSON schema of a plan."""
    return Plan.model_json_schema()
