"""What a document asks for beyond plain serving, worked out on the recommended configuration: a draft model, split phases.

They are shown beside the plan with what they would gain; the sizes of the plan do not rest on them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.facts import Label
from advisor.library import Library
from advisor.plan.beside import Technique
from advisor.plan.configuration import Row
from advisor.plan.models import Access, model_of
from advisor.plan.plan import Configuration, TrafficFigures
from advisor.plan.quantity import Quantity
from advisor.plan.sheet import FactSheet
from advisor.sizing.formula import at, formulas
from advisor.workload.document import Workload

# Drafts of one family keep six to nine of ten tokens; engines propose some four.
_ACCEPTANCE, _DRAFT_LENGTH = 0.7, 4.0
_PROMPT_POOL_USE = 0.6
_DRAFTED = (
    "speculative_tokens_per_step",
    "speculative_gain",
    "speculative_time_per_output_token",
    "speculative_work_ratio",
    "draft_memory",
)
_SPLIT = (
    "prompt_replicas",
    "answer_replicas",
    "split_accelerators",
    "split_gain",
    "split_time_to_first_token",
    "split_time_per_output_token",
    "cache_transfer_time",
    "cache_transfer_rate",
)


def techniques(
    library: Library,
    workload: Workload,
    sheet: FactSheet,
    row: Row,
    chosen: Configuration,
    traffic: TrafficFigures | None,
    access: Access,
    where: str,
) -> Iterator[Technique]:
    """Each technique that the document asks for, with its figures on this row."""
    settings = workload.engine_settings
    drafts = [(number, each) for number, each in enumerate(workload.components) if each.role == "draft"]
    for number, draft in drafts[:1]:
        place = f"{where}.components[{number}]"
        model = model_of(library, draft.model, f"{place}.model", access)
        form = library.find(Format, draft.precision, where=f"{place}.precision") if draft.precision else None
        length = settings.speculative_tokens if settings is not None else None
        yield _speculation(sheet, row, model, form.bits if form else 16.0, float(length) if length else None)
    if settings is not None and settings.disaggregated and traffic is not None:
        yield _split(library, sheet, row, chosen, traffic)


def _speculation(sheet: FactSheet, row: Row, draft: Model, bits: float, length: float | None) -> Technique:
    drafted = length if length is not None else _DRAFT_LENGTH
    acceptance = float(
        sheet.assume("acceptance_rate", _ACCEPTANCE, "1", because="usual for a draft of the same family; measure it")
    )
    cache = sum(group.count * 2 * (group.kv_heads or 0) * (group.head_dim or 0) * 2.0 for group in draft.layer_groups)
    facts = {
        "acceptance_rate": acceptance,
        "draft_length": drafted,
        "draft_parameters": draft.parameters.total,
        "draft_bits": bits,
        "draft_cache_per_token": cache,
        "draft_work_ratio": (draft.parameters.active or draft.parameters.total) / float(row.value("active_parameters")),
    }
    figures = _evaluated(_DRAFTED, row, facts)
    gain = figures["speculative_gain"].value
    says = (
        f"{draft.name} drafts {drafted:g} tokens: {gain:.2g} times as fast at this load"
        if gain >= 1
        else f"{draft.name} drafts {drafted:g} tokens and loses at this load: {gain:.2g} times as fast"
    )
    return Technique(name="speculative decoding", pays=gain > 1, says=says, figures=figures)


def _split(library: Library, sheet: FactSheet, row: Row, chosen: Configuration, traffic: TrafficFigures) -> Technique:
    usual = library.get(Efficiency, "usual_inter_node_bandwidth")
    level = usual.values.get(str(row.value("accelerator_class")), usual.otherwise)
    assert level is not None
    efficiency = library.get(Efficiency, "cache_transfer_efficiency").cases[0].typical
    facts = {
        "cache_link_bandwidth": level.typical * row.per_replica,
        "cache_transfer_efficiency": efficiency,
        "model_calls_per_second": traffic.model_calls_per_second.value,
        "prompt_pool_time": float(row.value("prefill_time")),
        "prompt_pool_utilisation": _PROMPT_POOL_USE,
        "answer_pool_token_time": float(row.value("decode_step_time")),
        "answer_batch": float(row.value("running_batch")),
        "accelerators_per_prompt_replica": float(row.per_replica),
        "accelerators_per_answer_replica": float(row.per_replica),
        "accelerators": float(chosen.accelerators),
    }
    sheet.assume("prompt_pool_utilisation", _PROMPT_POOL_USE, "1", because="queues of prompts grow fast beyond it")
    figures = _evaluated(_SPLIT, row, facts)
    gain = figures["split_gain"].value
    count = figures["split_accelerators"].value
    says = f"{count:g} accelerators in split pools against {chosen.accelerators} doing both"
    return Technique(name="separate prompt and answer replicas", pays=gain > 1, says=says, figures=figures)


def _evaluated(wanted: tuple[str, ...], row: Row, facts: Mapping[str, Any]) -> dict[str, Quantity]:
    own = row.table.facts_of(row.row)
    values = formulas().evaluate(wanted, {**own, **facts})
    units = formulas().units
    found = {name: float(at(values[name], 0)) for name in wanted}
    return {
        name: Quantity(value=value, unit=units[name], label=Label.estimated)
        for name, value in found.items()
        if np.isfinite(value)
    }
