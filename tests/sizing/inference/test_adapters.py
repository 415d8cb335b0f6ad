"""LoRA adapters: parameter counts that libraries print, memory of slots, and speed against published throughputs."""

from typing import Any

import pytest

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.errors import InputError
from advisor.library import Library
from advisor.sizing.formula import formulas
from advisor.sizing.inference.adapter_facts import ATTENTION, EVERY_LINEAR, adapted_width


def evaluate(wanted: str, **facts: Any) -> Any:
    return formulas().evaluate([wanted], facts)[wanted]


@pytest.mark.parametrize(
    ("model", "rank", "targets", "printed"),
    [
        # What the peft library prints as trainable parameters.
        ("llama-2-7b", 8.0, ("q_proj", "v_proj"), 4_194_304),
        ("llama-3.1-8b", 16.0, EVERY_LINEAR, 41_943_040),
        ("llama-3.1-8b", 16.0, ATTENTION, 13_631_488),
    ],
)
def test_parameters_of_an_adapter(library: Library, model: str, rank: float, targets: tuple[str, ...], printed: int) -> None:
    width = adapted_width(library.get(Model, model), targets)
    assert rank * width == printed
    assert evaluate("adapter_weights", adapted_width=width, lora_rank=rank, adapter_bits=16.0) == 2 * printed


def test_slots_are_as_large_as_the_largest_rank() -> None:
    facts = {"adapter_weights": 84e6, "lora_rank": 16.0, "largest_adapter_rank": 64.0, "adapter_slots": 8.0}
    one = evaluate("adapter_memory", **facts, tensor_parallel=1.0, adapters_sharded=0.0)
    assert one == pytest.approx(8 * 4 * 84e6)
    half = evaluate("adapter_memory", **facts, tensor_parallel=4.0, adapters_sharded=0.0)
    whole = evaluate("adapter_memory", **facts, tensor_parallel=4.0, adapters_sharded=1.0)
    assert half == pytest.approx(one * 0.625)
    assert whole == pytest.approx(one / 4)


def test_slots_that_fit_and_loading() -> None:
    assert evaluate("adapter_slots_that_fit", kv_room=20e9, cache_kept=18e9, adapter_slot_memory=336e6) == 5
    assert evaluate("adapter_slots_that_fit", kv_room=10e9, cache_kept=18e9, adapter_slot_memory=336e6) == 0
    assert evaluate("adapter_load_time", adapter_weights=84e6, host_link_bandwidth=28e9) == pytest.approx(0.003)


def test_speed_with_adapters(library: Library) -> None:
    # vLLM pull request 11267: 11.45 requests/s without, 7.60 with an adapter of rank 8.
    level = library.get(Efficiency, "adapter_speed_share").cases[0]
    found = evaluate("adapted_token_rate", output_token_rate=2693.62, adapter_speed_share=level.typical)
    assert found == pytest.approx(1787.78, rel=0.01)
    assert level.low <= 1 - 0.239 <= level.high
    assert evaluate("adapted_time_per_output_token", time_per_output_token=0.02, adapter_speed_share=0.5) == 0.04


@pytest.mark.parametrize(
    ("model", "targets", "message"),
    [
        ("llama-3.1-8b", ("q_proj", "vproj"), 'did you mean "v_proj"'),
        ("qwen3-30b-a3b", EVERY_LINEAR, "routed experts"),
        ("deepseek-v3", ATTENTION, "latent"),
    ],
)
def test_what_adapters_cannot_stand_beside_is_said(library: Library, model: str, targets: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        adapted_width(library.get(Model, model), targets)
