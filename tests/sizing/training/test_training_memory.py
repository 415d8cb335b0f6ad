"""Training memory: published state sizes, what must never grow or shrink, and a whole search in one table."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import formulas
from advisor.sizing.training.facts import TrainingSettings, model_columns, training_columns, with_constants
from advisor.sizing.training.memory.constants import TRAINING_MEMORY, TRAINING_MEMORY_CONSTANTS

MODELS = ("llama-3.1-8b", "mixtral-8x7b", "qwen2.5-0.5b", "deepseek-v3", "gemma-3-27b")
CARD = 80e9
STACKS = ("transformers", "megatron", "torchtitan", "torchtune", "litgpt", "unsloth")
RECOMPUTATION = ("full", "selective", "none")

layouts = st.builds(
    TrainingSettings,
    training_stack=st.sampled_from(STACKS),
    state_precision=st.sampled_from(("mixed", "pure")),
    optimizer=st.sampled_from(("adamw", "adamw-8bit", "paged-adamw-8bit", "adafactor", "sgd", "muon")),
    adapter=st.sampled_from(("none", "none", "lora", "dora")),
    method=st.sampled_from(("full", "dpo", "reward", "ppo", "grpo")),
    recomputation=st.sampled_from(RECOMPUTATION),
    attention_kernel=st.sampled_from(("flash", "plain")),
    loss_kernel=st.sampled_from(("plain", "fused", "chunked")),
    tensor_parallel=st.sampled_from((1.0, 2.0, 8.0)),
    pipeline_parallel=st.sampled_from((1.0, 2.0, 8.0)),
    virtual_stages=st.sampled_from((1.0, 2.0)),
    context_parallel=st.sampled_from((1.0, 4.0)),
    sequence_parallel=st.sampled_from((0.0, 1.0)),
    data_parallel=st.just(8.0),
    sharded_over=st.just(8.0),
    zero_stage=st.sampled_from((0.0, 1.0, 2.0, 3.0)),
    sharding_library=st.sampled_from(("fsdp", "deepspeed", "megatron")),
    micro_batch=st.sampled_from((1.0, 2.0, 16.0)),
    gradient_accumulation=st.sampled_from((1.0, 4.0, 64.0)),
    sequence_length=st.sampled_from((128.0, 4096.0, 131072.0)),
    accelerators=st.just(64.0),
)


@pytest.fixture(scope="module")
def constants(library: Library) -> tuple[Efficiency, ...]:
    return tuple(library.get(Efficiency, id) for id in TRAINING_MEMORY_CONSTANTS)


def _values(
    library: Library, constants: tuple[Efficiency, ...], model: str, run: TrainingSettings, **given: Any
) -> dict[str, Any]:
    columns = {**training_columns(library.find(Model, model), run, CARD), **given}
    facts = {**with_constants(columns, efficiency_columns(constants, columns)), **given}
    return formulas().evaluate((*TRAINING_MEMORY, "step_peak", "training_allocated"), facts)


def _number(values: dict[str, Any], name: str) -> float:
    return float(np.asarray(values[name]).ravel()[0])


@pytest.mark.parametrize(
    ("stage", "printed"), [(0, 120e9), (1, 31.4e9), (2, 16.6e9), (3, 1.88e9)], ids=["none", "stage 1", "stage 2", "stage 3"]
)
def test_states_of_the_papers_model_on_64_ranks(library: Library, stage: int, printed: float) -> None:
    # ZeRO's figure 1: 7.5 billion parameters in mixed precision with Adam, 16 bytes each, over 64 ranks.
    facts = {
        "zero_stage": float(stage),
        "parameters_per_rank": 7.5e9,
        "parameters_per_shard": 7.5e9 / 64,
        "tables_per_rank": 0.0,
        "weight_element_size": 2.0,
        "table_element_size": 2.0,
        "gradient_element_size": 2.0,
        "master_weight_element_size": 4.0,
        "moment_element_size": 4.0,
        "optimizer_moments": 2.0,
        "adapter": "none",
        "adapter_element_size": 4.0,
        "optimizer_offload": "none",
        "parameter_offload": "none",
        "paged_share": 0.0,
        "step_in_backward": 0.0,
        "layers": 36.0,
    }
    parts = ("training_weights", "training_gradients", "optimizer_states", "master_weights")
    values = formulas().evaluate(parts, facts)
    assert sum(_number(values, part) for part in parts) == pytest.approx(printed, rel=0.005)


def test_activations_of_one_gpt_layer_are_34_bytes_a_hidden_element() -> None:
    # Korthikanti §4.1: s b h (34 + 5 a s / h); without dropout masks and GELU's input 34 h is what the parts here add up to.
    facts = {
        "hidden": 1024.0, "heads": 16.0, "attention_head_dim": 64.0, "kv_width": 1024.0, "layers": 24.0, "expert_layers": 0.0,
        "intermediate": 4096.0, "expert_intermediate": 0.0, "experts_per_token": 0.0, "shared_experts": 0.0,
        "feed_forward_matrices": 2.0, "activation_element_size": 2.0, "tensor_parallel": 1.0, "sequence_parallel": 0.0,
    }  # fmt: skip
    layer = _number(formulas().evaluate(("layer_activations",), facts), "layer_activations")
    assert layer == pytest.approx(34 * 1024, rel=0.001)


@settings(max_examples=60, deadline=None)
@given(layouts, st.sampled_from(MODELS))
def test_a_larger_micro_batch_never_lowers_activations(
    library: Library, constants: tuple[Efficiency, ...], run: TrainingSettings, model: str
) -> None:
    larger = replace(run, micro_batch=2 * np.asarray(run.micro_batch))
    small, large = (_values(library, constants, model, each) for each in (run, larger))
    for name in ("activation_memory", "logits_memory", "training_memory"):
        assert _number(large, name) >= _number(small, name)


@settings(max_examples=80, deadline=None)
@given(layouts, st.sampled_from(MODELS))
def test_recomputation_never_raises_memory(
    library: Library, constants: tuple[Efficiency, ...], run: TrainingSettings, model: str
) -> None:
    found = [_values(library, constants, model, replace(run, recomputation=word)) for word in RECOMPUTATION]
    for name in ("activation_memory", "training_memory"):
        full, selective, none = (_number(values, name) for values in found)
        assert full <= selective * (1 + 1e-9)
        assert selective <= none * (1 + 1e-9)


@settings(max_examples=80, deadline=None)
@given(layouts, st.sampled_from(MODELS))
def test_each_zero_stage_needs_no_more_than_the_one_before(
    library: Library, constants: tuple[Efficiency, ...], run: TrainingSettings, model: str
) -> None:
    found = [_values(library, constants, model, replace(run, zero_stage=float(stage))) for stage in range(4)]
    for name in ("training_weights", "training_gradients", "optimizer_states", "master_weights", "step_peak", "training_memory"):
        sizes = [_number(values, name) for values in found]
        assert all(later <= earlier * (1 + 1e-9) for earlier, later in pairwise(sizes)), (name, sizes)


@settings(max_examples=40, deadline=None)
@given(layouts, st.sampled_from(MODELS))
def test_every_part_is_a_size(library: Library, constants: tuple[Efficiency, ...], run: TrainingSettings, model: str) -> None:
    values = _values(library, constants, model, run)
    for name in TRAINING_MEMORY:
        assert np.isfinite(_number(values, name))
        if name != "training_memory_margin":
            assert _number(values, name) >= 0
    assert _number(values, "training_memory") >= _number(values, "training_weights")


@settings(max_examples=30, deadline=None)
@given(layouts, st.sampled_from(MODELS))
def test_offload_moves_states_to_the_host(
    library: Library, constants: tuple[Efficiency, ...], run: TrainingSettings, model: str
) -> None:
    at_home, away, disk = (
        _values(library, constants, model, replace(run, optimizer_offload=where)) for where in ("none", "cpu", "nvme")
    )
    assert _number(away, "optimizer_states") == 0
    assert _number(away, "training_memory") <= _number(at_home, "training_memory")
    assert _number(away, "training_host_memory") >= _number(at_home, "training_host_memory")
    assert _number(disk, "training_host_memory") <= _number(away, "training_host_memory") * (1 + 1e-9) or run.optimizer != "adamw"


def test_a_33b_run_with_offload_needs_what_was_observed(library: Library, constants: tuple[Efficiency, ...]) -> None:
    # DeepSpeed issue 3448: 600 GB failed, 750 to 800 GB worked.
    run = TrainingSettings(
        sharding_library="deepspeed", zero_stage=3.0, data_parallel=8.0, sharded_over=8.0, accelerators=8.0,
        sequence_length=2048.0, optimizer_offload="cpu", parameter_offload="cpu",
    )  # fmt: skip
    values = _values(library, constants, "llama-1-30b", run)
    assert 700e9 <= _number(values, "training_host_memory") <= 820e9
    assert _number(values, "training_memory") < 40e9


def test_a_70b_model_on_one_node(library: Library, constants: tuple[Efficiency, ...]) -> None:
    # torchtune issue 987 and axolotl issue 1439: AdamW does not fit eight 80 GB cards, 8-bit states in bf16 took 51 GB each.
    run = TrainingSettings(zero_stage=3.0, sharded_over=8.0, data_parallel=8.0, accelerators=8.0, sequence_length=2048.0)
    plain = _values(library, constants, "llama-2-70b", run)
    eight_bit = _values(library, constants, "llama-2-70b", replace(run, state_precision="pure", optimizer="paged-adamw-8bit"))
    offloaded = _values(library, constants, "llama-2-70b", replace(run, optimizer_offload="cpu", parameter_offload="cpu"))
    assert _number(plain, "training_memory_margin") < 0
    assert _number(eight_bit, "training_memory") == pytest.approx(51e9, rel=0.12)
    assert _number(offloaded, "training_host_memory") > 1024e9


def test_a_13b_model_on_four_cards(library: Library, constants: tuple[Efficiency, ...]) -> None:
    # LLaMA-Factory issue 1158: stage 2 failed on four 80 GB cards, stage 3 was the maintainers' answer.
    run = TrainingSettings(
        sharding_library="deepspeed", sharded_over=4.0, data_parallel=4.0, accelerators=4.0, sequence_length=1536.0
    )
    second, third = (_values(library, constants, "baichuan2-13b", replace(run, zero_stage=stage)) for stage in (2.0, 3.0))
    assert _number(second, "training_memory_margin") < 0 < _number(third, "training_memory_margin")


def test_naive_loading_reads_a_copy_for_every_rank(library: Library, constants: tuple[Efficiency, ...]) -> None:
    run = TrainingSettings(adapter="lora", zero_stage=3.0, sharded_over=16.0, data_parallel=16.0, accelerators=16.0)
    one, each = (_values(library, constants, "llama-2-70b", replace(run, loading_ranks=ranks)) for ranks in (1.0, 8.0))
    assert _number(each, "training_host_memory") > 1.1e12 * 0.99
    assert _number(one, "training_host_memory") < 500e9


def test_experts_count_whole_as_state_and_active_as_work(library: Library) -> None:
    columns = model_columns(library.find(Model, "mixtral-8x7b"))
    facts = {**columns, "tensor_parallel": 1.0, "expert_parallel": 1.0, "pipeline_parallel": 1.0}
    values = formulas().evaluate(("parameters_per_rank", "feed_forward_width"), facts)
    assert _number(values, "parameters_per_rank") == pytest.approx(46.7e9, rel=0.001)
    assert _number(values, "feed_forward_width") == 2 * 14336


def test_plain_and_gated_blocks_are_told_apart(library: Library) -> None:
    assert model_columns(library.find(Model, "llama-3.1-8b"))["feed_forward_matrices"] == 3
    assert model_columns(library.find(Model, "opt-13b"))["feed_forward_matrices"] == 2


def test_lora_on_all_linear_layers_counts_what_is_published(library: Library, constants: tuple[Efficiency, ...]) -> None:
    # LitGPT prints 4,194,304 trained parameters for Llama 2 7B at rank 8 on queries and values.
    run = TrainingSettings(adapter="lora", lora_rank=8.0, lora_targets="query-value")
    columns = training_columns(library.find(Model, "llama-2-7b"), run, CARD)
    assert _number(formulas().evaluate(("adapter_parameters",), columns), "adapter_parameters") == 4_194_304


def test_extra_models_of_preference_methods(library: Library, constants: tuple[Efficiency, ...]) -> None:
    def need(method: str, adapter: str = "none") -> float:
        run = TrainingSettings(
            method=method, adapter=adapter, zero_stage=3.0, sharded_over=8.0, data_parallel=8.0, accelerators=8.0
        )
        return _number(_values(library, constants, "llama-3.1-8b", run), "training_memory")

    assert need("full") < need("dpo") < need("ppo")
    assert need("full") < need("grpo") < need("ppo")
    assert need("dpo", "lora") < need("dpo")


def test_a_rollout_engine_takes_its_share(library: Library, constants: tuple[Efficiency, ...]) -> None:
    run = TrainingSettings(method="grpo", adapter="lora")
    alone, beside = (
        _values(library, constants, "llama-3.1-8b", replace(run, rollout_memory_share=share)) for share in (0.0, 0.3)
    )
    assert _number(beside, "training_memory") - _number(alone, "training_memory") == pytest.approx(0.3 * CARD)


def test_a_search_is_one_table(library: Library, constants: tuple[Efficiency, ...]) -> None:
    tensor, micro = (axis.ravel() for axis in np.meshgrid(np.array([1.0, 2.0, 4.0, 8.0]), np.arange(1.0, 5001.0)))
    words = np.where(micro % 2 == 0, "full", "none")
    run = TrainingSettings(
        training_stack="megatron",
        tensor_parallel=tensor,
        micro_batch=micro,
        recomputation=words,
        zero_stage=1.0,
        sharded_over=8.0,
    )
    values = _values(library, constants, "llama-3.1-8b", run)
    assert np.asarray(values["training_memory"]).shape == tensor.shape
    single = replace(run, tensor_parallel=2.0, micro_batch=7.0, recomputation="none")
    place = int(np.flatnonzero((tensor == 2) & (micro == 7))[0])
    alone = _values(library, constants, "llama-3.1-8b", single)
    assert np.asarray(values["training_memory"])[place] == pytest.approx(_number(alone, "training_memory"))
