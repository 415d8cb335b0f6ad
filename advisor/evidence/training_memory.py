"""Measured peaks of training memory: rows of a table as facts, and estimates for them.

A row is estimated from what it states of model, method, layout, lengths and stack, never from what it measured.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.errors import InputError
from advisor.evidence.hosts import reported_memory, usual_node
from advisor.evidence.serving import stacked
from advisor.evidence.table import Row, number_in, read_table
from advisor.library import Library
from advisor.sizing.efficiencies import applied_level
from advisor.sizing.formula import formulas
from advisor.sizing.training.facts import FAMILIES, TrainingSettings, training_columns, with_constants
from advisor.sizing.training.memory.constants import TRAINING_MEMORY_CONSTANTS
from advisor.units import parse

COLUMNS = (
    "id", "source", "gpu", "model_id", "method", "precision", "gpu_count", "sharding", "activation_checkpointing", "seq_len",
    "micro_batch", "peak_gib_per_gpu", "outcome", "notes", "accelerator_id", "peak_kind", "loss_kernel", "attention_kernel",
    "optimizer_id", "sharding_id", "shards", "trainable", "lora_rank", "evaluable",
)  # fmt: skip
GIB = parse("1 GiB", "byte")
WANTED = ("training_allocated", "reserved_memory", "device_memory", "training_memory", "training_memory_margin")
# What was read -> the quantity that estimates it. A source that does not say how it read is taken to show the device.
KINDS = {"torch-allocated": "training_allocated", "torch-reserved": "reserved_memory"}
_DEVICE = "device_memory"
# A card that a row does not name has room for everything.
_UNKNOWN_CARD = 1e15
_LARGEST_NUMBER = 1e9
_OTHER_CARD = 0.1
_DATA_CENTRE = {"vendor": "NVIDIA", "accelerator_kind": "gpu", "data_centre": "yes"}
_STACKS = (
    ("hf + fa2", "transformers"), ("torchtitan", "torchtitan"), ("torchtune", "torchtune"), ("litgpt", "litgpt"),
    ("swift", "ms-swift"), ("unsloth", "unsloth"), ("internevo", "internevo"), ("colossal", "colossalai"),
    ("bigscience", "megatron-deepspeed"), ("mlperf", "nemo"), ("axolotl", "axolotl"), ("llama-factory", "llama-factory"),
    ("fms", "fms"),
)  # fmt: skip
_LAYOUT = re.compile(r"(?:^|\+)(tp|pp|cp|ep|sp)(\d+)")
_UNSTATED_RANK = 8.0
# Bits of a weight with its scales: GPTQ keeps a 16-bit scale and a zero for each 128 weights, NF4 an fp32 scale for each 64 (its
# double quantization one byte and a little), bitsandbytes' 8-bit format one scale a row.
_GPTQ_FOUR, _GPTQ_EIGHT = 4 + (16 + 4) / 128, 8 + (16 + 8) / 128
_NF4, _NF4_DOUBLE, _BNB_EIGHT = 4 + 32 / 64, 4 + 8 / 64 + 32 / (64 * 256), 8.0


@dataclass(frozen=True)
class TrainingCase:
    """One measured run: its row, model and settings, and the peak it reported (None where it ran out of memory)."""

    row: Row
    model: Model
    settings: TrainingSettings
    usable_memory: float | None
    peak: float | None

    @property
    def group(self) -> str:
        """Source and model: what never stands on both sides of a split."""
        return f"{self.row['source']}/{self.model.id}"

    @property
    def kind(self) -> str:
        """The quantity that was read."""
        return KINDS.get(self.row["peak_kind"], _DEVICE)


@dataclass(frozen=True)
class TrainingCases:
    """Measured runs with their facts as columns, and why other rows were left out."""

    cases: tuple[TrainingCase, ...]
    columns: Mapping[str, Any]
    left_out: Mapping[str, int]

    @property
    def peaks(self) -> NDArray[np.float64]:
        """Measured peaks in bytes, NaN where a run ended out of memory."""
        return np.array([np.nan if case.peak is None else case.peak for case in self.cases])

    @property
    def groups(self) -> NDArray[np.str_]:
        """The group of each row."""
        return np.array([case.group for case in self.cases])

    @property
    def kinds(self) -> NDArray[np.int64]:
        """For each row the place in WANTED of the quantity that it read."""
        return np.array([WANTED.index(case.kind) for case in self.cases], dtype=np.int64)


def read_training_cases(library: Library, rows: Sequence[Row]) -> TrainingCases:
    """Every row with a peak and all its inputs, and every run out of memory whose inputs are known."""
    left_out: Counter[str] = Counter()
    cases: list[TrainingCase] = []
    for row in rows:
        if row["evaluable"] != "yes" and row["outcome"] != "oom":
            left_out["no peak with all its inputs in columns"] += 1
            continue
        try:
            cases.append(training_case(library, row))
        except InputError as error:
            left_out[error.message] += 1
    tables = [training_columns(case.model, case.settings, case.usable_memory or _UNKNOWN_CARD) for case in cases]
    return TrainingCases(tuple(cases), stacked(tables), dict(left_out))


def training_case(library: Library, row: Row) -> TrainingCase:
    """The run that a row describes. Raises InputError, with a short reason, where an input is missing or no number."""
    if not row["model_id"]:
        raise InputError("the model is not identified")
    oom = row["outcome"] == "oom"
    _check_numbers(row, () if oom else ("peak_gib_per_gpu",))
    if row["sharding_id"] in ("", "unknown") and number_in(row, "shards") != 1:
        raise InputError("how states are sharded is not stated")
    model = library.find(Model, row["model_id"])
    if not (model.hidden and model.layers and model.vocabulary):
        raise InputError(f"the layers of {model.id} are not known")
    part = library.find(Accelerator, row["accelerator_id"]) if row["accelerator_id"] else None
    card = card_memory(library, row["gpu"], part)
    if oom and card is None:
        raise InputError("the accelerator is not identified")
    peak = number_in(row, "peak_gib_per_gpu")
    return TrainingCase(
        row,
        model,
        settings_of(row, usual_node(part) if part else 8),
        card,
        peak * GIB if peak and not oom else None,
    )


def _check_numbers(row: Row, further: Sequence[str]) -> None:
    """Refuse a row without lengths and batch, or with a number that can be none of what its column says."""
    needed = ("seq_len", "micro_batch", *further)
    for column in needed:
        if not number_in(row, column):
            raise InputError(f'its "{column}" is blank, zero or no number')
    for column in (*needed, "gpu_count", "shards", "lora_rank"):
        value = number_in(row, column)
        if value is not None and not 0 <= value <= _LARGEST_NUMBER:
            raise InputError(f'its "{column}" is not between 0 and {_LARGEST_NUMBER:,.0f}')


def card_memory(library: Library, written: str, part: Accelerator | None) -> float | None:
    """Memory that the row's card reports, None where neither its name nor its part says.

    A size in the card's name that is not the part's (a variant for which the nearest part stands) is taken instead of it.
    """
    known = reported_memory(library, part) if part else 0.0
    named = re.search(r"\b(\d+) ?GB\b", written)
    if named:
        share = applied_level(library.get(Efficiency, "reported_share"), _DATA_CENTRE, 0).typical
        said = float(named[1]) * GIB * share
        if not known or abs(said / known - 1) > _OTHER_CARD:
            return said
    return known or None


def settings_of(row: Row, per_node: int) -> TrainingSettings:
    """Layout and method of a run, as its columns state them."""
    sharding, precision, notes = row["sharding_id"], row["precision"].lower(), row["notes"]
    degrees = {name: max(float(value), 1.0) for name, value in _LAYOUT.findall(sharding)}
    tensor, pipeline = degrees.get("tp", 1.0), degrees.get("pp", 1.0)
    # Sequences spread over ranks by attention heads ("sp8") divide tokens like context parallelism.
    context = degrees.get("cp", 1.0) * degrees.get("sp", 1.0)
    accelerators = max(number_in(row, "gpu_count") or 1, 1.0)
    replicas = max(1.0, accelerators / (tensor * pipeline * context))
    stack = stack_of(row)
    library = _library(sharding, stack)
    adapter = _adapter(row["trainable"])
    zero = 3.0 if sharding.startswith(("fsdp", "zero3")) else float(sharding[4]) if re.match(r"zero\d", sharding) else 0.0
    bits, prepared = frozen_weights(precision, notes, stack) if row["method"] == "qlora" else (0.0, 0.0)
    optimizer = row["optimizer_id"]
    return TrainingSettings(
        method=row["method"] if row["method"] not in ("lora", "qlora", "dora") else "full",
        adapter=adapter,
        training_stack=stack,
        sharding_library=library,
        state_precision=_state_precision(row, library),
        optimizer=_optimizer(optimizer),
        recomputation=_recomputation(row["activation_checkpointing"]),
        attention_kernel="plain" if row["attention_kernel"] == "eager" else "flash",
        loss_kernel=row["loss_kernel"] if row["loss_kernel"] in ("plain", "fused", "chunked") else "plain",
        optimizer_offload="cpu" if "+offload" in sharding else "none",
        parameter_offload="cpu" if "+offload" in sharding and zero == 3 else "none",
        lora_targets="all-linear" if re.search(r"all[- ]linear|rank \d+ all\b", notes) else "attention",
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        data_parallel=replicas,
        accelerators=accelerators,
        accelerators_per_node=float(per_node),
        zero_stage=zero,
        sharded_over=max(number_in(row, "shards") or replicas * context, 1.0) if zero else 1.0,
        micro_batch=number_in(row, "micro_batch") or 1.0,
        gradient_accumulation=_accumulation(notes, 1.0 if library == "none" else pipeline),
        sequence_length=number_in(row, "seq_len") or 1.0,
        sequence_parallel=float(stack == "torchtitan"),
        lora_rank=number_in(row, "lora_rank") or (_UNSTATED_RANK if adapter != "none" else 0.0),
        weight_bits=bits,
        kbit_prepared=prepared,
        trained_tables=float("embedding" in row["trainable"]),
        step_in_backward=float("in-backward" in optimizer),
        checkpoints_offloaded=float("offload" in row["activation_checkpointing"]),
    )


def stack_of(row: Row) -> str:
    """The training stack, which the source names; the Transformers trainer where it names none."""
    source = row["source"].lower()
    return next((stack for word, stack in _STACKS if word in source), "transformers")


def frozen_weights(precision: str, notes: str = "", stack: str = "transformers") -> tuple[float, float]:
    """Bits of a quantized weight with its scales, and whether the rest of the model was raised to fp32."""
    if "gptq" in precision:
        return (_GPTQ_EIGHT if "int8" in precision or "8bit" in precision else _GPTQ_FOUR), 0.0
    if "8-bit" in precision or "int8" in precision:
        return _BNB_EIGHT, 1.0
    bits = _NF4_DOUBLE if "-dq" in precision else _NF4
    return bits, float(FAMILIES.get(stack, stack) == "transformers" and "accelerated" not in notes)


def estimate(columns: Mapping[str, Any], constants: Mapping[str, Any]) -> dict[str, Any]:
    """All estimated quantities for rows of facts, with these constants."""
    return formulas().evaluate(WANTED, with_constants(columns, constants))


def training_memory_constants(library: Library) -> tuple[Efficiency, ...]:
    """The constants that training memory takes."""
    return tuple(library.get(Efficiency, id) for id in TRAINING_MEMORY_CONSTANTS)


@lru_cache(maxsize=4)
def shipped_training_rows(folder: Path) -> tuple[Row, ...]:
    """The measured rows that ship with the knowledge."""
    return read_table(folder / "measurements" / "training_memory.csv", COLUMNS)


def _library(sharding: str, stack: str) -> str:
    if sharding.startswith("fsdp"):
        return "fsdp"
    return "" if stack in ("nemo", "megatron") else "deepspeed" if sharding.startswith("zero") else "none"


def _accumulation(notes: str, least: float) -> float:
    """Micro batches of a step, where the row says so; else as many as its pipeline needs to be full."""
    said = re.search(r"grad accumulation (\d+)", notes)
    return max(float(said[1]), least) if said else least


def _adapter(trainable: str) -> str:
    """What is trained beside the model's weights; methods that add no matrices beside linear layers go by "prefix"."""
    if trainable in ("full", "dora"):
        return "none" if trainable == "full" else trainable
    return "lora" if "lora" in trainable else "prefix"


def _state_precision(row: Row, library: str) -> str:
    """Pure where states stand in two bytes: as optimizer or precision say, or for a model loaded in bf16 that nothing shards."""
    if re.search(r"-(bf16|fp16)", row["optimizer_id"]) or re.search(r"pure|-true", row["precision"]):
        return "pure"
    stated = re.search(r"-fp32", row["optimizer_id"])
    loaded = row["trainable"] == "full" and row["precision"].startswith("bf16") and library == "none"
    return "pure" if loaded and not stated else "mixed"


def _optimizer(written: str) -> str:
    base = re.sub(r"-(fp32|bf16|fp16|in-backward)", "", written)
    return base if base not in ("", "unknown") else "adamw"


def _recomputation(written: str) -> str:
    word = re.split(r"[^a-z]", written.strip().lower())[0]
    found = {"no": "none", "off": "none", "yes": "full", "on": "full"}.get(word, word)
    if found not in ("none", "selective", "full"):
        raise InputError("whether activations are recomputed is not stated")
    return found
