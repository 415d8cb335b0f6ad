"""The calculation of one row as a flat map of steps, so that "why?" is answered by walking the plan."""

import math
from collections.abc import Sequence

from advisor.facts import Fact, Label, Origin
from advisor.plan.configuration import Banded, Row
from advisor.plan.plan import Rent, Step
from advisor.plan.quantity import Quantity
from advisor.plan.sheet import FactSheet
from advisor.sizing.efficiencies import applied_level
from advisor.sizing.formula import formulas
from advisor.sizing.trace import Trace
from advisor.units import show


def steps(row: Row, sheet: FactSheet, banded: Banded) -> dict[str, Step]:
    """Every quantity shown and everything it was made from, by name. banded: gives what is shown the range it has in the plan."""
    trace = Trace(formulas(), row.table.values, row.row, {**_row_facts(row), **sheet.facts}, row.ends)
    found = walked(trace, row.table.shown)
    for name in row.table.shown:
        step = found[name]
        if isinstance(step.value, float):
            shown = Quantity(value=step.value, unit=step.unit, low=step.low, high=step.high, label=step.label)
            ranged = banded(row, name, shown)
            found[name] = step.model_copy(update={"low": ranged.low, "high": ranged.high})
    for name, fact in sheet.facts.items():
        if name not in found:
            found[name] = fact_step(fact)
    return found


def walked(trace: Trace, shown: Sequence[str]) -> dict[str, Step]:
    """The quantities shown and everything they were made from, by name."""
    found: dict[str, Step] = {}
    waiting = list(reversed(shown))
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        estimate = trace.estimate(name)
        values = {field: value for field, value in vars(estimate).items() if field != "name"}
        if isinstance(estimate.value, float) and not math.isfinite(estimate.value):
            # A refused configuration can have no rate or no time; JSON has no number for that, so a word stands in its place.
            values |= {"value": "undefined" if math.isnan(estimate.value) else "unbounded", "low": None, "high": None}
        found[name] = Step.model_construct(**values)  # every field is set and of its type; this is done for each plan
        waiting.extend(reversed(estimate.inputs))
    return found


def fact_step(fact: Fact) -> Step:
    """A fact that no formula of the row reads, such as the rate behind its load, so that it can be asked for as well."""
    return Step(
        value=fact.value,
        unit=fact.unit,
        label=fact.origin.label,
        because=fact.origin.because,
        sources=fact.origin.sources,
    )


def rent_step(rent: Rent) -> Step:
    """The rent of a configuration: instances times the list price of one."""
    return Step(
        value=rent.total,
        unit="USD/second",
        label=Label.derived,
        equation="instances * per_instance",
        filled=f"{rent.instances} * {show(rent.per_instance, 'USD/h')}",
        because=f"{rent.provider} {rent.instance}, list price of {rent.as_of}",
        sources=(rent.source,),
    )


def _row_facts(row: Row) -> dict[str, Fact]:
    """Origins of what the candidates table put into the row: model, accelerator, format, engine and constants."""
    question = row.table.candidates.question
    model, part, form = question.model, row.part, row.format
    origins: dict[str, Origin] = {}

    def catalogue(sources: tuple[object, ...], because: str, *names: str) -> None:
        for name in names:
            origins[name] = Origin(label=Label.catalogue, because=because, sources=tuple(str(source) for source in sources))

    catalogue(
        model.sources,
        f"model {model.id}",
        *(name for name in row.table.candidates.columns if name.startswith("group_")),
        *(
            "parameters",
            "active_parameters",
            "expert_parameters",
            "table_parameters",
            "untied_head",
            "tower_parameters",
            "layers",
        ),
        *(
            "hidden",
            "intermediate",
            "vocabulary",
            "heads",
            "kv_heads",
            "experts_per_token",
            "shared_experts",
            "expert_intermediate",
        ),
        *("vision", "sparse_attention", "attention"),
    )
    catalogue(
        part.sources,
        f"accelerator {part.id}",
        *("reported_memory", "power_per_accelerator", "scale_up_kind", "scale_up_domain", "vendor", "accelerator"),
        *("memory_bandwidth", "link_bandwidth", "slot_bandwidth"),
        *("peak_sixteen_bit", "peak_expert_compute", "peak_layer_compute"),
    )
    catalogue(form.sources, f"weight format {form.id}", "expert_bits", "layer_bits", "table_bits", "tower_bits")
    catalogue(question.kv_format.sources, f"cache format {question.kv_format.id}", "kv_bits")
    engine = f"{question.engine_family}, {question.era.generation}"
    for name in ("engine_family", "engine_generation", "block_tokens", "micro_batch_tokens", "window_aware", "graphs_charged"):
        origins[name] = Origin(label=Label.catalogue, because=engine)
    for name in ("eager", "pytorch_sampler", "memory_fraction", "max_num_seqs", "max_num_batched_tokens"):
        origins[name] = Origin(label=Label.catalogue, because=f"{engine}: default")
    for efficiency in row.table.efficiencies:
        level = applied_level(efficiency, row.table.values, row.row)
        when = f" where {' and '.join(level.when)}" if level.when else ""
        sources = level.sources or efficiency.sources
        catalogue(sources, f"{efficiency.meaning.rstrip('.')}{when}", efficiency.id)
    return {name: Fact(name=name, value=_plain(row.value(name)), origin=origin) for name, origin in origins.items()}


def _plain(value: object) -> float | str:
    return value if isinstance(value, str) else 0.0 if isinstance(value, tuple) else float(str(value))
