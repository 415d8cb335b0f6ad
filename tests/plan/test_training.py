"""Plans of training runs: the layout kept as asked, the deadline met at the least rent, published runs, and laws they follow."""

from typing import Any

import numpy as np
import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.errors import DocumentError
from advisor.evidence.hosts import host_of
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import Configuration, WorkloadPlan
from advisor.sizing.training.layouts import STACKS, LayoutQuestion, layouts
from advisor.workload.reading import to_document

TUNE: dict[str, Any] = {
    "kind": "fine-tuning",
    "model": "llama-3.1-8b",
    "method": "full",
    "dataset": {"tokens": "50M"},
    "sequence_length": 4096,
    "batch": 64,
    "accelerators": {"only": ["h100-sxm"]},
}


def planned(library: Library, **changes: Any) -> WorkloadPlan:
    return make_plan(to_document({"workloads": [{**TUNE, **changes}]}), library).workloads[0]


def chosen(plan: WorkloadPlan) -> Configuration:
    assert plan.recommended is not None
    return plan.recommended


def hours(configuration: Configuration) -> float:
    return configuration.estimates["time_to_train"].value / 3600


def test_the_deadline_is_met_and_a_shorter_one_takes_more_accelerators(library: Library) -> None:
    slow, fast = (chosen(planned(library, finish_within=within)) for within in ("12 h", "20 min"))
    assert hours(slow) <= 12
    assert hours(fast) <= 20 / 60
    assert fast.accelerators > slow.accelerators


def test_the_layout_multiplies_to_the_count_and_the_batch(library: Library) -> None:
    found = chosen(planned(library))
    layout = found.layout
    assert layout is not None
    ranks = layout.tensor_parallel * layout.pipeline_parallel * layout.context_parallel * layout.data_parallel
    assert ranks == found.accelerators
    assert layout.data_parallel * layout.micro_batch * layout.gradient_accumulation == layout.global_batch == 64


def test_what_was_asked_for_is_kept(library: Library) -> None:
    settings = {"sharding": "zero-2", "micro_batch": 1, "activation_checkpointing": "full"}
    layout = chosen(planned(library, engine_settings=settings, engine="deepspeed")).layout
    assert layout is not None
    assert (layout.zero_stage, layout.micro_batch, layout.recomputation) == (2, 1, "full")
    assert (layout.stack, layout.sharding_library, layout.sequence_length) == ("deepspeed", "deepspeed", 4096)


def test_adapters_need_less_and_smaller_weights_less_again(library: Library) -> None:
    one = {"accelerators": {"owned": [{"id": "h100-sxm", "count": 1}]}, "engine_settings": {"micro_batch": 1}}
    needed = [chosen(planned(library, method=method, **one)).estimates["training_memory"].value for method in ("lora", "qlora")]
    assert needed[1] < needed[0]
    assert planned(library, **one).recommended is None


def test_a_stated_deadline_that_nothing_meets_says_the_time_it_takes(library: Library) -> None:
    plan = planned(library, finish_within="1 min", accelerators={"only": ["h100-sxm"], "max_count": 8})
    assert plan.recommended is None
    offered = {each.what: each for each in plan.relaxations}
    needed = offered["finish_within"].needed
    assert isinstance(needed, float)
    later = planned(library, finish_within=f"{needed * 1.001:.6g} s", accelerators={"only": ["h100-sxm"], "max_count": 8})
    assert later.recommended is not None


def test_a_proposed_deadline_yields(library: Library) -> None:
    plan = planned(library, dataset={"tokens": "500B"}, accelerators={"only": ["h100-sxm"], "max_count": 8})
    assert chosen(plan).accelerators == 8
    assert hours(chosen(plan)) > 24


@pytest.mark.parametrize("count", [8, 16, 64])
def test_more_accelerators_never_take_longer(library: Library, count: int) -> None:
    def fastest(owned: int) -> float:
        plan = planned(library, finish_within="10 years", accelerators={"owned": [{"id": "h100-sxm", "count": owned}]})
        return min(hours(each) for each in (chosen(plan), *plan.alternatives))

    assert fastest(2 * count) <= fastest(count) * (1 + 1e-9)


def test_llama_405b_on_16384_comes_near_its_published_hours(library: Library) -> None:
    # The model card of Llama 3.1: 30.84 M accelerator hours over all; 15.6 T tokens.
    plan = planned(
        library,
        kind="pretraining",
        model="llama-3.1-405b",
        method="pretraining",
        dataset={"tokens": "15.6T"},
        sequence_length=8192,
        batch=2048,
        finish_within="200 days",
        accelerators={"only": ["h100-sxm"], "owned": [{"id": "h100-sxm", "count": 16384}]},
    )
    fastest = min((chosen(plan), *plan.alternatives), key=hours)
    assert fastest.estimates["accelerator_time"].value / 3600 == pytest.approx(30.84e6, rel=0.2)
    assert fastest.tensor_parallel == 8


def test_the_search_of_a_large_run_holds_every_legal_layout(library: Library) -> None:
    part = library.get(Accelerator, "h100-sxm")
    model = library.get(Model, "llama-3.1-405b")
    found = layouts(LayoutQuestion(model, (host_of(library, part),), (16384,), STACKS["megatron"], 8192, 2048))
    ranks = np.prod([found.columns[f"{name}_parallel"] for name in ("tensor", "pipeline", "context", "data")], axis=0)
    assert (ranks == 16384).all()
    batch = found.columns["data_parallel"] * found.columns["micro_batch"] * found.columns["gradient_accumulation"]
    assert (batch == 2048).all()
    assert found.columns["tensor_parallel"].max() == 8
    rows = {tuple(row) for row in np.array([column.astype(str) for column in found.columns.values()]).T.tolist()}
    assert len(rows) == len(found)


def test_unknown_software_is_refused_with_the_nearest(library: Library) -> None:
    with pytest.raises(DocumentError, match="no training software") as refused:
        planned(library, engine="axolotle")
    assert refused.value.where == "workloads[0].engine"
    assert "axolotl" in (refused.value.hint or "")


def test_a_batch_that_nothing_divides_is_refused(library: Library) -> None:
    with pytest.raises(DocumentError, match="divides over none"):
        planned(library, batch=3, engine_settings={"micro_batch": 2})


def test_every_figure_can_be_opened_and_has_its_launch(library: Library) -> None:
    plan = planned(library)
    found = chosen(plan)
    assert set(found.estimates) <= set(plan.trace)
    assert plan.trace["time_to_train"].equation
    assert plan.launch is not None
    assert plan.launch.commands
    assert plan.measured_runs
