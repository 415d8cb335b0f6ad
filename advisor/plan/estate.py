"""Many workloads solved as one: who stands on which server, what that costs whom, how it grows, what a plan before leaves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from advisor.library import Library
from advisor.plan.estate_bill import Bill, added, bill_of, by_project, by_workload, split
from advisor.plan.estate_floor import Floor, Placed
from advisor.plan.estate_items import Item, busy, items_of
from advisor.plan.estate_keeping import Kept, changes, keep
from advisor.plan.estate_model import choose
from advisor.plan.estate_programme import Solution
from advisor.plan.estate_records import (
    EstateLimit,
    EstatePlacement,
    EstateReport,
    EstateServer,
    GrowthStep,
    OnServer,
    Unplaced,
)
from advisor.plan.estate_supply import Kind, Supply, supply_of
from advisor.plan.one_workload import PlannedWorkload
from advisor.plan.rents import Rents
from advisor.workload.budget import YEAR
from advisor.workload.document import Document

# Servers are added in steps of half a year, after what is needed at once.
STEPS = (YEAR / 2, YEAR)
# Accelerators that are tried for a workload beside the owned ones and its own recommendation: the cheapest of those it may use.
_TRIED = 4

RULES = (
    "whole accelerators for each replica; servers are shared by those with the same environment and kind of data: production "
    "apart from the rest, confidential, personal, regulated and secret data each apart, secret and unshared data by project",
    "runs take turns on accelerators where each can wait for one run of every other and still be done in time",
    "peaks of services that share replicas are taken to coincide; their loads are added",
    "owned servers cost nothing here beside what they cost already; who stands on a server pays for what is idle on it too",
)


@dataclass(frozen=True)
class _Solved:
    floor: Floor
    solution: Solution
    missing: tuple[Item, ...]


def plan_estate(
    document: Document,
    planned: Sequence[PlannedWorkload],
    library: Library,
    rents: Rents,
    *,
    pooled: Sequence[Item] = (),
    previous: EstateReport | None = None,
) -> EstateReport:
    """The workloads of a document as one estate; the same question always gets the same answer.

    pooled: items that stand in place of several (see estate_pooling). previous: the estate of a plan before, of which everything
    stays that still does what is asked. Raises InputError for owned hardware that nobody knows, and shares above the whole.
    """
    items = (*items_of(document, planned), *pooled)
    supply = supply_of(document, library, rents, (option.accelerator for item in items for option in item.options))
    items = tuple(_fewer_options(item, supply.kinds) for item in items)
    power = _power(document)
    anew = _solve(Floor(), items, supply, power)
    solved, kept = anew, None
    notes: list[str] = [*RULES]
    if previous is not None:
        kept = keep(previous, items, supply.kinds)
        solved = _solve(kept.floor, kept.waiting, supply, power)
        if len(solved.missing) > len(anew.missing):
            notes.append("keeping what stands would leave a workload without a server, so all is placed anew")
            solved, kept = anew, replace(kept, reasons={})
    return _report(document, planned, supply, items, solved, anew, previous, kept, notes)


def _solve(floor: Floor, items: Sequence[Item], supply: Supply, power: float | None) -> _Solved:
    """The items placed beside what stands on the floor, which is left as it is. power: watts for all accelerators."""
    left = None if power is None else power - floor.power
    choice = choose(items, floor.kinds(supply.kinds), floor.lanes(), power_left=left)
    after = floor.copy()
    after.add(choice)
    covered = {name for placed in after.placed.values() for name in (placed.item.name, *placed.item.instead_of)}
    missing = tuple(item for item in items if item.name not in covered and not item.instead_of)
    return _Solved(after, choice.solution, missing)


def _fewer_options(item: Item, kinds: Sequence[Kind]) -> Item:
    """The recommended option, all on owned accelerators, and those whose accelerators cost least."""
    owned = {kind.accelerator for kind in kinds if kind.owned}
    least: dict[str, float] = {}
    for kind in kinds:
        if not kind.owned and kind.rate is not None:
            least[kind.accelerator] = min(least.get(kind.accelerator, kind.rate), kind.rate / kind.size)

    def cost(position: int) -> tuple[float, int]:
        option = item.options[position]
        number = option.accelerators * item.replicas(option)
        return least.get(option.accelerator, max(least.values(), default=1.0) * 2) * number * busy(item, option), position

    tried = set(sorted(range(len(item.options)), key=cost)[:_TRIED])
    kept = [
        option
        for position, option in enumerate(item.options)
        if position == 0 or position in tried or option.accelerator in owned
    ]
    return replace(item, options=tuple(kept))


def _report(
    document: Document,
    planned: Sequence[PlannedWorkload],
    supply: Supply,
    items: Sequence[Item],
    solved: _Solved,
    anew: _Solved,
    previous: EstateReport | None,
    kept: Kept | None,
    notes: list[str],
) -> EstateReport:
    floor, bill = solved.floor, bill_of(solved.floor)
    rates = {item.name: item.rate for item in items if item.rate}
    costs = by_workload(floor, bill, rates)
    projects = by_project(document, costs)
    # As in the document; those that share replicas at the place of the first of them.
    order = {item.name: position for position, item in reversed(tuple(enumerate(items)))}
    order |= {item.name: order[item.instead_of[0]] for item in items if item.instead_of}
    placed = sorted(floor.placed.values(), key=lambda each: order[each.item.name])
    placements = tuple(_placement(each, bill) for each in placed)
    standing = sum(server.kind.size for server in floor.servers.values())
    unpriced = [line.kind for line in bill.lines if not line.owned and line.each is None]
    if unpriced:
        notes.append(f"without a dated price, and in no total: {', '.join(unpriced)}")
    environments = [(each.item.environment, bill.by_item.get(each.item.name, 0.0)) for each in floor.placed.values()]
    return EstateReport(
        servers=tuple(
            EstateServer(
                name=server.name,
                kind=server.kind.id,
                accelerator=server.kind.accelerator,
                accelerators=server.kind.size,
                owned=server.kind.owned,
                sharing=server.sharing,
                free=server.kind.size - server.used,
            )
            for server in floor.servers.values()
        ),
        placements=placements,
        bill=bill.lines,
        cost=bill.total,
        by_project=split(bill.total, ((name, cost) for name, _, cost in projects)),
        by_department=split(bill.total, ((owner, cost) for _, owner, cost in projects)),
        by_application=split(bill.total, costs.items()),
        by_environment=split(bill.total, environments),
        idle_share=1 - sum(server.used for server in floor.servers.values()) / standing if standing else 0.0,
        gap=solved.solution.gap,
        nodes=solved.solution.nodes,
        stopped=solved.solution.stopped,
        limits=_limits(document, bill, floor.power),
        unplaced=_unplaced(document, planned, solved.missing),
        changes=changes(previous, placements, kept.reasons) if previous is not None and kept is not None else None,
        cost_anew=bill_of(anew.floor).total if previous is not None else None,
        growth=_growth(solved, supply, bill),
        notes=(*notes, *supply.notes),
    )


def _placement(each: Placed, bill: Bill) -> EstatePlacement:
    return EstatePlacement(
        workload=each.item.name,
        members=each.item.members,
        environment=each.item.environment,
        sharing=each.item.sharing,
        accelerator=each.option.accelerator,
        accelerators=each.option.accelerators,
        replicas=each.replicas,
        spares=each.replicas - each.option.replicas,
        precision=each.option.precision,
        on=tuple(OnServer(server=server, accelerators=accelerators) for server, accelerators in each.on),
        lane=each.lane,
        time=each.option.time,
        busy=busy(each.item, each.option),
        asked=each.item.asked,
        cost=bill.by_item.get(each.item.name, 0.0),
    )


def _growth(solved: _Solved, supply: Supply, bill: Bill) -> tuple[GrowthStep, ...]:
    """What is added after each step, beside what stands already; nothing where no load grows."""
    if not any(each.item.growth for each in solved.floor.placed.values()):
        return ()
    floor, before, steps = solved.floor, bill, []
    for after in STEPS:
        more = tuple(_grown(each, after) for each in floor.placed.values())
        waiting = tuple(item for item in more if item is not None)
        floor = _solve(floor, waiting, supply, None).floor if waiting else floor
        now = bill_of(floor)
        steps.append(
            GrowthStep(
                after=after,
                added=added(before.lines, now.lines),
                grown=tuple(item.name for item in waiting),
                accelerators=sum(server.kind.size for server in floor.servers.values()),
                cost=now.total,
            )
        )
        before = now
    return tuple(steps)


def _grown(each: Placed, after: float) -> Item | None:
    """The replicas that an item then needs beside those it has, as an item of their own."""
    item = each.item
    if item.runs is not None or item.growth <= 0:
        return None
    asked = item.grown((1 + item.growth) ** (after / YEAR), each.option)
    more = asked + item.spares_of(each.option) - each.replicas
    return replace(item, options=(replace(each.option, replicas=more),), spares={}) if more > 0 else None


def _power(document: Document) -> float | None:
    """Watts that the site has for this, where its servers stand there."""
    site = document.site
    return site.power if site is not None and site.deployment != "cloud" else None


def _limits(document: Document, bill: Bill, watts: float) -> tuple[EstateLimit, ...]:
    """Limits of budget and site that no plan keeps, with what the nearest one needs."""
    budget, power = document.budget, _power(document)
    help_of_money = "a higher limit, smaller loads, later deadlines, or more hardware that is owned"
    stated = [
        ("yearly limit", budget.yearly_limit if budget else None, bill.total, "USD/second", help_of_money),
        ("monthly limit", budget.monthly_limit if budget else None, bill.total, "USD/second", help_of_money),
        ("power of the site", power, watts, "watt", "more power, accelerators that draw less, or smaller loads"),
    ]
    return tuple(
        EstateLimit(name=name, asked=limit, needed=needed, unit=unit, relax=relax)
        for name, limit, needed, unit, relax in stated
        if limit is not None and needed > limit * (1 + 1e-9)
    )


def _unplaced(document: Document, planned: Sequence[PlannedWorkload], missing: Sequence[Item]) -> tuple[Unplaced, ...]:
    found = []
    for each in planned:
        if each.plan.recommended is None:
            binding = next((limit for limit in each.plan.limits if limit.binding), None)
            name, says = (binding.name, binding.says) if binding else ("its own limits", "nothing keeps all of them")
            found.append(Unplaced(workload=each.plan.name, limit=name, says=says))
    for item in missing:
        most = min((option.accelerators for option in item.options), default=0)
        says = f"no server that is left or sold holds a replica of it ({most} accelerators at least)"
        found.append(Unplaced(workload=item.name, limit="servers", says=says))
    return tuple(found)
