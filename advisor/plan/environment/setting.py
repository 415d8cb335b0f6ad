"""What is set up: the recommended configuration with its spares, on which servers, for which load, and where."""

from dataclasses import dataclass
from datetime import date

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.server import Server
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.plan import Configuration, Rent, WorkloadPlan
from advisor.plan.rents import Rents
from advisor.workload.document import Document, Workload

_USUAL_PEAK_TO_MEAN = 3.0
_OWNED = ("on-premises", "colocation", "workstation", "edge")
_CARD_LINKS = ("none", "pcie", "nvlink-bridge")
_TRUSTED = ("system", "module")


@dataclass(frozen=True)
class Setting:
    """One workload as it will stand.

    per_node, nodes: servers as they are sold for the load and its spares. replicas: those needed, provisioned: with spares.
    accelerators: of all provisioned ones. calls: model calls, or items, a second at the peak. beside: it is a model beside the
    main one, which shares its services. runs: it trains. rent: of everything provisioned.
    """

    library: Library
    document: Document
    workload: Workload
    plan: WorkloadPlan
    chosen: Configuration
    rents: Rents
    today: date
    part: Accelerator
    server: Server | None
    per_node: int
    nodes: int
    replicas: int
    provisioned: int
    accelerators: int
    rent: Rent | None
    deployment: str
    deployment_stated: bool
    runs: bool
    beside: bool
    input_tokens: float
    output_tokens: float
    calls: float
    requests: float
    peak_to_mean: float
    peak_to_mean_because: str

    @property
    def bought(self) -> bool:
        """Whether the place is one where hardware is bought."""
        return self.deployment in _OWNED

    @property
    def server_name(self) -> str:
        """The server in words."""
        if self.server is not None:
            return self.server.name
        return f"{self.per_node} × {self.part.name}"

    @property
    def text(self) -> bool:
        """Whether it reads and writes text, token by token or item by item."""
        return self.input_tokens > 0

    def traced(self, name: str) -> float | None:
        """A number of the workload's own calculation, if it has it."""
        step = self.plan.trace.get(name)
        return float(step.value) if step is not None and isinstance(step.value, int | float) else None


def setting(
    library: Library,
    document: Document,
    workload: Workload,
    plan: WorkloadPlan,
    rents: Rents,
    today: date,
) -> Setting:
    """The setting of a planned workload or of a model beside one; its plan must recommend something."""
    chosen = plan.recommended
    assert chosen is not None
    runs = chosen.layout is not None
    per_replica = max(1, chosen.accelerators // max(1, chosen.replicas))
    spares = plan.running.spares if plan.running is not None and plan.running.spares else 0
    provisioned = chosen.replicas + spares
    accelerators = chosen.accelerators + spares * per_replica
    sold, rent = chosen.sold, chosen.rent
    if spares and not chosen.owned:
        sold = rents.sold(chosen.accelerator, provisioned, per_replica)
        rent = rents.of(chosen.accelerator, provisioned, per_replica)
    part = library.get(Accelerator, chosen.accelerator)
    per_node = sold.per_node if sold is not None else _composed(part, chosen, accelerators)
    nodes = sold.nodes if sold is not None else -(-accelerators // per_node)
    stated = document.site.deployment if document.site else None
    ratio, because = _peak_to_mean(workload, plan)
    facts = {name: fact.value for name, fact in plan.facts.items()}
    calls, requests = _rates(plan)
    return Setting(
        library=library,
        document=document,
        workload=workload,
        plan=plan,
        chosen=chosen,
        rents=rents,
        today=today,
        part=part,
        server=_server(library, chosen.accelerator, per_node),
        per_node=per_node,
        nodes=nodes,
        replicas=chosen.replicas,
        provisioned=provisioned,
        accelerators=accelerators,
        rent=rent,
        deployment=stated or "cloud",
        deployment_stated=stated is not None,
        runs=runs,
        beside=plan.role is not None,
        input_tokens=_number(facts.get("input_tokens")) or _number(facts.get("tokens_per_item")),
        output_tokens=_number(facts.get("output_tokens")),
        calls=calls,
        requests=requests,
        peak_to_mean=ratio,
        peak_to_mean_because=because,
    )


def _composed(part: Accelerator, chosen: Configuration, accelerators: int) -> int:
    """Accelerators of a server that the catalogue does not have: boards come whole, cards and rented parts as many as needed."""
    board = part.scale_up is not None and part.scale_up.kind not in _CARD_LINKS and part.data_centre != "cloud-only"
    if chosen.owned or board:
        return chosen.accelerators_per_node
    return min(chosen.accelerators_per_node, accelerators)


def _server(library: Library, accelerator: str, per_node: int) -> Server | None:
    """A server of this size in the catalogue: one whose power its maker states, else one with a height, else the first."""
    fitting = [each for each in library.all(Server) if each.accelerator == accelerator and each.accelerator_count == per_node]
    ranked = sorted(fitting, key=lambda each: (each.power_scope not in _TRUSTED, each.rack_units is None))
    return ranked[0] if ranked else None


def _peak_to_mean(workload: Workload, plan: WorkloadPlan) -> tuple[float, str]:
    fact = plan.facts.get("peak_to_mean")
    if fact is not None and isinstance(fact.value, int | float):
        return float(fact.value), fact.origin.because or "as stated"
    if workload.kind in ("batch-inference", "evaluation"):
        return 1.0, "work that waits in a queue runs at an even load"
    return _USUAL_PEAK_TO_MEAN, "business hours usually peak at three to five times the mean of all hours"


def _rates(plan: WorkloadPlan) -> tuple[float, float]:
    """Model calls or items a second at the peak, and requests that people or programs send."""
    if plan.traffic is not None:
        return plan.traffic.model_calls_per_second.value, plan.traffic.requests_per_second.value
    chosen = plan.recommended
    rate = chosen.estimates.get("items_needed_per_second") if chosen is not None else None
    return (rate.value, rate.value) if rate is not None else (0.0, 0.0)


def _number(value: FactValue | None) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
