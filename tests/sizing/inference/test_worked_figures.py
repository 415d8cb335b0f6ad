"""Figures worked out in answers to real questions about inference, by the formulas that plans use."""

from typing import Any

import numpy as np
import pytest

from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.library import Library
from advisor.sizing.candidates import format_facts, model_facts
from advisor.sizing.formula import formulas

GB = 1e9


def evaluate(wanted: str, facts: dict[str, Any]) -> float:
    return float(np.asarray(formulas().evaluate([wanted], facts)[wanted]).item())


def of(library: Library, model: str, form: str) -> dict[str, Any]:
    shape = model_facts(library.get(Model, model))
    facts = {**shape, **format_facts(library.get(Format, form), str(shape["attention"]), bool(shape["expert_parameters"]))}
    plain = {
        "tensor_parallel": 1.0,
        "pipeline_parallel": 1.0,
        "engine_family": "vllm",
        "engine_generation": "vllm-v1",
        "kv_bits": 16.0,
    }
    return {**facts, **plain, "format_rank": 1.0, "loaded_buffers": 0.0, "attention_data_parallel": 1.0, "precision": form}


@pytest.mark.parametrize(
    ("model", "form", "gigabytes", "within"),
    [
        (
            "qwen2.5-72b",
            "bf16",
            144,
            0.03,
        ),  # a 72B vision-language model fills two cards of 80 GB at 0.9 (multimodal-sae issue 6)
        (
            "starcoder-15b",
            "bf16",
            31,
            0.07,
        ),  # one card of 80 GB holds it, so that replicas beat tensor parallelism (vLLM issue 1435)
        ("qwen3-8b", "bf16", 16.4, 0.03),  # LMCache issue 3430
        ("llama-3-8b", "fp32", 32, 0.03),  # vLLM issue 7379, on a processor
    ],
)
def test_weights(library: Library, model: str, form: str, gigabytes: float, within: float) -> None:
    assert evaluate("weights", of(library, model, form)) == pytest.approx(gigabytes * GB, rel=within)


def test_four_bit_weights_on_two_cards(library: Library) -> None:
    # vLLM issue 4880: 18 GB a card are seen, of which 9.1 are weights; the rest is cache set aside.
    facts = {**of(library, "qwen2.5-32b", "awq-int4-g128"), "tensor_parallel": 2.0}
    assert evaluate("weights_per_accelerator", facts) == pytest.approx(9.1 * GB, rel=0.15)


def test_cache_of_ten_long_prompts(library: Library) -> None:
    # LMCache issue 3430: 147,456 bytes a token, 14.7 GB for ten prompts of 10,000 tokens, 31 GB with the weights.
    facts = of(library, "qwen3-8b", "bf16")
    token = evaluate("kv_cache_per_token", facts)
    assert token == 147456
    assert token * 100_000 + evaluate("weights", facts) == pytest.approx(31.1 * GB, rel=0.02)


def test_what_offloading_that_cache_would_take(library: Library) -> None:
    # The cards of the same question: over PCI Express 4.0, moving a prompt's cache takes a twentieth of a second.
    facts = {**of(library, "qwen3-8b", "bf16"), "input_tokens": 10_000.0}
    facts |= {"cache_link_bandwidth": 32 * GB, "cache_transfer_efficiency": 0.88}
    assert evaluate("cache_transfer_time", facts) == pytest.approx(0.052, rel=0.02)
