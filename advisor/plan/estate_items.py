"""What has to be placed in an estate: each workload and each model beside it, with whom it may stand, and how it may be carried.

Replicas of one model are never another's, but servers are shared by whatever may share them. Production stands apart from the
rest; what is confidential, personal, regulated or secret stands with data of its own kind, secret data and what may not share
machines only with its own project; workloads whose data must stay in a place stand with others that must stay there.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.plan.estate_options import Option, option_of
from advisor.plan.one_workload import PlannedWorkload
from advisor.plan.plan import WorkloadPlan
from advisor.workload.budget import YEAR
from advisor.workload.document import Document, Workload

# Data of these kinds share machines with nothing else; the others share with one another.
_APART = ("confidential", "personal", "regulated", "secret")
_MONTHS = 12


@dataclass(frozen=True)
class Runs:
    """What runs and ends. within: seconds in which a run must be done, none without a deadline; per_year: how many there are."""

    within: float | None
    per_year: float


@dataclass(frozen=True)
class Item:
    """One thing to place. rate: requests a second that it must carry, by which those who share replicas pay.

    instead_of: the items that this one may stand in place of, all of them or none.
    """

    name: str
    members: tuple[str, ...]
    environment: str
    sharing: str
    options: tuple[Option, ...]
    asked: str
    spares: Mapping[int, int] = field(default_factory=dict)
    runs: Runs | None = None
    growth: float = 0.0
    rate: float | None = None
    instead_of: tuple[str, ...] = ()

    def replicas(self, option: Option) -> int:
        """Replicas of an option, with the spares that its availability asks for."""
        return option.replicas + self.spares_of(option)

    def spares_of(self, option: Option) -> int:
        """Spares of the recommended replicas; in proportion where an option has more of them."""
        if not self.spares:
            return 0
        needed, spares = next(iter(self.spares.items()))
        return math.ceil(spares * max(1.0, option.replicas / needed))

    def grown(self, factor: float, option: Option) -> int:
        """Replicas of an option, spares apart, when the load is `factor` times as high: by its rate, or in proportion."""
        by_load = option.replicas * factor
        known = next((one.load for one in self.options if one == option and one.load is not None), None)
        if known is not None:
            by_load = min(by_load, known() * factor)
        return max(option.replicas, math.ceil(by_load - 1e-9))

    def as_chosen(self, option: Option) -> "Item":
        """The same, with one option left."""
        return replace(self, options=(option,))


def items_of(document: Document, planned: Sequence[PlannedWorkload]) -> tuple[Item, ...]:
    """The items of a document, in its order; a workload without a recommendation has none."""
    owners = _projects(document)
    found: list[Item] = []
    for workload, each in zip(document.workloads, planned, strict=True):
        plan = each.plan
        if plan.recommended is None:
            continue
        sharing = _sharing(workload, plan, owners.get((workload.name or "").casefold(), ""))
        found.append(_item(plan.name, plan, workload, each.options, sharing))
        for beside in plan.components:
            if beside.recommended is not None:
                name = f"{plan.name} / {beside.role or beside.name}"
                found.append(
                    replace(_item(name, beside, workload, (), sharing), members=(plan.name,), asked=_mark(workload, name))
                )
    return tuple(found)


def _item(name: str, plan: WorkloadPlan, workload: Workload, options: Sequence[Option], sharing: str) -> Item:
    assert plan.recommended is not None
    recommended = option_of(plan.recommended)
    others = options or tuple(option_of(each) for each in plan.alternatives if each.quality_note is None)
    running = plan.running
    growth = workload.traffic.growth_per_year if workload.traffic else None
    calls = plan.traffic.model_calls_per_second.value if plan.traffic else None
    ends = recommended.time is not None
    return Item(
        name=name,
        members=(name,),
        environment=plan.environment,
        sharing=sharing,
        options=_once((recommended, *others)),
        asked=_mark(workload),
        spares={recommended.replicas: running.spares} if running and running.spares else {},
        runs=Runs(_deadline(workload), (workload.runs_per_month or 1 / _MONTHS) * _MONTHS) if ends else None,
        growth=0.0 if ends else (growth or 0.0),
        rate=calls,
    )


def _once(options: Sequence[Option]) -> tuple[Option, ...]:
    """Each option once, in the order given, as the one that knows its load where there is such a one."""
    knowing = {option: option for option in options if option.load is not None}
    return tuple(knowing.get(option, option) for option in dict.fromkeys(options))


def _deadline(workload: Workload) -> float | None:
    return workload.finish_within or (workload.targets.finish_within if workload.targets else None)


def _mark(workload: Workload, name: str = "") -> str:
    """A mark of what is asked of a workload, its name, deadline and growth left out: these move nothing that still keeps them."""
    body = workload.model_dump(mode="json", exclude={"name", "finish_within", "runs_per_month"}, exclude_defaults=True)
    (body.get("targets") or {}).pop("finish_within", None)
    (body.get("traffic") or {}).pop("growth_per_year", None)
    kept = {key: value for key, value in body.items() if value}
    return hashlib.sha256(json.dumps([kept, name], sort_keys=True).encode()).hexdigest()[:16]


def _projects(document: Document) -> dict[str, str]:
    return {
        name.casefold(): project.name
        for project in (document.estate.projects if document.estate else ())
        for name in project.workloads
    }


def _sharing(workload: Workload, plan: WorkloadPlan, project: str) -> str:
    """With whom a workload may stand, in words; only those with the same words share servers."""
    words = ["production" if plan.environment == "production" else "development, evaluation and training"]
    data = workload.data
    if data is not None:
        if data.sensitivity in _APART:
            words.append(f"{data.sensitivity} data")
        if data.sensitivity == "secret" or data.shared_tenancy is False:
            words.append(f"only {project or plan.name}")
        if data.residency:
            words.append(f"in {', '.join(sorted(data.residency))}")
    return " · ".join(words)


def busy(item: Item, option: Option) -> float:
    """Part of the year that the runs of an option take; 1 for a service."""
    if item.runs is None or option.time is None:
        return 1.0
    return option.time * item.runs.per_year / YEAR
