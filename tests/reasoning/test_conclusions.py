"""What the engine concludes: chains of derived facts, advice with its values, order, places and silenced rules."""

from typing import Any

import pytest

from advisor.errors import KnowledgeError, UnknownNameError
from advisor.facts import FactDeclaration, Label
from advisor.reasoning.advice import silence
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.rule import Rule


def make(id: str, when: list[Any], sets: dict[str, Any] | None = None, **changes: Any) -> Rule:
    return Rule.model_validate(
        {
            "id": id,
            "title": "A rule",
            "phase": "design" if sets else "check",
            "when": when,
            "because": "it is a test",
            "sources": [{"somewhere": "§1"}],
            "examples": {"fires": [{}], "silent": [{}]},
            **({"sets": sets} if sets else {"advice": "Do otherwise."}),
            **changes,
        }
    )


def values(engine: RuleEngine, **facts: Any) -> dict[str, Any]:
    return {name: fact.value for name, fact in engine.derive(facts).items()}


FACTS = {
    "inter_node_bandwidth": FactDeclaration(name="inter_node_bandwidth", kind="quantity", unit="byte/second"),
    "availability": FactDeclaration(name="availability", kind="quantity", unit="1", percentage=True),
    "owned": FactDeclaration(name="owned", kind="flag"),
}


class TestDerivedFacts:
    def test_a_chain_of_fifty_steps(self) -> None:
        steps = [make(f"STP-{step:03}", [f"s{step} >= 1"], {f"s{step + 1}": step + 1}) for step in range(50)]
        found = RuleEngine(reversed(steps)).derive({"s0": 1})
        assert len(found) == 50
        assert found["s50"].rule == "STP-049"
        assert [(fact.name, fact.value) for fact in found["s50"].facts] == [("s49", 49.0)]

    def test_a_derived_fact_says_where_it_comes_from(self) -> None:
        found = RuleEngine([make("DES-001", ['kind == "training"'], {"objective": "time-to-train"})]).derive({"kind": "training"})
        fact = found["objective"].fact()
        assert (fact.value, fact.origin.label, fact.origin.because) == ("time-to-train", Label.derived, "DES-001: it is a test")
        assert fact.origin.sources == ("somewhere, §1",)

    def test_an_answer_wins_over_a_rule_and_is_what_further_rules_read(self) -> None:
        engine = RuleEngine([make("DES-001", ["a > 1"], {"b": 1, "c": 1}), make("DES-002", ["b == 2"], {"d": True})])
        assert values(engine, a=2) == {"b": 1, "c": 1}
        assert values(engine, a=2, b=2) == {"c": 1, "d": True}

    def test_two_rules_that_set_the_same_value_agree(self) -> None:
        engine = RuleEngine([make("DES-002", ["a > 1"], {"b": 1}), make("DES-001", ["a > 0"], {"b": 1})])
        assert engine.derive({"a": 2})["b"].rule == "DES-001"

    def test_two_rules_that_set_different_values_are_told(self) -> None:
        engine = RuleEngine([make("DES-001", ["a > 1"], {"b": 1}), make("DES-002", ["a > 0"], {"b": 2})])
        assert values(engine, a=1) == {"b": 2}
        with pytest.raises(KnowledgeError, match=r"DES-002: DES-001 sets b to 1.0, and DES-002 to 2.0, of the same facts"):
            engine.derive({"a": 2})
        assert values(engine, a=1) == {"b": 2}

    def test_absence_is_stated_when_no_rule_can_set_the_fact_any_more(self) -> None:
        engine = RuleEngine(
            [
                make("DES-001", ["b is unknown"], {"c": "late"}),
                make("DES-002", ["a > 1"], {"b": True}),
                make("DES-003", ["c is unknown"], {"d": "later"}),
                make("DES-004", ['c == "late"'], {"e": 1}),
                make("DES-005", ["z is unknown", "e is known"], {"f": 1}),
            ]
        )
        assert values(engine, a=2) == {"b": True, "d": "later"}
        assert values(engine, a=1) == {"c": "late", "e": 1, "f": 1}
        assert values(engine, a=1, z=0) == {"c": "late", "e": 1}

    def test_a_rule_that_depends_on_the_absence_of_what_it_sets_is_refused(self) -> None:
        with pytest.raises(KnowledgeError, match=r"it sets a, and depends on a being unknown"):
            RuleEngine([make("DES-001", ["a is unknown"], {"a": 1})])
        with pytest.raises(KnowledgeError, match="being unknown"):
            RuleEngine([make("DES-001", ["a is unknown"], {"b": 1}), make("DES-002", ["b == 1"], {"a": 1})])

    def test_rules_may_support_one_another_in_a_circle(self) -> None:
        engine = RuleEngine([make("DES-001", ["a == true"], {"b": True}), make("DES-002", ["b == true"], {"a": True})])
        assert values(engine, a=True) == {"b": True}
        assert values(engine) == {}


class TestAdvice:
    def test_values_are_put_in_with_their_unit(self) -> None:
        engine = RuleEngine(
            [
                make(
                    "NET-001",
                    ['inter_node_bandwidth < "100 Gbit/s"', "availability > 0.9", "owned == true", "plain > 0", 'w == "{x}"'],
                    advice="{inter_node_bandwidth}; {availability}; {owned}; {plain}; {w}",
                )
            ],
            FACTS,
        )
        (advice,) = engine.advise(
            {"inter_node_bandwidth": 3.125e9, "availability": 0.9995, "owned": True, "plain": 12345, "w": "{x}"}
        )
        assert advice.text == "3.12 GB/s; 99.95 %; yes; 12,345; {x}"
        assert [(each.name, each.value, each.unit, each.shown) for each in advice.facts][:2] == [
            ("inter_node_bandwidth", 3.125e9, "byte/second", "3.12 GB/s"),
            ("availability", 0.9995, "1", "99.95 %"),
        ]

    def test_worst_first_then_by_rule(self) -> None:
        rules = [
            make("BBB-002", ["a > 0"], severity="warning"),
            make("AAA-003", ["a > 0"], severity="note"),
            make("CCC-001", ["a > 0"], severity="error"),
            make("AAA-002", ["a > 0"], severity="warning"),
        ]
        assert [each.rule for each in RuleEngine(rules).advise({"a": 1})] == ["CCC-001", "AAA-002", "BBB-002", "AAA-003"]

    def test_a_rule_for_nodes_runs_for_nodes_only(self) -> None:
        engine = RuleEngine([make("NOD-001", ["a > 0"], subject="node"), make("ALL-001", ["a > 0"])])
        assert [(each.rule, each.where) for each in engine.advise({"a": 1})] == [("ALL-001", None)]
        assert [(each.rule, each.where) for each in engine.advise({"a": 1}, subject="node", where="node 2")] == [
            ("NOD-001", "node 2")
        ]
        assert engine.advise({"a": 1}, subject="tier") == ()

    def test_an_absent_fact_is_shown_as_unknown(self) -> None:
        (advice,) = RuleEngine([make("AAA-001", ["power is unknown"])]).advise({})
        assert [(each.name, each.value, each.shown) for each in advice.facts] == [("power", None, "unknown")]

    def test_a_silenced_rule_keeps_its_advice_and_the_reason(self) -> None:
        engine = RuleEngine([make("AAA-001", ["a > 0"]), make("AAA-002", ["a > 0"])])
        known = [rule.id for rule in engine.rules]
        shown, silenced = silence(engine.advise({"a": 1}), {"AAA-001": "agreed with the owner"}, known)
        assert [each.rule for each in shown] == ["AAA-002"]
        assert [(each.advice.rule, each.reason) for each in silenced] == [("AAA-001", "agreed with the owner")]
        with pytest.raises(UnknownNameError, match='no rule has the id "AAA-003"'):
            silence((), {"AAA-003": "x"}, known)

    def test_the_same_facts_always_give_the_same_advice(self) -> None:
        engine = RuleEngine([make("AAA-001", [{"any": ["a > 0", "b > 0", "c > 0"]}]), make("AAA-002", ["c > b"])])
        first = engine.advise({"a": 1, "b": 1, "c": 2})
        assert all(engine.advise({"c": 2, "b": 1, "a": 1}) == first for _ in range(5))

    def test_rules_with_one_id_are_refused(self) -> None:
        with pytest.raises(KnowledgeError, match="AAA-001: two rules have this id"):
            RuleEngine([make("AAA-001", ["a > 0"]), make("AAA-001", ["b > 0"])])
