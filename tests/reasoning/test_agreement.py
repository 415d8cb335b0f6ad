"""The engine agrees with conditions evaluated one by one, on random facts and on random rules."""

from collections.abc import Mapping
from itertools import count
from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.facts import FactValue
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.patterns import MOST_ALTERNATIVES
from advisor.reasoning.rule import AnyOf, Rule

NUMBERS = ("a", "b", "c", "d")
WORDS = ("engine", "link", "format")
FLAGS = ("linked", "owned")
SPELT = ("vllm", "sglang", "nvlink", "pcie", "it's", 'a "b"', "c:\\d", "für", "")


def holds(rule: Rule, values: Mapping[str, FactValue]) -> bool:
    """The reference: every line holds, of an `any` group one member."""
    return all(
        any(each.holds(values) for each in line.any) if isinstance(line, AnyOf) else line.holds(values) for line in rule.when
    )


def advised(rules: tuple[Rule, ...], values: Mapping[str, FactValue]) -> set[str]:
    return {rule.id for rule in rules if rule.phase == "check" and holds(rule, values)}


def derived(rules: tuple[Rule, ...], given: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """Design rules to their fixpoint; here no rule asks for the absence of what a rule sets, so the order does not matter."""
    values = dict(given)
    while True:
        before = len(values)
        for rule in rules:
            if rule.phase == "design" and holds(rule, values):
                for name, value in rule.sets.items():
                    values.setdefault(name, value)
        if len(values) == before:
            return {name: value for name, value in values.items() if name not in given}


def make(id: str, when: list[Any], sets: dict[str, Any] | None = None) -> Rule:
    return Rule.model_validate(
        {
            "id": id,
            "title": "A rule",
            "phase": "design" if sets else "check",
            "when": when,
            "because": "it is a test",
            "sources": ["somewhere"],
            "examples": {"fires": [{}], "silent": [{}]},
            **({"sets": sets} if sets else {"advice": "Do otherwise."}),
        }
    )


RULES = (
    make("NUM-001", ["a > 5"]),
    make("NUM-002", ["a > 5", "a <= 1e16"]),
    make("NUM-003", ["a > b"]),
    make("NUM-004", ["a <= b", "b < c", "c != a"]),
    make("NUM-005", ["a == b"]),
    make("NUM-006", ["d in [1, 2, 0.00005]", "a >= d"]),
    make("NUM-007", ["a != 0", "b != c"]),
    make("NUM-008", ["a >= b", "a <= b", "c is known"]),
    make("NUM-009", ["a > b", "d is unknown"]),
    make("NUM-010", ["a < 5e-05"]),
    make("NUM-011", ['a == "80 GB"']),
    make("WRD-001", ['engine == "vllm"']),
    make("WRD-002", ["engine in [vllm, sglang]", "link != engine"]),
    make("WRD-003", ["engine == link"]),
    make("WRD-004", ['format != "it\'s"', "linked == true"]),
    make("WRD-005", ["format is unknown", "engine is known"]),
    make("FLG-001", ["linked == owned"]),
    make("FLG-002", ["linked != owned", "linked != false"]),
    make("ANY-001", [{"any": ["a > 5", "b > 5", 'engine == "vllm"']}, "c is known"]),
    make("ANY-002", [{"any": ["a > b", "linked == true"]}, {"any": ["c < 3", "d is unknown"]}]),
    make("DES-001", ["a > 5"], {"large": True}),
    make("DES-002", ["large == true", "b is unknown"], {"kind_of_job": "big", "level": 2}),
    make("DES-003", ["level >= 2", "level > c"], {"depth": 1e16}),
    make("DES-004", ["depth > a", "linked == large"], {"fabric": "fast"}),
)
ENGINE = RuleEngine(RULES)

finite = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 5e-05, 1e16, 8e10, -1.0]),
    st.integers(-3, 12).map(float),
    st.floats(allow_nan=False, allow_infinity=True),
)


def facts_of(numbers: tuple[str, ...] = NUMBERS) -> st.SearchStrategy[dict[str, FactValue]]:
    values: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(numbers, finite),
        **dict.fromkeys(WORDS, st.sampled_from(SPELT)),
        **dict.fromkeys(FLAGS, st.booleans()),
    }
    return st.fixed_dictionaries({}, optional=values)


@settings(max_examples=1000, deadline=None)
@given(values=facts_of())
def test_the_engine_fires_what_the_conditions_say(values: dict[str, FactValue]) -> None:
    assert {each.rule for each in ENGINE.advise(values)} == advised(RULES, values)
    assert {name: fact.value for name, fact in ENGINE.derive(values).items()} == derived(RULES, values)


_operators = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
_condition = st.one_of(
    st.builds("{} {} {!r}".format, st.sampled_from(NUMBERS), _operators, st.sampled_from([0.0, 1.0, 3.0, 5e-05, 1e16])),
    st.tuples(st.sampled_from(NUMBERS), _operators, st.sampled_from(NUMBERS)).filter(lambda t: t[0] != t[2]).map(" ".join),
    st.builds("{} in [vllm, nvlink, pcie]".format, st.sampled_from(WORDS)),
    st.builds('{} {} "{}"'.format, st.sampled_from(WORDS), st.sampled_from(["==", "!="]), st.sampled_from(["vllm", "pcie"])),
    st.builds("{} {} {}".format, st.sampled_from(FLAGS), st.sampled_from(["==", "!="]), st.sampled_from(["true", "false"])),
    st.builds("{} is known".format, st.sampled_from(NUMBERS + WORDS + FLAGS)),
)
_line = st.one_of(_condition, st.lists(_condition, min_size=2, max_size=3).map(lambda any: {"any": any}))


def _allowed(lines: list[Any]) -> bool:
    """A rule whose `any` groups make more combinations than are possible is refused, and has its own test."""
    return prod(len(line["any"]) for line in lines if isinstance(line, dict)) <= MOST_ALTERNATIVES


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    lines=st.lists(st.lists(_line, min_size=1, max_size=5).filter(_allowed), min_size=1, max_size=12),
    cases=st.lists(facts_of(), min_size=5, max_size=10),
)
def test_random_rules_agree_as_well(lines: list[list[Any]], cases: list[dict[str, FactValue]]) -> None:
    numbers = count(1)
    rules = tuple(make(f"RND-{next(numbers):03}", each) for each in lines)
    engine = RuleEngine(rules)
    for values in cases:
        assert {each.rule for each in engine.advise(values)} == advised(rules, values)


@pytest.mark.parametrize("exponent", range(-300, 301, 4))
def test_every_magnitude_passes_through_unchanged(exponent: int) -> None:
    value = float(f"1.2345678901234567e{exponent}")
    round_power = float(f"1e{exponent}")
    above = value * (1 + 2**-52)
    assert {each.rule for each in MAGNITUDES.advise({"x": value, "y": value})} == {"EQL-001"}
    assert {each.rule for each in MAGNITUDES.advise({"x": above, "y": value})} == {"MOR-001"}
    assert {each.rule for each in MAGNITUDES.advise({"x": round_power, "y": round_power})} == {"EQL-001"}
    assert {each.rule for each in MAGNITUDES.advise({"x": -value, "y": value})} == {"LES-001"}


MAGNITUDES = RuleEngine((make("EQL-001", ["x == y"]), make("MOR-001", ["x > y"]), make("LES-001", ["x < y"])))
