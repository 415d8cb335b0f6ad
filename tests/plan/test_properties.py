"""What must hold for every model and every load: more never needs less, and more accelerators never hold less."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.evidence.hosts import host_of
from advisor.library import Library
from advisor.sizing.candidates import EngineSettings, Question, candidates
from advisor.sizing.formula import at
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.size import Sized, size

MODELS = (
    "llama-3.1-8b",
    "llama-3.1-70b",
    "mixtral-8x7b",
    "deepseek-v3",
    "gpt-oss-120b",
    "gemma-3-27b",
    "qwen3.5-35b-a3b",
    "jamba-v0.1",
)
PARTS = ("h100-sxm", "b200-sxm", "mi300x", "l40s")
FORMATS = ("awq-int4-g128", "fp8-e4m3-per-channel", "bf16", "fp32")
# Engines whose accounting is monotonic; vLLM before 0.8 switches chunked prefill on above 32K tokens and so needs less there.
ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp")
SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def sized(
    library: Library,
    *,
    model: str,
    engine: str = "vllm",
    form: str = "bf16",
    kv: str = "bf16",
    tokens: float = 4000,
    requests: float = 10,
    tensor: tuple[int, ...] = (1, 2, 4, 8),
    part: str = "h100-sxm",
) -> Sized:
    found = library.get(Engine, engine)
    question = Question(
        model=library.get(Model, model),
        hosts=(host_of(library, library.get(Accelerator, part), 8),),
        formats=(library.get(Format, form),),
        kv_format=library.get(Format, kv),
        engine_family=found.family,
        era=found.era(found.current),
        settings=EngineSettings(),
        input_tokens=tokens,
        output_tokens=100,
        concurrent_requests=requests,
        tensor_parallel=tensor,
        pipeline_parallel=(1,),
    )
    return size(candidates(question), [library.get(Efficiency, id) for id in MEMORY_CONSTANTS], layout=())


def value(table: Sized, name: str, row: int = 0) -> float:
    return float(at(table.values[name], row))


@SETTINGS
@given(
    model=st.sampled_from(MODELS), engine=st.sampled_from(ENGINES), tokens=st.integers(1, 200_000), more=st.integers(1, 200_000)
)
def test_more_context_never_needs_less(library: Library, model: str, engine: str, tokens: int, more: int) -> None:
    short = sized(library, model=model, engine=engine, tokens=tokens)
    long = sized(library, model=model, engine=engine, tokens=tokens + more)
    for name in ("kv_cache_per_request", "start_request", "activation_peak", "kv_cache"):
        assert np.all(np.asarray(long.values[name]) >= np.asarray(short.values[name])), name
    assert np.all(np.asarray(long.values["concurrency_room"]) <= np.asarray(short.values["concurrency_room"]))


@SETTINGS
@given(model=st.sampled_from(MODELS), requests=st.integers(1, 5000), more=st.integers(1, 5000))
def test_more_requests_never_need_less(library: Library, model: str, requests: int, more: int) -> None:
    few, many = sized(library, model=model, requests=requests), sized(library, model=model, requests=requests + more)
    for name in ("kv_cache", "replicas", "accelerators"):
        assert np.all(np.asarray(many.values[name]) >= np.asarray(few.values[name])), name


@SETTINGS
@given(model=st.sampled_from(MODELS), part=st.sampled_from(("h100-sxm", "mi300x", "l40s", "rtx-4090")))
def test_wider_formats_never_need_less(library: Library, model: str, part: str) -> None:
    widths = [
        sized(library, model=model, form=form, part=part) for form in ("awq-int4-g128", "fp8-e4m3-per-channel", "bf16", "fp32")
    ]
    caches = [sized(library, model=model, kv=kv, part=part) for kv in ("nvfp4", "fp8-e4m3-per-tensor", "bf16")]
    for narrow, wide in pairwise(widths):
        assert np.all(np.asarray(wide.values["weights"]) >= np.asarray(narrow.values["weights"]))
        assert np.all(np.asarray(wide.values["kv_room"]) <= np.asarray(narrow.values["kv_room"]))
    for narrow, wide in pairwise(caches):
        assert value(wide, "kv_cache") >= value(narrow, "kv_cache")


@SETTINGS
@given(
    model=st.sampled_from(MODELS),
    tokens=st.integers(100, 100_000),
    part=st.sampled_from(PARTS),
)
def test_the_best_room_never_falls_as_accelerators_are_added(library: Library, model: str, tokens: int, part: str) -> None:
    table = sized(library, model=model, tokens=tokens, part=part)
    per_replica = np.asarray(table.values["accelerators_per_replica"])
    room = np.asarray(table.values["concurrency_room"])
    best: list[float] = []
    for count in range(1, 17):
        # With n accelerators: as many equal replicas as fit of any one layout.
        fits = per_replica <= count
        best.append(float(np.max(np.floor(count / per_replica[fits]) * room[fits])))
    assert best == sorted(best)


@pytest.mark.parametrize("model", MODELS)
def test_weights_are_those_of_the_parameters(library: Library, model: str) -> None:
    table = sized(library, model=model)
    total = library.get(Model, model).parameters.total
    assert value(table, "weights") == pytest.approx(2 * total, rel=1e-9)
