"""One row of a sized table as a configuration: what it is, what it needs, how it is sold, and what it costs."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.facts import Label
from advisor.library import Library
from advisor.plan.plan import Configuration, Quantity, Sold
from advisor.plan.rents import Rents
from advisor.sizing.formula import at, formulas
from advisor.sizing.size import SHOWN, Sized
from advisor.units import number, show_base


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
    def formats(self) -> tuple[Format, ...]:
        return self.table.candidates.question.formats

    @property
    def format(self) -> Format:
        return self.formats[int(self.table.candidates.format[self.table.rows[self.row]])]

    @cached_property
    def count(self) -> int:
        """Accelerators needed; one replica's where the load's replicas are without bound."""
        accelerators = float(self.value("accelerators"))
        return int(accelerators) if np.isfinite(accelerators) else int(self.value("accelerators_per_replica"))


def describe(row: Row) -> str:
    """A row in words: "2 x H100 SXM, tensor parallel 2, bf16"."""
    layout = [f"tensor parallel {row.value('tensor_parallel'):g}"] if row.value("tensor_parallel") > 1 else []
    layout += [f"pipeline parallel {row.value('pipeline_parallel'):g}"] if row.value("pipeline_parallel") > 1 else []
    return ", ".join([f"{row.count} × {row.part.name}", *layout, row.format.id])


def configuration(
    library: Library, row: Row, role: str, engine: Engine, version: str, rents: Rents, *, best: Row | None = None
) -> Configuration:
    """The configuration of a kept row. best: the recommended row, for what speaks against this one."""
    ends = row.table.ends()
    units = formulas().units

    def quantity(name: str) -> Quantity:
        value = float(row.value(name))
        bounds = [float(at(end[name], row.row)) for end in ends]
        low, high = min(*bounds, value), max(*bounds, value)
        exact = low == high
        return Quantity(
            value=value, unit=units[name], low=None if exact else low, high=None if exact else high, label=Label.estimated
        )

    return Configuration(
        role=role,
        accelerator=row.accelerator,
        accelerator_name=row.part.name,
        accelerators=row.count,
        replicas=int(row.value("replicas")),
        tensor_parallel=int(row.value("tensor_parallel")),
        pipeline_parallel=int(row.value("pipeline_parallel")),
        precision=row.format.id,
        kv_precision=row.table.candidates.question.kv_format.id,
        engine=engine.id,
        engine_version=version,
        sold=_sold(library, row, rents),
        estimates={name: quantity(name) for name in SHOWN},
        rent=rents.of(row.part, row.count),
        against=_against(row, best, rents) if best is not None else None,
        quality_note=row.format.quality if best is not None and row.format.id != best.format.id else None,
    )


def _sold(library: Library, row: Row, rents: Rents) -> Sold:
    """The smallest server or instance the catalogue has for this part that holds a node's share of what is needed."""
    sizes = sorted(rents.server_sizes(row.part)) or [row.table.candidates.question.hosts[0].per_node]
    per_replica = int(row.value("accelerators_per_replica"))
    wanted = [size for size in sizes if size >= min(per_replica, sizes[-1])]
    choices = [(size, -(-row.count // size)) for size in wanted or sizes[-1:]]
    per_node, nodes = min(choices, key=lambda choice: (choice[0] * choice[1], choice[1]))
    return Sold(per_node=per_node, nodes=nodes, accelerators=per_node * nodes, idle=per_node * nodes - row.count)


def _against(row: Row, best: Row, rents: Rents) -> str | None:
    """What puts a row behind the recommended one, with the figure."""
    mine, theirs = rents.of(row.part, row.count), rents.of(best.part, best.count)
    if row.format.id != best.format.id:
        return f"{row.format.id} in place of {best.format.id}: check the quality of answers first"
    if mine is not None and theirs is not None and mine.total > theirs.total:
        return f"rent {show_base(mine.total, 'USD/second')} against {show_base(theirs.total, 'USD/second')}"
    if mine is None and theirs is not None:
        return "no dated price in the catalogue"
    if row.count > best.count:
        return f"{row.count} accelerators against {best.count}"
    return f"memory left {number(100 * row.value('memory_margin'))} % against {number(100 * best.value('memory_margin'))} %"
