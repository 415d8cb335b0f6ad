"""Training speed against measured runs: reading rows, held-out errors, what ships and what calibration makes again."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from advisor.catalogue.efficiency import Efficiency
from advisor.cli.main import advisor
from advisor.errors import DocumentError
from advisor.evidence.scores import Metric
from advisor.evidence.table import read_table
from advisor.evidence.training_files import read_splits
from advisor.evidence.training_fit import fit_training, training_layout
from advisor.evidence.training_neighbours import keys_of, known_runs, nearest_runs, training_distance
from advisor.evidence.training_speed import (
    COLUMNS,
    DENSE,
    EXPERTS,
    TrainingCases,
    precision_of,
    read_training_cases,
    shipped_training_rows,
    software_period,
    software_year,
)
from advisor.evidence.training_splits import conformal_ends, left_out_by
from advisor.evidence.training_validation import speed_interval, validate_training
from advisor.library import Library

ROWS = Path(__file__).parent / "data" / "training_rows.csv"


@pytest.fixture(scope="module")
def shipped(library: Library) -> TrainingCases:
    return read_training_cases(library, shipped_training_rows(library.folders[0]))


def test_held_out_errors_and_coverage_of_the_shipped_rows(library: Library) -> None:
    made = validate_training(library, library.folders[0] / "measurements" / "training_performance.csv")
    dense, experts = made.metrics[DENSE], made.metrics[EXPERTS]
    assert isinstance(dense, Metric)
    assert isinstance(experts, Metric)
    assert dense.mape is not None
    assert experts.mape is not None
    assert dense.mape < 0.13
    assert experts.mape < 0.28
    for metric in (dense, experts):
        assert metric.coverage_80 is not None
        assert 0.78 <= metric.coverage_80 <= 0.82
    assert dense.n + experts.n == made.evaluated == 514
    assert len(made.by["split"]) == 20
    assert any("standard deviation" in note for note in made.notes)


def test_a_split_leaves_whole_groups_out_and_is_made_again_by_a_fit(library: Library, shipped: TrainingCases) -> None:
    plan = training_layout(shipped)
    stored = read_splits(library.folders[0] / "measurements" / "training_splits.csv", plan)
    left_out = left_out_by(shipped.groups, 0)
    trained = np.array([group not in left_out for group in shipped.groups.tolist()])
    assert 0.3 < trained.mean() < 0.7
    assert not set(shipped.groups[trained]) & left_out
    again = fit_training(shipped, plan, trained)
    assert np.allclose(again, stored[0][0], atol=0.02)


def test_the_shipped_constants_are_the_fit_on_all_rows(library: Library, shipped: TrainingCases) -> None:
    plan = training_layout(shipped)
    vector = fit_training(shipped, plan, np.ones(len(shipped), dtype=bool), iterations=25)
    for place, family in enumerate(plan.families):
        constant = library.get(Efficiency, family.name)
        assert constant.unit == family.unit
        for position, key in enumerate(plan.keys[place]):
            assert constant.values[key].typical == pytest.approx(np.exp(vector[plan.starts[place] + position]), rel=0.02), key


def test_rows_from_elsewhere_are_estimated_by_the_shipped_constants(library: Library) -> None:
    made = validate_training(library, ROWS)
    assert made.rows == 12
    assert made.evaluated == 8
    assert made.left_out["not all inputs are in columns"] == 1
    assert made.left_out['its "gpu_count" is blank, zero or no number'] == 1
    assert made.left_out["no figure that is estimated"] == 1
    assert any("no-such-part" in reason for reason in made.left_out)
    assert "split" not in made.by
    dense = made.metrics[DENSE]
    assert isinstance(dense, Metric)
    assert dense.n == 7
    assert dense.median is not None
    assert dense.median < 0.25


def test_neighbours_of_the_same_group_have_no_say(library: Library) -> None:
    made = validate_training(library, ROWS, neighbours=True)
    assert made.evaluated == 8
    assert any("near them" in note for note in made.notes)


def test_the_nearest_run_is_the_run_itself(library: Library, shipped: TrainingCases) -> None:
    known = known_runs(library.folders[0])
    distances = training_distance(keys_of(shipped), known.keys)
    assert np.all(np.diag(distances) < 1e-3)
    case = shipped.cases[100]
    near = nearest_runs(library, case.columns, case.setup.model.id)
    assert near[0].model == case.setup.model.id
    assert near[0].distance <= near[1].distance <= near[2].distance
    assert len({(run.source, run.model) for run in near}) == 3


def test_an_interval_is_wider_for_a_part_that_was_never_measured(library: Library) -> None:
    found = read_training_cases(library, [row for row in read_table(ROWS, COLUMNS) if row["id"] in ("new-0", "new-11")])
    known, unseen = (speed_interval(library, case.columns) for case in found.cases)
    assert unseen[0] < known[0] < 1 < known[1] < unseen[1]


def test_words_of_tables_are_read() -> None:
    assert precision_of("amp fp16") == "bf16"
    assert precision_of("fp8 rowwise") == "fp8-rowwise"
    assert precision_of("gptq-4bit+float16") == "bf16"
    assert software_year("performance summary, 26.04.01 NeMo Container") == pytest.approx(2026 + 3.5 / 12)
    assert software_year("benchmarks 2024-12") == pytest.approx(2024 + 11.5 / 12)
    assert software_year("no date at all") == 2024.5
    months = ("26.05 NeMo", "26.06 NeMo", "26.11 NeMo", "26.12 NeMo")
    assert [software_period(software_year(month)) for month in months] == ["2026-1", "2026-2", "2026-2", "2027-1"]


def test_conformal_ends_keep_four_of_five() -> None:
    residuals = np.arange(1000, dtype=float)
    groups = np.array([f"g{place}" for place in range(1000)])
    low, high = conformal_ends(residuals, groups)
    assert 98 <= low <= 101
    assert 898 <= high <= 902


def test_a_table_without_its_columns_is_refused(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,source\n1,a\n", encoding="utf-8")
    with pytest.raises(DocumentError, match='the column "model_id" is missing'):
        validate_training(library, path)


def test_a_table_without_usable_rows_is_no_error(library: Library, tmp_path: Path) -> None:
    row = dict(read_table(ROWS, COLUMNS)[0])
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow({**row, "evaluable": "no"})
    made = validate_training(library, path)
    assert (made.rows, made.evaluated) == (1, 0)


def test_the_command_prints_the_same_as_json() -> None:
    text = CliRunner().invoke(advisor, ["validate", "training", str(ROWS)])
    assert text.exit_code == 0, text.output
    assert "throughput_dense" in text.output
    made = json.loads(CliRunner().invoke(advisor, ["validate", "training", str(ROWS), "--json"]).output)
    assert made["kind"] == "training"
    assert set(made["metrics"]) == {"throughput_dense", "throughput_moe"}
    missing = CliRunner().invoke(advisor, ["validate", "training", "nowhere.csv"])
    assert missing.exit_code != 0
