"""The two examples: published figures, the whole report as it stands, and the promise never to change the question."""

import os
from datetime import date
from pathlib import Path

import pytest

from advisor.library import Library
from advisor.plan.explaining import quantity_named, tree
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.report.markdown import plan_markdown
from advisor.workload.reading import read_document, to_document

DAY = date(2026, 11, 30)
GIB = 2**30
CASES = {"assistant": (131.4, 68.7, 4), "assistant-8b": (15.0, 27.5, 1)}


def planned(library: Library, root: Path, name: str) -> Plan:
    return make_plan(read_document(root / "examples" / f"{name}.yaml"), library, today=DAY)


@pytest.mark.parametrize("name", CASES)
def test_weights_cache_and_count(library: Library, root: Path, name: str) -> None:
    weights, cache, count = CASES[name]
    chosen = planned(library, root, name).workloads[0].recommended
    assert chosen is not None
    assert chosen.accelerator == "h100-sxm"
    assert chosen.estimates["weights"].value / GIB == pytest.approx(weights, rel=0.01)
    assert chosen.estimates["kv_cache"].value / GIB == pytest.approx(cache, rel=0.01)
    assert chosen.accelerators == count
    assert chosen.precision == "bf16"
    assert chosen.engine == "vllm"


@pytest.mark.parametrize("name", CASES)
def test_the_report_is_the_golden_one(library: Library, root: Path, name: str) -> None:
    """Set ADVISOR_ACCEPT=1 to write the report anew after reading the difference."""
    golden = root / "tests" / "scenarios" / f"{name}.md"
    report = "\n".join(
        line for line in plan_markdown(planned(library, root, name)).splitlines() if not line.startswith("prices as of")
    )
    if os.environ.get("ADVISOR_ACCEPT"):
        golden.write_text(report + "\n")
    assert report + "\n" == golden.read_text()


def test_the_same_document_gives_the_same_plan(library: Library, root: Path) -> None:
    assert planned(library, root, "assistant") == planned(library, root, "assistant")


def test_every_number_shown_opens_down_to_answers_and_sources(library: Library, root: Path) -> None:
    workload = planned(library, root, "assistant").workloads[0]
    assert workload.recommended is not None
    for name in workload.recommended.estimates:
        steps = {step_name: step for _, step_name, step, _ in tree(workload, quantity_named(workload, name))}
        assert name in steps
        for step in steps.values():
            assert step.equation or step.because or step.label in ("answered", "derived")
            if step.inputs:
                assert all(each in workload.trace for each in step.inputs)


def test_what_was_asked_for_is_kept(library: Library) -> None:
    wish = {
        "kind": "realtime-inference",
        "model": "llama-3.1-70b",
        "precision": "fp8",
        "traffic": {"concurrent_requests": 30},
        "input_tokens": 6000,
        "output_tokens": 700,
        "accelerators": {"only": ["h200-sxm"], "max_count": 2},
        "engine_settings": {"gpu_memory_utilization": 0.85, "max_num_seqs": 64},
    }
    workload = make_plan(to_document({"workloads": [wish]}), library, today=DAY).workloads[0]
    assert workload.recommended is not None
    assert workload.model.id == "llama-3.1-70b"
    assert workload.recommended.accelerator == "h200-sxm"
    assert workload.recommended.accelerators <= 2
    assert workload.recommended.precision.startswith("fp8")
    assert workload.facts["memory_fraction"].value == 0.85
    assert workload.facts["max_num_seqs"].value == 64
    assert {name for name, fact in workload.facts.items() if fact.origin.label == "answered"} >= {
        "concurrent_requests",
        "input_tokens",
        "output_tokens",
        "precision",
        "memory_fraction",
    }


def test_what_cannot_be_done_names_the_limit_and_what_would_help(library: Library) -> None:
    wish = {
        "kind": "realtime-inference",
        "model": "llama-3.1-405b",
        "precision": "bf16",
        "traffic": {"concurrent_requests": 30},
        "input_tokens": 6000,
        "output_tokens": 700,
        "accelerators": {"only": ["h100-sxm"], "max_count": 8},
    }
    workload = make_plan(to_document({"workloads": [wish]}), library, today=DAY).workloads[0]
    assert workload.recommended is None
    binding = next(limit for limit in workload.limits if limit.binding)
    assert binding.name == "accelerators allowed"
    assert binding.short_by == 6  # seven stages of two would hold it
    assert workload.trace
