"""One row of a sized table as a configuration: what it is, what it needs, how it is sold, and what it costs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.facts import Label
from advisor.plan.plan import Configuration, Rent
from advisor.plan.quantity import Quantity
from advisor.plan.rents import Rents
from advisor.sizing.formula import Values, at, formulas
from advisor.sizing.size import Sized
from advisor.units import number, show_base

Banded = Callable[["Row", str, Quantity], Quantity]


@dataclass(frozen=True)
class Row:
    """A row of a sized table."""

    table: Sized
    row: int

    def value(self, name: str) -> Any:
        """The bare value of a fact or evaluated quantity."""
        return at(self.table.values[name], self.row)

    @property
    def accelerator(self) -> str:
        return str(self.value("accelerator"))

    @property
    def part(self) -> Accelerator:
        question = self.table.candidates.question
        return question.hosts[int(self.table.candidates.host[self.table.rows[self.row]])].accelerator

    @property
    def owned(self) -> bool:
        """Whether the accelerators are there already."""
        return self.accelerator in self.table.candidates.question.owned

    @property
    def formats(self) -> tuple[Format, ...]:
        return self.table.candidates.question.formats

    @property
    def format(self) -> Format:
        return self.formats[self.format_place]

    @property
    def format_place(self) -> int:
        """Position of its format in the pool: 0 is what was asked for or released."""
        return int(self.table.candidates.format[self.table.rows[self.row]])

    @cached_property
    def count(self) -> int:
        """Accelerators needed; one replica's where the load's replicas are without bound."""
        accelerators = float(self.value("accelerators"))
        return int(accelerators) if np.isfinite(accelerators) else int(self.value("accelerators_per_replica"))

    @property
    def per_replica(self) -> int:
        """Accelerators of one replica."""
        return int(self.value("accelerators_per_replica"))

    @property
    def replicas(self) -> int:
        """Replicas needed, or one where their number is without bound."""
        return self.count // self.per_replica

    def rent(self, rents: Rents) -> Rent | None:
        """The cheapest dated rent of this row; none for what is owned."""
        return None if self.owned else rents.of(self.accelerator, self.replicas, self.per_replica)

    @cached_property
    def ends(self) -> Values:
        """The row alone, with every uncertain constant at its low end, and at its high end as a second row."""
        return self.table.ends(self.row)


def evaluate_ends(rows: Iterable[Row]) -> None:
    """Evaluate the ends of several rows together, table by table; each row then has them at hand."""
    by_table: dict[int, list[Row]] = {}
    for row in rows:
        if "ends" not in vars(row):
            by_table.setdefault(id(row.table), []).append(row)
    for some in by_table.values():
        for row, ends in zip(some, some[0].table.ends_of([each.row for each in some]), strict=True):
            vars(row)["ends"] = ends


def describe(row: Row, *, per_replica: bool = False) -> str:
    """A row in words, with the accelerators of the load or of one replica: "2 x H100 SXM, tensor parallel 2, bf16"."""
    layout = [f"tensor parallel {row.value('tensor_parallel'):g}"] if row.value("tensor_parallel") > 1 else []
    layout += [f"pipeline parallel {row.value('pipeline_parallel'):g}"] if row.value("pipeline_parallel") > 1 else []
    count = row.per_replica if per_replica else row.count
    return ", ".join([f"{count} × {row.part.name}", *layout, row.format.id])


def configuration(
    row: Row, role: str, engine: Engine, version: str, rents: Rents, banded: Banded, *, best: Row | None = None
) -> Configuration:
    """The configuration of a kept row. banded: adds calibrated bands. best: the recommended row, for what speaks against this."""
    units = formulas().units

    def quantity(name: str) -> Quantity:
        value = float(row.value(name))
        bounds = [float(at(row.ends[name], end)) for end in (0, 1)]
        low, high = min(*bounds, value), max(*bounds, value)
        exact = low == high
        plain = Quantity(
            value=value, unit=units[name], low=None if exact else low, high=None if exact else high, label=Label.estimated
        )
        return banded(row, name, plain)

    return Configuration(
        role=role,
        accelerator=row.accelerator,
        accelerator_name=row.part.name,
        accelerators=row.count,
        accelerators_per_node=int(row.value("accelerators_per_node")),
        replicas=row.replicas,
        tensor_parallel=int(row.value("tensor_parallel")),
        pipeline_parallel=int(row.value("pipeline_parallel")),
        precision=row.format.id,
        kv_precision=row.table.candidates.question.kv_format.id,
        engine=engine.id,
        engine_version=version,
        sold=None if row.owned else rents.sold(row.accelerator, row.replicas, row.per_replica),
        owned=row.owned,
        estimates={name: quantity(name) for name in row.table.shown if np.isfinite(row.value(name))},
        rent=row.rent(rents),
        against=_against(row, best, rents) if best is not None else None,
        quality_note=row.format.quality if best is not None and row.format.id != best.format.id else None,
    )


def _against(row: Row, best: Row, rents: Rents) -> str | None:
    """What puts a row behind the recommended one, with the figure."""
    mine, theirs = row.rent(rents), best.rent(rents)
    if row.format.id != best.format.id:
        return f"{row.format.id} in place of {best.format.id}: check the quality of answers first"
    if mine is not None and theirs is not None and mine.total > theirs.total:
        return f"rent {show_base(mine.total, 'USD/second')} against {show_base(theirs.total, 'USD/second')}"
    if mine is None and theirs is not None:
        return "no dated price in the catalogue"
    if row.count > best.count:
        return f"{row.count} accelerators against {best.count}"
    return f"memory left {number(100 * row.value('memory_margin'))} % against {number(100 * best.value('memory_margin'))} %"
