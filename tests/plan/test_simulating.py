"""A row of the candidates table simulated: the closed form where nobody queues, counts that add up, and clear refusals."""

from typing import Any

import numpy as np
import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import FormulaError, QuantityError
from advisor.evidence.hosts import host_of
from advisor.evidence.traces import RequestTrace
from advisor.library import Library
from advisor.plan.simulating import simulate_row
from advisor.sizing.candidates import EngineSettings, Question, candidates
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import formulas
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.serving.constants import SERVING_CONSTANTS
from advisor.sizing.serving.tails import TAIL_CONSTANTS, TAIL_QUANTITIES

_MEANS = ("time_to_first_token", "time_per_output_token", "request_latency")


def _row(library: Library, running: float = 1.0, process: str = "open", **changes: Any) -> dict[str, Any]:
    """Llama 3.1 8B on one H100, with all its facts and quantities."""
    engine = library.find(Engine, "vllm")
    question = Question(
        model=library.find(Model, "llama-3.1-8b-instruct"),
        hosts=(host_of(library, library.find(Accelerator, "h100-sxm")),),
        formats=(library.find(Format, "bf16"),),
        kv_format=library.find(Format, "bf16"),
        engine_family=engine.family,
        era=engine.era(engine.current),
        settings=EngineSettings(max_model_len=16384),
        input_tokens=1000,
        output_tokens=200,
        concurrent_requests=running,
        tensor_parallel=(1,),
        pipeline_parallel=(1,),
    )
    facts = {
        **candidates(question).columns,
        "arrival_process": process,
        "input_p95_to_p50": 1.0,
        "output_p95_to_p50": 1.0,
        "replicas": 1.0,
        **changes,
    }
    constants = (*MEMORY_CONSTANTS, *SERVING_CONSTANTS, *TAIL_CONSTANTS)
    facts |= efficiency_columns([library.get(Efficiency, id) for id in constants], facts)
    return formulas().evaluate((*_MEANS, *TAIL_QUANTITIES, "seat_headroom"), {**facts, "running_requests": np.array([running])})


def _one(row: dict[str, Any], name: str) -> float:
    return float(np.ravel(row[name])[0])


def test_requests_that_meet_nobody_see_the_closed_form(library: Library) -> None:
    row = _row(library)
    report = simulate_row(row, "poisson", rate=0.002, replicas=1, horizon=500_000, seed=1)
    for name in _MEANS:
        assert getattr(report, name).mean == pytest.approx(_one(row, name), rel=0.03)
    assert report.served == report.requests > 800
    assert not report.overloaded


def test_busy_replicas_without_a_queue_see_the_closed_form(library: Library) -> None:
    alone = _row(library)
    rate = 12 / _one(alone, "request_latency") / 1.15
    running, row = 12.0, alone
    for _ in range(50):
        row = _row(library, running)
        running = max(1.0, rate * _one(row, "request_latency"))
    report = simulate_row(row, "poisson", rate=rate, replicas=1, horizon=2000, seed=2)
    for name in _MEANS:
        assert getattr(report, name).mean == pytest.approx(_one(row, name), rel=0.05 if name == "time_to_first_token" else 0.03)
        assert getattr(report, name).p95 == pytest.approx(_one(row, f"{name}_p95"), rel=0.35)


def test_spread_lengths_have_longer_tails_in_both(library: Library) -> None:
    row = _row(library, 4.0, input_p95_to_p50=4.0, output_p95_to_p50=3.5)
    even = _row(library, 4.0)
    rate = 4 / _one(row, "request_latency")
    report = simulate_row(row, "poisson", rate=rate, replicas=1, horizon=3000, seed=3)
    assert report.request_latency.p95 == pytest.approx(_one(row, "request_latency_p95"), rel=0.2)
    assert _one(row, "request_latency_p95") > 1.8 * _one(even, "request_latency_p95")


def test_counts_add_up_and_the_seed_decides(library: Library) -> None:
    row = _row(library)
    calls: list[tuple[int, int]] = []
    first = simulate_row(
        row, "bursty", rate=20, replicas=2, horizon=120, seed=4, progress=lambda done, of: calls.append((done, of))
    )
    assert first.served + first.rejected == first.requests
    assert calls[-1] == (first.requests, first.requests)
    again = simulate_row(row, "bursty", rate=20, replicas=2, horizon=120, seed=4)
    assert again == simulate_row(row, "bursty", rate=20, replicas=2, horizon=120, seed=4)
    assert again != simulate_row(row, "bursty", rate=20, replicas=2, horizon=120, seed=5)
    assert "bursty" in first.method


def test_a_recorded_trace_brings_its_lengths_and_can_be_sped_up(library: Library) -> None:
    trace = RequestTrace("mine", np.arange(100.0), np.full(100, 500.0), np.full(100, 50.0))
    row = _row(library)
    plain = simulate_row(row, trace, replicas=1)
    assert plain.requests == 100
    assert plain.requests_per_second == pytest.approx(100 / 99)
    faster = simulate_row(row, trace, rate=50, replicas=1)
    assert faster.request_latency.mean is not None
    assert plain.request_latency.mean is not None
    assert faster.request_latency.mean > plain.request_latency.mean
    assert simulate_row(row, trace, replicas=1, horizon=9.5).requests == 10


def test_more_than_replicas_can_answer_is_said(library: Library) -> None:
    assert simulate_row(_row(library), "poisson", rate=500, replicas=1, horizon=20).overloaded


@pytest.mark.parametrize("rate", [None, 0.0])
def test_a_rate_is_needed(library: Library, rate: float | None) -> None:
    with pytest.raises(QuantityError) as refused:
        simulate_row(_row(library), "poisson", rate=rate, replicas=1)
    assert refused.value.where == "rate"


def test_a_row_without_facts_is_refused() -> None:
    with pytest.raises(FormulaError, match="max_num_seqs"):
        simulate_row({"input_tokens": 1.0, "output_tokens": 1.0}, "poisson", rate=1, replicas=1)
