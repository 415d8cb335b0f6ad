"""What brought a difference between two plans of a workload about: answers, assumptions and knowledge that are not the same."""

import math
from collections.abc import Iterator, Mapping
from enum import StrEnum

from advisor.facts import Fact, Label
from advisor.plan.plan import Rent, Step, WorkloadPlan
from advisor.plan.record import PlanRecord
from advisor.sizing.trace import TraceValue

_SAME = 1e-9
_ENTRIES = ("model", "environment", "accelerator")
# Measures that no formula of the trace computes, and the quantity whose inputs move them.
_COMPUTED_AS = {"rent": "accelerators"}


class CauseKind(StrEnum):
    """Whose doing a difference is: the person's, the advisor's for want of an answer, the knowledge's, or the choice's."""

    answer = "answer"
    assumption = "assumption"
    derived = "derived"
    catalogue = "catalogue"
    configuration = "configuration"


class Known(PlanRecord):
    """A value in its base unit as one plan has it, how it is known, and why."""

    value: TraceValue | bool
    label: Label
    because: str | None = None


class Cause(PlanRecord):
    """A value that the two plans do not share, absent on the side that has none.

    moves: the measures that differ and were computed from it; none where it acts by what it selects, as an engine does.
    """

    name: str
    kind: CauseKind
    unit: str
    a: Known | None = None
    b: Known | None = None
    moves: tuple[str, ...] = ()

    @property
    def by_another_entry(self) -> bool:
        """Whether the two values belong to different entries of the catalogue, and so follow from another cause."""
        return self.a is not None and self.b is not None and self.a.because != self.b.because


def causes(a: WorkloadPlan, b: WorkloadPlan, changed: tuple[str, ...]) -> tuple[Cause, ...]:
    """Everything the two were sized from that differs: answers first, then assumptions, what follows from them, and the rest.

    changed: names of the measures that differ. Within a kind, what moves most of them by most comes first.
    """
    moved = _moved(a, b, changed)
    found = [*_entries(a, b, moved, changed), *_facts(a, b, moved), *_leaves(a, b, moved), *_price(a, b, changed)]
    order = list(CauseKind)
    found.sort(key=lambda cause: (order.index(cause.kind), -len(cause.moves), -_change(cause)))
    return tuple(found)


def _entries(a: WorkloadPlan, b: WorkloadPlan, moved: Mapping[str, tuple[str, ...]], changed: tuple[str, ...]) -> Iterator[Cause]:
    """The model that was asked for, the environment, and the accelerator that was chosen; each moves what its figures move."""
    parts = [workload.recommended.accelerator if workload.recommended else None for workload in (a, b)]
    stated = (
        ("model", CauseKind.answer, a.model.id, b.model.id),
        ("environment", CauseKind.answer, a.environment, b.environment),
        ("accelerator", CauseKind.configuration, *parts),
    )
    for name, kind, mine, theirs in stated:
        if mine is None or theirs is None or mine == theirs:
            continue
        label = Label.answered if kind is CauseKind.answer else Label.derived
        brought = {
            measure
            for workload in (a, b)
            for leaf, step in workload.trace.items()
            if step.because is not None and step.because.startswith(f"{name} ")
            for measure in moved.get(leaf, ())
        }
        yield Cause(
            name=name,
            kind=kind,
            unit="",
            a=Known(value=mine, label=label),
            b=Known(value=theirs, label=label),
            moves=tuple(measure for measure in changed if measure in brought),
        )


def _facts(a: WorkloadPlan, b: WorkloadPlan, moved: Mapping[str, tuple[str, ...]]) -> Iterator[Cause]:
    for name in dict.fromkeys((*a.facts, *b.facts)):
        mine, theirs = a.facts.get(name), b.facts.get(name)
        if mine is not None and theirs is not None and _same(mine.value, theirs.value):
            continue
        sides = [fact for fact in (mine, theirs) if fact is not None]
        labels = {fact.origin.label for fact in sides}
        kind = next((kind for label, kind in _KIND.items() if label in labels), CauseKind.derived)
        yield Cause(name=name, kind=kind, unit=sides[0].unit, a=_of_fact(mine), b=_of_fact(theirs), moves=moved.get(name, ()))


def _leaves(a: WorkloadPlan, b: WorkloadPlan, moved: Mapping[str, tuple[str, ...]]) -> Iterator[Cause]:
    """What the formulas started from beside facts: the layout chosen, and what the catalogue says of model, part and engine."""
    for name in dict.fromkeys((*a.trace, *b.trace)):
        mine, theirs = a.trace.get(name), b.trace.get(name)
        sides = [step for step in (mine, theirs) if step is not None]
        if name in a.facts or name in b.facts or name in _ENTRIES or any(step.equation for step in sides):
            continue
        if mine is not None and theirs is not None and _same(mine.value, theirs.value):
            continue
        cited = any(step.label is Label.catalogue for step in sides)
        yield Cause(
            name=name,
            kind=CauseKind.catalogue if cited else CauseKind.configuration,
            unit=sides[0].unit,
            a=_of_step(mine),
            b=_of_step(theirs),
            moves=moved.get(name, ()),
        )


def _price(a: WorkloadPlan, b: WorkloadPlan, changed: tuple[str, ...]) -> Iterator[Cause]:
    """What one instance costs, and where and when that was read; nothing where a side recommends none."""
    if a.recommended is None or b.recommended is None:
        return
    mine, theirs = (_of_rent(each.recommended.rent) if each.recommended else None for each in (a, b))
    if mine != theirs:
        moves = ("rent",) if "rent" in changed else ()
        yield Cause(name="price", kind=CauseKind.catalogue, unit="USD/second", a=mine, b=theirs, moves=moves)


def _of_rent(rent: Rent | None) -> Known | None:
    if rent is None:
        return None
    because = f"{rent.provider} {rent.instance}, list of {rent.as_of}"
    return Known(value=rent.per_instance, label=Label.catalogue, because=because)


def _moved(a: WorkloadPlan, b: WorkloadPlan, changed: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The changed measures that each quantity of either trace went into."""
    found: dict[str, tuple[str, ...]] = {}
    for measure in changed:
        top = _COMPUTED_AS.get(measure, measure)
        for name in dict.fromkeys((*_below(a.trace, top), *_below(b.trace, top))):
            found[name] = (*found.get(name, ()), measure)
    return found


def _below(trace: Mapping[str, Step], top: str) -> Iterator[str]:
    """A quantity and everything it was made from, each once."""
    waiting, seen = [top], {top}
    while waiting:
        name = waiting.pop()
        if name not in trace:
            continue
        yield name
        waiting.extend(each for each in trace[name].inputs if each not in seen)
        seen.update(trace[name].inputs)


def _of_fact(fact: Fact | None) -> Known | None:
    return Known(value=fact.value, label=fact.origin.label, because=fact.origin.because) if fact is not None else None


def _of_step(step: Step | None) -> Known | None:
    return Known(value=step.value, label=step.label, because=step.because) if step is not None else None


def _same(a: TraceValue | bool, b: TraceValue | bool) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(one, other) for one, other in zip(a, b, strict=True))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or math.isclose(a, b, rel_tol=_SAME)
    return a == b


def _change(cause: Cause) -> float:
    """By how much a value differs, as the absolute logarithm of the ratio; words and values on one side only count as most."""
    a, b = cause.a.value if cause.a else None, cause.b.value if cause.b else None
    if isinstance(a, str | bool | tuple | None) or isinstance(b, str | bool | tuple | None) or a * b <= 0:
        return math.inf
    return abs(math.log(b / a))


# Of the labels a fact has on the two sides, the first here says whose doing the difference is.
_KIND = {
    Label.answered: CauseKind.answer,
    Label.assumed: CauseKind.assumption,
    Label.derived: CauseKind.derived,
    Label.catalogue: CauseKind.catalogue,
}
