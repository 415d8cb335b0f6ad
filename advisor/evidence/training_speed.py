"""Measured training speed: rows of a table as facts, estimates for them, and how the fit reads them.

A row is estimated from what it states of model, accelerator, software, layout and batch, never from what it measured. What a row
leaves open is taken as publishers of such tables run it: a micro batch of one sequence, eight micro batches a step.
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
from advisor.evidence.serving import period, stacked
from advisor.evidence.table import Row, number_in
from advisor.library import Library
from advisor.sizing.formula import formulas
from advisor.sizing.training.speed_constants import TRAINING_SPEED_CONSTANTS
from advisor.sizing.training.speed_facts import TrainingSetup, speed_facts
from advisor.units import parse

COLUMNS = (
    "id", "source", "model_id", "accelerator_id", "method", "precision", "gpu_count", "tp", "pp", "cp", "ep", "zero_or_fsdp",
    "activation_checkpointing", "seq_len", "micro_batch", "global_batch", "tokens_per_s_per_gpu", "tflops_per_gpu", "stack",
    "evaluable", "link_gbps_per_gpu", "notes",
)  # fmt: skip
QUANTITY = "training_tokens_per_second_per_accelerator"
DENSE, EXPERTS = "throughput_dense", "throughput_moe"
METRICS = (DENSE, EXPERTS)
_NUMBERS = (
    "gpu_count", "tp", "pp", "cp", "ep", "seq_len", "micro_batch", "global_batch", "tokens_per_s_per_gpu", "tflops_per_gpu",
    "link_gbps_per_gpu",
)  # fmt: skip
_LARGEST_NUMBER = 1e9
_USUAL_ACCUMULATION = 8.0
_SERVER = 8
# Rows that do not state a network: that of the reference design of their accelerators' time, per accelerator.
_NETWORKS = {"Volta": "100 Gbit/s", "Ampere": "200 Gbit/s"}
_USUAL_NETWORK = "400 Gbit/s"
# Sources that state no version, by the date of their runs.
_SOURCE_YEARS = {
    "DGX Cloud benchmarking": 2024.9,
    "long-sequence": 2025.0,
    "Megatron-LM examples": 2024.3,
}
_USUAL_YEAR = 2024.5


@dataclass(frozen=True)
class TrainingCase:
    """One measured row: its facts, and tokens per second of one accelerator, NaN where only a rate of FLOPs was printed."""

    row: Row
    setup: TrainingSetup
    columns: Mapping[str, Any]
    tokens_per_second: float

    @property
    def group(self) -> str:
        """Source and model: what never stands on both sides of a split."""
        return f"{self.row['source']}/{self.setup.model.id}"

    @property
    def metric(self) -> str:
        """The metric the row counts for."""
        return EXPERTS if self.setup.model.experts else DENSE


@dataclass(frozen=True)
class TrainingCases:
    """Measured rows with their facts as columns, and what they measured in tokens per second of one accelerator."""

    cases: tuple[TrainingCase, ...]
    columns: Mapping[str, Any]
    measured: NDArray[np.float64]
    left_out: Mapping[str, int]

    @property
    def groups(self) -> NDArray[np.str_]:
        """The group of each row."""
        return np.array([case.group for case in self.cases])

    @property
    def metrics(self) -> NDArray[np.str_]:
        """The metric of each row."""
        return np.array([case.metric for case in self.cases])

    def __len__(self) -> int:
        return len(self.cases)


def read_training_cases(library: Library, rows: Sequence[Row]) -> TrainingCases:
    """Every row that states all inputs, with its facts; and why the others were left out."""
    left_out: Counter[str] = Counter()
    cases: list[TrainingCase] = []
    for row in rows:
        if row["evaluable"] != "yes":
            left_out["not all inputs are in columns"] += 1
            continue
        try:
            cases.append(training_case(library, row))
        except InputError as error:
            left_out[error.message] += 1
    columns = stacked([_as_row(case.columns) for case in cases])
    return TrainingCases(tuple(cases), columns, _measured(cases, columns), dict(left_out))


def training_case(library: Library, row: Row) -> TrainingCase:
    """The facts that a row states. Raises InputError, with a short reason, where a needed name or number is missing."""
    if not (row["model_id"] and row["accelerator_id"]):
        raise InputError("model or accelerator is not identified")
    _check_numbers(row)
    model, part = library.find(Model, row["model_id"]), library.find(Accelerator, row["accelerator_id"])
    if not (part.memory_bandwidth and part.compute):
        raise InputError(f"the rates of {part.id} are not known")
    if not (model.layers and model.hidden and model.heads):
        raise InputError(f"the layers of {model.id} are not known")
    network = number_in(row, "link_gbps_per_gpu")
    written = f"{network} Gbit/s" if network else _NETWORKS.get(part.architecture, _USUAL_NETWORK)
    setup = TrainingSetup(
        model=model,
        accelerator=part,
        accelerators_per_node=_SERVER,
        inter_node_bandwidth=parse(written, "byte/second"),
        sequence_length=number_in(row, "seq_len") or 1,
        training_stack=row["stack"] or "other",
        training_precision=precision_of(row["precision"]),
        method=row["method"] if row["method"] in ("lora", "qlora", "dpo") else "full",
        base_format=_base_format(row["precision"]),
        recomputation=_recomputation(row["activation_checkpointing"]),
        loss_kernel="fused" if re.search(r"foak|fast-kernels|liger", row["notes"]) else "plain",
        training_period=software_period(software_year(row["source"])),
    )
    rate = number_in(row, "tokens_per_s_per_gpu")
    return TrainingCase(row, setup, speed_facts(setup, _layout(row)), rate or float("nan"))


def estimate_speed(columns: Mapping[str, Any], constants: Mapping[str, Any]) -> NDArray[np.float64]:
    """Estimated tokens per second of one accelerator, for every row."""
    values = formulas().evaluate((QUANTITY,), {**columns, **constants})
    return np.asarray(values[QUANTITY], dtype=float)


def training_speed_constants(library: Library) -> tuple[Efficiency, ...]:
    """The constants that training speed takes, as they ship."""
    return tuple(library.get(Efficiency, id) for id in TRAINING_SPEED_CONSTANTS)


def software_year(source: str) -> float:
    """When the software of a source was released, as a year."""
    if dated := re.search(r"\b(2\d)\.(\d\d)(?:\.\d+)?\b", source):
        return 2000 + int(dated[1]) + (int(dated[2]) - 0.5) / 12
    if dated := re.search(r"\b(20[12]\d)-(\d\d)\b", source):
        return int(dated[1]) + (int(dated[2]) - 0.5) / 12
    return next((year for words, year in _SOURCE_YEARS.items() if words in source), _USUAL_YEAR)


def software_period(year: float) -> str:
    """The half year of training software, as its constants are keyed; halves begin with the releases of December and June."""
    return period(year + 1.01 / 12)


def precision_of(written: str) -> str:
    """The training precision a table writes in many ways; a frozen quantised base is multiplied in sixteen bit."""
    for word in ("mxfp8", "nvfp4", "mxfp4", "fp8 rowwise", "fp8", "tf32", "fp32"):
        if written.startswith(word):
            return word.replace(" ", "-")
    return "bf16"


@lru_cache(maxsize=4)
def shipped_training_rows(folder: Path) -> tuple[Row, ...]:
    """The measured rows that ship with the knowledge."""
    from advisor.evidence.table import read_table

    return read_table(folder / "measurements" / "training_performance.csv", COLUMNS)


def _check_numbers(row: Row) -> None:
    for column in ("gpu_count", "seq_len"):
        if not number_in(row, column):
            raise InputError(f'its "{column}" is blank, zero or no number')
    for column in _NUMBERS:
        value = number_in(row, column)
        if value is not None and not 0 <= value <= _LARGEST_NUMBER:
            raise InputError(f'its "{column}" is not between 0 and {_LARGEST_NUMBER:,.0f}')
    if not (number_in(row, "tokens_per_s_per_gpu") or number_in(row, "tflops_per_gpu")):
        raise InputError("no figure that is estimated")


def _layout(row: Row) -> dict[str, float]:
    tensor, stages, context, experts = (number_in(row, name) or 1.0 for name in ("tp", "pp", "cp", "ep"))
    replicas = max(1.0, (number_in(row, "gpu_count") or 1) / (tensor * stages * context))
    micro = number_in(row, "micro_batch") or 1.0
    batch = number_in(row, "global_batch") or _USUAL_ACCUMULATION * replicas * micro
    interleaved = re.search(r"VP=(\d+)|vpp(\d+)", row["notes"])
    return {
        "tensor_parallel": tensor,
        "pipeline_parallel": stages,
        "context_parallel": context,
        "expert_parallel": experts,
        "data_parallel": replicas,
        "micro_batch": micro,
        "gradient_accumulation": max(1.0, batch / (replicas * micro)),
        "virtual_stages": float(interleaved[1] or interleaved[2]) if interleaved else 1.0,
        "zero_stage": _zero_stage(row["zero_or_fsdp"]),
    }


def _zero_stage(written: str) -> float:
    if re.search(r"SHARD_GRAD_OP|ZeRO-2|zero2", written):
        return 2.0
    if re.search(r"FSDP|ZeRO-3", written):
        return 3.0
    return 1.0 if re.search(r"ZeRO-1|zero1|distributed optimizer", written) else 0.0


def _base_format(written: str) -> str:
    return next((name for words, name in (("gptq", "gptq"), ("bnb", "bnb"), ("nf4", "bnb")) if written.startswith(words)), "none")


def _recomputation(written: str) -> str:
    return next((word for word in ("full", "selective") if written.startswith(word)), "none")


def _as_row(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of one row as arrays of length one."""
    return {name: array if (array := np.asarray(value)).ndim else array[None] for name, value in columns.items()}


def _measured(cases: Sequence[TrainingCase], columns: Mapping[str, Any]) -> NDArray[np.float64]:
    """Tokens per second of each row; from a printed rate of FLOPs where there is nothing else.

    Such tables count attention in full, twice what is computed under a causal mask.
    """
    rates = np.array([case.tokens_per_second for case in cases])
    if not cases:
        return rates
    printed = np.array([number_in(case.row, "tflops_per_gpu") or np.nan for case in cases]) * parse("1 TFLOP", "FLOP")
    values = formulas().evaluate(("training_flops_per_token",), columns)
    counted = np.asarray(values["training_flops_per_token"]) + np.asarray(values["attention_operations_per_token"])
    return np.where(np.isfinite(rates), rates, printed / counted)
