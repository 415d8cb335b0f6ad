"""Figures printed on training in papers and books, reproduced by the formulas; the tables beside this file hold them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import Model
from advisor.catalogue.source import Source
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import all_formulas, at, formulas
from advisor.sizing.training.run_constants import TRAINING_RUN_CONSTANTS
from advisor.sizing.training.speed_constants import TRAINING_SPEED_CONSTANTS
from advisor.sizing.training.speed_facts import TrainingSetup, speed_facts
from advisor.units import parse

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "training.yaml").read_text(encoding="utf-8"))
RUNS: list[dict[str, Any]] = yaml.safe_load((HERE / "training_runs.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"][:50])
def test_published_training(library: Library, case: dict[str, Any]) -> None:
    units = all_formulas().units
    facts: dict[str, Any] = {name: parse(value, units.get(name, "1")) for name, value in case["facts"].items()}
    facts.setdefault("checkpoint_mode", "synchronous")
    value = at(formulas().evaluate((case["quantity"],), facts)[case["quantity"]], 0)
    unit = units[case["quantity"]]
    assert value == pytest.approx(parse(case["printed"], unit), rel=case["within"])
    if "wrong" in case:
        assert value != pytest.approx(parse(case["wrong"], unit), rel=0.2)
    assert library.has(Source, next(iter(case["cite"])))


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case["what"][:50])
def test_published_run(library: Library, case: dict[str, Any]) -> None:
    setup = TrainingSetup(
        library.find(Model, case["model"]),
        library.find(Accelerator, case["accelerator"]),
        8,
        parse(case["network"], "byte/second"),
        **{"training_period": case["period"], **case["setup"]},
    )
    facts = speed_facts(setup, case["layout"])
    constants = [library.get(Efficiency, id) for id in (*TRAINING_SPEED_CONSTANTS, *TRAINING_RUN_CONSTANTS)]
    facts |= efficiency_columns(constants, facts)
    units = all_formulas().units
    facts |= {name: parse(value, units[name]) for name, value in case.get("facts", {}).items()}
    value = at(formulas().evaluate((case["quantity"],), facts)[case["quantity"]], 0)
    assert value == pytest.approx(parse(case["printed"], units[case["quantity"]]), rel=case["within"])
    assert library.has(Source, next(iter(case["cite"])))
