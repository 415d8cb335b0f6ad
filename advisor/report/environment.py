"""Everything around the accelerators as sections: a screenful of money and servers first, the rest where it was asked for."""

from collections.abc import Iterator

from advisor.plan.environment.gathering import OF_ENVIRONMENT
from advisor.plan.environment_records import (
    CostReport,
    EnvironmentReport,
    OperationsReport,
    SiteLimit,
    SubjectReport,
    TogetherReport,
)
from advisor.plan.quantity import Quantity
from advisor.report.parts import Section, Table
from advisor.report.words import called, interval, written
from advisor.units import number, show_base

_MONEY = "USD"
_COMPARED = (
    "break_even_rented_share",
    "break_even_time",
    "saving_over_term",
    "saved_share",
    "payback_time",
    "net_present_value",
)


def environment_sections(around: EnvironmentReport, *, facts: bool) -> Iterator[Section]:
    """The environment of one workload. facts: all of it, not the screenful."""
    yield Section("Around it", tuple(_summary(around)), level=3)
    if not facts:
        return
    for heading, subject in (
        ("Host", around.host),
        ("Storage", around.storage),
        ("Network", around.network),
        ("Power and racks", around.power),
    ):
        yield _subject(heading, subject)
    if around.limits:
        yield Section("Limits of the site", (_limits(around.limits, around.cost),), level=3)
    yield _cost(around.cost)
    yield _deployment(around)
    yield _operations(around.operations)


def together_section(report: TogetherReport) -> Section:
    """Sums over all workloads."""
    rows = tuple((called(name), written(name, figure.value, figure.unit)) for name, figure in report.figures.items())
    without = (f"without a price, and not in the sums: {', '.join(report.unpriced)}",) if report.unpriced else ()
    return Section("All together, each alone", (Table(("", "value"), rows), *without, *report.notes))


def _summary(around: EnvironmentReport) -> Iterator[str]:
    cost = around.cost
    servers = "server" if around.nodes == 1 else "servers"
    power = around.power.figures
    drawn = f", {show_base(power['facility_power'].value, 'watt')} with cooling" if "facility_power" in power else ""
    racks = power.get("racks")
    room = f", {number(racks.value)} {'rack' if racks.value == 1 else 'racks'}" if racks is not None else ""
    yield f"servers  {around.nodes} {servers} of {around.server}{drawn}{room}"
    services = around.host.figures.get("service_nodes")
    memory = around.host.figures.get("host_memory_planned") or around.host.figures.get("node_host_memory")
    cores = around.host.figures.get("serving_host_cores") or around.host.figures.get("node_cores")
    if memory is not None and cores is not None:
        beside = _beside(services)
        yield f"each     {number(cores.value)} cores, {written('', memory.value, 'byte')} of memory{beside}"
    if "cost_per_year" in cost.figures:
        year, term = cost.figures["cost_per_year"], cost.figures["cost_over_term"]
        way = "bought" if cost.paid_by == "purchase" else "rented"
        marked = (
            ", at an assumed price"
            if any(each.undated and each.name == "buying" for each in cost.options) and way == "bought"
            else ""
        )
        yield f"money    {_money(year.value, cost)} a year {way}{marked}, {_range(term, cost)} over the term"
    each = [
        f"{_money(figure.value, cost)} {says}"
        for name, says in (
            ("cost_per_million_tokens", "a million tokens"),
            ("cost_per_request", "a request"),
            ("cost_per_training_run", "a run"),
        )
        if (figure := cost.figures.get(name)) is not None
    ]
    if each:
        yield f"         {', '.join(each)}"
    yield f"place    {around.deployment.model}" + ("" if around.deployment.stated else " (not stated: by the figures)")
    if around.deployment.would_change:
        yield f"         {around.deployment.would_change[0]}"
    for limit in (*around.limits, *cost.limits):
        if not limit.holds:
            yield f"✖ {_broken(limit, cost)}"
    yield f"review   {around.operations.next_review}: {around.operations.review_because}"


def _beside(services: Quantity | None) -> str:
    if services is None or not services.value:
        return ""
    return f"; {number(services.value)} {'server' if services.value == 1 else 'servers'} without accelerators beside"


def _broken(limit: SiteLimit, cost: CostReport) -> str:
    needed, there = (_amount(value, limit.unit, cost) for value in (limit.needed, limit.there))
    return f"{limit.name}: it takes {needed}, there is {there}; {limit.relax}"


def _subject(heading: str, subject: SubjectReport) -> Section:
    rows = tuple(_row(name, figure) for name, figure in subject.figures.items())
    things = tuple(f"{what}: {which}" for what, which in subject.things.items())
    table = (Table(("", "value", "range", "label"), rows),) if rows else ()
    return Section(heading, (*table, *things, *subject.notes), level=3)


def _row(name: str, figure: Quantity) -> tuple[str, ...]:
    name = name.removeprefix(OF_ENVIRONMENT)
    span = "" if figure.low is None else interval(name, figure)
    return called(name), written(name, figure.value, figure.unit), span, figure.label.value


def _limits(limits: tuple[SiteLimit, ...], cost: CostReport) -> Table:
    rows = tuple(
        (
            each.name,
            _amount(each.needed, each.unit, cost),
            _amount(each.there, each.unit, cost),
            "holds" if each.holds else f"does not hold: {each.relax}",
        )
        for each in limits
    )
    return Table(("limit", "needed", "there", ""), rows)


def _cost(cost: CostReport) -> Section:
    rows = []
    for name, figure in cost.figures.items():
        if name in _COMPARED:
            continue
        value = _amount(figure.value, figure.unit, cost, name)
        span = (
            ""
            if figure.low is None or figure.high is None
            else " – ".join(_amount(end, figure.unit, cost, name) for end in (figure.low, figure.high))
        )
        rows.append((called(name), value, span, figure.label.value))
    parts: list[str | Table] = [Table(("", "value", "range", "label"), tuple(rows))]
    if cost.options:
        ways = tuple(
            (
                each.name,
                _money(each.per_year, cost),
                _money(each.over_term, cost),
                f"{each.remark}{'; a price without a day' if each.undated else ''}",
            )
            for each in cost.options
        )
        parts.append(Table(("way to pay", "a year", "over the term", ""), ways))
    compared = tuple(
        (called(name), _amount(cost.figures[name].value, cost.figures[name].unit, cost, name))
        for name in _COMPARED
        if name in cost.figures
    )
    if compared:
        parts.append(Table(("buying against renting", "value"), compared))
    if cost.moved_by:
        moves = tuple(
            (
                called(each.name),
                f"{written(each.name, each.low, each.unit)} – {written(each.name, each.high, each.unit)}",
                f"{_money(each.at_low, cost)} – {_money(each.at_high, cost)}",
            )
            for each in cost.moved_by
        )
        parts.append(Table(("what moves the total most", "from – to", "cost over the term"), moves))
    if cost.prices:
        lists = tuple(
            (
                each.what,
                show_base(each.amount, each.unit),
                str(each.as_of) if each.as_of is not None else "no day",
                each.source or ("yours" if each.label.value == "answered" else ""),
            )
            for each in cost.prices
        )
        parts.append(Table(("price of", "amount", "day", "source"), lists))
    if cost.limits:
        parts.append(_limits(cost.limits, cost))
    return Section("Money", (*parts, *cost.notes), level=3)


def _deployment(around: EnvironmentReport) -> Section:
    report = around.deployment
    said = "as stated" if report.stated else "by the figures"
    change = tuple(f"would change it: {each}" for each in report.would_change)
    return Section("Where to run it", (f"{report.model}, {said}", *report.because, *change), level=3)


def _operations(report: OperationsReport) -> Section:
    rows = tuple(
        (each.metric, f"{each.when} {written(each.metric, each.value, each.unit)}", each.act, each.basis)
        for each in report.metrics
    )
    tests = tuple(line for each in report.tests for line in (f"{each.tool} verifies {each.verifies}:", each.line))
    review = f"next review {report.next_review}: {report.review_because}"
    table = (Table(("metric", "act", "what to do", "from"), rows),) if rows else ()
    return Section("Operations", (*table, *tests, *report.versions, *report.notes, review), level=3)


def _amount(value: float, unit: str, cost: CostReport, name: str = "") -> str:
    if unit == _MONEY:
        return _money(value, cost)
    if unit == "USD/second":
        return f"{_money(value * 365 * 86400, cost)} a year"
    return written(name, value, unit)


def _range(figure: Quantity, cost: CostReport) -> str:
    text = _money(figure.value, cost)
    if figure.low is None or figure.high is None:
        return text
    return f"{text} ({_money(figure.low, cost)} – {_money(figure.high, cost)})"


def _money(value: float, cost: CostReport) -> str:
    """An amount in the currency of the report; more digits for small ones."""
    amount = value / cost.worth
    if abs(amount) >= 100:
        return f"{_three(amount):,.0f} {cost.currency}"
    return f"{number(amount)} {cost.currency}"


def _three(amount: float) -> float:
    """To three digits: no total is known better."""
    return float(f"{amount:.3g}")
