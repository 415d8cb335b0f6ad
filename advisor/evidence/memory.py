"""Validating memory: what an engine's start-up log reported against what the formulas say of the same start.

Each row is sized from what its command and card state, never from what its log printed; a row is evaluated for a metric where
its `evaluable_` column says yes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine, Era
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import InputError
from advisor.evidence.hosts import host_of
from advisor.evidence.scores import Compared, Metric, OutOfMemory, Starts, Validation, Worked, metric, worst
from advisor.evidence.table import Row, number_in, read_table
from advisor.library import Library
from advisor.sizing.candidates import EngineSettings, Host, Question, candidates
from advisor.sizing.formula import at
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.size import Sized, size
from advisor.units import parse

COLUMNS = (
    "id", "engine", "engine_version", "engine_generation", "model_id", "accelerator_id", "tp", "pp", "gpu_memory_utilization",
    "max_model_len", "weights_gib_per_gpu", "kv_available_gib_per_gpu", "kv_tokens", "block_size", "max_num_seqs",
    "max_num_batched_tokens", "sampler", "chunked_prefill", "weights_dtype", "kv_cache_dtype", "outcome", "failure_kind",
    "evaluable_weights", "evaluable_kv", "evaluable_starts",
)  # fmt: skip
_GIB = parse("1 GiB", "byte")
_NOT_SIZING = "not-a-sizing-failure"
_UNKNOWN_CARD = 80 * _GIB


@dataclass(frozen=True)
class Start:
    """One start: its row, and the table of one candidate sized from it. card_known: whether the row names the card."""

    row: Row
    sized: Sized
    card_known: bool

    def value(self, name: str) -> float:
        """A quantity of the start, as estimated."""
        return float(at(self.sized.values[name], 0))

    def word(self, name: str) -> str:
        """A fact of the start that is a word."""
        return str(at(self.sized.values[name], 0))

    def bounds(self, name: str) -> tuple[float | None, float | None]:
        """Its interval; none where no uncertain constant enters it."""
        ends = [float(at(self.sized.ends(0)[name], end)) for end in (0, 1)]
        return (None, None) if min(ends) == max(ends) else (min(ends), max(ends))


def validate_memory(library: Library, path: Path) -> Validation:
    """Compare every evaluable row of a table of start-ups. Raises DocumentError for a file that is not such a table."""
    rows = read_table(path, COLUMNS)
    left_out: Counter[str] = Counter()
    starts: list[Start] = []
    for row in rows:
        if not any(row[f"evaluable_{what}"] == "yes" for what in ("weights", "kv", "starts")):
            left_out["no figure with all its inputs in columns"] += 1
            continue
        try:
            starts.append(start_of(library, row))
        except InputError as error:
            left_out[error.message] += 1
    compared = [each for start in starts for each in comparisons(start)]
    figures: dict[str, Metric | Starts | OutOfMemory | Worked] = {
        name: metric([each for each in compared if each.metric == name]) for name in ("weights", "kv_memory", "kv_tokens")
    }
    figures["starts"] = _starts(starts)
    return Validation(
        kind="memory", rows=len(rows), evaluated=len(starts), left_out=dict(left_out), metrics=figures, worst=worst(compared)
    )


def start_of(library: Library, row: Row) -> Start:
    """Size the start a row describes. Raises InputError, with a short reason, where a needed name is not in the catalogue."""
    if not row["model_id"]:
        raise InputError("the model is not identified")
    model = library.find(Model, row["model_id"])
    engine, era = _engine(library, row)
    part = library.find(Accelerator, row["accelerator_id"]) if row["accelerator_id"] else None
    tensor, pipeline = int(number_in(row, "tp") or 1), int(number_in(row, "pp") or 1)
    length = number_in(row, "max_model_len") or model.context or 8192
    limits = {
        name: number_in(row, name) for name in ("max_num_seqs", "max_num_batched_tokens", "block_size", "gpu_memory_utilization")
    }
    settings = EngineSettings(
        memory_fraction=limits["gpu_memory_utilization"],
        max_num_seqs=_whole(limits["max_num_seqs"]),
        max_num_batched_tokens=_whole(limits["max_num_batched_tokens"]),
        max_model_len=int(length),
        block_tokens=_whole(limits["block_size"]),
        pytorch_sampler={"pytorch": True, "flashinfer": False}.get(row["sampler"]),
        chunked_prefill={"yes": True, "no": False}.get(row["chunked_prefill"]),
    )
    question = Question(
        model=model,
        hosts=(host_of(library, part) if part else _unknown_host(library, tensor),),
        formats=(_format(library, row["weights_dtype"], model, engine),),
        kv_format=_kv_format(library, row["kv_cache_dtype"], model),
        engine_family=engine.family,
        era=era,
        settings=settings,
        input_tokens=length,
        output_tokens=0,
        concurrent_requests=1,
        tensor_parallel=(tensor,),
        pipeline_parallel=(pipeline,),
    )
    table = candidates(question)
    return Start(row, size(table, memory_efficiencies(library), layout=()), part is not None)


def comparisons(start: Start) -> Iterator[Compared]:
    """The reported figures of a start beside the estimates."""
    row = start.row
    reported = number_in(row, "weights_gib_per_gpu")
    if row["evaluable_weights"] == "yes" and reported:
        yield Compared(row["id"], "weights", start.value("weights_per_accelerator"), reported * _GIB, reported * _GIB)
    if row["evaluable_kv"] != "yes":
        return
    room, tokens = number_in(row, "kv_available_gib_per_gpu"), number_in(row, "kv_tokens")
    llama = start.word("engine_family") == "llama.cpp"
    if room is not None and (start.card_known or llama):
        name = "start_request" if llama else "kv_room"
        low, high = start.bounds(name)
        card = start.value("usable_memory")
        yield Compared(row["id"], "kv_memory", start.value(name), room * _GIB, card, low, high)
    if tokens and start.card_known and not llama:
        low, high = start.bounds("kv_tokens")
        yield Compared(row["id"], "kv_tokens", start.value("kv_tokens"), tokens, tokens, low, high)


def starts(start: Start) -> bool:
    """Whether the engine would start: the cache holds one sequence of the longest length."""
    return start.value("kv_room") > 0 and start.value("kv_room") >= start.value("start_request")


def _starts(all_starts: Sequence[Start]) -> Starts:
    judged = [each for each in all_starts if each.row["evaluable_starts"] == "yes" and each.row["failure_kind"] != _NOT_SIZING]
    failed = [each for each in judged if each.row["outcome"] != "ok"]
    worked = [each for each in judged if each.row["outcome"] == "ok"]
    return Starts(
        failures=len(failed),
        called=sum(not starts(each) for each in failed),
        started=len(worked),
        refused=sum(not starts(each) for each in worked),
    )


def memory_efficiencies(library: Library) -> tuple[Efficiency, ...]:
    """The constants that memory formulas take."""
    return tuple(library.get(Efficiency, id) for id in MEMORY_CONSTANTS)


def _engine(library: Library, row: Row) -> tuple[Engine, Era]:
    """The engine and the way of counting a row names, by its version where that agrees with the way, else the way's latest."""
    version = re.search(r"\d+\.\d+(\.\d+)?", row["engine_version"]) if not row["engine_version"].startswith("dated") else None
    for engine in library.all(Engine):
        ways = [era for era in engine.eras if era.generation == row["engine_generation"]]
        if ways:
            exact = engine.era(version[0]) if version else ways[-1]
            return engine, exact if exact in ways else ways[-1]
    engine = library.find(Engine, re.split(r"[ (-]", row["engine"])[0])
    return engine, engine.era(version[0] if version else engine.current)


def _format(library: Library, written: str, model: Model, engine: Engine) -> Format:
    id = library.find(Format, written).id if written else model.format or "bf16"
    return library.get(Format, engine.stores.get(id, id))


def _kv_format(library: Library, written: str, model: Model) -> Format:
    """The cache's format: as stated, the checkpoint's, or 16 bit; mixed ones by the wider of keys and values."""
    if not written:
        return library.get(Format, model.kv_format or "bf16")
    parts = [part.partition("-")[2] if part[:2] in ("k-", "v-") else part for part in written.split("/")]
    return max((library.find(Format, part) for part in parts), key=lambda form: form.bits)


def _unknown_host(library: Library, tensor: int) -> Host:
    """A stand-in card for rows that need none: weights and per-token figures do not depend on it."""
    part = library.find(Accelerator, "a100-sxm4-80")
    return Host(part, max(8, tensor), _UNKNOWN_CARD)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
