"""Measured rows of serving speed: which are taken, which contradict themselves, and what is estimated for them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from advisor.evidence.serving import COLUMNS, WANTED, Case, band, case_of, contradiction, estimate, estimate_rows, read_cases
from advisor.evidence.table import Row, read_table
from advisor.library import Library
from advisor.sizing.candidates import candidates

DATA = Path(__file__).parent / "data" / "serving.csv"


@pytest.fixture(scope="module")
def rows() -> tuple[Row, ...]:
    return read_table(DATA, COLUMNS)


def _first(rows: tuple[Row, ...], kind: str, **stated: str) -> dict[str, str]:
    row = next(row for row in rows if row["metric_kind"] == kind and all(row[name] == value for name, value in stated.items()))
    return dict(row)


def _closed(rows: tuple[Row, ...]) -> dict[str, str]:
    return next(dict(row) for row in rows if row["metric_kind"] == "closed-loop" and row["tpot_ms_mean"] and row["ttft_ms_mean"])


def test_every_row_that_states_its_inputs_is_taken(library: Library, rows: tuple[Row, ...]) -> None:
    found = read_cases(library, rows)
    assert len(found.cases) == len(rows) == 73
    assert found.left_out == {}
    assert {quantity for case in found.cases for quantity in case.measured} == set(WANTED)
    assert all(np.asarray(column).ndim == 0 or np.asarray(column).shape[-1] == 73 for column in found.columns.values())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"evaluable": "no"}, "not all inputs are in columns"),
        ({"model_id": ""}, "model, accelerator or weight format is not identified"),
        ({"model_id": "no-such-model-9000"}, 'no model is called "no-such-model-9000"'),
        ({"accelerator_id": "sambanova-sn40l"}, "the memory bandwidth of sambanova-sn40l is not known"),
        ({"isl": ""}, 'its "isl" is blank, zero or no number'),
        ({"osl": "many"}, 'its "osl" is blank, zero or no number'),
        ({"concurrency_or_batch": ""}, 'its "concurrency_or_batch" is blank, zero or no number'),
        ({"tp": "-8"}, 'its "tp" is not between 0 and 1,000,000,000'),
        ({"gpu_count": "nan"}, 'its "gpu_count" is not between 0 and 1,000,000,000'),
        ({"ttft_ms_mean": "1e400"}, 'its "ttft_ms_mean" is not between 0 and 1,000,000,000'),
        ({"metric_kind": "interactive"}, "no figure that is estimated"),
        ({"tpot_ms_mean": "", "ttft_ms_mean": ""}, "no figure that is estimated"),
    ],
)
def test_a_row_that_cannot_be_estimated_is_left_out_with_the_reason(
    library: Library, rows: tuple[Row, ...], changed: dict[str, str], reason: str
) -> None:
    found = read_cases(library, [{**_closed(rows), **changed}])
    assert found.cases == ()
    assert found.left_out == {reason: 1}


def _contradiction(library: Library, row: Mapping[str, str]) -> str | None:
    return contradiction(row, candidates(case_of(library, row).question).columns)


def test_littles_law(library: Library, rows: tuple[Row, ...]) -> None:
    row = _closed(rows)
    clients, outputs = float(row["concurrency_or_batch"]), float(row["osl"])
    latency = (float(row["ttft_ms_mean"]) + (outputs - 1) * float(row["tpot_ms_mean"])) / 1e3
    assert _contradiction(library, {**row, "req_s": str(clients / latency)}) is None
    for wrong in (3, 1 / 3):
        assert (
            _contradiction(library, {**row, "req_s": str(wrong * clients / latency)})
            == "its rate and latency contradict Little's law"
        )


def test_no_step_is_faster_than_reading_the_weights(library: Library, rows: tuple[Row, ...]) -> None:
    closed = {**_closed(rows), "req_s": ""}
    assert _contradiction(library, {**closed, "tpot_ms_mean": "0.001"}) == "it is faster than reading its weights allows"
    batch = {**_first(rows, "fixed-batch"), "osl": "1000"}
    assert _contradiction(library, {**batch, "e2e_ms_mean": "1"}) == "it is faster than reading its weights allows"
    assert _contradiction(library, {**batch, "e2e_ms_mean": "1000000"}) is None


def test_what_a_row_measured_in_base_units(library: Library, rows: tuple[Row, ...]) -> None:
    closed = {**_closed(rows), "osl": "101", "ttft_ms_mean": "500", "tpot_ms_mean": "20"}
    measured = case_of(library, closed).measured
    assert measured == pytest.approx({"time_per_output_token": 0.02, "time_to_first_token": 0.5, "request_latency": 2.5})
    batch = {**_first(rows, "fixed-batch"), "osl": "100", "concurrency_or_batch": "8", "output_tok_s_total": "400"}
    assert case_of(library, {**batch, "e2e_ms_mean": ""}).measured == pytest.approx({"batch_latency": 2.0})
    assert case_of(library, {**batch, "e2e_ms_mean": "1500"}).measured == pytest.approx({"batch_latency": 1.5})
    offline = {**_first(rows, "offline-max"), "output_tok_s_total": "1234"}
    assert case_of(library, offline).measured == {"offline_token_rate": 1234.0}


def test_tensor_parallelism_is_what_stages_and_groups_leave(library: Library, rows: tuple[Row, ...]) -> None:
    question = case_of(library, {**_closed(rows), "gpu_count": "16", "pp": "2", "dp": "4", "tp": "16"}).question
    assert (question.tensor_parallel, question.pipeline_parallel, question.attention_data_parallel) == ((2,), (2,), 4)


def test_a_group_is_the_same_under_every_spelling_of_its_model(library: Library, rows: tuple[Row, ...]) -> None:
    row = {**_closed(rows), "model_id": "llama-3.1-8b", "accelerator_id": "h100-sxm"}
    assert isinstance(case := case_of(library, row), Case)
    assert case.group == case_of(library, {**row, "model_id": "Llama 3.1 8B Instruct"}).group


def test_estimates_are_near_what_was_measured(library: Library, rows: tuple[Row, ...]) -> None:
    estimated = {row["id"]: values for row, values in estimate_rows(library, rows)}
    cases = read_cases(library, rows).cases
    ratios = [estimated[case.row["id"]][name] / value for case in cases for name, value in case.measured.items()]
    assert np.isfinite(ratios).all()
    assert np.median(np.abs(np.log(ratios))) < np.log(1.4)
    assert np.mean(np.abs(np.log(ratios)) < np.log(3)) > 0.9


def test_rows_are_estimated_alike_alone_and_together(library: Library, rows: tuple[Row, ...]) -> None:
    together = {row["id"]: values for row, values in estimate_rows(library, rows)}
    for row in (_closed(rows), _first(rows, "fixed-batch"), _first(rows, "offline-max")):
        ((_, alone),) = estimate_rows(library, [row])
        measured = case_of(library, row).measured
        assert {name: alone[name] for name in measured} == pytest.approx(
            {name: together[row["id"]][name] for name in measured}, rel=1e-9
        )


def test_all_requests_of_a_row_stand_on_its_one_replica(library: Library, rows: tuple[Row, ...]) -> None:
    found = read_cases(library, [_first(rows, "offline-max")])
    assert found.columns["replicas"] == 1
    ((_, values),) = estimate_rows(library, [_first(rows, "offline-max")])
    assert values["offline_token_rate"] < 1e6


def test_no_rows_give_no_estimates(library: Library) -> None:
    assert read_cases(library, []).cases == ()
    assert estimate_rows(library, []) == ()


def test_bands_hold_the_estimate(library: Library) -> None:
    for name in WANTED:
        low, high = band(library, name)
        assert 0 < low < 1 < high, name
    assert band(library, "weights_per_accelerator") == (1.0, 1.0)


def test_a_slower_constant_makes_a_slower_row(library: Library, rows: tuple[Row, ...]) -> None:
    from advisor.evidence.serving import serving_constants
    from advisor.sizing.efficiencies import efficiency_columns

    found = read_cases(library, [_closed(rows)])
    constants = efficiency_columns(serving_constants(library), found.columns)
    usual = estimate(found.columns, constants)["time_per_output_token"]
    slower = estimate(found.columns, {**constants, "layer_overhead": 2 * constants["layer_overhead"]})["time_per_output_token"]
    assert np.all(slower > usual)
