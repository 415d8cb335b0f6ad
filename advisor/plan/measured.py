"""Published measurements nearest to a recommended configuration, put beside its estimate with what sets them apart.

They are shown and do not move the estimate: on held-out rows a correction by neighbours makes it no better, not even where close
ones exist (docs/accuracy-serving.md).
"""

from collections.abc import Mapping

from advisor.evidence.nearest import MeasuredRow, nearest_rows
from advisor.evidence.table import number_in
from advisor.library import Library
from advisor.plan.beside import MeasuredNeighbour
from advisor.plan.configuration import Row
from advisor.plan.plan import Configuration
from advisor.units import number

_FACTS = (
    "attention_class",
    "accelerator",
    "accelerator_class",
    "engine_class",
    "engine_period",
    "weight_class",
    "running_requests",
    "input_tokens",
    "output_tokens",
    "accelerators_per_replica",
)
_TIMES = ("time_per_output_token", "time_to_first_token")
_OFFLINE = ("offline_token_rate",)


def measured_neighbours(library: Library, row: Row, chosen: Configuration, *, offline: bool) -> tuple[MeasuredNeighbour, ...]:
    """Up to three published measurements near a row. offline: of throughput, where nobody waits; else of latency."""
    model = row.table.candidates.question.model.id
    facts = {**{name: row.value(name) for name in _FACTS}, "model_id": model}
    found = nearest_rows(library.folders[0], facts, _OFFLINE if offline else _TIMES)
    return tuple(_neighbour(each, row, chosen, model) for each in found)


def _neighbour(found: MeasuredRow, row: Row, chosen: Configuration, model: str) -> MeasuredNeighbour:
    cells = found.cells
    first, each = number_in(cells, "ttft_ms_mean"), number_in(cells, "tpot_ms_mean")
    return MeasuredNeighbour(
        id=cells["id"],
        source=cells["source"],
        url=cells["source_url"],
        model=cells["model_id"],
        accelerator=cells["accelerator_id"],
        accelerators=number_in(cells, "gpu_count") or 1,
        tensor_parallel=number_in(cells, "tp"),
        precision=cells["precision_id"],
        engine=cells["engine_id"],
        engine_version=cells["engine_version"],
        input_tokens=number_in(cells, "isl") or 1,
        output_tokens=number_in(cells, "osl") or 1,
        requests=number_in(cells, "concurrency_or_batch"),
        time_to_first_token=first / 1e3 if first else None,
        time_per_output_token=each / 1e3 if each else None,
        output_token_rate=number_in(cells, "output_tok_s_total"),
        differs=tuple(_differs(cells, row, chosen, model)),
        estimated_over_measured=dict(found.estimated_over_measured),
    )


def _differs(cells: Mapping[str, str], row: Row, chosen: Configuration, model: str) -> list[str]:
    """What sets a measured row apart from the configuration; numbers where they differ by more than a tenth."""
    said = [
        name
        for name, theirs, ours in (
            ("model", cells["model_id"], model),
            ("accelerator", cells["accelerator_id"], chosen.accelerator),
            ("weight format", cells["precision_id"], chosen.precision),
            ("engine", cells["engine_id"], chosen.engine),
            ("engine version", cells["engine_version"], chosen.engine_version),
        )
        if theirs != ours
    ]
    if "engine" in said and "engine version" in said:
        said.remove("engine version")
    numbers = (
        ("accelerators", number_in(cells, "gpu_count"), row.per_replica),
        ("tokens in", number_in(cells, "isl"), row.value("input_tokens")),
        ("tokens out", number_in(cells, "osl"), row.value("output_tokens")),
        ("requests at once", number_in(cells, "concurrency_or_batch"), row.value("running_requests")),
    )
    for name, theirs, ours in numbers:
        if theirs and abs(theirs - ours) > 0.1 * ours:
            said.append(f"{name} {number(theirs)} for {number(ours)}")
    return said
