"""Memory estimates against start-up logs: the figures the project promises on the rows it carries."""

from pathlib import Path

import pytest

from advisor.errors import DocumentError
from advisor.evidence.memory import validate_memory
from advisor.evidence.scores import Metric, Starts, Validation
from advisor.library import Library


@pytest.fixture(scope="module")
def validation(library: Library, root: Path) -> Validation:
    return validate_memory(library, root / "knowledge" / "measurements" / "inference_memory.csv")


def _metric(validation: Validation, name: str) -> Metric:
    found = validation.metrics[name]
    assert isinstance(found, Metric)
    return found


def test_every_row_with_its_inputs_is_evaluated(validation: Validation) -> None:
    assert validation.rows == 121
    assert validation.evaluated + sum(validation.left_out.values()) == 121
    assert set(validation.left_out) == {"no figure with all its inputs in columns"}


def test_weights(validation: Validation) -> None:
    weights = _metric(validation, "weights")
    assert weights.n == 36
    assert weights.median is not None
    assert weights.p90 is not None
    assert weights.median <= 0.01
    assert weights.p90 <= 0.05


def test_room_for_the_cache_as_a_share_of_the_card(validation: Validation) -> None:
    room = _metric(validation, "kv_memory")
    assert room.median is not None
    assert room.p90 is not None
    assert room.coverage_80 is not None
    assert room.median <= 0.015
    assert room.p90 <= 0.05
    assert 0.7 <= room.coverage_80 <= 0.95


def test_tokens(validation: Validation) -> None:
    tokens = _metric(validation, "kv_tokens")
    assert tokens.median is not None
    assert tokens.p90 is not None
    assert tokens.median <= 0.05
    assert tokens.p90 <= 0.20


def test_starts(validation: Validation) -> None:
    starts = validation.metrics["starts"]
    assert isinstance(starts, Starts)
    assert starts.called >= 0.8 * starts.failures
    assert starts.refused <= 0.04 * starts.started


def test_a_file_that_is_no_such_table_is_refused(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    with pytest.raises(DocumentError, match="no such file"):
        validate_memory(library, file)
    file.write_text("id,engine\nm1,vLLM\n")
    with pytest.raises(DocumentError, match='the column "engine_version" is missing'):
        validate_memory(library, file)
    file.write_bytes(b"\xff\xfe\x00junk")
    with pytest.raises(DocumentError, match="not UTF-8"):
        validate_memory(library, file)
    with pytest.raises(DocumentError, match="a folder"):
        validate_memory(library, tmp_path)
