"""The quantities of an environment: facts with their origins, constants with their ends, and what formulas make of both.

A constant with a range stands as three rows: its typical value, which the plan shows, and its low and high ends, which give what
rests on it a range.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.facts import Fact, FactValue, Label, Origin
from advisor.library import Library
from advisor.plan.environment_records import AssumedAround
from advisor.plan.plan import Step
from advisor.plan.quantity import Quantity
from advisor.sizing.constants import PLANNING_CONSTANTS
from advisor.sizing.efficiencies import applied_level
from advisor.sizing.formula import all_formulas, at
from advisor.sizing.trace import Trace

# Steps whose name the workload's own calculation has with another value stand under a name of their own.
OF_ENVIRONMENT = "environment_"


@dataclass
class Gathered:
    """Facts, constants and computed quantities by name; what was assumed; the quantities shown.

    bands: ranges that inputs varied independently gave, in place of those from all ends at once.
    """

    library: Library
    values: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    assumed: dict[str, AssumedAround] = field(default_factory=dict)
    ranges: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    bands: dict[str, tuple[float, float]] = field(default_factory=dict)

    def give(
        self,
        name: str,
        value: FactValue,
        because: str,
        *,
        label: Label = Label.derived,
        sources: tuple[str, ...] = (),
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        """A fact. low, high: ends of one that is known only within them."""
        self._keep(name, value, Origin.model_construct(label=label, because=because, sources=sources))
        if low is not None and high is not None and low < high and not isinstance(value, str):
            self.ranges[name] = (low, float(value), high)
            self.values[name] = np.array([float(value), low, high])
        if label is Label.assumed and not isinstance(value, bool):
            self.assumed[name] = AssumedAround(name=name, value=value, unit=all_formulas().units.get(name, ""), because=because)

    def state(self, name: str, value: float | None, because: str) -> bool:
        """A fact the person stated; whether they did."""
        if value is not None:
            self.give(name, float(value), because, label=Label.answered)
        return value is not None

    def constants(self, *ids: str) -> None:
        """Constants of knowledge that no fact of that name goes before."""
        for id in ids:
            if id in self.values:
                continue
            efficiency = self.library.get(Efficiency, id)
            level = applied_level(efficiency, self.values, 0)
            label = Label.assumed if id in _PLANNING else Label.catalogue
            meaning = efficiency.meaning.rstrip(".")
            because = f"{meaning}: {level.because}" if level.because else meaning
            sources = tuple(str(source) for source in level.sources or efficiency.sources)
            self._keep(id, level.typical, Origin.model_construct(label=label, because=because, sources=sources))
            if id in _TOLD:
                unit = all_formulas().units.get(id, efficiency.unit)
                self.assumed[id] = AssumedAround(name=id, value=level.typical, unit=unit, because=level.because or meaning)
            if level.low < level.high:
                self.ranges[id] = (level.low, level.typical, level.high)
                self.values[id] = np.array([level.typical, level.low, level.high])

    def compute(self, *names: str) -> None:
        """Evaluates quantities from what is there."""
        self.values = all_formulas().evaluate(names, self.values)

    def show(self, *names: str) -> dict[str, Quantity]:
        """Computes quantities and gives those that are finite, with the range their constants leave."""
        self.compute(*names)
        finite = [name for name in names if np.isfinite(self.number(name))]
        self.shown.extend(finite)
        return {name: self.quantity(name) for name in finite}

    def quantity(self, name: str) -> Quantity:
        """A quantity, or a fact, as a reader needs it."""
        value, (low, high) = self.number(name), self._ends(name)
        fact = self.facts.get(name)
        label = Label.estimated if fact is None else fact.origin.label
        return Quantity(
            value=value, unit=all_formulas().units.get(name, fact.unit if fact else ""), low=low, high=high, label=label
        )

    def number(self, name: str) -> float:
        """The planned value of a quantity."""
        return float(at(self.values[name], 0))

    def steps(self, taken: Mapping[str, Step]) -> dict[str, Step]:
        """The calculation of everything shown. taken: the workload's own steps, which stay; see OF_ENVIRONMENT."""
        ends = {name: value[1:] for name, value in self.values.items() if isinstance(value, np.ndarray) and value.shape == (3,)}
        trace = Trace(all_formulas(), self.values, 0, self.facts, ends)
        found: dict[str, Step | None] = {}
        waiting = list(reversed(self.shown))
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            if name in self.facts:
                found[name] = None
                continue
            estimate = trace.estimate(name)
            fields = {key: value for key, value in vars(estimate).items() if key != "name"}
            if isinstance(fields["value"], int | float):
                # A number that is none (a rack that carries nothing) has no place in a plan that is saved and read again.
                fields["value"] = float(fields["value"]) if np.isfinite(fields["value"]) else "without bound"
                if name in self.bands:
                    fields["low"], fields["high"] = self.bands[name]
                if not np.isfinite([fields["low"] or 0.0, fields["high"] or 0.0]).all():
                    fields["low"] = fields["high"] = None
            found[name] = Step.model_construct(**fields)
            waiting.extend(reversed(estimate.inputs))
        other = {name for name in found if name in taken and not _same(at(self.values[name], 0), taken[name].value)}
        steps: dict[str, Step] = {}
        for name, step in found.items():
            if name in taken and name not in other:
                continue
            if step is None:
                step = self._fact_step(name, ends.get(name))
            elif not other.isdisjoint(step.inputs):
                inputs = tuple(OF_ENVIRONMENT + each if each in other else each for each in step.inputs)
                step = step.model_copy(update={"inputs": inputs})
            steps[OF_ENVIRONMENT + name if name in other else name] = step
        return steps

    def _fact_step(self, name: str, ends: Any) -> Step:
        fact = self.facts[name]
        low, high = (None, None) if ends is None else (float(ends.min()), float(ends.max()))
        return Step.model_construct(
            value=fact.value,
            unit=fact.unit,
            low=low,
            high=high,
            label=fact.origin.label,
            because=fact.origin.because,
            sources=fact.origin.sources,
        )

    def scalars(self, names: Iterable[str]) -> dict[str, Any]:
        """Facts and constants at their planned values, for what varies some of them."""
        return {name: at(self.values[name], 0) if not isinstance(self.values[name], str) else self.values[name] for name in names}

    def _keep(self, name: str, value: FactValue, origin: Origin) -> None:
        self.values[name] = value if isinstance(value, str) else float(value)
        # Every field is set and of its type; a plan makes a hundred of them.
        self.facts[name] = Fact.model_construct(
            name=name, value=self.values[name], unit=all_formulas().units.get(name, ""), origin=origin
        )

    def _ends(self, name: str) -> tuple[float | None, float | None]:
        column = np.asarray(self.values[name], dtype=float)
        if column.ndim == 0 or not np.all(np.isfinite(column)):
            return None, None
        low, high = float(column.min()), float(column.max())
        return (None, None) if low == high else (low, high)


def _same(first: object, second: object) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= 1e-9 * max(abs(first), abs(second))
    return first == second


# Assumptions that a reader should see among those of the plan; the others stand in its trace.
_TOLD = frozenset(
    {"electricity_price", "rack_power", "chunk_tokens", "document_tokens", "colocation_rate", "staff_posts", "salary"}
)
_PLANNING = frozenset({*PLANNING_CONSTANTS, "log_record_bytes", "document_tokens", "review_interval"})
