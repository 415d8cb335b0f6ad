"""Published measurements beside a plan: the nearest ones, each with what sets it apart, and never more than three."""

from pathlib import Path

import numpy as np
import pytest

from advisor.evidence.calibrating import with_known_constants
from advisor.evidence.nearest import nearest_rows
from advisor.evidence.neighbours import distance, neighbour_keys
from advisor.evidence.serving import COLUMNS, read_cases
from advisor.evidence.table import read_table
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.workload.reading import to_document

TIMES = ("time_per_output_token", "time_to_first_token")


def _workload(**changes: object) -> dict[str, object]:
    return {"kind": "realtime-inference", "model": "llama-3.1-70b", "accelerators": {"only": ["h200-sxm"]}, **changes}


def test_the_nearest_of_the_model_and_part_come_first(library: Library) -> None:
    found = make_plan(to_document({"workloads": [_workload(precision="fp8")]}), library).workloads[0].measured
    assert 1 <= len(found) <= 3
    assert all(each.model == "llama-3.1-70b" and each.accelerator == "h200-sxm" for each in found)
    assert all(each.url and each.source for each in found)
    assert all("accelerator" not in each.differs for each in found)


def test_what_sets_a_row_apart_is_said_with_both_numbers(library: Library) -> None:
    found = make_plan(to_document({"workloads": [_workload(input_tokens=32000)]}), library).workloads[0].measured
    assert any(said.startswith("tokens in ") and said.endswith(" for 32,000") for each in found for said in each.differs)


def test_a_batch_is_shown_measured_throughput(library: Library) -> None:
    batch = {"kind": "batch-inference", "model": "llama-2-70b", "accelerators": {"only": ["mi300x"]}}
    found = make_plan(to_document({"workloads": [batch]}), library).workloads[0].measured
    assert found
    assert all(each.output_token_rate for each in found)


def test_an_encoder_has_none(library: Library) -> None:
    plan = make_plan(to_document({"workloads": [{"kind": "batch-inference", "model": "bge-m3"}]}), library)
    assert plan.workloads[0].measured == ()


def test_the_shipped_keys_are_those_of_the_measured_rows(library: Library, root: Path) -> None:
    """A sample of them, worked out again from the rows themselves."""
    rows = read_table(root / "knowledge" / "measurements" / "inference_performance.csv", COLUMNS)
    cases = with_known_constants(library, read_cases(library, rows[::60]))
    keys = neighbour_keys(cases)
    shipped = {row["id"]: row for row in read_table(root / "knowledge" / "measurements" / "serving_keys.csv", ("id", *keys))}
    for place, case in enumerate(cases.cases):
        for name, column in keys.items():
            written = shipped[case.row["id"]][name]
            expected = column[place]
            assert written == expected if isinstance(expected, str) else float(written) == pytest.approx(expected, rel=1e-5)


def test_no_row_left_out_is_nearer(library: Library, root: Path) -> None:
    """The rows found by lines are those that a look at every row would find."""
    rows = read_table(root / "knowledge" / "measurements" / "inference_performance.csv", COLUMNS)
    one = with_known_constants(library, read_cases(library, rows[:1]))
    facts = {name: column[0] for name, column in neighbour_keys(one).items()}
    nearest = nearest_rows(root / "knowledge", facts, TIMES)
    keys = neighbour_keys(with_known_constants(library, read_cases(library, rows[:200])))
    away = distance({name: np.array([value]) for name, value in facts.items()}, keys)[0]
    assert nearest[0].distance == pytest.approx(0)
    assert nearest[0].distance <= float(away.min()) + 1e-9
    assert [each.distance for each in nearest] == sorted(each.distance for each in nearest)
