"""Properties of training speed: what must hold whatever the constants are."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import formulas
from advisor.sizing.training.deadline import best_times
from advisor.sizing.training.run_constants import TRAINING_RUN_CONSTANTS
from advisor.sizing.training.speed_constants import TRAINING_SPEED_CONSTANTS
from advisor.sizing.training.speed_facts import TrainingSetup, speed_facts
from advisor.units import parse

NETWORK = parse("400 Gbit/s", "byte/second")
WANTED = (
    "training_step_time",
    "training_tokens_per_second",
    "training_tokens_per_second_per_accelerator",
    "model_flops_utilization",
    "hardware_flops_utilization",
    "pipeline_bubble",
    "exposed_communication",
    "steady_training_time",
)


def evaluated(
    library: Library,
    layout: Mapping[str, Any],
    model: str = "llama-3.1-8b",
    part: str = "h100-sxm",
    trained_tokens: float = 1e12,
    **settings: Any,
) -> dict[str, Any]:
    setup = TrainingSetup(
        library.find(Model, model),
        library.find(Accelerator, part),
        8,
        **{"inter_node_bandwidth": NETWORK, "sequence_length": 8192, **settings},
    )
    facts = speed_facts(setup, layout)
    constants = [library.get(Efficiency, id) for id in (*TRAINING_SPEED_CONSTANTS, *TRAINING_RUN_CONSTANTS)]
    return formulas().evaluate(WANTED, {"trained_tokens": trained_tokens, **facts, **efficiency_columns(constants, facts)})


def layouts(count: float, sequences: float) -> dict[str, Any]:
    """Every layout of so many accelerators that divides them and the batch."""
    rows = [
        (tensor, stages, count / tensor / stages, micro)
        for tensor in (1, 2, 4, 8)
        for stages in (1, 2, 4, 8)
        for micro in (1, 2, 4)
        if count % (tensor * stages) == 0 and sequences % (count / tensor / stages * micro) == 0
    ]
    tensor, stages, replicas, micro = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return {
        "tensor_parallel": tensor,
        "pipeline_parallel": stages,
        "data_parallel": replicas,
        "micro_batch": micro,
        "gradient_accumulation": sequences / (replicas * micro),
    }


@pytest.mark.parametrize(("model", "part"), [("llama-3.1-70b", "h100-sxm"), ("qwen3-30b-a3b", "gb200"), ("llama-3-8b", "mi300x")])
def test_more_accelerators_in_the_best_plan_never_take_longer(library: Library, model: str, part: str) -> None:
    counts = [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0]
    best = []
    for count in counts:
        values = evaluated(library, layouts(count, 2048.0), model, part)
        best.append(float(np.min(values["training_step_time"])))
    assert all(later < earlier for earlier, later in pairwise(best)), best
    _, times = best_times(counts, best)
    assert np.all(np.diff(times) <= 0)


def test_a_column_of_layouts_gives_what_each_gives_alone(library: Library) -> None:
    layout = layouts(64.0, 512.0)
    together = evaluated(library, layout)
    for row in range(0, len(layout["micro_batch"]), 7):
        alone = evaluated(library, {name: column[row] for name, column in layout.items()})
        for name in WANTED:
            wide = np.broadcast_to(together[name], layout["micro_batch"].shape)
            assert np.allclose(np.ravel(alone[name])[0], wide[row], rtol=1e-12)


def test_shares_are_shares_and_twice_the_tokens_take_twice_as_long(library: Library) -> None:
    @settings(max_examples=40, deadline=None)
    @given(
        tensor=st.sampled_from([1, 2, 4, 8]),
        stages=st.sampled_from([1, 2, 4, 8]),
        replicas=st.sampled_from([1, 4, 16, 64]),
        accumulation=st.integers(1, 64),
        context=st.sampled_from([1, 2, 4]),
    )
    def holds(tensor: int, stages: int, replicas: int, accumulation: int, context: int) -> None:
        layout = {
            "tensor_parallel": tensor,
            "pipeline_parallel": stages,
            "data_parallel": replicas,
            "context_parallel": context,
            "micro_batch": 1,
            "gradient_accumulation": accumulation,
        }
        values = evaluated(library, layout)
        assert 0 < float(np.ravel(values["model_flops_utilization"])[0]) < 1
        assert 0 <= float(np.ravel(values["pipeline_bubble"])[0]) < 1
        assert np.all(values["exposed_communication"] < values["training_step_time"])
        twice = evaluated(library, layout, trained_tokens=2e12)
        assert np.allclose(twice["steady_training_time"], 2 * values["steady_training_time"])

    holds()


def test_recomputation_costs_time_but_no_model_work(library: Library) -> None:
    layout = {"tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 8, "micro_batch": 1, "gradient_accumulation": 4}
    none, selective, full = (evaluated(library, {**layout, "recomputation": word}) for word in ("none", "selective", "full"))
    speeds = [float(np.ravel(each["training_tokens_per_second"])[0]) for each in (none, selective, full)]
    assert speeds[0] > speeds[1] > speeds[2]
    assert none["training_flops_per_token"] == full["training_flops_per_token"]
    assert np.all(full["hardware_flops_utilization"] > full["model_flops_utilization"])


def test_adapters_are_faster_and_a_reference_model_slower(library: Library) -> None:
    layout = {"tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 8, "micro_batch": 2, "gradient_accumulation": 4}
    speeds = {
        method: float(
            np.ravel(evaluated(library, layout, method=method, training_stack="hf-trainer")["training_tokens_per_second"])[0]
        )
        for method in ("full", "lora", "dpo")
    }
    assert speeds["lora"] > speeds["full"] > speeds["dpo"]


def test_a_slow_network_stops_full_sharding_first(library: Library) -> None:
    layout = {"tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 32, "micro_batch": 1, "gradient_accumulation": 8}
    slow: dict[str, Any] = {"inter_node_bandwidth": parse("10 Gbit/s", "byte/second"), "training_stack": "fsdp"}
    whole = evaluated(library, {**layout, "zero_stage": 1}, **slow)
    gathered = evaluated(library, {**layout, "zero_stage": 3}, **slow)
    fast = evaluated(library, {**layout, "zero_stage": 3}, training_stack="fsdp")
    assert np.all(gathered["training_step_time"] > 2 * whole["training_step_time"])
    assert np.all(gathered["training_step_time"] > 4 * fast["training_step_time"])


def test_work_of_a_token_follows_the_printed_formula(library: Library) -> None:
    """Narayanan et al. count hardware work with attention in full: 96 B s l h^2 (1 + s/6h + V/16lh) for an iteration."""
    layout = {"tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 8, "micro_batch": 1, "gradient_accumulation": 1}
    values = evaluated(library, {**layout, "recomputation": "full"}, "opt-175b", sequence_length=2048)
    layers, hidden, length, words = 96, 12288, 2048, 50272
    printed = 96 * layers * hidden**2 * (1 + length / (6 * hidden) + words / (16 * layers * hidden))
    in_full = values["training_flops_per_token"] + values["attention_operations_per_token"]
    assert float(np.ravel(in_full)[0]) * 4 / 3 == pytest.approx(printed, rel=0.01)


def test_images_on_a_slow_link_wait_for_gradients(library: Library) -> None:
    """Two machines of two cards on 1 Gbit/s: exchanging takes several times as long as computing a batch of 64."""
    setup = TrainingSetup(
        library.find(Model, "resnet50"), library.find(Accelerator, "v100-sxm2-16"), 2, parse("1 Gbit/s", "byte/second"), 1
    )
    layout = {"tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 4, "micro_batch": 64, "gradient_accumulation": 1}
    facts = {**speed_facts(setup, layout), "scale_up_domain": 2.0}
    constants = [library.get(Efficiency, id) for id in (*TRAINING_SPEED_CONSTANTS, *TRAINING_RUN_CONSTANTS)]
    values = formulas().evaluate(
        ("item_gradient_time", "item_compute_time", "training_items_per_second"),
        {**facts, **efficiency_columns(constants, facts)},
    )
    assert np.all(values["item_gradient_time"] > 2 * values["item_compute_time"])
    assert float(np.ravel(values["training_items_per_second"])[0]) < 64 * 4 / 1.2 * 1.1
