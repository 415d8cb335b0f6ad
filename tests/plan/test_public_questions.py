"""Questions that people asked in public, as documents, with what is known of the right answer.

Each names the thread it was asked in; figures are those of the thread or arithmetic on its facts.
"""

from typing import Any

import pytest

from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import WorkloadPlan
from advisor.workload.reading import to_document

GIB = 2**30


def planned(library: Library, **workload: Any) -> WorkloadPlan:
    return make_plan(to_document({"workloads": [workload]}), library).workloads[0]


def tuned(library: Library, model: str, method: str, part: str, count: int, **more: Any) -> WorkloadPlan:
    usual = {"dataset": {"tokens": "5M"}, "batch": 16, "sequence_length": 1024}
    return planned(
        library,
        kind="fine-tuning",
        model=model,
        method=method,
        accelerators={"owned": [{"id": part, "count": count}]},
        **{**usual, **more},
    )


def ways(plan: WorkloadPlan) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in plan.relaxations:
        found.setdefault(each.what, set()).add(str(each.needed))
    return found


def test_a_70b_is_not_tuned_in_full_on_one_server_of_eight(library: Library) -> None:
    # axolotl issue 1439, torchtune issue 987: 8-bit states, adapters or more servers; plain offloading needs over 1 TB.
    plan = tuned(library, "llama-2-70b", "full", "a100-sxm4-80", 8)
    assert plan.recommended is None
    offered = ways(plan)
    assert any("8-bit" in needed for needed in offered["optimizer"])
    assert {"lora", "qlora"} <= offered["method"]
    (offloaded,) = offered["offloading"]
    assert float(offloaded.split(", ")[1].split(" GiB")[0].replace(",", "")) > 1000


def test_a_13b_in_full_on_four_80_gb_cards_takes_stage_three(library: Library) -> None:
    # LLaMA-Factory issue 1158: ZeRO-2 ran out of memory, ZeRO-3 is the answer.
    two = tuned(library, "llama-2-13b", "full", "a800-sxm4-80", 4, engine_settings={"sharding": "zero-2", "micro_batch": 1})
    three = tuned(library, "llama-2-13b", "full", "a800-sxm4-80", 4, engine_settings={"sharding": "zero-3", "micro_batch": 1})
    assert three.recommended is not None
    if two.recommended is not None:
        needed = [plan.recommended.estimates["training_memory"].value for plan in (two, three) if plan.recommended]
        assert needed[0] > needed[1]


def test_states_of_a_13b_as_counted_by_hand(library: Library) -> None:
    # The same thread: under ZeRO-3 on four cards the states are 16 bytes a parameter over four.
    plan = tuned(library, "llama-2-13b", "full", "a800-sxm4-80", 4, engine_settings={"sharding": "zero-3", "micro_batch": 1})
    assert plan.recommended is not None
    states = sum(
        plan.recommended.estimates[name].value
        for name in ("training_weights", "training_gradients", "optimizer_states", "master_weights")
    )
    assert states == pytest.approx(16 * 13.0e9 / 4, rel=0.05)


def test_qlora_of_a_70b_wants_one_large_card(library: Library) -> None:
    # LLaMA-Factory issue 4559: the quantized model stands on every card, so that four of 24 GB do not help; one of 48 GB does.
    gptq: dict[str, Any] = {"precision": "gptq-int4-g128", "sequence_length": 512}
    small = tuned(library, "llama-3-70b", "qlora", "a10g", 4, engine_settings={"sharding": "zero-2"}, **gptq)
    large = tuned(library, "llama-3-70b", "qlora", "l40s", 1, **gptq)
    assert small.recommended is None
    assert large.recommended is not None


def test_checkpointing_is_the_first_lever_of_a_small_card(library: Library) -> None:
    # FastChat issue 1637: LoRA of a 7B on 24 GB runs with activation checkpointing and not without.
    def on_24(how: str) -> WorkloadPlan:
        settings = {"activation_checkpointing": how, "micro_batch": 4}
        return tuned(library, "llama-2-7b", "lora", "rtx-3090", 1, sequence_length=2048, engine_settings=settings)

    assert on_24("none").recommended is None
    assert on_24("full").recommended is not None


def test_lora_of_a_70b_fits_two_servers_of_40_gb_cards(library: Library) -> None:
    # llama-cookbook issue 352: 16 cards of 40 GB, FSDP over all of them: 140 GB of weights are 8.75 GB a card.
    plan = tuned(library, "llama-2-70b", "lora", "a100-sxm4-40", 16, sequence_length=4096, batch=16)
    assert plan.recommended is not None
    assert plan.recommended.layout is not None
    assert plan.recommended.layout.zero_stage == 3
    assert plan.recommended.estimates["training_weights"].value == pytest.approx(140e9 / 16, rel=0.1)


def test_a_72b_in_16_bit_needs_four_80_gb_cards_and_not_three(library: Library) -> None:
    # multimodal-sae issue 6: heads do not divide by three, and two leave nothing for the cache.
    plan = planned(
        library,
        kind="realtime-inference",
        model="qwen2-72b",
        precision="bf16",
        traffic={"concurrent_requests": 16},
        input_tokens=3000,
        output_tokens=300,
        targets={"ttft_mean": "20 s", "tpot_mean": "500 ms"},
        accelerators={"only": ["a100-sxm4-80"]},
        engine_settings={"pipeline_parallel": 1},
    )
    assert plan.recommended is not None
    assert plan.recommended.accelerators == 4
    assert plan.recommended.estimates["weights"].value == pytest.approx(145e9, rel=0.03)
    refused = {miss.accelerators for miss in plan.near_misses}
    assert 2 in refused


def test_a_15b_for_offline_work_is_copied_to_each_card(library: Library) -> None:
    # vllm issue 1435: eight copies on eight cards, not one model over eight.
    plan = planned(
        library,
        kind="batch-inference",
        model="starcoder-15b",
        dataset={"samples": 200_000},
        input_tokens=500,
        output_tokens=200,
        finish_within="1 h",
        accelerators={"only": ["a100-sxm4-80"], "max_count": 8},
    )
    assert plan.recommended is not None
    assert plan.recommended.tensor_parallel * plan.recommended.pipeline_parallel == 1
    assert plan.recommended.estimates["weights"].value == pytest.approx(31e9, rel=0.07)


def test_ten_long_prompts_do_not_fit_on_24_gb(library: Library) -> None:
    # LMCache issue 3430: 147,456 bytes a token, 14.7 GB of cache beside 16.4 GB of weights.
    plan = planned(
        library,
        kind="realtime-inference",
        model="qwen3-8b",
        precision="bf16",
        traffic={"concurrent_requests": 10},
        input_tokens=10_000,
        output_tokens=1,
        targets={"ttft_mean": "10 min", "tpot_mean": "10 s"},
        accelerators={"only": ["l4"], "max_count": 1},
        engine_settings={"tensor_parallel": 1, "pipeline_parallel": 1},
    )
    assert plan.recommended is None
    assert plan.trace["kv_cache_per_token"].value == 147_456
    assert "requests at once" in ways(plan)


def test_pictures_of_flux_want_48_gb_in_16_bit(library: Library) -> None:
    # UniEdit-Flow issue 5: over 36 GB for FLUX, under 24 GB for SDXL and SD3.
    def on(model: str, part: str) -> WorkloadPlan:
        load = {"requests_per_second": 0.001}
        return planned(library, kind="realtime-inference", model=model, traffic=load, accelerators={"only": [part]})

    assert on("flux.1-dev", "rtx-4090").recommended is None
    large = on("flux.1-dev", "l40s").recommended
    assert large is not None
    assert large.estimates["item_weights"].value == pytest.approx(33.8e9, rel=0.02)
    assert on("sdxl-base-1.0", "rtx-4090").recommended is not None
