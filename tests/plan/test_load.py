"""How a load becomes requests in flight, and what a plan says of it afterwards."""

from datetime import date
from typing import Any

import pytest

from advisor.errors import DocumentError
from advisor.facts import Label
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.models import CATALOGUE_ONLY
from advisor.plan.plan import Plan, WorkloadPlan
from advisor.workload.reading import to_document

DAY = date(2026, 11, 30)


def _plan(library: Library, more: dict[str, Any] | None = None, **workload: Any) -> Plan:
    body = {
        "kind": "realtime-inference",
        "model": "llama-3.1-8b",
        "input_tokens": 1000,
        "output_tokens": 200,
        "accelerators": {"only": ["h100-sxm"]},
        **workload,
    }
    body = {name: value for name, value in body.items() if value is not None}
    return make_plan(to_document({"workloads": [body], **(more or {})}), library, today=DAY, access=CATALOGUE_ONLY)


def _workload(library: Library, more: dict[str, Any] | None = None, **workload: Any) -> WorkloadPlan:
    return _plan(library, more, **workload).workloads[0]


def test_people_become_requests_in_flight(library: Library) -> None:
    found = _workload(library, traffic={"people": 3000, "active_share": 0.1, "requests_per_active_person_per_hour": 12})
    assert found.facts["requests_per_second"].value == pytest.approx(1.0)
    # 1 request/s, each as long as its targets allow: 2 s and 200 tokens at 50 ms.
    assert found.facts["concurrent_requests"].value == pytest.approx(12.0)
    assert found.recommended is not None
    assert found.traffic is not None
    latency = found.recommended.estimates["request_latency"].value
    assert found.traffic.concurrent_requests.value == pytest.approx(latency)
    assert found.traffic.active_people.value == pytest.approx(300)


def test_all_four_figures_follow_from_a_stated_concurrency(library: Library) -> None:
    found = _workload(library, traffic={"concurrent_requests": 50})
    assert found.traffic is not None
    assert found.recommended is not None
    rate = 50 / found.recommended.estimates["request_latency"].value
    assert found.traffic.requests_per_second.value == pytest.approx(rate)
    assert found.traffic.people.value * found.traffic.active_share.value == pytest.approx(found.traffic.active_people.value)
    assert "active_share" not in found.facts, "no size rests on it"


def test_growth_is_over_the_term(library: Library) -> None:
    traffic = {"requests_per_second": 2, "growth_per_year": "50%"}
    found = _workload(library, {"budget": {"term": "2 years"}}, traffic=traffic)
    assert found.traffic is not None
    assert found.traffic.grown_requests_per_second is not None
    assert found.traffic.grown_requests_per_second.value == pytest.approx(2 * 1.5**2, rel=0.01)


def test_a_preset_stands_for_what_is_not_stated(library: Library) -> None:
    found = _workload(library, preset="chat assistant", input_tokens=None, traffic={"concurrent_requests": 5})
    assert found.facts["input_tokens"].origin.label is Label.assumed
    assert "chat-assistant" in str(found.facts["input_tokens"].origin.because)
    assert found.facts["output_tokens"].origin.label is Label.answered
    assert float(found.facts["input_p95_to_p50"].value) > 1


def test_a_trace_gives_lengths_and_rate(library: Library) -> None:
    found = _workload(library, input_tokens=None, output_tokens=None, traffic={"trace": "azure-2023-conversation"})
    assert found.facts["input_tokens"].value == pytest.approx(1155, rel=0.01)
    assert found.facts["requests_per_second"].origin.label is Label.derived
    with pytest.raises(DocumentError, match="a path cannot be given here"):
        _workload(library, traffic={"trace": "./arrivals.csv"})


def test_fewer_people_than_would_be_active_is_refused(library: Library) -> None:
    traffic = {"people": 10, "requests_per_second": 50, "requests_per_active_person_per_hour": 12, "active_share": 0.5}
    with pytest.raises(DocumentError):
        _workload(library, traffic=traffic)


def test_the_start_says_what_the_estimate_assumed(library: Library) -> None:
    found = _workload(library, traffic={"concurrent_requests": 5}, engine_settings={"max_num_seqs": 64})
    assert found.launch is not None
    line = found.launch.commands[0].line
    assert "--max-num-seqs 64" in line
    assert "--max-model-len 1200" in line
    undecided = _workload(library, model={"parameters": "13B"}, traffic={"concurrent_requests": 5})
    assert undecided.recommended is not None
    assert undecided.launch is None


def test_what_has_no_part_in_the_sizes_is_named(library: Library) -> None:
    plan = _plan(library, {"budget": {"prices": {"h900": "2 USD/h"}}}, kind="rag", data={"growth_per_year": 0.1})
    assert any("budget.prices.h900" in each for each in plan.not_modelled)
    said = " ".join(plan.workloads[0].not_modelled)
    assert "data.growth_per_year" in said
    assert "vector search" in said


def test_a_shared_prefix_is_computed_once(library: Library) -> None:
    load = {"concurrent_requests": 20}
    alone = _workload(library, traffic=load, input_tokens=4000)
    shared = _workload(library, traffic=load, input_tokens=4000, shared_prefix_tokens=3000)
    assert shared.facts["prefix_hit_share"].value == 0.75
    assert alone.facts["prefix_hit_share"].value == 0
    assert alone.recommended is not None
    assert shared.recommended is not None
    quicker, slower = (each.recommended.estimates["prefill_time"].value for each in (shared, alone) if each.recommended)
    assert quicker < 0.6 * slower
    off = _workload(library, traffic=load, shared_prefix_tokens=100, engine_settings={"prefix_caching": False})
    assert off.facts["prefix_hit_share"].value == 0


def test_an_agent_finds_most_of_its_prompts_in_the_cache(library: Library) -> None:
    agent = _workload(library, kind="agent", traffic={"requests_per_second": 0.2}, input_tokens=20000)
    assert agent.facts["prefix_hit_share"].origin.label == "assumed"
    assert agent.facts["calls_per_request"].value == pytest.approx(7.83)


def test_stated_targets_bind_and_proposed_ones_yield(library: Library) -> None:
    slow = {"only": ["rtx-3090"]}
    stated = _workload(library, accelerators=slow, targets={"tpot_mean": "1 ms"}, traffic={"concurrent_requests": 1})
    assert stated.recommended is None
    binding = [limit.name for limit in stated.limits if limit.binding]
    assert binding == ["tpot_mean"]
    more = _workload(library, targets={"tpot_p95": "12 ms"}, traffic={"concurrent_requests": 100})
    less = _workload(library, traffic={"concurrent_requests": 100})
    assert more.recommended is not None
    assert less.recommended is not None
    assert more.recommended.estimates["time_per_output_token_p95"].value <= 0.012
    assert more.recommended.accelerators > less.recommended.accelerators


def test_the_next_smaller_replicas_are_said_to_fail(library: Library) -> None:
    found = _workload(library, model="llama-3.1-70b", input_tokens=4000, output_tokens=500, traffic={"concurrent_requests": 50})
    assert found.recommended is not None
    assert found.recommended.accelerators == 4
    for target, name in ((2.0, "time_to_first_token"), (0.05, "time_per_output_token")):
        assert found.recommended.estimates[name].value <= target
    two = next(each for each in found.near_misses if each.accelerators == 2)
    assert "holds 1 of the 50 requests" in two.says


@pytest.mark.parametrize("part", ["gaudi3", "tpu-v6e", "trainium2"])
def test_a_vendors_edition_of_an_engine_serves_a_part_that_is_named(library: Library, part: str) -> None:
    found = _workload(library, accelerators={"only": [part]}, traffic={"concurrent_requests": 5})
    assert found.recommended is not None
    assert found.recommended.accelerator == part
    everywhere = _workload(library, accelerators=None, traffic={"concurrent_requests": 5})
    names = [each.accelerator for each in (everywhere.recommended, *everywhere.alternatives) if each]
    assert part not in names


def test_an_opened_figure_has_the_range_that_the_plan_shows(library: Library) -> None:
    found = _workload(library, traffic={"concurrent_requests": 5})
    assert found.recommended is not None
    for name, quantity in found.recommended.estimates.items():
        step = found.trace[name]
        assert step.low == (pytest.approx(quantity.low) if quantity.low is not None else None), name
        assert step.high == (pytest.approx(quantity.high) if quantity.high is not None else None), name


def test_a_batch_is_sized_for_its_deadline(library: Library) -> None:
    batch: dict[str, Any] = {
        "kind": "batch-inference",
        "model": "llama-3.1-8b",
        "dataset": {"samples": "5M"},
        "input_tokens": 1500,
        "output_tokens": 200,
    }
    plans = {hours: _workload(library, **batch, finish_within=f"{hours} h") for hours in (6, 48)}
    for hours, plan in plans.items():
        chosen = plan.recommended
        assert chosen is not None
        assert chosen.estimates["offline_finish_time"].value <= hours * 3600
    counts = {hours: plan.recommended.accelerators for hours, plan in plans.items() if plan.recommended}
    assert counts[6] > counts[48]


def test_a_batch_without_a_deadline_is_sized_for_what_runs_at_once(library: Library) -> None:
    plan = _workload(library, kind="batch-inference", model="llama-3.1-8b", dataset={"samples": 1000})
    assert plan.recommended is not None
    assert "offline_finish_time" not in plan.recommended.estimates
