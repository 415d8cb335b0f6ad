"""A peer's estimate beside ours: aiconfigurator (NVIDIA, Apache-2.0), which adds up measured kernel times of one configuration.

It is the only file that reaches aiconfigurator, and only when asked. Its tables lie in its package, so that it needs neither an
accelerator nor a network; a model whose configuration it does not pack would be fetched from the hub, and is refused instead.
"""

import logging
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from pydantic import Field

from advisor.catalogue.record import Record
from advisor.errors import MissingExtraError

PEER: Final = "aiconfigurator"
EXPECTED: Final = "0.12"
# Accelerators it holds kernel tables for; its A100 tables are of the 80 GB part.
SYSTEMS: Final[Mapping[str, str]] = {
    "a100-sxm4-80": "a100_sxm",
    "h100-sxm": "h100_sxm",
    "h200-sxm": "h200_sxm",
    "b200-sxm": "b200_sxm",
    "b300-sxm": "b300_sxm",
    "gb200": "gb200",
    "gb300": "gb300",
    "l40s": "l40s",
    "rtx-pro-6000-bw-server": "rtx_pro_6000_server",
    "arc-pro-b60": "b60",
}
ENGINES: Final[Mapping[str, str]] = {"vllm": "vllm", "sglang": "sglang", "tensorrt-llm": "trtllm", "trt-llm": "trtllm"}
# Releases with the shape of an earlier one that it packs: the sizes in their configurations are the same.
_SAME_SHAPE: Final[Mapping[str, str]] = {
    "llama-3.3-70b": "llama-3.1-70b",
    "llama-3.1-nemotron-70b-instruct-hf": "llama-3.1-70b",
    "deepseek-v3.1": "deepseek-v3",
    "deepseek-v3.1-terminus": "deepseek-v3",
}
# Words behind a model's name that leave its shape as it is: how it was tuned, when it was revised, how it was quantized.
_WORDS: Final = re.compile(
    r"-(instruct|it|base|chat|thinking|fp8|nvfp4|fp4|bf16|awq|int4|static|pertensor|dynamic|0324|0528|2507)$"
)


@dataclass(frozen=True)
class _Modes:
    """A weight format in its words: what it calls such a checkpoint, best first, and its modes for dense and expert layers.

    A checkpoint of the first kind needs no modes, since it tells by itself which layers are quantized, and how. Without modes
    only such a checkpoint will do.
    """

    checkpoints: tuple[str | None, ...]
    dense: str | None = None
    experts: str | None = None


_SIXTEEN: Final = _Modes((None,), "bfloat16", "bfloat16")
_FP8: Final = _Modes(("fp8", "fp8_block"), "fp8", "fp8")
_INT4: Final = _Modes(("compressed-tensors",), "int4_wo", "int4_wo")
_MXFP4: Final = _Modes(("mxfp4",))
_MXFP4_NAMES: Final = ("mxfp4", "mxfp4-fp8")
_BLACKWELL: Final = ("b200_sxm", "b300_sxm", "gb200", "gb300")
_WEIGHTS: Final[Mapping[str, _Modes]] = {
    "bf16": _SIXTEEN,
    "fp16": _SIXTEEN,
    "fp8": _FP8,
    "fp8-e4m3-per-tensor": _FP8,
    "fp8-e4m3-per-channel": _FP8,
    "fp8-e4m3-block128": _Modes(("fp8_block", "fp8"), "fp8_block", "fp8_block"),
    "nvfp4": _Modes(("nvfp4", "mixed_precision"), "nvfp4", "nvfp4"),
    "mxfp4": _MXFP4,
    "mxfp4-fp8": _MXFP4,
    "int4": _INT4,
    "int4-g32": _INT4,
    "awq-int4-g128": _INT4,
    "gptq-int4-g128": _INT4,
    "int8-w8a8": _Modes((), "sq"),
    "int8-weight-only": _Modes((), "int8_wo"),
}
_CACHES: Final[Mapping[str, str]] = {"bf16": "bfloat16", "fp16": "bfloat16", "int8": "int8"}


class PeerQuestion(Record):
    """One replica at its load, in our terms.

    model: its name on the hub. tensor_parallel x pipeline_parallel x data_parallel are the replica's accelerators, with
    data_parallel the groups that attend to requests of their own; expert_parallel: groups that experts are spread over.
    kv_precision: none where it is not stated, and the peer then takes the checkpoint's. concurrent_requests: of the replica.
    """

    model: str
    accelerator: str
    engine: str
    engine_version: str | None = None
    tensor_parallel: int = Field(default=1, ge=1)
    pipeline_parallel: int = Field(default=1, ge=1)
    data_parallel: int = Field(default=1, ge=1)
    expert_parallel: int = Field(default=1, ge=1)
    precision: str
    kv_precision: str | None = None
    input_tokens: int = Field(ge=1)
    output_tokens: int = Field(ge=1)
    concurrent_requests: float = Field(gt=0)


class PeerEstimate(Record):
    """What the peer says: mean times in seconds, its version, and the tables it read.

    caution: why the peer itself calls its figure inexact, if it does.
    """

    time_to_first_token: float
    time_per_output_token: float
    version: str
    database: str
    caution: str | None = None


class PeerRefusal(Record):
    """Why the peer gives no figure. version: of the peer, where it got so far as to be asked."""

    reason: str
    version: str | None = None


def peer_estimate(question: PeerQuestion) -> PeerEstimate | PeerRefusal:
    """The peer's mean time to first token and per output token of one replica under a closed loop of clients.

    Raises MissingExtraError where it is not installed; whatever it cannot estimate is a PeerRefusal. The first call takes some
    4 s, another configuration about 1.5 s.
    """
    version = peer_version()
    system, backend = SYSTEMS.get(question.accelerator), ENGINES.get(question.engine)
    if system is None:
        return PeerRefusal(reason=f"{PEER} has no kernel tables of {question.accelerator}", version=version)
    if backend is None:
        return PeerRefusal(reason=f"{PEER} has no kernel tables of the engine {question.engine}", version=version)
    modes = _WEIGHTS.get(question.precision)
    if modes is None:
        return PeerRefusal(reason=f"{PEER} has no mode for {question.precision} weights", version=version)
    try:
        with _quiet():
            return _asked(question, system, backend, modes, version)
    except _Unable as unable:
        return PeerRefusal(reason=str(unable), version=version)
    except (ImportError, AttributeError, TypeError) as error:
        changed = f"{PEER} {version} cannot be called as {EXPECTED} is: {_first_line(error)}"
        return PeerRefusal(reason=changed, version=version)
    except Exception as error:  # what it raises for a missing table differs by backend and is no part of its interface
        return PeerRefusal(reason=_reason(error), version=version)


def peer_version() -> str:
    """The installed peer's version. Raises MissingExtraError where it is not installed."""
    try:
        return str(import_module(PEER).__version__)
    except ImportError:
        raise MissingExtraError("a second opinion", "peers") from None


class _Unable(Exception):
    """The peer has no way to answer; the message is the reason."""


def _asked(question: PeerQuestion, system: str, backend: str, modes: _Modes, version: str) -> PeerEstimate:
    models, tables = _module("sdk.models"), _module("sdk.perf_database")
    model, native = _packed(question, modes)
    mixture = bool(models.check_is_moe(model))
    dense, experts = (None, None) if native else (modes.dense, modes.experts)
    if not native and (dense is None or (mixture and experts is None)):
        raise _Unable(f"{PEER} has no mode for {question.precision} weights of {question.model}")
    width = question.tensor_parallel * question.data_parallel
    if mixture and width % question.expert_parallel:
        raise _Unable(f"{question.expert_parallel} groups of experts do not divide {width} accelerators")
    if backend == "sglang" and experts == "fp8":
        experts = "fp8_block"  # the only FP8 that its expert tables of SGLang hold
    elif backend == "trtllm" and system in _BLACKWELL and question.precision in _MXFP4_NAMES:
        experts = "w4a8_mxfp4_mxfp8"  # what TensorRT-LLM runs there unless told otherwise; the checkpoint alone does not say
    slots: Mapping[str, str] = tables.get_version_slots(system, backend) or {}
    listed = question.engine_version if question.engine_version in slots.values() else None
    # It counts a batch for each attention group and each pipeline stage.
    batch = math.ceil(question.concurrent_requests / (question.data_parallel * question.pipeline_parallel))
    estimate: Callable[..., Any] = _module("cli.api").cli_estimate
    found = estimate(
        model,
        system,
        backend_name=backend,
        backend_version=listed,
        isl=question.input_tokens,
        osl=question.output_tokens,
        batch_size=batch,
        tp_size=question.tensor_parallel,
        pp_size=question.pipeline_parallel,
        attention_dp_size=question.data_parallel,
        moe_tp_size=width // question.expert_parallel if mixture else None,
        moe_ep_size=question.expert_parallel if mixture else None,
        gemm_quant_mode=dense,
        moe_quant_mode=experts if mixture else None,
        kvcache_quant_mode=_cache(question.kv_precision),
    )
    first, each = float(found.ttft) / 1e3, float(found.tpot) / 1e3
    if not (math.isfinite(first) and math.isfinite(each) and first > 0):
        raise _Unable(f"{PEER} gave no finite time")
    return PeerEstimate(
        time_to_first_token=first,
        time_per_output_token=each,
        version=version,
        database=f"{found.backend_name} {found.backend_version} on {found.system_name}",
        caution="the batch exceeds the KV cache it reckons with, so requests would queue" if found.kv_cache_warning else None,
    )


def _packed(question: PeerQuestion, modes: _Modes) -> tuple[str, bool]:
    """The checkpoint it packs for a model, and whether it was released in just the weight format asked for.

    Else one of a like format, or any of the same shape.
    """
    shape = _shape(question.model)
    names = sorted(str(name) for name in _module("sdk.common").DefaultHFModels if _shape(str(name)) == shape)
    if not names:
        raise _Unable(f"{PEER} does not pack the configuration of {question.model}")
    configurations = _module("sdk.utils")
    stored = {name: configurations.get_model_config_from_model_path(name)["raw_config"].get("quant_algo") for name in names}
    names.sort(key=lambda name: (name != question.model, len(name), name))
    for rank, wanted in enumerate(modes.checkpoints):
        if like := next((name for name in names if stored[name] == wanted), None):
            return like, rank == 0
    return next((name for name in names if stored[name] is None), names[0]), False


def _shape(name: str) -> str:
    """What is left of a hub name without its owner and the words that leave a model's shape as it is."""
    short = name.rpartition("/")[2].casefold().removeprefix("meta-")
    while short not in _SAME_SHAPE and (trimmed := _WORDS.sub("", short)) != short:
        short = trimmed
    return _SAME_SHAPE.get(short, short)


def _cache(written: str | None) -> str | None:
    """The cache's format in its words; none leaves it to the checkpoint."""
    if written is None:
        return None
    mode = "fp8" if written.startswith("fp8") else _CACHES.get(written)
    if mode is None:
        raise _Unable(f"{PEER} has no mode for a {written} cache")
    return mode


def _module(name: str) -> ModuleType:
    return import_module(f"{PEER}.{name}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Its notes on tables it falls back to would stand among our output."""
    loggers = [logging.getLogger(name) for name in (PEER, f"{PEER}_core")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _reason(error: Exception) -> str:
    text = _first_line(error)
    if text.startswith("OOM"):
        return f"{PEER} finds that the model does not fit these accelerators"
    return f"{PEER} cannot estimate it: {text}"


def _first_line(error: Exception) -> str:
    """The first line of a message, without the place of a file on this machine."""
    text = (str(error).splitlines() or [""])[0] or type(error).__name__
    return re.sub(r"\s+at\s+(?:[A-Za-z]:)?[\\/]\S+.*", "", text)[:240]
