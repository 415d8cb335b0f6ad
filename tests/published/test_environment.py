"""Worked examples for everything beside the accelerators, reproduced by the formulas; the tables in `environment` hold them.

A case states facts and a quantity with the figure its source prints. `wrong` instead of `printed` is a figure that the source
prints and that does not follow from its own inputs: the formula must stay away from it.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.source import Source
from advisor.library import Library
from advisor.sizing.efficiencies import efficiency_columns
from advisor.sizing.formula import all_formulas, formulas
from advisor.units import parse

FOLDER = Path(__file__).parent / "environment"
CASES: list[dict[str, Any]] = [
    case for file in sorted(FOLDER.glob("*.yaml")) for case in yaml.safe_load(file.read_text(encoding="utf-8"))
]


def in_base_unit(name: str, given: Any) -> Any:
    """A fact as formulas take it: text with a unit in the base unit of the name, words as they are."""
    unit = all_formulas().units.get(name)
    if isinstance(given, str) and unit is not None:
        return parse(given, unit)
    return float(given) if isinstance(given, int | float) else given


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['quantity']}")
def test_worked_example(library: Library, case: dict[str, Any]) -> None:
    facts = {name: in_base_unit(name, given) for name, given in case["facts"].items()}
    constants = [library.get(Efficiency, id) for id in case.get("constants", ())]
    facts |= efficiency_columns(constants, facts, case.get("end", "typical"))
    found = float(formulas().evaluate([case["quantity"]], facts)[case["quantity"]])
    if "wrong" in case:
        wrong = in_base_unit(case["quantity"], case["wrong"])
        assert abs(found / wrong - 1) > case["apart"]
    if "printed" in case:
        assert found == pytest.approx(in_base_unit(case["quantity"], case["printed"]), rel=case["within"], abs=1e-9)
    assert all(library.has(Source, source) for source in case["cite"])


def test_every_case_says_where_it_comes_from_and_how_near_it_comes() -> None:
    for case in CASES:
        assert case["what"], case["id"]
        assert case["cite"], case["id"]
        assert ("printed" in case and "within" in case) or ("wrong" in case and "apart" in case), case["id"]
    doubled = Counter(
        (case["id"], case["quantity"], str(case["facts"]), str(case.get("printed", case.get("wrong")))) for case in CASES
    )
    assert [key for key, times in doubled.items() if times > 1] == []
