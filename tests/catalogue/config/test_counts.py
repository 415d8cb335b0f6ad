"""Counts against models built from the same configuration, and against published counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.catalogue.config import model_from_config

DATA = Path(__file__).parent / "data"
COUNTED: list[dict[str, Any]] = json.loads((DATA / "counted_layouts.json").read_text())
PUBLISHED: list[dict[str, Any]] = json.loads((DATA / "published_models.json").read_text())


@pytest.mark.parametrize("model_type", sorted({row["config"]["model_type"] for row in COUNTED}))
def test_every_switch_of_a_type_counts_as_built(model_type: str) -> None:
    for row in COUNTED:
        if row["config"]["model_type"] == model_type:
            counted = model_from_config(row["config"], name="m").parameters.total
            assert counted == row["parameters"], row["config"]


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: str(row["name"]))
def test_released_models_count_as_published(row: dict[str, Any]) -> None:
    model = model_from_config(row["config"], name=row["name"])
    assert model.parameters.total / 1e9 == pytest.approx(row["billions"], rel=1e-4, abs=5.1e-5)


def test_parts_never_exceed_the_whole() -> None:
    for row in [*COUNTED, *PUBLISHED]:
        parameters = model_from_config(row["config"], name="m").parameters
        assert parameters.active is not None
        assert parameters.embedding is not None
        assert 0 < parameters.active <= parameters.total - parameters.tower
        assert parameters.embedding + parameters.experts + parameters.tower <= parameters.total
