"""Reading a rule: what a file may hold, what is refused and how that is said."""

from typing import Any

import pytest
from pydantic import ValidationError

from advisor.catalogue.record import BASE_UNITS
from advisor.reasoning.rule import Rule, declared_by_rules, placeholders

CHECK: dict[str, Any] = {
    "id": "NET-004",
    "title": "The network between nodes is slow",
    "family": "network",
    "severity": "warning",
    "phase": "check",
    "when": ['inter_node_bandwidth < "100 Gbit/s"', {"any": ["nodes > 1", "needs_rdma == true"]}],
    "advice": "Take links faster than {inter_node_bandwidth}.",
    "because": "gradients wait",
    "sources": [{"narayanan-2021-megatron": "§3.2"}],
    "examples": {
        "fires": [{"inter_node_bandwidth": "25 Gbit/s", "nodes": 2}],
        "silent": [{"inter_node_bandwidth": "400 Gbit/s", "nodes": 2}],
    },
}
DESIGN = {**CHECK, "phase": "design", "sets": {"needs_rdma": True, "level": 2, "fabric": "fast"}, "advice": None}


def refused(changes: dict[str, Any], base: dict[str, Any] = CHECK) -> str:
    with pytest.raises(ValidationError) as caught:
        Rule.model_validate({**base, **changes})
    first = caught.value.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


def test_a_rule_reads_its_conditions() -> None:
    rule = Rule.model_validate(CHECK)
    assert rule.facts == ("inter_node_bandwidth", "nodes", "needs_rdma")
    assert rule.when[0].model_dump()["value"] == 12.5e9
    assert str(rule.sources[0]) == "narayanan-2021-megatron, §3.2"
    assert rule.placeholders == ("inter_node_bandwidth",)


@pytest.mark.parametrize("given", [CHECK, DESIGN, {**CHECK, "for": "node"}])
def test_a_rule_survives_the_compiled_library(given: dict[str, Any]) -> None:
    rule = Rule.model_validate(given)
    assert Rule.model_validate_json(rule.model_dump_json(exclude_defaults=True), context=BASE_UNITS) == rule
    assert rule.subject == given.get("for")


def test_a_line_that_is_no_condition_is_named_by_its_place() -> None:
    assert refused({"when": ["nodes > 1", "nodes between 1 and 2"]}).startswith("when.1: ")
    assert '"nodes between 1 and 2" is not a condition' in refused({"when": ["nodes > 1", "nodes between 1 and 2"]})
    assert "any.1" in refused({"when": [{"any": ["nodes > 1", "nodes ! 2"]}]})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "net4"}, "id: "),
        ({"severity": "fatal"}, "severity: "),
        ({"phase": "later"}, "phase: "),
        ({"for": "rack"}, "for: "),
        ({"when": []}, "when: "),
        ({"when": [{"any": ["nodes > 1"]}]}, "any: "),
        ({"sources": []}, "sources: "),
        ({"examples": {"fires": [], "silent": [{}]}}, "examples.fires: "),
        ({"advise": "x"}, "advise: Extra inputs are not permitted"),
        ({"advice": None}, ": Value error, a check rule gives advice and sets no fact"),
        ({"sets": {"x": 1}}, ": Value error, a check rule gives advice and sets no fact"),
        ({"phase": "design"}, ": Value error, a design rule sets at least one fact"),
        ({"phase": "design", "sets": {"Bad name": 1}}, '"Bad name" is not the name of a fact'),
        ({"advice": "{nodes} nodes"}, "{nodes}, which `when` neither compares nor requires: add `nodes is known`"),
        ({"advice": "{inter_node_bandwidth:.2f}"}, "which is not the name of a fact"),
        ({"advice": "{inter_node_bandwidth"}, "the advice cannot be read"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    assert message in refused(changes)


def test_advice_may_name_what_every_alternative_needs() -> None:
    rule = Rule.model_validate({**CHECK, "when": [{"any": ["nodes > 1", "nodes < racks"]}], "advice": "{nodes} nodes"})
    assert rule.placeholders == ("nodes",)
    assert placeholders("{{plain}} {a} {b} {a}") == ("a", "b")


def test_rules_declare_what_they_set() -> None:
    other = {**DESIGN, "id": "NET-005", "sets": {"fabric": "slow"}}
    declared = declared_by_rules([Rule.model_validate(DESIGN), Rule.model_validate(other)])
    assert {name: each.kind for name, each in declared.items()} == {"needs_rdma": "flag", "level": "quantity", "fabric": "choice"}
    assert declared["fabric"].choices == ("fast", "slow")
