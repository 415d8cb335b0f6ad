"""Which question to ask next: the one whose unknown moves the plan most, and none when no answer could change it by much.

Each open fact is tried at the low and at the high end of what is usual, on a first estimate of how many accelerators it takes;
all ends are rows of one table, so that the choice takes milliseconds. The estimate only ranks questions; a plan is made anew.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.catalogue.record import Record
from advisor.errors import AdvisorError
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.answers import asked, missing
from advisor.questionnaire.question import Question
from advisor.sizing.candidates import model_facts
from advisor.sizing.formula import formulas

Floats = NDArray[np.float64]
_TRAINING = ("pretraining", "fine-tuning")
_REFERENCE = "h100-sxm"
# What a first estimate takes for a fact that neither an answer nor a question's assumption gives.
_OTHERWISE: dict[str, float] = {"active_share": 0.1, "requests_per_active_person_per_hour": 12.0}
_BITS = {"int4": 4.25, "fp8": 8.0}
_SPARE_FROM = 0.995


class Move(Record):
    """How much a question matters: the accelerators of a first estimate with its fact at either end, and their ratio less one."""

    fact: str
    at_low: float
    at_high: float
    change: float


class NextQuestion(Record):
    """The question to ask, none where the interview may stop; moves: what every open question does, the largest first."""

    fact: str | None
    says: str
    moves: tuple[Move, ...] = ()


def next_question(
    questions: Collection[Question],
    answers: Mapping[str, FactValue],
    library: Library,
    *,
    unsure: Collection[str] = (),
    least_change: float | None = None,
) -> NextQuestion:
    """The most telling open question, what must be answered first.

    answers: values in base units by fact. unsure: facts that were asked and are not known. least_change: change of the
    recommendation, as a share, below which nothing more is asked; a tenth where it is left out. Facts that no first estimate
    reads do not move it, and are left to whoever wants to say more.
    """
    needed = [each for each in missing(questions, answers) if each.fact not in unsure]
    if needed:
        return NextQuestion(fact=needed[0].fact, says=f"Nothing can be planned without this: {needed[0].ask}")
    least = least_change if least_change is not None else _constant(library, "least_change_of_plan")
    open_ones = [
        each for each in asked(questions, answers) if each.fact not in answers and each.fact not in unsure and each.likely
    ]
    moves = sorted(_moves(open_ones, questions, answers, library), key=lambda each: -each.change)
    first = next((each for each in moves if each.change >= least), None)
    if first is None:
        says = (
            f"No open question is likely to change the recommendation by more than {100 * least:.3g} %, so the rest is assumed."
        )
        return NextQuestion(fact=None, says=says, moves=tuple(moves))
    says = f"Between its usual ends this changes the recommendation {first.change + 1:.2g} times over, more than any other."
    return NextQuestion(fact=first.fact, says=says, moves=tuple(moves))


def _moves(
    open_ones: Sequence[Question], questions: Collection[Question], answers: Mapping[str, FactValue], library: Library
) -> list[Move]:
    known: dict[str, FactValue] = {
        **_OTHERWISE,
        **{each.fact: each.unsure.use for each in questions if each.unsure is not None},
        **answers,
    }
    rows: list[dict[str, FactValue]] = []
    for each in open_ones:
        assert each.likely is not None
        rows += [{**known, each.fact: end} for end in each.likely]
    if not rows:
        return []
    try:
        counts = _counts(rows, answers, library)
    except AdvisorError:
        return []  # a model or a card that is in no catalogue is told when the plan is made
    moves = []
    for place, each in enumerate(open_ones):
        low, high = float(counts[2 * place]), float(counts[2 * place + 1])
        moves.append(Move(fact=each.fact, at_low=low, at_high=high, change=max(low, high) / max(min(low, high), 1e-9) - 1))
    return moves


def _counts(rows: Sequence[Mapping[str, FactValue]], answers: Mapping[str, FactValue], library: Library) -> Floats:
    """Accelerators of the first estimate on every row."""
    model = library.find(Model, str(answers["model"]))
    part = library.get(Accelerator, _REFERENCE)
    if isinstance(wanted := answers.get("accelerators_only"), str):
        part = library.find(Accelerator, wanted.split(",")[0])
    columns = {
        "parameters": model.parameters.total,
        "accelerator_memory": part.memory or 8e10,
        "memory_fraction": _constant(library, "engine_memory_share"),
        "memory_bandwidth": part.memory_bandwidth or 1e12,
        "peak_compute_rate": part.compute.get("bf16", 1e14),
        "compute_share": _constant(library, "first_compute_share"),
        "weight_bits": np.array([_bits(row.get("precision"), library) for row in rows]),
    }
    training = answers.get("kind") in _TRAINING
    columns.update(_training(rows, model, library) if training else _serving(rows, answers, model))
    wanted_count = "first_training_count" if training else "first_count"
    counts = np.asarray(formulas().evaluate([wanted_count], columns)[wanted_count], dtype=float)
    return np.broadcast_to(counts, (len(rows),)).astype(np.float64)


def _serving(rows: Sequence[Mapping[str, FactValue]], answers: Mapping[str, FactValue], model: Model) -> dict[str, object]:
    each_prompt, each_answer = _column(rows, "input_tokens", 1000.0), _column(rows, "output_tokens", 200.0)
    token_time = _column(rows, "token_target", 0.05)
    rate = _column(rows, "requests_per_second", 0.0) * each_answer * token_time
    people = formulas().evaluate(
        ["first_requests_at_once"],
        {
            "people": _column(rows, "people", 0.0),
            "active_share": _column(rows, "active_share", 0.1),
            "requests_per_active_person_per_hour": _column(rows, "requests_per_active_person_per_hour", 12.0),
            "output_tokens": each_answer,
            "token_time": token_time,
        },
    )["first_requests_at_once"]
    together = _column(rows, "concurrent_requests", 10.0)
    if "concurrent_requests" not in answers:
        together = np.where(rate > 0, rate, np.where(people > 0, people, together))
    shape = {**model_facts(model), "kv_bits": 16.0, "pipeline_parallel": 1.0, "tensor_parallel": 1.0, "engine_family": "vllm"}
    cached = any(group.kind in ("attention", "latent") for group in model.layer_groups)
    facts = {**shape, "engine_generation": "vllm-v1"}
    per_token = formulas().evaluate(["kv_cache_per_token"], facts)["kv_cache_per_token"] if cached else 0.0
    first_token = _column(rows, "first_token_target", 2.0)
    return {
        "kv_cache_per_token": float(np.asarray(per_token).ravel()[0]),
        "prompt_tokens": together * (each_prompt + each_answer),
        "token_time": token_time,
        # Prompts arrive as answers end, and the target for the first token bounds how long one may be read.
        "prompt_rate": np.maximum(together * each_prompt / (each_answer * token_time + first_token), each_prompt / first_token),
        "spare_copies": (_column(rows, "availability_target", 0.99) > _SPARE_FROM).astype(float),
    }


def _training(rows: Sequence[Mapping[str, FactValue]], model: Model, library: Library) -> dict[str, object]:
    full = np.array([row.get("method") not in ("lora", "qlora") for row in rows])
    tokens = _column(rows, "sequence_length", 4096.0)
    wide = float((model.hidden or 0) * (2 * (model.layers or 0) + _constant(library, "activation_bytes_per_element")))
    state = np.where(full, _constant(library, "training_bytes_per_parameter"), _constant(library, "whole_weight_bytes"))
    return {
        "weights_and_cache": model.parameters.total * state + tokens * (wide + 8.0 * (model.vocabulary or 0)),
        "trained_tokens": _column(rows, "dataset_tokens", 2e7) * _column(rows, "epochs", 3.0),
        "finish_within": _column(rows, "finish_within", 86400.0),
    }


def _column(rows: Sequence[Mapping[str, FactValue]], fact: str, otherwise: float) -> Floats:
    values = (row.get(fact, otherwise) for row in rows)
    return np.array([float(each) if not isinstance(each, str) else otherwise for each in values])


def _bits(named: FactValue | None, library: Library) -> float:
    if isinstance(named, str):
        if named in _BITS:
            return _BITS[named]
        if library.has(Format, named):
            return library.get(Format, named).bits
    return 16.0


def _constant(library: Library, id: str) -> float:
    return float(library.get(Efficiency, id).cases[0].typical)
