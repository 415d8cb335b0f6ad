"""Measured serving speed: rows of a table as facts, estimates for them, and validation.

A row is estimated from what it states of model, accelerator, engine, layout, lengths and load, never from what it measured.
Rows that contradict themselves (Little's law) or physics are left out by rules on their own columns.
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
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import InputError
from advisor.evidence.hosts import host_of
from advisor.evidence.table import Row, number_in
from advisor.library import Library
from advisor.sizing.candidates import EngineSettings, Question, candidates
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import formulas
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.serving.constants import SERVING_CONSTANTS

COLUMNS = (
    "id", "source", "engine_id", "engine_version", "model_id", "accelerator_id", "precision_id", "kv_precision_id", "gpu_count",
    "tp", "pp", "dp", "isl", "osl", "concurrency_or_batch", "output_tok_s_total", "req_s", "ttft_ms_mean", "tpot_ms_mean",
    "e2e_ms_mean", "notes", "evaluable", "metric_kind",
)  # fmt: skip
# Metric -> the quantity that estimates it, by kind of measurement.
QUANTITIES: dict[str, tuple[str, ...]] = {
    "tpot": ("time_per_output_token",),
    "ttft": ("time_to_first_token", "batch_first_token"),
    "latency": ("request_latency", "batch_latency"),
    "output_throughput": ("offline_token_rate",),
}
WANTED = (
    "time_per_output_token",
    "time_to_first_token",
    "request_latency",
    "batch_latency",
    "batch_first_token",
    "offline_token_rate",
)
_ENGINES = {"trt-llm": "tensorrt-llm", "deepspeed-habana": "deepspeed"}
_SMALL_CACHE = ("fp8", "nvfp4")
_MOST_SEQUENCES = {"tensorrt-llm": 2048, "sglang": 4096}
_KEPT_FULL = 1e9
_STATED = ("gpu_count", "isl", "osl")
_NUMBERS = (
    *_STATED, "tp", "pp", "dp", "concurrency_or_batch", "output_tok_s_total", "req_s", "ttft_ms_mean", "tpot_ms_mean",
    "e2e_ms_mean",
)  # fmt: skip
_LARGEST_NUMBER = 1e9


@dataclass(frozen=True)
class Case:
    """One measured row: its question, and what was measured, in seconds and tokens per second by quantity."""

    row: Row
    question: Question
    measured: Mapping[str, float]

    @property
    def group(self) -> str:
        """Source, model and accelerator: what never stands on both sides of a split."""
        return f"{self.row['source']}/{self.question.model.id}/{self.question.hosts[0].accelerator.id}"


@dataclass(frozen=True)
class Cases:
    """Measured rows with their facts as columns; `columns` holds one value (or one a layer group) for each row."""

    cases: tuple[Case, ...]
    columns: Mapping[str, Any]
    left_out: Mapping[str, int]

    def measured(self, quantity: str) -> NDArray[np.float64]:
        """What was measured of a quantity, NaN where it was not."""
        return np.array([case.measured.get(quantity, np.nan) for case in self.cases])

    @property
    def groups(self) -> NDArray[np.str_]:
        """The group of each row."""
        return np.array([case.group for case in self.cases])


def read_cases(library: Library, rows: Sequence[Row]) -> Cases:
    """Every row that states all inputs, with its facts; and why the others were left out."""
    left_out: Counter[str] = Counter()
    cases: list[Case] = []
    tables: list[Mapping[str, Any]] = []
    for row in rows:
        if row["evaluable"] != "yes":
            left_out["not all inputs are in columns"] += 1
            continue
        try:
            case = case_of(library, row)
            table = candidates(case.question).columns
        except InputError as error:
            left_out[error.message] += 1
            continue
        if not case.measured:
            left_out["no figure that is estimated"] += 1
            continue
        if reason := contradiction(row, table):
            left_out[reason] += 1
            continue
        cases.append(case)
        tables.append(table)
    # A row was measured on one replica, which got all its requests, also where memory would have called for more.
    return Cases(tuple(cases), {**stacked(tables), "replicas": 1.0}, dict(left_out))


def estimate(columns: Mapping[str, Any], constants: Mapping[str, Any]) -> dict[str, Any]:
    """All estimated quantities for rows of facts, with these constants."""
    return formulas().evaluate(WANTED, {**columns, **constants})


def serving_constants(library: Library) -> tuple[Efficiency, ...]:
    """The constants that serving estimates take, those of memory included."""
    return tuple(library.get(Efficiency, id) for id in (*MEMORY_CONSTANTS, *SERVING_CONSTANTS))


def band(library: Library, quantity: str) -> tuple[float, float]:
    """Measured over estimated, between which four of five measured values stand; (1, 1) for what has no band."""
    id = f"{quantity}_band"
    if not library.has(Efficiency, id):
        return 1.0, 1.0
    level = library.get(Efficiency, id).cases[0]
    return level.low, level.high


def estimate_rows(library: Library, rows: Sequence[Row]) -> tuple[tuple[Row, dict[str, float]], ...]:
    """Estimates of measured rows with the shipped constants, without any correction by neighbours."""
    found = read_cases(library, rows)
    if not found.cases:
        return ()
    values = estimate(found.columns, efficiency_columns(serving_constants(library), found.columns))
    size = len(found.cases)
    columns = {name: np.broadcast_to(np.asarray(values[name], dtype=float), (size,)) for name in WANTED}
    return tuple((case.row, {name: float(columns[name][place]) for name in WANTED}) for place, case in enumerate(found.cases))


def case_of(library: Library, row: Row) -> Case:
    """The question that a row answers. Raises InputError, with a short reason, where a needed name is not in the catalogue."""
    if not (row["model_id"] and row["accelerator_id"] and row["precision_id"]):
        raise InputError("model, accelerator or weight format is not identified")
    _check_numbers(row)
    model = library.find(Model, row["model_id"])
    part = library.find(Accelerator, row["accelerator_id"])
    if not part.memory_bandwidth:
        raise InputError(f"the memory bandwidth of {part.id} is not known")
    engine = library.find(Engine, _ENGINES.get(row["engine_id"], row["engine_id"] or "unknown"))
    released = release_year(engine, row)
    batched = re.search(r"max_num_batched_tokens (\d+)", row["notes"])
    accelerators, stages, groups = (number_in(row, name) or 1 for name in ("gpu_count", "pp", "dp"))
    tensor = max(1, round(accelerators / stages / max(groups, 1)))
    kind, clients = row["metric_kind"], number_in(row, "concurrency_or_batch")
    form = _format(library, row["precision_id"], model)
    question = Question(
        model=model,
        hosts=(host_of(library, part, 8),),
        formats=(form,),
        kv_format=_cache_format(library, row),
        engine_family=engine.family,
        era=engine.era(row["engine_version"] if re.search(r"\d", row["engine_version"]) else engine.current),
        settings=EngineSettings(
            max_num_seqs=_MOST_SEQUENCES.get(engine.family, 256 if released < 2025 else 1024),
            max_num_batched_tokens=int(batched[1]) if batched else 8192,
        ),
        input_tokens=number_in(row, "isl") or 1,
        output_tokens=number_in(row, "osl") or 1,
        concurrent_requests=_KEPT_FULL if kind == "offline-max" else clients or 1,
        tensor_parallel=(tensor,),
        pipeline_parallel=(int(stages),),
        attention_data_parallel=int(max(groups, 1)),
        engine_period=period(released),
        requests_per_client=10,
        all_at_once=kind == "server",
        offline=kind == "offline-max",
    )
    return Case(row, question, _measured(row))


def _check_numbers(row: Row) -> None:
    """Refuse a row without its lengths, accelerators or load, or with a number that can be none of these."""
    needed = _STATED if row["metric_kind"] == "offline-max" else (*_STATED, "concurrency_or_batch")
    for column in needed:
        if not number_in(row, column):
            raise InputError(f'its "{column}" is blank, zero or no number')
    for column in _NUMBERS:
        value = number_in(row, column)
        if value is not None and not 0 <= value <= _LARGEST_NUMBER:
            raise InputError(f'its "{column}" is not between 0 and {_LARGEST_NUMBER:,.0f}')


def release_year(engine: Engine, row: Row) -> float:
    """When the engine of a row was released: its run's date, its version's, or that of its source, as a year."""
    for text in (row["notes"], row["engine_version"]):
        if dated := re.search(r"\b(20\d\d)-(\d\d)\b", text):
            return int(dated[1]) + (int(dated[2]) - 0.5) / 12
    return engine.released(row["engine_version"]) or _SOURCE_YEARS.get(row["source"], 2025.8)


def period(released: float) -> str:
    """The half year in which an engine was released, as its constants are keyed: "2025-2"."""
    return f"{int(released)}-{1 if released % 1 < 0.5 else 2}"


# Sources that state no version, by the date of their runs.
_SOURCE_YEARS = {"Argonne": 2024.3, "Intel-Gaudi-page": 2024.3, "Oracle-OCI-blog": 2024.5}


def contradiction(row: Row, facts: Mapping[str, Any]) -> str | None:
    """Why a row cannot be true: rate times latency is not its clients, or it is faster than reading its weights once a token."""
    rate, first, each = number_in(row, "req_s"), number_in(row, "ttft_ms_mean"), number_in(row, "tpot_ms_mean")
    clients, outputs, whole = (number_in(row, name) or 1 for name in ("concurrency_or_batch", "osl", "e2e_ms_mean"))
    kind = row["metric_kind"]
    with np.errstate(all="ignore"):
        values = formulas().evaluate(("least_step_time",), facts)
    least = float(np.max(np.asarray(values["least_step_time"])))
    if kind in ("closed-loop", "server") and each:
        if rate and first and not 0.5 <= rate * (first + (outputs - 1) * each) / 1e3 / clients <= 2:
            return "its rate and latency contradict Little's law"
        if each / 1e3 < least:
            return "it is faster than reading its weights allows"
    if kind == "fixed-batch" and outputs > 1 and number_in(row, "e2e_ms_mean") and whole / 1e3 < least * (outputs - 1):
        return "it is faster than reading its weights allows"
    return None


def _measured(row: Row) -> dict[str, float]:
    """What a row measured, by the quantity that estimates it."""
    kind, outputs = row["metric_kind"], number_in(row, "osl") or 1
    first, each, whole, rate = (
        number_in(row, name) for name in ("ttft_ms_mean", "tpot_ms_mean", "e2e_ms_mean", "output_tok_s_total")
    )
    found: dict[str, float] = {}
    if kind in ("closed-loop", "server"):
        if each:
            found["time_per_output_token"] = each / 1e3
        if first:
            found["time_to_first_token"] = first / 1e3
        if each and first:
            found["request_latency"] = (first + (outputs - 1) * each) / 1e3
    elif kind == "fixed-batch":
        batch = number_in(row, "concurrency_or_batch") or 1
        if outputs > 1 and (whole or rate):
            found["batch_latency"] = whole / 1e3 if whole else batch * outputs / (rate or 1)
        elif outputs <= 1 and first:
            found["batch_first_token"] = first / 1e3
    elif kind == "offline-max" and rate:
        found["offline_token_rate"] = rate
    return found


def _format(library: Library, written: str, model: Model) -> Format:
    """The weight format; four-bit integers of a checkpoint released so are that checkpoint's."""
    form = library.find(Format, written)
    released = library.get(Format, model.format) if model.format else None
    return released if released is not None and written == "int4" and released.family.startswith("int4") else form


def _cache_format(library: Library, row: Row) -> Format:
    written = row["kv_precision_id"] or ("fp8" if row["precision_id"] in _SMALL_CACHE else "bf16")
    return library.find(Format, written)


def stacked(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One column a fact from tables of one row each; group facts are padded with groups that count nothing."""
    if not tables:
        return {}
    groups = max(np.asarray(table["group_layers"]).shape[0] for table in tables)
    stacked: dict[str, Any] = {}
    for name in tables[0]:
        if name.startswith("group_"):
            column = np.ones((groups, len(tables))) if name == "group_compressed_ratio" else np.zeros((groups, len(tables)))
            for place, table in enumerate(tables):
                values = np.asarray(table[name])[:, 0]
                column[: len(values), place] = values
            stacked[name] = column
        else:
            stacked[name] = np.array([np.asarray(table[name]).ravel()[0] for table in tables])
    return stacked


@lru_cache(maxsize=4)
def shipped_rows(folder: Path) -> tuple[Row, ...]:
    """The measured rows that ship with the knowledge."""
    from advisor.evidence.table import read_table

    return read_table(folder / "measurements" / "inference_performance.csv", COLUMNS)
