"""What is said, put into a workload document."""

from typing import Any

import pytest

from advisor.interview.facts_in_text import Understood, understood
from advisor.interview.known_names import reader_of
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.workload.reading import to_document


def said(library: Library, *turns: str, **more: Any) -> Understood:
    reader = reader_of(library)
    return understood([reader.read(turn) for turn in turns], **more)


def test_a_document_that_can_be_planned(library: Library) -> None:
    got = said(
        library,
        "We want to serve Llama 3.1 8B to 500 employees on L40S, a tenth of them active, 12 requests per hour each",
        "prompts are 1500 tokens, answers 300; ttft under 2 s and 99.9 % uptime, electricity 0.12 USD/kWh",
    )
    document = to_document(got.document)
    workload = document.workloads[0]
    assert (workload.kind, workload.model) == ("realtime-inference", "llama-3.1-8b")
    assert workload.traffic is not None
    assert (workload.traffic.people, workload.traffic.active_share) == (500, 0.1)
    assert workload.targets is not None
    assert (workload.targets.ttft_mean, workload.targets.availability) == (2, 0.999)
    assert document.site is not None
    assert document.site.electricity == pytest.approx(0.12 / 3.6e6)
    assert make_plan(document, library) is not None


def test_later_turns_count(library: Library) -> None:
    got = said(library, "llama 3.1 8b for 500 users", "make it 200 users")
    assert got.document["workloads"][0]["traffic"] == {"people": 200}


def test_a_model_changed(library: Library) -> None:
    got = said(library, "llama 3.1 8b for 500 users", "change the model to gemma 3 12b")
    assert got.document["workloads"][0]["model"] == "gemma-3-12b"


def test_what_is_ruled_out(library: Library) -> None:
    got = said(library, "llama 3.1 70b, 50 concurrent requests", "no MI300X")
    assert got.document["workloads"][0]["accelerators"]["exclude"] == ["mi300x"]


def test_what_is_owned(library: Library) -> None:
    got = said(library, "we have 2 nodes with 8 L40S each, will they serve qwen3 32b?")
    assert got.document["workloads"][0]["accelerators"]["owned"] == [{"id": "l40s", "count": 16, "per_node": 8}]


def test_doubtful_names_are_asked_and_left_out(library: Library) -> None:
    got = said(library, "llama 70b on H100 for 20 users")
    assert {each.fact for each in got.doubts} == {"model", "accelerator"}
    assert "model" not in got.document["workloads"][0]


def test_a_size_without_a_name(library: Library) -> None:
    got = said(library, "fine-tune a 13b with lora, 3 epochs")
    assert got.document["workloads"][0]["model"] == {"parameters": "13B"}
    assert got.document["workloads"][0]["kind"] == "fine-tuning"
    to_document(got.document)


def test_money_enters_with_a_rate_only(library: Library) -> None:
    text = "llama 3.1 8b for 20 users, budget 200k EUR"
    assert "purchase_limit" not in said(library, text).document.get("budget", {})
    rated = said(library, text, exchange_rates={"EUR": 1.1}).document
    limit = to_document(rated).budget
    assert limit is not None
    assert limit.purchase_limit == pytest.approx(220_000)


def test_quantities_of_every_kind_are_read_by_the_document(library: Library) -> None:
    got = said(
        library,
        "qlora on llama 3.1 70b, 50k samples of 700 tokens, 3 epochs, rank 16, sequence length 2048, done within 2 weeks, zero 3",
        "on-prem in Frankfurt, racks limited to 20 kW, pue 1.3, 100 Gbit/s between the nodes, 230 V and 32 A, "
        "over three years, 60 kW in total",
        "data must stay in Germany, prompts kept 30 days",
    )
    document = to_document(got.document)
    assert document.site is not None
    assert document.site.rack_power == 20e3
    assert document.site.power == 60e3
    assert document.workloads[0].data is not None
    assert document.workloads[0].data.residency == ("Germany",)
    assert document.workloads[0].engine_settings is not None
    assert document.workloads[0].engine_settings.lora_rank == 16
