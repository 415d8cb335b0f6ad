"""What a plan holds of an estate: servers that workloads share, who stands on which, what it costs whom, and how it grows.

Costs are USD per second at list prices; they add up over servers, projects, departments, applications and environments alike.
"""

from datetime import date

from advisor.plan.record import PlanRecord


class EstateServer(PlanRecord):
    """One server. kind: the line of the bill it belongs to. sharing: who may stand on it. free: accelerators nobody uses."""

    name: str
    kind: str
    accelerator: str
    accelerators: int
    owned: bool = False
    sharing: str
    free: int


class OnServer(PlanRecord):
    """What one placement has on one server: whole replicas, or a part of one that spans several servers."""

    server: str
    accelerators: int


class EstatePlacement(PlanRecord):
    """One workload, or several that share replicas, on servers.

    accelerators: of one replica. replicas: all of them, spares among them. on: where they stand; empty for a run that rents its
    accelerators while it lasts. lane: the run whose accelerators this one takes turns on, its own name where it leads. time:
    seconds of one run; busy: part of the year that its runs take. asked: a mark of what was asked, by which a later plan knows
    that it is the same. cost: its part of all that is paid.
    """

    workload: str
    members: tuple[str, ...]
    environment: str
    sharing: str
    accelerator: str
    accelerators: int
    replicas: int
    spares: int = 0
    precision: str = ""
    on: tuple[OnServer, ...] = ()
    lane: str | None = None
    time: float | None = None
    busy: float = 1.0
    asked: str
    cost: float = 0.0


class BillLine(PlanRecord):
    """Servers of one kind. each: cost of one, none without a dated price. as_of, source: of that price."""

    kind: str
    accelerator: str
    accelerators: int
    count: int
    owned: bool = False
    each: float | None = None
    cost: float = 0.0
    as_of: date | None = None
    source: str | None = None


class CostLine(PlanRecord):
    """A part of the cost, and its share of all."""

    name: str
    cost: float
    share: float


class EstateChange(PlanRecord):
    """A placement that is not as it was in the plan before, and why it had to change."""

    workload: str
    before: str
    after: str
    because: str


class EstateLimit(PlanRecord):
    """A limit of the whole estate that its cheapest plan breaks: what was asked, what is needed, in `unit`."""

    name: str
    asked: float
    needed: float
    unit: str
    relax: str


class GrowthStep(PlanRecord):
    """The estate after some time of growth. added: what is bought or rented then beside what stands already. cost: of all."""

    after: float
    added: tuple[BillLine, ...] = ()
    grown: tuple[str, ...] = ()
    accelerators: int
    cost: float


class Unplaced(PlanRecord):
    """A workload that stands nowhere, and the limit that keeps it out."""

    workload: str
    limit: str
    says: str


class EstateReport(PlanRecord):
    """Several workloads solved as one.

    gap: how far the cost may be above the least, as a share of it; nodes: of the search; stopped: by gap or node count, never by
    the clock. idle_share: of the accelerators that stand, those that nobody uses. bill: servers, then runs that rent while they
    last. pooled: workloads that share replicas. changes: against the plan before, where one was given; cost_anew: of a plan that
    owes nothing to it.
    """

    servers: tuple[EstateServer, ...]
    placements: tuple[EstatePlacement, ...]
    bill: tuple[BillLine, ...]
    cost: float
    by_project: tuple[CostLine, ...] = ()
    by_department: tuple[CostLine, ...] = ()
    by_application: tuple[CostLine, ...] = ()
    by_environment: tuple[CostLine, ...] = ()
    idle_share: float
    gap: float
    nodes: int
    stopped: str
    limits: tuple[EstateLimit, ...] = ()
    unplaced: tuple[Unplaced, ...] = ()
    changes: tuple[EstateChange, ...] | None = None
    cost_anew: float | None = None
    growth: tuple[GrowthStep, ...] = ()
    notes: tuple[str, ...] = ()
