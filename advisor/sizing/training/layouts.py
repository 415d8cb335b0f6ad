"""Every legal layout of a training run as rows of one table: accelerators, how they are split, micro batch, recomputation.

What a stack cannot do is not tried; what a layout cannot be (batches that do not divide, tensor parallelism that leaves its link
domain, stages that split no layers) is left out before any formula is evaluated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.model import Model
from advisor.sizing.candidates import Host

Column = NDArray[np.float64]


@dataclass(frozen=True)
class Stack:
    """What a stack can split, and the choices worth a row. zero_stages: of more than one accelerator; one alone takes 0."""

    id: str
    tensor_parallel: tuple[int, ...] = (1,)
    pipeline_parallel: tuple[int, ...] = (1,)
    virtual_stages: tuple[int, ...] = (1,)
    context_parallel: tuple[int, ...] = (1,)
    expert_parallel: tuple[int, ...] = (1,)
    zero_stages: tuple[int, ...] = (1,)
    recomputation: tuple[str, ...] = ("none", "full")


_POWERS = (1, 2, 4, 8, 16, 32, 64)
STACKS: dict[str, Stack] = {
    "megatron": Stack(
        "megatron",
        tensor_parallel=_POWERS,
        pipeline_parallel=(1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32),
        virtual_stages=(1, 2, 4, 8),
        context_parallel=(1, 2, 4, 8, 16),
        expert_parallel=_POWERS,
        zero_stages=(1,),
        recomputation=("none", "selective", "full"),
    ),
    "fsdp": Stack(
        "fsdp",
        tensor_parallel=(1, 2, 4, 8),
        context_parallel=(1, 2, 4, 8),
        zero_stages=(3,),
        recomputation=("none", "selective", "full"),
    ),
    "transformers": Stack("transformers", zero_stages=(2, 3)),
}
MICRO_BATCHES = (1, 2, 4, 8, 16, 32)
# Below this a sequence is not worth splitting over accelerators.
_SHORTEST_SPLIT = 8192


@dataclass(frozen=True)
class LayoutQuestion:
    """One run on some hosts: which counts of accelerators to look at, and what each step holds.

    counts: accelerators together. global_batch: sequences of one optimizer step. asked: fixed values by fact name, which take the
    place of a stack's choices ("tensor_parallel": 8).
    """

    model: Model
    hosts: tuple[Host, ...]
    counts: tuple[int, ...]
    stack: Stack
    sequence_length: int
    global_batch: int
    asked: dict[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Layouts:
    """Columns by fact name for every legal layout, and which host each is on."""

    columns: dict[str, Any]
    host: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.host)


def layouts(question: LayoutQuestion) -> Layouts:
    """All legal layouts, host by host and count by count; none where nothing divides."""
    found = [_of_host(question, number, count) for number in range(len(question.hosts)) for count in question.counts]
    tables = [table for table in found if len(table["accelerators"])]
    if not tables:
        return Layouts({}, np.array([], dtype=np.int64))
    columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    host = columns.pop("host").astype(np.int64)
    return Layouts(columns, host)


def _of_host(question: LayoutQuestion, number: int, count: int) -> dict[str, Any]:
    host, model, stack = question.hosts[number], question.model, _asked(question)
    choices: dict[str, Sequence[int | str]] = {
        "tensor_parallel": list(_tensor(stack, host, model, count)),
        "pipeline_parallel": [each for each in stack.pipeline_parallel if each <= count and _splits_layers(model, each)],
        "context_parallel": [each for each in stack.context_parallel if _splits_sequence(question.sequence_length, each)],
        "expert_parallel": [each for each in stack.expert_parallel if _splits_experts(model, each)],
        "virtual_stages": stack.virtual_stages,
        "micro_batch": [each for each in _micro_batches(question) if each <= question.global_batch],
        "zero_stage": stack.zero_stages if count > 1 else (0,),
        "recomputation": stack.recomputation,
    }
    index = np.indices([len(values) for values in choices.values()]).reshape(len(choices), -1)
    table = {name: np.array(values)[places] for (name, values), places in zip(choices.items(), index, strict=True)}
    table["data_parallel"] = count / (table["tensor_parallel"] * table["pipeline_parallel"] * table["context_parallel"])
    table["gradient_accumulation"] = question.global_batch / (table["data_parallel"] * table["micro_batch"])
    legal = _legal(table, model)
    kept = {name: column[legal] for name, column in table.items()}
    size = int(legal.sum())
    kept["accelerators"] = np.full(size, float(count))
    # A run is one whole: nothing of it can be started alone.
    kept["accelerators_per_replica"] = np.full(size, float(count))
    kept["global_batch"] = np.full(size, float(question.global_batch))
    kept["sharded_over"] = kept["data_parallel"] * kept["context_parallel"]
    kept["sequence_parallel"] = np.where(kept["tensor_parallel"] > 1, 1.0, 0.0)
    kept["host"] = np.full(size, float(number))
    return {name: column if column.dtype.kind in "US" else column.astype(float) for name, column in kept.items()}


def _legal(table: dict[str, Any], model: Model) -> NDArray[np.bool_]:
    """Whole replicas and whole micro batches; interleaving needs stages, layers for them and rounds that fill them."""
    pipeline, virtual, data = table["pipeline_parallel"], table["virtual_stages"], table["data_parallel"]
    accumulation = table["gradient_accumulation"]
    whole = (data >= 1) & (data == np.floor(data)) & (accumulation >= 1) & (accumulation == np.floor(accumulation))
    layers = float(model.layers or 1)
    interleaved = (virtual == 1) | (
        (pipeline > 1) & (pipeline * virtual <= layers + 2) & (accumulation % np.maximum(pipeline, 1) == 0)
    )
    # Experts are spread over data-parallel replicas.
    spread = (data * table["context_parallel"]) % table["expert_parallel"] == 0
    return np.asarray(whole & interleaved & spread)


def _asked(question: LayoutQuestion) -> Stack:
    """The stack with what was asked for in the place of its choices."""
    fixed: dict[str, Any] = {}
    for name, value in question.asked.items():
        field_name = {"zero_stage": "zero_stages"}.get(name, name)
        if hasattr(question.stack, field_name):
            fixed[field_name] = (value,)
    return replace(question.stack, **fixed)


def _micro_batches(question: LayoutQuestion) -> tuple[int, ...]:
    asked = question.asked.get("micro_batch")
    return (int(asked),) if asked is not None else MICRO_BATCHES


def _tensor(stack: Stack, host: Host, model: Model, count: int) -> Iterator[int]:
    part = host.accelerator
    domain = max(part.scale_up.domain if part.scale_up else 1, host.per_node)
    heads = model.heads or 1
    return (each for each in stack.tensor_parallel if each <= min(domain, count) and heads % each == 0)


def _splits_layers(model: Model, stages: int) -> bool:
    """Layers divide evenly, or do so with the vocabulary tables counted as a layer at either end."""
    layers = model.layers or 1
    return stages == 1 or (stages <= layers and (layers % stages == 0 or (layers + 2) % stages == 0))


def _splits_sequence(tokens: int, ranks: int) -> bool:
    return ranks == 1 or (tokens >= _SHORTEST_SPLIT * ranks / 2 and tokens >= _SHORTEST_SPLIT and tokens % (2 * ranks) == 0)


def _splits_experts(model: Model, ranks: int) -> bool:
    return ranks == 1 or (model.experts is not None and model.experts.count % ranks == 0)
