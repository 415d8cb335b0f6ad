"""The Plan: what is recommended, what else would do, why the rest will not, and where every number came from.

Records are frozen; their JSON schema is versioned, and a part that no release computes yet is absent rather than empty.
"""

import shlex
from datetime import date

from pydantic import Field

from advisor.facts import Fact, Label
from advisor.plan.beside import MeasuredNeighbour, MeasuredRun, SecondOpinion, SimulationReport, Technique
from advisor.plan.environment_records import EnvironmentReport, TogetherReport
from advisor.plan.estate_records import EstateReport
from advisor.plan.quantity import Quantity
from advisor.plan.record import PlanRecord
from advisor.plan.running_records import RunningReport
from advisor.plan.training_records import TrainingLayout
from advisor.sizing.trace import TraceValue

SCHEMA_VERSION = "1.0"


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
    """How the parts are bought: servers of `per_node`; `accelerators` bought for the ones needed, and those left idle."""

    per_node: int
    nodes: int
    accelerators: int
    idle: int


class Configuration(PlanRecord):
    """One way to carry the load. `accelerators` is what is needed, on servers that hold accelerators_per_node of them.

    sold: what has to be bought for it, absent without a server in the catalogue. owned: whether it is there already.
    layout: how a training run is spread; replicas are then its data-parallel ranks, cache format and version blank.
    role: recommended, or what an alternative is good for. against: what speaks against an alternative, with the figure.
    quality_note: what a smaller weight format costs in answers.
    """

    role: str
    accelerator: str
    accelerator_name: str
    accelerators: int
    accelerators_per_node: int
    replicas: int
    tensor_parallel: int
    pipeline_parallel: int
    precision: str
    kv_precision: str = ""
    engine: str
    engine_version: str = ""
    layout: TrainingLayout | None = None
    sold: Sold | None = None
    owned: bool = False
    estimates: dict[str, Quantity]
    rent: Rent | None = None
    against: str | None = None
    quality_note: str | None = None


class LaunchCommand(PlanRecord):
    """One command. on: where it runs, in words. line: the same, with its variables before it, quoted for a POSIX shell."""

    on: str
    arguments: tuple[str, ...]
    line: str


class LaunchSettings(PlanRecord):
    """What starts a configuration. commands: one for each server of a replica; every replica is started alike.

    environment: variables of every command. files: configuration files by name, to be written before. notes: what to know, such
    as the router before several replicas, or what the engine cannot be told.
    """

    engine: str
    version: str
    commands: tuple[LaunchCommand, ...]
    environment: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of it as a POSIX shell script: files first, then each command after a comment that says where it runs."""
        lines = []
        for name, body in self.files.items():
            written = " ".join(shlex.quote(line) for line in body.splitlines())
            lines.append(f"printf '%s\\n' {written} > {shlex.quote(name)}")
        for command in self.commands:
            lines += [f"# {command.on}", command.line]
        return "\n".join(lines) + "\n"


class TrafficFigure(PlanRecord):
    """One figure in base unit `unit`: answered, assumed, or derived by `equation`, which `filled` repeats with its numbers.

    inputs: names of what it was derived from. because: why it was assumed.
    """

    value: float
    unit: str
    label: Label
    equation: str | None = None
    filled: str | None = None
    because: str | None = None
    inputs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class TrafficFigures(PlanRecord):
    """The load at its peak, four ways, with the behaviour that connects them.

    concurrent_requests counts model calls in flight, requests_per_second what people or programs send.
    model_calls_per_second: that rate times the calls of a request. mean_requests_per_second: over all hours, where the ratio of
    peak to mean is known. grown_…: at the end of the term, where growth and term are known.
    """

    people: TrafficFigure
    active_people: TrafficFigure
    concurrent_requests: TrafficFigure
    requests_per_second: TrafficFigure
    active_share: TrafficFigure
    requests_per_active_person_per_hour: TrafficFigure
    model_calls_per_second: TrafficFigure
    mean_requests_per_second: TrafficFigure | None = None
    grown_requests_per_second: TrafficFigure | None = None
    grown_concurrent_requests: TrafficFigure | None = None


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


class Relaxation(PlanRecord):
    """One thing that, relaxed alone, would be enough: what was asked, what is needed in its place, and what would then do."""

    what: str
    asked: float | str
    needed: float | str
    unit: str
    configuration: str


class Assumption(PlanRecord):
    """A fact taken for the person: what, why, and which workload it belongs to."""

    workload: str | None
    name: str
    value: float | str | bool
    unit: str
    because: str


class AdviceReport(PlanRecord):
    """A rule that fired, with the numbers of this case in its words; also: rules that see the same cause from another side."""

    rule: str
    severity: str
    title: str
    advice: str
    because: str
    sources: tuple[str, ...]
    workload: str | None = None
    also: tuple[str, ...] = ()


class SwitchedOff(PlanRecord):
    """A rule that would have given advice and was switched off in the document, with the reason given there."""

    rule: str
    title: str
    reason: str
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
    """The plan of one workload, or of one of its models: `role` says which, `components` holds those beside the main one.

    `recommended` is absent when nothing keeps every limit; `limits` then says which one binds.
    relaxations: where nothing is recommended, each smallest change that alone would do. ranked_by: what put the recommended one
    first. running: room, spares and scaling of a service. around: host, storage, network, power, money and operations.
    measured, measured_runs: the nearest published measurements. simulation, second_opinion, techniques: of the recommended one,
    where they were asked for. launch: how its engine or training tool is started; other_launches: the same by other tools.
    traffic: the load in four ways, at its latency. not_modelled: what was stated or belongs to this kind and has no part in the
    sizes. facts: everything it was sized from, by name. trace: the calculation of the recommended configuration, or of the
    nearest refused one, by quantity; steps of `around` whose name the sizes have with another value begin with `environment_`.
    """

    name: str
    kind: str
    environment: str
    role: str | None = None
    model: ModelReport
    recommended: Configuration | None = None
    ranked_by: str | None = None
    alternatives: tuple[Configuration, ...] = ()
    limits: tuple[LimitReport, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    relaxations: tuple[Relaxation, ...] = ()
    running: RunningReport | None = None
    around: EnvironmentReport | None = None
    measured: tuple[MeasuredNeighbour, ...] = ()
    measured_runs: tuple[MeasuredRun, ...] = ()
    simulation: SimulationReport | None = None
    second_opinion: SecondOpinion | None = None
    techniques: tuple[Technique, ...] = ()
    launch: LaunchSettings | None = None
    other_launches: tuple[LaunchSettings, ...] = ()
    traffic: TrafficFigures | None = None
    not_modelled: tuple[str, ...] = ()
    considered: int = 0
    facts: dict[str, Fact] = Field(default_factory=dict)
    trace: dict[str, Step] = Field(default_factory=dict)
    components: tuple["WorkloadPlan", ...] = ()


class MadeWith(PlanRecord):
    """What made the plan; the same three and the same document make it again."""

    code: str
    knowledge: str
    rules: str


class Plan(PlanRecord):
    """Everything a plan holds. today: the day prices and terms were reckoned from. overridden: entries of the user's own.

    together: sums over all models, where there are several, each planned alone. estate: the same workloads solved as one.
    """

    schema_version: str = SCHEMA_VERSION
    name: str
    today: date
    workloads: tuple[WorkloadPlan, ...]
    together: TogetherReport | None = None
    assumptions: tuple[Assumption, ...] = ()
    advice: tuple[AdviceReport, ...] = ()
    switched_off: tuple[SwitchedOff, ...] = ()
    not_modelled: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()
    estate: EstateReport | None = None
    made_with: MadeWith

    @property
    def meets_limits(self) -> bool:
        """Whether every workload has a recommendation."""
        return all(workload.recommended is not None for workload in self.workloads)


def plan_schema() -> dict[str, object]:
    """The JSON schema of a plan."""
    return Plan.model_json_schema()
