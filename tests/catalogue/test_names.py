"""One normal form of a name, and the names that come close to one that nobody has."""

import pytest

from advisor.catalogue.names import nearest, nearest_meant, normal, part_of

SPELLINGS = (
    ("llama-3.1-8b", "llama-3.1-8b"),
    ("Llama 3.1 8B", "llama-3.1-8b"),
    ("Meta-Llama-3.1-8B", "llama-3.1-8b"),
    ("llama-3.1-70b", "llama-3.1-70b"),
    ("Llama 3.1 70B", "llama-3.1-70b"),
    ("h100", "h100-sxm"),
    ("h100", "h100-pcie"),
    ("a10", "a10"),
)


def test_normal() -> None:
    assert normal(" Llama 3.1_70B/(Instruct) ") == "llama-3.1-70b-instruct"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("lama-3.1-8b", ("llama-3.1-8b", "llama-3.1-70b")),
        ("llama 3.1 71b", ("llama-3.1-70b", "llama-3.1-8b")),
        ("h10", ("h100-sxm", "h100-pcie", "a10")),
        ("something else", ()),
    ],
)
def test_the_nearest_meant_are_different_things(name: str, meant: tuple[str, ...]) -> None:
    assert nearest_meant(name, SPELLINGS) == meant


def test_nearest_keeps_spellings_and_the_count() -> None:
    known = ("traffic", "targets", "term")
    assert nearest("trafic", known) == ("traffic",)
    assert nearest("h101", ("h100-sxm", "H100", "h200", "h100"), count=1) == ("H100",)


@pytest.mark.parametrize(
    ("name", "whole", "part"),
    [
        ("llama 70b", "llama-3.1-70b", True),
        ("h100", "h100-sxm", True),
        ("7b model", "mistral-7b-v0.3", False),
        ("reasoning model", "qwq-32b", False),
    ],
)
def test_part_of(name: str, whole: str, part: bool) -> None:
    assert part_of(name, whole) is part
