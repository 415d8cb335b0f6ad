"""What a plan says of everything around the accelerators: host, storage, network, power, money, place and operations."""

from datetime import date

from pydantic import Field

from advisor.facts import Label
from advisor.plan.quantity import Quantity
from advisor.plan.record import PlanRecord


class SubjectReport(PlanRecord):
    """One subject: figures by quantity, each with its steps in the plan's trace; things by what they are for; remarks."""

    figures: dict[str, Quantity] = Field(default_factory=dict)
    things: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class SiteLimit(PlanRecord):
    """A limit of the site or the budget: what the plan needs, what is there, both in base unit `unit`, and what would help."""

    name: str
    needed: float
    there: float
    unit: str
    holds: bool
    relax: str


class PriceUsed(PlanRecord):
    """One price behind the totals, in base unit `unit`. as_of: its day; none where it carries none, and totals with it say so."""

    what: str
    amount: float
    unit: str
    label: Label
    as_of: date | None = None
    source: str | None = None


class CostOption(PlanRecord):
    """One way to pay for it, in USD a year and over the term. undated: at least one price behind it has no day."""

    name: str
    per_year: float
    over_term: float
    undated: bool = False
    remark: str = ""


class MovedBy(PlanRecord):
    """An input of the cost over the term, its ends, and the cost at both, all else as planned."""

    name: str
    unit: str
    low: float
    high: float
    at_low: float
    at_high: float


class CostReport(PlanRecord):
    """Money, in USD; `currency` is what people are shown, one unit of it worth `worth` USD.

    paid_by: rent or purchase, the way the headline counts. options: all ways that can be computed, cheapest of the year first.
    cost_over_term has the range that its uncertain inputs give it together; moved_by: those that move it most. inference_share
    and the like stand with the plan's totals.
    """

    paid_by: str
    currency: str = "USD"
    worth: float = 1.0
    figures: dict[str, Quantity] = Field(default_factory=dict)
    options: tuple[CostOption, ...] = ()
    prices: tuple[PriceUsed, ...] = ()
    moved_by: tuple[MovedBy, ...] = ()
    limits: tuple[SiteLimit, ...] = ()
    notes: tuple[str, ...] = ()


class DeploymentReport(PlanRecord):
    """Where to run it. stated: whether the person said so; model is then theirs. lowest: the way with the least cost computed."""

    model: str
    stated: bool
    lowest: str | None = None
    because: tuple[str, ...] = ()
    would_change: tuple[str, ...] = ()
    figures: dict[str, Quantity] = Field(default_factory=dict)


class Watched(PlanRecord):
    """One metric by its real name, the value in `unit` at which to act, and what to do then."""

    metric: str
    when: str
    value: float
    unit: str
    act: str
    basis: str


class TestCommand(PlanRecord):
    """One command of a public tool that verifies the plan. line: quoted for a POSIX shell."""

    __test__ = False

    tool: str
    line: str
    verifies: str


class OperationsReport(PlanRecord):
    """Running it day by day: what to watch, the test that verifies the plan, versions, and when to look at it again."""

    metrics: tuple[Watched, ...] = ()
    tests: tuple[TestCommand, ...] = ()
    versions: tuple[str, ...] = ()
    next_review: date
    review_because: str
    figures: dict[str, Quantity] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class AssumedAround(PlanRecord):
    """Something taken for the person that the environment rests on."""

    name: str
    value: float | str
    unit: str
    because: str


class EnvironmentReport(PlanRecord):
    """Everything around the accelerators of one workload. nodes: servers for the load and its spares."""

    nodes: int
    accelerators: int
    server: str
    host: SubjectReport
    storage: SubjectReport
    network: SubjectReport
    power: SubjectReport
    limits: tuple[SiteLimit, ...] = ()
    cost: CostReport
    deployment: DeploymentReport
    operations: OperationsReport
    assumed: tuple[AssumedAround, ...] = ()


class TogetherReport(PlanRecord):
    """Sums over all workloads and the models beside them. unpriced: those without a cost, which the sums then leave out."""

    figures: dict[str, Quantity]
    unpriced: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
