"""Training memory against measured peaks: reading of rows, the figures the project promises, the band, and the fit that ships."""

from pathlib import Path

import numpy as np
import pytest

from advisor.catalogue.efficiency import Efficiency
from advisor.errors import DocumentError, InputError
from advisor.evidence.fitting import layout
from advisor.evidence.grouped_band import GROUP_POWER, group_weights, grouped_band, halves, split_coverage
from advisor.evidence.scores import Metric, OutOfMemory, Validation, Worked
from advisor.evidence.table import Row
from advisor.evidence.training_memory import (
    COLUMNS,
    GIB,
    TrainingCases,
    frozen_weights,
    read_training_cases,
    shipped_training_rows,
    training_case,
)
from advisor.evidence.training_memory_fit import estimated_peaks, fit_training_memory
from advisor.evidence.training_memory_priors import FAMILIES
from advisor.evidence.training_memory_validation import validate_training_memory
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.training.memory.constants import FITTED, SETTLED, TRAINING_MEMORY_CONSTANTS


@pytest.fixture(scope="module")
def table(root: Path) -> Path:
    return root / "knowledge" / "measurements" / "training_memory.csv"


@pytest.fixture(scope="module")
def validation(library: Library, table: Path) -> Validation:
    return validate_training_memory(library, table)


@pytest.fixture(scope="module")
def cases(library: Library, root: Path) -> TrainingCases:
    return read_training_cases(library, shipped_training_rows(root / "knowledge"))


def _row(**given: str) -> Row:
    usual = {
        "id": "x", "source": "a bench", "gpu": "A100-80GB", "model_id": "llama-3.1-8b", "method": "full", "precision": "bf16",
        "gpu_count": "8", "sharding": "FSDP", "activation_checkpointing": "full", "seq_len": "4096", "micro_batch": "1",
        "peak_gib_per_gpu": "40", "outcome": "ok", "accelerator_id": "a100-sxm4-80", "peak_kind": "torch-allocated",
        "loss_kernel": "plain", "attention_kernel": "flash", "optimizer_id": "adamw-fp32", "sharding_id": "fsdp-full",
        "shards": "8", "trainable": "full", "evaluable": "yes",
    }  # fmt: skip
    return {**dict.fromkeys(COLUMNS, ""), **usual, **given}


def test_every_row_marked_evaluable_is_evaluated(validation: Validation, root: Path) -> None:
    rows = shipped_training_rows(root / "knowledge")
    marked = sum(row["evaluable"] == "yes" for row in rows)
    peaks = validation.metrics["peak_memory"]
    assert isinstance(peaks, Metric)
    assert peaks.n == marked == 242
    assert validation.rows == len(rows) == validation.evaluated + sum(validation.left_out.values())


def test_promised_errors(validation: Validation) -> None:
    peaks = validation.metrics["peak_memory"]
    assert isinstance(peaks, Metric)
    assert peaks.mape is not None
    assert peaks.median is not None
    assert peaks.mape <= 0.11
    assert peaks.median <= 0.07


def test_promised_calls(validation: Validation) -> None:
    ended, worked = validation.metrics["out_of_memory"], validation.metrics["worked"]
    assert isinstance(ended, OutOfMemory)
    assert isinstance(worked, Worked)
    assert ended.n >= 50
    assert ended.right >= 0.95 * ended.n
    assert worked.refused <= 0.04 * worked.n


def test_promised_intervals(validation: Validation) -> None:
    peaks = validation.metrics["peak_memory"]
    assert isinstance(peaks, Metric)
    assert peaks.coverage_80 is not None
    assert 0.78 <= peaks.coverage_80 <= 0.82
    assert any("20 splits" in note and "spread" in note for note in validation.notes)


def test_figures_held_out_stand_on_the_page(root: Path) -> None:
    page = (root / "docs" / "accuracy-training-memory.md").read_text(encoding="utf-8")
    lines = {cells[1].strip(): cells[2].strip() for line in page.splitlines() if (cells := line.split("|"))[2:]}
    assert float(lines["mean error"].rstrip("%")) <= 11
    assert float(lines["median error"].rstrip("%")) <= 7
    assert 78 <= float(lines["in the 80 % band"].rstrip("%")) <= 82


def test_the_shipped_constants_are_what_the_fit_gives(library: Library, cases: TrainingCases) -> None:
    settled = efficiency_columns([library.get(Efficiency, id) for id in SETTLED], cases.columns)
    plan = layout(cases.columns, len(cases.cases), FAMILIES)
    vector = np.exp(fit_training_memory(cases, plan, settled, np.ones(len(cases.cases), dtype=bool)))
    for family, keys, start in zip(plan.families, plan.keys, plan.starts, strict=True):
        shipped = library.get(Efficiency, family.name)
        for place, key in enumerate(keys):
            assert shipped.values[key].typical == pytest.approx(vector[start + place], rel=0.02), (family.name, key)


def test_every_constant_is_known(library: Library) -> None:
    assert {family.name for family in FAMILIES} == set(FITTED)
    assert all(library.has(Efficiency, id) for id in TRAINING_MEMORY_CONSTANTS)


def test_a_group_never_stands_on_both_sides(cases: TrainingCases) -> None:
    for first in halves(cases.groups):
        assert not set(cases.groups[first]) & set(cases.groups[~first])


def test_each_half_is_tested_once() -> None:
    groups = np.array(list("aabbccdd"))
    both = list(halves(groups, 4))
    assert [(one == ~other).all() for one, other in zip(both[::2], both[1::2], strict=True)] == [True, True]


def test_large_groups_count_less_a_row() -> None:
    weights = group_weights(np.array(["large"] * 9 + ["small"]))
    assert weights[0] == pytest.approx(weights[-1] / 9**GROUP_POWER)
    assert weights.mean() == pytest.approx(1)


def test_a_band_holds_its_share() -> None:
    residuals = np.random.RandomState(0).standard_normal(5000)
    low, high = grouped_band(residuals, np.arange(5000).astype(str))
    assert np.mean((residuals >= low) & (residuals <= high)) == pytest.approx(0.8, abs=0.001)
    covered = split_coverage(residuals, np.array([str(place % 50) for place in range(5000)]))
    assert covered.mean() == pytest.approx(0.8, abs=0.02)


def test_too_few_groups_have_no_splits() -> None:
    assert len(split_coverage(np.array([0.1, 0.2, 0.3]), np.array(["a", "b", "b"]))) == 0


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"model_id": ""}, "the model is not identified"),
        ({"seq_len": ""}, 'its "seq_len" is blank, zero or no number'),
        ({"micro_batch": "many"}, 'its "micro_batch" is blank, zero or no number'),
        ({"seq_len": "-5"}, 'its "seq_len" is not between 0 and'),
        ({"peak_gib_per_gpu": ""}, 'its "peak_gib_per_gpu" is blank'),
        ({"gpu_count": "inf"}, 'its "gpu_count" is not between 0 and'),
        ({"lora_rank": "-8"}, 'its "lora_rank" is not between 0 and'),
        ({"sharding_id": "unknown"}, "how states are sharded is not stated"),
        ({"activation_checkpointing": ""}, "whether activations are recomputed is not stated"),
        ({"outcome": "oom", "accelerator_id": "", "gpu": ""}, "the accelerator is not identified"),
        ({"model_id": "no-such-model"}, "no model is called"),
    ],
)
def test_rows_without_an_input_say_so(library: Library, given: dict[str, str], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        training_case(library, _row(**given))


def test_layout_of_a_row(library: Library) -> None:
    case = training_case(library, _row(sharding_id="zero1+tp4+pp2", gpu_count="32", shards="", source="BigScience run"))
    run = case.settings
    assert (run.tensor_parallel, run.pipeline_parallel, run.data_parallel, run.sharded_over) == (4, 2, 4, 4)
    assert (run.zero_stage, run.sharding_library, run.training_stack) == (1, "deepspeed", "megatron-deepspeed")


def test_methods_of_a_row(library: Library) -> None:
    row = _row(
        method="qlora", precision="bnb-4bit+bfloat16", trainable="qlora", lora_rank="64", notes="all linear", sharding_id="none"
    )
    run = training_case(library, row).settings
    assert (run.adapter, run.lora_rank, run.lora_targets, run.weight_bits, run.kbit_prepared) == (
        "lora",
        64,
        "all-linear",
        4.5,
        1,
    )
    assert training_case(library, _row(optimizer_id="adamw-bf16")).settings.state_precision == "pure"


@pytest.mark.parametrize(
    ("precision", "bits"),
    [("gptq-int4+fp16", 4.156), ("gptq-int8+bf16", 8.19), ("bnb.nf4-dq+bf16", 4.127), ("bnb.nf4+bf16", 4.5)],
)
def test_bits_of_quantized_weights(precision: str, bits: float) -> None:
    assert frozen_weights(precision, "")[0] == pytest.approx(bits, abs=0.01)


def test_a_variant_of_a_card_has_its_own_memory(library: Library) -> None:
    usual = training_case(library, _row()).usable_memory
    variant = training_case(library, _row(gpu="H100-96GB-HBM2e-500W", accelerator_id="h100-sxm")).usable_memory
    assert usual is not None
    assert variant is not None
    assert 78 * GIB < usual < 80 * GIB
    assert 93 * GIB < variant < 96 * GIB


def test_what_was_read_decides_what_is_compared(library: Library, cases: TrainingCases) -> None:
    values = {"training_allocated": 1.0, "reserved_memory": 2.0, "device_memory": 3.0, "training_memory": 4.0}
    read = estimated_peaks(cases, {**values, "training_memory_margin": 0.0})
    kinds = {"torch-allocated": 1.0, "torch-reserved": 2.0, "device": 3.0, "unknown": 3.0}
    assert read.tolist() == [kinds[case.row["peak_kind"]] for case in cases.cases]


def test_a_table_without_usable_rows(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    made = validate_training_memory(library, path)
    assert (made.rows, made.evaluated) == (0, 0)
    assert made.metrics["out_of_memory"] == OutOfMemory(n=0, right=0)


def test_another_table_is_refused(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("id,source\n1,2\n", encoding="utf-8")
    with pytest.raises(DocumentError, match="is missing"):
        validate_training_memory(library, path)
