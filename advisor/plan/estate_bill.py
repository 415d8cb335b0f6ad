"""What an estate costs and whom: the bill by kind of server, and its split by use; every split adds up to the bill."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from advisor.errors import DocumentError
from advisor.plan.estate_floor import Floor, Placed
from advisor.plan.estate_items import busy
from advisor.plan.estate_model import servers_for
from advisor.plan.estate_records import BillLine, CostLine
from advisor.plan.estate_supply import Kind
from advisor.workload.document import Document

NO_PROJECT, NO_DEPARTMENT = "no project", "no department"


@dataclass(frozen=True)
class Bill:
    """Lines of the bill, and the cost of each placed item, in USD per second; what has no dated price costs nothing here."""

    lines: tuple[BillLine, ...]
    by_item: Mapping[str, float]

    @property
    def total(self) -> float:
        """All of it."""
        return sum(line.cost for line in self.lines)


def bill_of(floor: Floor) -> Bill:
    """The bill of a floor. A server is paid by those on it, by accelerators used and, where runs take turns, by their time."""
    lines: dict[str, BillLine] = {}
    for server in floor.servers.values():
        kind = server.kind
        known = lines.get(kind.id) or _line(kind, kind.id)
        lines[kind.id] = known.model_copy(update={"count": known.count + 1, "cost": known.cost + (kind.rate or 0.0)})
    by_item: dict[str, float] = defaultdict(float)
    for each in floor.placed.values():
        if each.alone is not None:
            line = _while_it_runs(each, each.alone)
            lines[line.kind] = line
            by_item[each.item.name] += line.cost
        elif each.lane in (None, each.item.name):
            cost = sum(
                (floor.servers[name].kind.rate or 0.0) * accelerators / floor.servers[name].used for name, accelerators in each.on
            )
            riding = floor.riding(each.item.name) if each.lane is not None else [each]
            times = [busy(one.item, one.option) for one in riding]
            for one, time in zip(riding, times, strict=True):
                by_item[one.item.name] += cost * time / sum(times)
    return Bill(tuple(lines.values()), dict(by_item))


def added(before: Sequence[BillLine], after: Sequence[BillLine]) -> tuple[BillLine, ...]:
    """What the later bill has beside the earlier one."""
    counts = {line.kind: line.count for line in before}
    more = [(line, line.count - counts.get(line.kind, 0)) for line in after]
    return tuple(
        line.model_copy(update={"count": number, "cost": line.cost * number / line.count}) for line, number in more if number > 0
    )


def split(total: float, parts: Iterable[tuple[str, float]]) -> tuple[CostLine, ...]:
    """Costs under the same name added up, the highest first."""
    sums: dict[str, float] = defaultdict(float)
    for name, cost in parts:
        sums[name] += cost
    lines = sorted(sums.items(), key=lambda each: (-each[1], each[0]))
    return tuple(CostLine(name=name, cost=cost, share=cost / total if total else 0.0) for name, cost in lines)


def by_workload(floor: Floor, bill: Bill, rates: Mapping[str, float]) -> dict[str, float]:
    """Cost of each workload; those that share replicas pay by their requests."""
    costs: dict[str, float] = defaultdict(float)
    for each in floor.placed.values():
        weights = [rates.get(name, 1.0) for name in each.item.members]
        for name, weight in zip(each.item.members, weights, strict=True):
            costs[name] += bill.by_item.get(each.item.name, 0.0) * weight / sum(weights)
    return dict(costs)


def by_project(document: Document, costs: Mapping[str, float]) -> list[tuple[str, str, float]]:
    """(project, department, cost): stated shares of the whole first, the rest by each project's own workloads.

    Raises DocumentError where the shares are more than the whole.
    """
    projects = document.estate.projects if document.estate else ()
    shares = {project.name: project.share for project in projects if project.share}
    taken = sum(shares.values())
    if taken > 1 + 1e-9:
        raise DocumentError(
            f"the shares of the projects add up to {100 * taken:g} %", where="estate.projects", hint="they are parts of the whole"
        )
    total = sum(costs.values())
    owner: Callable[[str], str] = {project.name: project.owner or NO_DEPARTMENT for project in projects}.__getitem__
    found = [(name, owner(name), total * share) for name, share in shares.items()]
    for workload, cost in costs.items():
        mine = [
            each for each in projects if not each.share and workload.casefold() in {name.casefold() for name in each.workloads}
        ]
        rest = cost * (1 - taken)
        for project in mine:
            found.append((project.name, owner(project.name), rest / len(mine)))
        if not mine:
            found.append((NO_PROJECT, NO_DEPARTMENT, rest))
    return found


def _line(kind: Kind, name: str) -> BillLine:
    return BillLine(
        kind=name,
        accelerator=kind.accelerator,
        accelerators=kind.size,
        count=0,
        owned=kind.owned,
        each=None if kind.owned else kind.rate,
        as_of=kind.as_of,
        source=kind.source,
    )


def _while_it_runs(each: Placed, kind: Kind) -> BillLine:
    number = servers_for(kind, each.option.accelerators) or 1
    cost = (kind.rate or 0.0) * number * busy(each.item, each.option)
    name = f"{kind.id}, while {each.item.name} runs"
    return _line(kind, name).model_copy(update={"count": number, "cost": cost})
