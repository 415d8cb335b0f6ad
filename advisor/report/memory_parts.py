"""What fills the memory of the fullest accelerator, read from the plan's own steps."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from advisor.plan.plan import Step, WorkloadPlan
from advisor.report.words import called

_TOTALS = ("memory_needed", "training_memory", "item_memory")
_SUM = re.compile(r"[a-z_][a-z0-9_]*( \+ [a-z_][a-z0-9_]*)+")
_LARGEST = re.compile(r"maximum\(([a-z_][a-z0-9_]*(, )?)+\)")
# A part below this share of the whole is drawn with the other small ones.
_SMALL = 0.01


@dataclass(frozen=True)
class MemoryPart:
    """A part of an accelerator's memory in bytes. quantity: its step in the trace; none for small ones and what is free."""

    name: str
    bytes: float
    quantity: str | None = None
    free: bool = False


def memory_parts(workload: WorkloadPlan) -> tuple[MemoryPart, ...]:
    """The parts of the memory needed, largest first, then what is left of the usable memory; empty where nothing was sized.

    A part is an addend of the total; an addend that is itself a plain sum is taken apart, of a maximum the one that counts.
    """
    trace = workload.trace
    total = next((name for name in _TOTALS if name in trace), None)
    if total is None or workload.recommended is None:
        return ()
    found = {name: value for name in _addends(total, trace) if (value := _number(trace[name])) > 0}
    needed = _number(trace[total])
    large = {name: value for name, value in found.items() if value >= _SMALL * needed}
    parts = [MemoryPart(called(name), value, name) for name, value in sorted(large.items(), key=lambda each: -each[1])]
    rest = needed - sum(large.values())
    if rest > 0.001 * needed:
        parts.append(MemoryPart("everything else", rest))
    usable = _number(trace["usable_memory"]) if "usable_memory" in trace else 0.0
    if usable > needed:
        parts.append(MemoryPart("free", usable - needed, free=True))
    return tuple(parts)


def _addends(name: str, trace: Mapping[str, Step]) -> Iterator[str]:
    step = trace[name]
    equation = step.equation or ""
    if _SUM.fullmatch(equation) and all(each in trace for each in step.inputs):
        for each in step.inputs:
            yield from _addends(each, trace)
        return
    if _LARGEST.fullmatch(equation) and all(each in trace for each in step.inputs):
        largest = max(step.inputs, key=lambda each: _number(trace[each]))
        if _SUM.fullmatch(trace[largest].equation or ""):
            yield from _addends(largest, trace)
            return
    yield name


def _number(step: Step) -> float:
    return float(step.value) if isinstance(step.value, float | int) else 0.0
