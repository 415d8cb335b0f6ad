"""Everything around the accelerators: it is there for every kind, opens down to its inputs, and keeps what was stated."""

from datetime import date
from typing import Any

import pytest

from advisor.facts import Label
from advisor.library import Library
from advisor.plan.environment.gathering import OF_ENVIRONMENT
from advisor.plan.environment_records import EnvironmentReport
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan, WorkloadPlan
from advisor.report.markdown import plan_markdown
from advisor.report.text import plan_text
from advisor.workload.reading import to_document

DAY = date(2026, 11, 30)
GIB = 2.0**30
CHAT: dict[str, Any] = {
    "kind": "realtime-inference",
    "model": "llama-3.1-8b",
    "traffic": {"requests_per_second": 20},
    "input_tokens": 1000,
    "output_tokens": 200,
    "accelerators": {"only": ["h100-sxm"]},
}
TUNE: dict[str, Any] = {
    "kind": "fine-tuning",
    "model": "llama-3.1-8b",
    "method": "full",
    "dataset": {"tokens": "20M"},
    "accelerators": {"only": ["h100-sxm"], "max_count": 8},
}
KINDS: dict[str, dict[str, Any]] = {
    "chat": CHAT,
    "tune": TUNE,
    "batch": {"kind": "batch-inference", "model": "bge-m3", "traffic": {"requests_per_second": 50}},
    "images": {"kind": "batch-inference", "model": "resnet-50", "traffic": {"requests_per_second": 500}},
    "rag": {
        "kind": "rag",
        "model": "llama-3.1-8b",
        "traffic": {"people": 200},
        "data": {"documents": "100k", "chunk_tokens": 400},
        "accelerators": {"only": ["h100-sxm", "l4"]},
    },
    "pretraining": {
        "kind": "pretraining",
        "model": "llama-3.1-8b",
        "dataset": {"tokens": "200B"},
        "finish_within": "10 days",
        "accelerators": {"only": ["h100-sxm"]},
    },
}


def planned(library: Library, workload: dict[str, Any], **document: Any) -> Plan:
    return make_plan(to_document({"workloads": [workload], **document}), library, today=DAY)


def around(plan: Plan | WorkloadPlan) -> EnvironmentReport:
    workload = plan.workloads[0] if isinstance(plan, Plan) else plan
    assert workload.around is not None
    return workload.around


def every_figure(report: EnvironmentReport) -> dict[str, Any]:
    parts = (report.host, report.storage, report.network, report.power, report.cost, report.deployment, report.operations)
    return {name: figure for part in parts for name, figure in part.figures.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_all_of_it_and_every_figure_opens(library: Library, kind: str) -> None:
    plan = planned(library, KINDS[kind])
    workload = plan.workloads[0]
    for each in (workload, *workload.components):
        report = around(each)
        figures = every_figure(report)
        assert {"object_capacity", "local_capacity", "server_power", "it_power", "energy_per_year"} <= set(figures)
        assert "cost_per_year" in figures
        assert report.operations.next_review > DAY
        for name, figure in figures.items():
            step = each.trace.get(OF_ENVIRONMENT + name) or each.trace[name]
            assert isinstance(step.value, float)
            assert step.value == pytest.approx(figure.value, rel=1e-9), name
            assert (step.low, step.high) == (figure.low, figure.high), name
            waiting, seen = list(step.inputs), set[str]()
            while waiting:
                inner = waiting.pop()
                if inner not in seen:
                    seen.add(inner)
                    below = each.trace[inner]
                    assert below.equation or below.because or below.summary or below.label in (Label.answered, Label.derived), (
                        inner
                    )
                    waiting.extend(below.inputs)
    text = plan_text(plan, facts=True)
    assert "Around it" in text
    for heading in ("Host", "Storage", "Network", "Power and racks", "Money", "Where to run it", "Operations"):
        assert heading in text
        assert heading in plan_markdown(plan)


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_is_read_again_as_it_was_written(library: Library, kind: str) -> None:
    plan = planned(library, KINDS[kind], site={"deployment": "on-premises", "rack_power": "1 kW"})
    written = plan.model_dump_json()
    assert Plan.model_validate_json(written).model_dump_json() == written


def test_steps_of_the_sizes_stay_as_they_are(library: Library) -> None:
    workload = planned(library, CHAT).workloads[0]
    assert workload.recommended is not None
    for name, quantity in workload.recommended.estimates.items():
        assert workload.trace[name].value == pytest.approx(quantity.value)


def test_nothing_recommended_has_no_environment(library: Library) -> None:
    impossible = {**CHAT, "model": "llama-3.1-405b", "accelerators": {"only": ["h100-sxm"], "max_count": 1}}
    assert planned(library, impossible).workloads[0].around is None


def test_two_servers_on_an_empty_screen_are_a_screenful(library: Library) -> None:
    text = plan_text(planned(library, CHAT))
    part = text[text.index("Around it") :].split("\n\n")[0]
    assert len(part.splitlines()) <= 12
    assert "Money ─" not in text


def test_the_maker_s_power_goes_before_the_ratio(library: Library) -> None:
    eight = {**TUNE, "finish_within": "1 h"}
    report = around(planned(library, eight, site={"deployment": "on-premises", "pue": 1.4}))
    figures = report.power.figures
    assert "DGX H100" in report.server or figures["server_power"].label is Label.estimated
    assert figures["facility_power"].value == pytest.approx(1.4 * figures["it_power"].value)
    assert figures["heat_output"].value == figures["it_power"].value


def test_what_the_site_lacks_is_named_with_what_would_help(library: Library) -> None:
    site = {"deployment": "on-premises", "power": "3 kW", "rack_power": "4 kW", "racks": 0, "cooling": "air"}
    plan = planned(library, TUNE, site=site)
    limits = {each.name: each for each in around(plan).limits}
    assert not limits["power of the site"].holds
    assert not limits["power of a rack"].holds
    assert limits["power of a rack"].needed > 4000
    assert limits["power of a rack"].relax
    assert "✖ power of the site" in plan_text(plan)
    enough = planned(library, TUNE, site={**site, "power": "100 kW", "rack_power": "40 kW", "racks": 4})
    assert all(each.holds for each in around(enough).limits)


def test_circuits_carry_four_fifths_of_their_rating(library: Library) -> None:
    site = {"deployment": "on-premises", "rack_power": "20 kW", "circuit": {"voltage": "400 V", "current": "32 A", "phases": 3}}
    figures = around(planned(library, TUNE, site={**site, "redundant_feeds": True})).power.figures
    assert figures["circuit_power"].value == pytest.approx(17_736, rel=0.001)
    assert figures["circuits_per_rack"].value % 2 == 0


def test_a_vector_index_is_sized_from_its_documents(library: Library) -> None:
    plan = planned(library, KINDS["rag"]).workloads[0]
    figures = around(plan).storage.figures
    vectors = figures["vectors"].value
    assert vectors == pytest.approx(100_000 * 1000 / (400 - 50), rel=0.001)
    assert figures["vector_index_memory"].value == pytest.approx(vectors * (1024 * 4 + 16 * 9))
    assert figures["embedding_time"].value > 0
    stated = {**KINDS["rag"], "data": {"tokens": "100M", "chunk_tokens": 400, "chunk_overlap": 0, "vector_width": 512}}
    other = around(planned(library, stated).workloads[0]).storage.figures
    assert other["vectors"].value == 250_000
    assert other["raw_vector_memory" if "raw_vector_memory" in other else "vector_index_memory"].value < (
        figures["vector_index_memory"].value
    )
    unknown = {key: value for key, value in KINDS["rag"].items() if key != "data"}
    assert any("data.documents" in note for note in around(planned(library, unknown).workloads[0]).storage.notes)


def test_a_run_on_several_servers_has_a_fabric(library: Library) -> None:
    report = around(planned(library, KINDS["pretraining"]))
    assert report.nodes > 1
    figures = report.network.figures
    assert figures["leaf_switches"].value >= 1
    assert figures["node_cables"].value == report.nodes * (report.accelerators / report.nodes)
    alone = around(planned(library, CHAT)).network
    assert "leaf_switches" not in alone.figures


def test_logs_hold_prompts_only_where_they_are_kept(library: Library) -> None:
    bare = around(planned(library, CHAT)).storage.figures["log_bytes_per_day"].value
    full = around(planned(library, {**CHAT, "data": {"prompts_logged": True, "log_retention": "1 year"}})).storage.figures
    assert full["log_bytes_per_day"].value == pytest.approx(bare * (1000 + 1200 * 5) / 1000)


def test_the_load_test_has_the_lengths_rate_and_targets_of_the_plan(library: Library) -> None:
    wish = {**CHAT, "targets": {"ttft_mean": "1 s", "tpot_mean": "40 ms"}}
    operations = around(planned(library, wish)).operations
    line = next(each.line for each in operations.tests if each.tool == "vLLM")
    for part in ("--random-input-len 1000", "--random-output-len 200", "--request-rate 20", "ttft:1000 tpot:40"):
        assert part in line
    assert any("prompt_tokens=1000,output_tokens=200" in each.line for each in operations.tests)
    metrics = {each.metric for each in operations.metrics}
    assert {"vllm:num_requests_waiting", "DCGM_FI_DEV_XID_ERRORS", "node_memory_MemAvailable_bytes"} <= metrics
    tuned = around(planned(library, TUNE)).operations
    assert any("all_reduce_perf" in each.line for each in tuned.tests)
    assert not any(each.metric.startswith("vllm:") for each in tuned.metrics)


def test_growth_brings_the_review_forward(library: Library) -> None:
    slow = around(planned(library, CHAT)).operations
    fast = around(planned(library, {**CHAT, "traffic": {"requests_per_second": 20, "growth_per_year": 9}})).operations
    assert fast.next_review <= slow.next_review


def test_a_plan_of_several_adds_up(library: Library) -> None:
    both = make_plan(to_document({"workloads": [{**CHAT, "name": "a"}, {**TUNE, "name": "b"}]}), library, today=DAY)
    assert both.together is not None
    parts = [around(each) for each in both.workloads]
    for name in ("it_power", "energy_per_year"):
        assert both.together.figures[name].value == pytest.approx(sum(each.power.figures[name].value for each in parts))
    total = both.together.figures["cost_per_year"].value
    assert total == pytest.approx(sum(each.cost.figures["cost_per_year"].value for each in parts))
    assert "All together" in plan_text(both)
    assert planned(library, CHAT).together is None


def test_what_is_stated_has_a_part_and_what_has_none_is_named(library: Library) -> None:
    document = {
        "site": {"deployment": "on-premises", "region": "Norway", "electricity": "0.1 USD/kWh", "pue": 1.2},
        "budget": {"term": "4 years", "staff": 0.5, "salary": "120000 USD/year", "discount_rate": "8 %"},
    }
    left_out = " ".join(planned(library, CHAT, **document).not_modelled)
    assert "site.region" in left_out
    for used in ("electricity", "pue", "staff", "discount_rate"):
        assert used not in left_out
