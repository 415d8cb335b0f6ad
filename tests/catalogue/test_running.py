"""How a part runs a format, on records made up for it; what the shipped lists say is tested with the knowledge."""

import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.formats import Format
from advisor.catalogue.running import how_it_runs


def part(architecture: str, vendor: str = "Maker") -> Accelerator:
    return Accelerator.model_validate(
        {
            "id": "part",
            "name": "Part",
            "vendor": vendor,
            "kind": "gpu",
            "status": "shipping",
            "architecture": architecture,
            "sources": ["sheet"],
        }
    )


def form(**lists: list[str]) -> Format:
    body = {"id": "form", "name": "Form", "family": "f", "bits": 8, "applies_to": "all", "compute": "fp8", "sources": ["paper"]}
    return Format.model_validate({**body, **lists})


@pytest.mark.parametrize(
    ("lists", "architecture", "expected"),
    [
        ({}, "Hopper", "unknown"),
        ({"runs_on": ["Hopper"]}, "Hopper", "native"),
        ({"runs_on": ["Hopper"]}, "Hopper + Grace", "native"),
        ({"runs_on": ["Hopper"]}, "Ampere", "unknown"),
        ({"weight_only_on": ["Ampere"]}, "Ampere (Orin)", "weight-only"),
        ({"not_on": ["Volta"]}, "Volta", "no"),
        ({"runs_on": ["Maker"]}, "Volta", "native"),
        ({"runs_on": ["Maker"], "not_on": ["Volta"]}, "Volta", "no"),
        ({"not_on": ["Maker"], "runs_on": ["Volta"]}, "Volta", "native"),
        ({"runs_on": ["Blackwell"], "weight_only_on": ["Blackwell (GB202)"]}, "Blackwell (GB202)", "weight-only"),
        ({"runs_on": ["Blackwell"], "weight_only_on": ["Blackwell (GB202)"]}, "Blackwell Ultra", "native"),
        ({"runs_on": ["CDNA"]}, "CDNA3 APU", "native"),
        ({"runs_on": ["Turin"]}, "Turing", "unknown"),
        ({"runs_on": ["Xe"]}, "Xe-HPC (Ponte Vecchio)", "native"),
    ],
    ids=str,
)
def test_the_most_specific_statement_holds(lists: dict[str, list[str]], architecture: str, expected: str) -> None:
    assert how_it_runs(part(architecture), form(**lists)) == expected


def test_rates_that_a_datasheet_leaves_out_refuse_nothing() -> None:
    assert part("Ampere").compute == {}
    assert how_it_runs(part("Ampere"), form(runs_on=["Ampere"])) == "native"
