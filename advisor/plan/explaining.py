"""Explaining a number of a plan: which quantity a person means, and its tree down to answers and sources."""

from collections.abc import Iterator

from advisor.catalogue.names import nearest, normal
from advisor.errors import AmbiguousNameError, UnknownNameError
from advisor.plan.plan import Plan, Step, WorkloadPlan
from advisor.plan.wording import SPOKEN, quantity_called


def quantity_named(workload: WorkloadPlan, text: str) -> str:
    """The quantity of a workload's trace that a name or a report's words mean. Raises UnknownNameError."""
    wanted = normal(text).replace("-", "_")
    if wanted in workload.trace:
        return wanted
    spoken = quantity_called(text)
    if spoken is not None and spoken in workload.trace:
        return spoken
    known = [*workload.trace, *SPOKEN]
    raise UnknownNameError(f'the plan has no quantity "{text}"', nearest=nearest(text, known), where=f"workload {workload.name}")


def workload_named(plan: Plan, name: str | None) -> WorkloadPlan:
    """The workload of a plan by name; the only one where none is named. Raises UnknownNameError and AmbiguousNameError."""
    names = [each.name for each in plan.workloads]
    if name is None and len(names) > 1:
        raise AmbiguousNameError("the plan has several workloads", meanings=names)
    for workload in plan.workloads:
        if name is None or normal(workload.name) == normal(name):
            return workload
    raise UnknownNameError(f'the plan has no workload "{name}"', nearest=nearest(name or "", names) or names[:3])


def tree(workload: WorkloadPlan, quantity: str) -> Iterator[tuple[int, str, Step, bool]]:
    """The steps below a quantity, each with its depth and name, itself first; the last tells it was shown further up already."""
    shown: set[str] = set()

    def walk(name: str, depth: int) -> Iterator[tuple[int, str, Step, bool]]:
        step = workload.trace[name]
        repeated = name in shown
        shown.add(name)
        yield depth, name, step, repeated
        if not repeated:
            for each in step.inputs:
                yield from walk(each, depth + 1)

    return walk(quantity, 0)
