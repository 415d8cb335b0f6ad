"""Serving estimates against measured rows: the figures of the table that ships, and what is told of rows and files."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from advisor.errors import DocumentError
from advisor.evidence.scores import Metric, Validation
from advisor.evidence.serving import COLUMNS, QUANTITIES, band, read_cases
from advisor.evidence.serving_validation import PARTS, WORST_OF_EACH, estimated_by, unseen_rows, validate_serving
from advisor.evidence.table import Row, read_table
from advisor.library import Library
from advisor.sizing.serving.constants import UNSEEN_WIDENING

DATA = Path(__file__).parent / "data" / "serving.csv"


@pytest.fixture(scope="module")
def validation(library: Library) -> Validation:
    return validate_serving(library, DATA)


def _metric(validation: Validation, name: str) -> Metric:
    found = validation.metrics[name]
    assert isinstance(found, Metric)
    return found


def _write(rows: Sequence[Row], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *([row[column] for column in COLUMNS] for row in rows)])
    return path


def test_the_table_that_ships_keeps_its_figures(library: Library, root: Path) -> None:
    found = validate_serving(library, root / "knowledge" / "measurements" / "inference_performance.csv")
    assert found.evaluated + sum(found.left_out.values()) == found.rows
    assert found.evaluated >= 0.98 * found.rows
    for name, mean, median in (
        ("tpot", 0.18, 0.11),
        ("ttft", 0.40, 0.24),
        ("latency", 0.16, 0.12),
        ("output_throughput", 0.20, 0.14),
    ):
        figures = _metric(found, name)
        assert figures.mape is not None
        assert figures.mape < mean, name
        assert figures.median is not None
        assert figures.median < median, name
        assert figures.bias is not None
        assert abs(figures.bias) < 0.1, name
        assert figures.coverage_80 is not None
        assert 0.75 < figures.coverage_80 < 0.95, name


def test_every_metric_has_its_figures(validation: Validation) -> None:
    assert (validation.kind, validation.rows, validation.evaluated, validation.left_out) == ("serving", 73, 73, {})
    assert list(validation.metrics) == ["tpot", "ttft", "latency", "output_throughput"]
    for name in validation.metrics:
        figures = _metric(validation, name)
        assert figures.n >= 18
        assert None not in (figures.mape, figures.median, figures.p90, figures.bias, figures.coverage_80)


def test_parts_add_up_to_the_whole(validation: Validation) -> None:
    assert list(validation.by) == list(PARTS) == ["engine", "accelerator", "model_family", "metric_kind"]
    for part, of in validation.by.items():
        for name in QUANTITIES:
            counts = [figures[name].n for figures in of.values() if name in figures]
            assert 0 not in counts
            assert sum(counts) == _metric(validation, name).n, part


def test_the_worst_rows_of_each_metric_come_worst_first(validation: Validation) -> None:
    for name in QUANTITIES:
        errors = [abs(each.error) for each in validation.worst if each.metric == name]
        assert len(errors) == WORST_OF_EACH
        assert errors == sorted(errors, reverse=True)


def test_it_is_told_that_rows_were_fitted_to(library: Library, validation: Validation, tmp_path: Path) -> None:
    assert len(validation.notes) == 1
    assert validation.notes[0].startswith("73 of these rows ship with the advisor")
    rows = [{**row, "id": f"own-{row['id']}"} for row in read_table(DATA, COLUMNS)[:5]]
    assert validate_serving(library, _write(rows, tmp_path / "own.csv")).notes == ()


def test_rows_left_out_are_counted_by_reason(library: Library, tmp_path: Path) -> None:
    rows = list(read_table(DATA, COLUMNS)[:4])
    rows += [
        {**rows[0], "evaluable": "no"},
        {**rows[0], "isl": ""},
        {**rows[1], "isl": ""},
        {**rows[0], "model_id": "nonsense-1"},
    ]
    found = validate_serving(library, _write(rows, tmp_path / "rows.csv"))
    assert (found.rows, found.evaluated) == (8, 4)
    assert list(found.left_out.values()) == [2, 1, 1]
    assert found.left_out['its "isl" is blank, zero or no number'] == 2


def test_a_table_without_a_row_has_no_figures(library: Library, tmp_path: Path) -> None:
    found = validate_serving(library, _write([], tmp_path / "empty.csv"))
    assert (found.rows, found.evaluated, found.worst) == (0, 0, ())
    assert all(_metric(found, name) == Metric(n=0) for name in QUANTITIES)


def test_the_interval_is_wider_where_a_constant_was_never_measured(library: Library) -> None:
    row = next(row for row in read_table(DATA, COLUMNS) if row["metric_kind"] == "closed-loop" and row["tpot_ms_mean"])
    slow = {**row, "req_s": "", "tpot_ms_mean": "1000"}
    found = read_cases(library, [slow, {**slow, "accelerator_id": "tpu-v6e"}])
    assert unseen_rows(library, found).tolist() == [False, True]
    estimates = estimated_by(library, found)["time_per_output_token"]
    low, high = band(library, "time_per_output_token")
    assert estimates.low == pytest.approx([low, low**UNSEEN_WIDENING])
    assert estimates.high == pytest.approx([high, high**UNSEEN_WIDENING])


def test_neighbours_change_the_estimates_and_are_told(library: Library, validation: Validation) -> None:
    found = validate_serving(library, DATA, neighbours=True)
    assert len(found.notes) == 2
    for name in QUANTITIES:
        assert _metric(found, name).n == _metric(validation, name).n
        assert _metric(found, name).mape != _metric(validation, name).mape


def test_a_file_that_is_no_such_table_is_refused(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    with pytest.raises(DocumentError, match="no such file"):
        validate_serving(library, file)
    file.write_text("id,source\nix-1,somewhere\n")
    with pytest.raises(DocumentError, match='the column "engine_id" is missing'):
        validate_serving(library, file)
    file.write_bytes(b"\xff\xfe\x00junk")
    with pytest.raises(DocumentError, match="not UTF-8"):
        validate_serving(library, file)
    with pytest.raises(DocumentError, match="a folder"):
        validate_serving(library, tmp_path)
