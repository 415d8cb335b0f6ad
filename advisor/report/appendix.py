"""What stands at the end of a report: every equation of the plan, and every source with its date."""

from collections.abc import Iterable, Iterator

from advisor.catalogue.source import Source
from advisor.library import Library
from advisor.plan.plan import Plan, Step, WorkloadPlan
from advisor.report.sections import Section, Table
from advisor.report.words import called, written


def equation_sections(plan: Plan) -> Iterator[Section]:
    """For each workload every calculated quantity with its equation, the numbers put in, and where the equation is from."""
    for workload in _all(plan.workloads):
        rows = tuple(_row(name, step) for name, step in workload.trace.items() if step.equation)
        if rows:
            headings = ("quantity", "value", "equation", "with its numbers", "source")
            yield Section(f"Equations: {workload.name}", (Table(headings, rows),))


def source_section(plan: Plan, library: Library) -> Section | None:
    """Everything the plan cites, with title, date and address; what the library does not know stays out."""
    rows = []
    for id in dict.fromkeys(_cited(plan)):
        if not library.has(Source, id):
            continue
        source = library.get(Source, id)
        rows.append((id, source.title, source.authors or "", str(source.as_of or "undated"), source.url))
    if not rows:
        return None
    return Section("Sources", (Table(("id", "title", "by", "date", "address"), tuple(sorted(rows))),))


def _all(workloads: Iterable[WorkloadPlan]) -> Iterator[WorkloadPlan]:
    for workload in workloads:
        yield workload
        yield from _all(workload.components)


def _row(name: str, step: Step) -> tuple[str, ...]:
    return (
        called(name),
        written(name, step.value, step.unit),
        step.equation or "",
        step.filled or "",
        "; ".join(step.sources),
    )


def _cited(plan: Plan) -> Iterator[str]:
    for workload in _all(plan.workloads):
        for step in workload.trace.values():
            yield from map(_id, step.sources)
        yield from map(_id, workload.model.sources)
        for chosen in (workload.recommended, *workload.alternatives):
            if chosen is not None and chosen.rent is not None:
                yield _id(chosen.rent.source)
    for advice in plan.advice:
        yield from map(_id, advice.sources)


def _id(citation: str) -> str:
    """A citation is written as "id, place inside"."""
    return citation.split(",", 1)[0]
