"""The pages on the environment tell what the code does: every quantity with its inputs, every example with its formula."""

import re
from pathlib import Path
from typing import Any

import yaml

from advisor.sizing.formula import Formula, all_formulas

MODULES = "host storage network fabric power availability queueing scaling cost rent_or_buy retrieval agents".split()


def inputs(variants: list[Formula]) -> list[str]:
    names = [name for each in variants for name in (*(fact for one in each.when for fact in one.facts), *each.parameters)]
    return list(dict.fromkeys(names))


def ours() -> dict[str, list[Formula]]:
    return {
        quantity: variants
        for quantity, variants in all_formulas().formulas.items()
        if variants[-1].function.__module__.removeprefix("advisor.sizing.") in MODULES
    }


def test_the_table_of_quantities_is_the_registry(root: Path) -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (\S+) \| (.*) \|$", (root / "docs/environment.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    shown = {quantity: (unit, [name.strip("*") for name in named.split(", ")]) for quantity, unit, named in rows}
    assert shown == {quantity: (all_formulas().units[quantity], inputs(variants)) for quantity, variants in ours().items()}


def examples(root: Path) -> list[dict[str, Any]]:
    folder = root / "tests/published"
    files = [*sorted((folder / "environment").glob("*.yaml")), folder / "fabrics/superpods.yaml"]
    return [case for file in files for case in yaml.safe_load(file.read_text(encoding="utf-8"))]


def listed(text: str) -> set[str]:
    """Ids in a text, ranges such as CPU-01 to CPU-05 counted out."""
    found: set[str] = set()
    for kind, first, last in re.findall(r"([A-Z]+)-(\d\d)(?: to [A-Z]+-(\d\d))?", text):
        found |= {f"{kind}-{number:02}" for number in range(int(first), int(last or first) + 1)}
    return found


def test_every_example_is_listed_with_its_formula(root: Path) -> None:
    page = (root / "docs/worked-examples.md").read_text(encoding="utf-8")
    shown = page.split("## Left out here")[0]
    for case in examples(root):
        assert case["id"] in listed(shown), case["id"]
        if "quantity" in case and case["quantity"] != "accelerator_power":
            row = [line for line in shown.splitlines() if case["id"] in listed(line) and line.startswith("|")]
            assert row, case["id"]
    for name in re.findall(r"`([a-z_]+)`", shown):
        assert name in all_formulas().formulas or name in ("fabric_bill", "bus_bandwidth", "port_for"), name


def test_every_summary_is_a_sentence() -> None:
    for variants in ours().values():
        for each in variants:
            assert each.summary.endswith((".", ":")), each.name
            assert "\n" not in each.summary
