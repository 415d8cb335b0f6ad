"""The page for the meeting: what to do, why, what it costs, what may go wrong, and what would change the answer."""

from collections.abc import Iterator

from advisor.plan.plan import Configuration, Plan, WorkloadPlan
from advisor.report.sections import SEVERITY_MARK, Section, Table, carries, headline, near_miss_text, relaxation_text
from advisor.report.words import called, rent_text, written
from advisor.units import number, show, show_base

_TARGETS = (
    ("time_to_first_token", "first_token_target"),
    ("time_per_output_token", "token_target"),
    ("request_latency", "latency_target"),
    ("service_availability", "availability_target"),
    ("time_to_train", "finish_within"),
)
_MOST_ASSUMPTIONS = 6


def decision_sections(plan: Plan) -> Iterator[Section]:
    """One decision for each workload, then the risks of all of them and what would change the answer."""
    for workload in plan.workloads:
        yield Section(workload.name, tuple(_what(workload)))
        if workload.recommended is not None:
            yield Section("Why", tuple(_why(workload, workload.recommended)), level=3)
            yield Section("How much", tuple(_how_much(workload.recommended)), level=3)
    yield Section("Risks", tuple(_risks(plan)))
    yield Section("What would change our mind", tuple(_changes(plan)))


def _what(workload: WorkloadPlan) -> Iterator[str]:
    chosen = workload.recommended
    if chosen is None:
        binding = next((limit for limit in workload.limits if limit.binding), None)
        yield "Nothing that was considered keeps every limit" + (f": {binding.says}." if binding else ".")
        return
    yield f"Use {headline(chosen)}."
    yield f"It serves {workload.model.name}: it {carries(chosen)}." if chosen.layout is None else f"It {carries(chosen)}."
    for each in workload.components:
        beside = each.recommended
        if beside is not None:
            yield f"Beside it, {each.role or each.name}: {headline(beside)}."


def _why(workload: WorkloadPlan, chosen: Configuration) -> Iterator[str | Table]:
    rows = tuple(_targets(workload, chosen))
    if rows:
        yield Table(("", "estimate", "asked"), rows)
    if workload.ranked_by:
        yield f"First of {workload.considered:,} candidates by {workload.ranked_by}."
    binding = next((limit for limit in workload.limits if limit.binding), None)
    if binding is not None:
        yield f"What decides its size: {binding.says}."


def _targets(workload: WorkloadPlan, chosen: Configuration) -> Iterator[tuple[str, ...]]:
    running = workload.running.figures if workload.running is not None else {}
    for name, target in _TARGETS:
        figure = chosen.estimates.get(name) or running.get(name)
        asked = workload.facts.get(target)
        if figure is not None and asked is not None:
            yield called(name), written(name, figure.value, figure.unit), written(name, asked.value, asked.unit)


def _how_much(chosen: Configuration) -> Iterator[str]:
    if chosen.owned:
        yield "It is owned already."
    if chosen.rent is None:
        yield "The catalogue has no dated price for it."
    else:
        yield f"Rent {rent_text(chosen.rent)}."
        time = chosen.estimates.get("time_to_train")
        year = show(chosen.rent.total, "USD/year", digits=4) if time is None else None
        yield (
            f"At that price {year}."
            if year
            else f"A run costs {show_base(chosen.rent.total * time.value, 'USD')}."
            if time
            else ""
        )
    if chosen.sold is not None and chosen.sold.idle:
        share = number(100 * chosen.sold.idle / chosen.sold.accelerators)
        yield f"Bought, it comes as {chosen.sold.accelerators} accelerators; {chosen.sold.idle} of them ({share} %) stand idle."


def _risks(plan: Plan) -> Iterator[str]:
    several = len(plan.workloads) > 1
    found = [each for each in plan.advice if each.severity != "note"]
    for each in found:
        whose = f"{each.workload}: " if several and each.workload else ""
        yield f"{SEVERITY_MARK[each.severity]} {whose}{each.title}. {each.advice}"
    if not found:
        yield "No rule speaks against this plan."


def _changes(plan: Plan) -> Iterator[str]:
    for workload in plan.workloads:
        for relaxed in workload.relaxations:
            yield f"Possible if: {relaxation_text(relaxed).strip()}."
        for near in workload.near_misses[:2]:
            yield f"Not enough: {near_miss_text(near)}."
        for other in workload.alternatives:
            yield f"Instead, {other.role}: {headline(other)}" + (f"; against it: {other.against}." if other.against else ".")
    names = [called(each.name) for each in plan.assumptions[:_MOST_ASSUMPTIONS]]
    if names:
        more = len(plan.assumptions) - len(names)
        yield f"An answer in place of what was assumed: {'; '.join(names)}{f'; and {more} more' if more > 0 else ''}."
