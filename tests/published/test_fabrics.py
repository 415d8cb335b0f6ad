"""NVIDIA's SuperPOD tables from the counts of nodes and the ports of a switch alone."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.catalogue.source import Source
from advisor.library import Library
from advisor.sizing.fabric_bill import fabric_bill

ROWS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "fabrics" / "superpods.yaml").read_text(encoding="utf-8"))
COUNTS = ("leaves", "spines", "cores", "node_cables", "spine_cables", "core_cables")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['id']} {row['table']} {row['nodes']} nodes")
@pytest.mark.parametrize("rail_optimised", [True, False], ids=["rails", "packed"])
def test_published_fabric(library: Library, row: dict[str, Any], rail_optimised: bool) -> None:
    bill = fabric_bill(row["nodes"], 8, row["radix"], planes=row["planes"], rail_optimised=rail_optimised)
    assert {name: getattr(bill, name) for name in COUNTS} == {name: row[name] for name in COUNTS}
    assert library.has(Source, row["cite"])
