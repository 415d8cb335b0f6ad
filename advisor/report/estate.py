"""An estate as sections: what stands, who stands on it, what it costs whom, and what is added when."""

from collections.abc import Iterable, Iterator

from advisor.plan.estate_records import BillLine, CostLine, EstatePlacement, EstateReport
from advisor.report.parts import Section, Table
from advisor.units import number, show, show_base

# Applications shown by cost before the rest is left to JSON.
_MOST = 20


def estate_sections(estate: EstateReport, *, everything: bool = False) -> Iterator[Section]:
    """The decision first, then the bill, who stands where, costs, growth, and what changed; everything: no list is cut short."""
    yield Section("Estate", tuple(_summary(estate)))
    if estate.changes is not None:
        yield _changes(estate)
    yield Section("Bill of materials", (_bill(estate.bill, everything),), level=3)
    yield Section("Placement", (_placements(estate.placements, everything),), level=3)
    costs = (
        ("project", estate.by_project),
        ("department", estate.by_department),
        ("environment", estate.by_environment),
        ("application", estate.by_application),
    )
    tables = tuple(_costs(name, lines, everything) for name, lines in costs if lines)
    if tables and estate.cost:
        yield Section("Cost", tables, level=3)
    if estate.growth:
        yield Section("Growth: start right-sized, add later", (_growth(estate),), level=3)
    yield Section("How it was solved", (_solved(estate), *estate.notes), level=3)


def _summary(estate: EstateReport) -> Iterator[str]:
    runs = sum(1 for each in estate.placements if not each.on)
    pooled = sum(len(each.members) for each in estate.placements if len(each.members) > 1)
    accelerators = sum(server.accelerators for server in estate.servers)
    yield (
        f"{len(estate.placements)} placements on {len(estate.servers)} servers with {accelerators} accelerators, "
        f"{number(100 * estate.idle_share)} % of them idle; {show(estate.cost, 'USD/year', digits=4)}"
    )
    if pooled:
        yield f"{pooled} services share replicas with another of the same model"
    if runs:
        yield f"{runs} runs rent their accelerators while they last"
    for limit in estate.limits:
        needed, asked = (
            show(value, "USD/year", digits=4) if limit.unit == "USD/second" else show_base(value, limit.unit)
            for value in (limit.needed, limit.asked)
        )
        yield f"The {limit.name} binds: at least {needed} is needed, {asked} is allowed. What would help: {limit.relax}."
    for each in estate.unplaced:
        yield f"{each.workload} stands nowhere: {each.limit}: {each.says}."


def _solved(estate: EstateReport) -> str:
    return (
        f"the cost is at most {number(100 * estate.gap)} % above the least; {estate.nodes} nodes of the search, stopped by "
        f"{estate.stopped}; between equal costs the fewest accelerators, then the recommended configurations, then document order"
    )


def _changes(estate: EstateReport) -> Section:
    assert estate.changes is not None
    kept = len(estate.placements) - sum(1 for each in estate.changes if each.after != "nowhere")
    lines = [f"{kept} placements stay as they were; {len(estate.changes)} differ."]
    if estate.cost_anew is not None and estate.cost_anew < estate.cost:
        less = show(estate.cost - estate.cost_anew, "USD/year", digits=4)
        lines.append(f"A plan that owes nothing to the one before would cost {less} less.")
    rows = tuple((each.workload, each.before, each.after, each.because) for each in estate.changes)
    table = (Table(("", "before", "now", "because"), rows),) if rows else ()
    return Section("Against the plan before", (*lines, *table), level=3)


def _bill(lines: Iterable[BillLine], everything: bool) -> Table:
    listed = list(lines)
    shown = listed if everything else listed[: 2 * _MOST]
    rows = [
        (
            line.kind,
            str(line.count),
            f"{line.accelerators} × {line.accelerator}",
            "owned" if line.owned else show(line.each, "USD/h") if line.each is not None else "no dated price",
            show(line.cost, "USD/year", digits=4) if line.each is not None else "",
            str(line.as_of or ""),
        )
        for line in shown
    ]
    if len(shown) < len(listed):
        rest = sum(line.cost for line in listed[len(shown) :])
        rows.append((f"{len(listed) - len(shown)} more", "", "", "", show(rest, "USD/year", digits=4), ""))
    return Table(("", "count", "each holds", "each", "cost", "list of"), tuple(rows))


def _placements(placements: Iterable[EstatePlacement], everything: bool) -> Table:
    listed = list(placements)
    rows = [
        (
            each.workload,
            each.sharing,
            f"{each.replicas} × {each.accelerators} {each.accelerator}",
            ", ".join(one.server for one in each.on) or "rented while it runs",
            f"by turns, {number(100 * each.busy)} % of the year" if each.lane is not None else "",
        )
        for each in (listed if everything else listed[: 10 * _MOST])
    ]
    if len(rows) < len(listed):
        rows.append((f"{len(listed) - len(rows)} more, with --limits", "", "", "", ""))
    return Table(("", "may share with", "takes", "on", ""), tuple(rows))


def _costs(name: str, lines: tuple[CostLine, ...], everything: bool) -> Table:
    shown = lines if everything else lines[:_MOST]
    rows = [(line.name, show(line.cost, "USD/year", digits=4), f"{number(100 * line.share)} %") for line in shown]
    if len(shown) < len(lines):
        cost, share = sum(line.cost for line in lines[_MOST:]), sum(line.share for line in lines[_MOST:])
        rows.append((f"{len(lines) - len(shown)} more", show(cost, "USD/year", digits=4), f"{number(100 * share)} %"))
    return Table((f"by {name}", "", ""), tuple(rows))


def _growth(estate: EstateReport) -> Table:
    rows = [("now", "", str(sum(server.accelerators for server in estate.servers)), show(estate.cost, "USD/year", digits=4))]
    for step in estate.growth:
        new = ", ".join(f"{line.count} × {line.kind}" for line in step.added) or "nothing"
        rows.append(
            (
                f"after {show_base(step.after, 'second')}",
                new,
                str(step.accelerators),
                show(step.cost, "USD/year", digits=4),
            )
        )
    return Table(("", "add", "accelerators", "cost"), tuple(rows))
