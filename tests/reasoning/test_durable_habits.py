"""The habits of durable-rules that engine.py works around: what durable does, and that the engine is not touched by it."""

import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from durable import engine as durable

from advisor.errors import InputError, KnowledgeError
from advisor.reasoning import engine as ours
from advisor.reasoning.engine import RuleEngine, to_json
from advisor.reasoning.patterns import CONDITIONS_A_FACT, NAMES_A_SET, RULES_A_SET, alternatives, sets_of
from advisor.reasoning.rule import Rule


def make(id: str, when: list[Any], sets: dict[str, Any] | None = None, advice: str = "Do otherwise.") -> Rule:
    return Rule.model_validate(
        {
            "id": id,
            "title": "A rule",
            "phase": "design" if sets else "check",
            "when": when,
            "because": "it is a test",
            "sources": ["somewhere"],
            "examples": {"fires": [{}], "silent": [{}]},
            **({"sets": sets} if sets else {"advice": advice}),
        }
    )


def fired(engine: RuleEngine, **facts: Any) -> list[str]:
    return [each.rule for each in engine.advise(facts)]


def ids(count: int) -> Iterator[str]:
    return (f"{'ABCDEFGHIJ'[number // 1000]}X-{number % 1000:03}" for number in range(count))


@pytest.fixture
def raw() -> Any:
    """A plain ruleset of durable's own, with the JSON that durable itself writes."""
    ours._host()
    handle = durable.durable_rules_engine.create_ruleset(
        f"raw-{next(ours._ruleset_numbers)}",
        json.dumps({"r": {"all": [{"m": {"$and": [{"name": "x"}, {"$gt": {"value": 1.0}}]}}]}}),
    )
    return handle


class TestNumbers:
    def test_durable_refuses_an_exponent_without_a_point(self, raw: Any) -> None:
        with pytest.raises(durable.durable_rules_engine.error, match="204"):
            durable.durable_rules_engine.assert_fact(raw, '{"name":"x","value":1e+16,"sid":"1"}')

    def test_numbers_are_written_with_a_point(self) -> None:
        assert to_json({"a": 1e16, "b": [5e-05, -2e300], "c": 1.5e-7}) == '{"a":1.0e+16,"b":[5.0e-05,-2.0e+300],"c":1.5e-07}'
        assert json.loads(to_json({"a": 1e16})) == {"a": 1e16}

    def test_words_that_look_like_numbers_stay_as_they_are(self) -> None:
        assert to_json({"a": "1e+16"}) == '{"a":"1e+16"}'
        assert fired(RuleEngine([make("AAA-001", ['word == "1e+16"'])]), word="1e+16") == ["AAA-001"]

    def test_exponents_in_facts_and_in_constants(self) -> None:
        engine = RuleEngine([make("AAA-001", ["big >= 1e16"]), make("AAA-002", ["small < 0.00005"])])
        assert fired(engine, big=1e16, small=4.9e-05) == ["AAA-001", "AAA-002"]
        assert fired(engine, big=9.9e15, small=5e-05) == []

    def test_infinity_compares_and_what_is_no_number_is_refused(self) -> None:
        engine = RuleEngine([make("AAA-001", ["wait > 10"])])
        assert fired(engine, wait=float("inf")) == ["AAA-001"]
        assert fired(engine, wait=float("-inf")) == []
        pairs = RuleEngine([make("AAA-001", ["a > b"]), make("AAA-002", ["a == b"])])
        assert fired(pairs, a=float("inf"), b=1.7976931348623157e308) == ["AAA-001"]
        assert fired(pairs, a=float("inf"), b=float("inf")) == ["AAA-002"]
        with pytest.raises(InputError, match="wait: it is not a number"):
            engine.advise({"wait": float("nan")})

    def test_negative_zero_is_zero(self) -> None:
        assert fired(RuleEngine([make("AAA-001", ["a == b", "a == 0"])]), a=-0.0, b=0.0) == ["AAA-001"]


class TestTypes:
    def test_a_value_of_the_wrong_kind_is_refused_before_it_goes_in(self) -> None:
        engine = RuleEngine([make("AAA-001", ["a > 5"]), make("AAA-002", ['b == "x"']), make("AAA-003", ["c == true"])])
        for name, value in (("a", "abc"), ("a", True), ("b", 3), ("c", "yes"), ("c", 1)):
            with pytest.raises(InputError, match=f"{name}: .* expected"):
                engine.advise({name: value})

    def test_something_else_is_refused(self) -> None:
        given: dict[str, Any] = {"a": [1, 2]}
        with pytest.raises(InputError, match="neither a number, a word"):
            RuleEngine([make("AAA-001", ["a > 5"])]).advise(given)

    def test_numpy_scalars_are_taken(self) -> None:
        import numpy as np

        engine = RuleEngine([make("AAA-001", ["a > 5", "c == true", 'w == "pcie"'])])
        values: dict[str, Any] = {"a": np.float64(6), "c": np.bool_(True), "w": np.str_("pcie")}
        assert fired(engine, **values) == ["AAA-001"]

    def test_rules_that_disagree_about_a_kind_are_refused(self) -> None:
        with pytest.raises(KnowledgeError, match="AAA-002: a is a word here and a number in AAA-001"):
            RuleEngine([make("AAA-001", ["a > 5"]), make("AAA-002", ['a == "x"'])])

    def test_words_are_not_ordered(self) -> None:
        with pytest.raises(KnowledgeError, match="compared with == and != only"):
            RuleEngine([make("AAA-001", ['a > "x"'])])


class TestPatterns:
    def test_several_conditions_on_one_fact_share_a_pattern(self) -> None:
        rule = make("AAA-001", ["a > 1", "a < 9", "a != 4"])
        (only,) = alternatives(rule)
        assert len(only.patterns) == 1
        engine = RuleEngine([rule])
        assert fired(engine, a=5) == ["AAA-001"]
        assert fired(engine, a=4) == fired(engine, a=9) == []

    def test_sixteen_facts_are_possible_and_seventeen_are_refused(self) -> None:
        names = [f"n{index}" for index in range(17)]
        engine = RuleEngine([make("AAA-001", [f"{name} > 0" for name in names[:16]])])
        assert fired(engine, **dict.fromkeys(names, 1)) == ["AAA-001"]
        with pytest.raises(KnowledgeError, match="AAA-001: it reads 17 facts at once; at most 16"):
            RuleEngine([make("AAA-001", [f"{name} > 0" for name in names])])

    def test_a_joined_fact_without_a_value_does_not_end_the_case(self) -> None:
        engine = RuleEngine([make("AAA-001", ["a > b"]), make("AAA-002", ["a is unknown", "b is known"])])
        assert fired(engine, b=1) == ["AAA-002"]

    @pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
    def test_facts_are_compared_with_facts_whatever_their_order(self, order: tuple[str, str]) -> None:
        engine = RuleEngine(
            [
                make("AAA-001", ["a > b"]),
                make("AAA-002", ["b > a"]),
                make("AAA-003", ["a >= b", "b >= a"]),
                make("AAA-004", ["a != b"]),
            ]
        )
        for a, b, expected in ((2, 1, ["AAA-001", "AAA-004"]), (1, 2, ["AAA-002", "AAA-004"]), (2, 2, ["AAA-003"])):
            values = {"a": a, "b": b}
            assert fired(engine, **{name: values[name] for name in order}) == expected

    def test_any_fires_once_with_the_facts_of_all_members_that_hold(self) -> None:
        engine = RuleEngine([make("AAA-001", [{"any": ["a > 1", "b > 1", "c > 1"]}, "d is known"])])
        (advice,) = engine.advise({"a": 2, "b": 2, "c": 0, "d": 0})
        assert [fact.name for fact in advice.facts] == ["a", "d", "b"]

    def test_too_many_combinations_are_refused(self) -> None:
        group = {"any": ["a > 1", "b > 1", "c > 1"]}
        with pytest.raises(KnowledgeError, match="make 81 combinations; at most 64"):
            RuleEngine([make("AAA-001", [group] * 4)])

    def test_a_fact_compared_with_itself_or_wanted_and_unwanted_is_refused(self) -> None:
        with pytest.raises(KnowledgeError, match="compares a fact with itself"):
            RuleEngine([make("AAA-001", ["a > a"])])
        with pytest.raises(KnowledgeError, match="absent and to have a value at once"):
            RuleEngine([make("AAA-001", ["a > 1", "a is unknown"])])

    @pytest.mark.parametrize("word", ['a "b"', "it's", "c:\\dir\\", "line\nbreak", "für 😀", "", "$s", "{x}", "null", "x" * 5000])
    def test_words_with_any_characters(self, word: str) -> None:
        engine = RuleEngine([make("AAA-001", ["a == b"]), make("AAA-002", ["a != b"])])
        assert fired(engine, a=word, b=word) == ["AAA-001"]
        assert fired(engine, a=word, b=word + "y") == ["AAA-002"]


class TestLimits:
    """More of one thing than a ruleset of durable survives goes into several rulesets."""

    def test_more_rules_on_one_pattern_than_durable_holds(self) -> None:
        engine = RuleEngine([make(id, ["a > 1"]) for id in ids(600)])
        assert len(fired(engine, a=2)) == 600

    def test_more_names_than_durable_holds(self) -> None:
        engine = RuleEngine([make(id, [f"{id[0].lower()}_{id[3:]} > 1", "a > 0"]) for id in ids(700)])
        assert fired(engine, a=1, a_699=2) == ["AX-699"]

    def test_more_conditions_on_one_fact_than_durable_holds(self) -> None:
        engine = RuleEngine([make(id, [f"a > {index}"]) for index, id in enumerate(ids(150))])
        assert len(fired(engine, a=1000)) == 150

    def test_sets_stay_within_the_limits(self) -> None:
        rules = [make(id, [f"a > {index % 90}", f"n{index} > 1"]) for index, id in enumerate(ids(900))]
        chosen = list(sets_of(each for rule in rules for each in alternatives(rule)))
        assert sum(len(each) for each in chosen) == 900
        for each in chosen:
            assert len(each) <= RULES_A_SET
            assert len({name for one in each for name in one.facts}) <= NAMES_A_SET
            assert len(set().union(*(one.conditions["a"] for one in each))) <= CONDITIONS_A_FACT

    def test_a_list_of_choices_longer_than_durable_holds_is_refused(self) -> None:
        words = ", ".join(f"w{number}" for number in range(CONDITIONS_A_FACT + 1))
        with pytest.raises(KnowledgeError, match="56 choices in one line; at most 55"):
            RuleEngine([make("AAA-001", [f"a in [{words}]"])])
        engine = RuleEngine([make("AAA-001", [f"a in [{words.removesuffix(', w55')}]"])])
        assert fired(engine, a="w54") == ["AAA-001"]


class TestState:
    def test_durable_keeps_the_state_of_every_case(self) -> None:
        host = ours._host()
        name = f"kept-{next(ours._ruleset_numbers)}"
        host.register_rulesets({name: {"r": {"all": [{"m": {"name": "x"}}], "run": lambda context: None}}})
        for case in range(1024):
            host.assert_fact(name, {"name": "x", "sid": str(case)})
        with pytest.raises(MemoryError):
            host.assert_fact(name, {"name": "x", "sid": "one more"})

    def test_thousands_of_cases_run_in_flat_memory(self) -> None:
        engine = RuleEngine([make("AAA-001", ["a > b"]), make("DES-001", ["a > 1"], {"c": 1})])
        for case in range(1500):
            assert fired(engine, a=case, b=700) == (["AAA-001"] if case > 700 else [])
            engine.derive({"a": case})
        before = _resident()
        for case in range(3000):
            engine.advise({"a": case, "b": 700})
            engine.derive({"a": case})
        gc.collect()
        assert _resident() - before < 8 * 2**20

    def test_a_case_that_fails_leaves_nothing_behind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        engine = RuleEngine([make("AAA-001", ["a > 1"]), make("AAA-002", ["a > 2"])])
        assert fired(engine, a=2) == ["AAA-001"]
        ruleset = engine._phases["check", None].rulesets[0]
        monkeypatch.setattr(ours, "to_json", lambda value, **_: json.dumps(value))
        monkeypatch.setattr(durable.json, "dumps", lambda value, **_: json.dumps(value))
        for _ in range(1100):
            with pytest.raises(KnowledgeError, match="stopped before it had taken all 1 facts"):
                engine.advise({"a": 1e16})
        monkeypatch.undo()
        assert fired(engine, a=1e16) == ["AAA-001", "AAA-002"]
        with pytest.raises(durable.durable_rules_engine.error, match="309"):
            ruleset.host.delete_state(ruleset.name, "1")

    def test_an_exception_in_an_action_is_not_swallowed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(self: Any, what: Any) -> Any:
            def run(context: Any) -> None:
                if what == 0:
                    raise ZeroDivisionError("in an action")

            return run

        monkeypatch.setattr(ours._Ruleset, "_note", fail)
        with pytest.raises(KnowledgeError, match="an action of the rule engine failed: exception caught in an action"):
            RuleEngine([make("AAA-001", ["a > 1"])]).advise({"a": 2})

    def test_facts_that_no_rule_reads_and_no_facts_at_all(self) -> None:
        engine = RuleEngine([make("AAA-001", ["a > 1"]), make("AAA-002", ["a is unknown"])])
        assert fired(engine, unread=1, other="x") == ["AAA-002"]
        assert fired(engine) == ["AAA-002"]
        assert RuleEngine([]).advise({"a": 1}) == ()
        assert RuleEngine([]).derive({"a": 1}) == {}

    def test_the_same_value_for_many_facts_and_again_in_the_next_case(self) -> None:
        engine = RuleEngine([make("AAA-001", ["a == b", "b == c"])])
        for _ in range(3):
            assert fired(engine, a=1, b=1, c=1) == ["AAA-001"]


class TestThreads:
    def test_the_host_starts_none(self) -> None:
        before = threading.active_count()
        fired(RuleEngine([make("AAA-001", ["a > 1"])]), a=2)
        assert threading.active_count() == before
        assert ours._host() is ours._host()

    def test_eight_threads_get_their_own_answers(self) -> None:
        engine = RuleEngine(
            [make("DES-001", ["a > 500"], {"large": True}), make("DES-002", ["large == true"], {"size": 2})]
            + [make(id, [f"a >= {number * 100}", "a > b"]) for number, id in enumerate(ids(10))]
        )

        def one(case: int) -> bool:
            expected = [id for number, id in enumerate(ids(10)) if case >= number * 100 and case > 250]
            return fired(engine, a=case, b=250) == expected and set(engine.derive({"a": case})) == (
                {"large", "size"} if case > 500 else set()
            )

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(one, [number % 1000 for number in range(0, 3200, 7)]))


class TestImports:
    def test_durable_is_imported_when_a_rule_first_runs(self) -> None:
        code = (
            "import sys, advisor.reasoning.engine as e; assert 'durable' not in sys.modules and 'difflib' not in sys.modules; "
            "e._host(); assert 'durable' in sys.modules"
        )
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.getcwd()})


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
