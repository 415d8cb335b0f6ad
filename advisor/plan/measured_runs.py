"""Published training runs nearest to a recommended layout, put beside its estimate with what sets them apart."""

from advisor.catalogue.model import Model
from advisor.library import Library
from advisor.plan.beside import MeasuredRun
from advisor.plan.training_choice import TrainingRow
from advisor.sizing.formula import at
from advisor.units import number


def measured_runs(library: Library, row: TrainingRow, model: Model) -> tuple[MeasuredRun, ...]:
    """Up to three published runs near a layout, one of each source and model."""
    # The table of runs is read for training plans only.
    from advisor.evidence.training_neighbours import NUMBER_KEYS, WORD_KEYS, nearest_runs

    names = [name for name in (*WORD_KEYS, *NUMBER_KEYS) if name != "model_id"]
    facts = {name: at(row.of.table.values[name], row.row) for name in names}
    found = []
    for each in nearest_runs(library, facts, model.id):
        differs = [
            said
            for said, theirs, ours in (("model", each.model, model.id), ("accelerator", each.accelerator, row.accelerator))
            if theirs != ours
        ]
        if each.accelerators != row.count:
            differs.append(f"accelerators {number(each.accelerators)} for {number(row.count)}")
        found.append(
            MeasuredRun(
                id=each.row,
                source=each.source,
                model=each.model,
                accelerator=each.accelerator,
                accelerators=each.accelerators,
                tokens_per_second_per_accelerator=each.tokens_per_second_per_accelerator,
                differs=tuple(differs),
            )
        )
    return tuple(found)
