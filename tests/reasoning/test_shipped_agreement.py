"""The rules that ship, run by the engine and evaluated one condition at a time, agree on facts drawn near their thresholds."""

import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from advisor.conditions import Condition
from advisor.facts import FactDeclaration, FactValue
from advisor.library import Library
from advisor.questionnaire.question import Question, declared_facts
from advisor.reasoning.candidate_facts import CANDIDATE_FACTS
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.rule import AnyOf, Rule, declared_by_rules

DRAWS = 300


def conditions(rule: Rule) -> list[Condition]:
    return [each for line in rule.when for each in (line.any if isinstance(line, AnyOf) else (line,))]


def holds(rule: Rule, values: Mapping[str, FactValue]) -> bool:
    return all(
        any(each.holds(values) for each in line.any) if isinstance(line, AnyOf) else line.holds(values) for line in rule.when
    )


class Drawn:
    """Random facts: numbers at, just above and just below what some rule compares them with, and words that rules name."""

    def __init__(self, library: Library) -> None:
        self.rules = tuple(rule for rule in library.all(Rule) if rule.subject != "quote")
        questions = declared_facts(library.all(Question))
        self.declared: dict[str, FactDeclaration] = {**CANDIDATE_FACTS, **declared_by_rules(self.rules), **questions}
        self.engine = RuleEngine(self.rules, questions)
        self.compared: dict[str, set[FactValue]] = {}
        for rule in self.rules:
            for each in conditions(rule):
                for name in each.facts:
                    self.compared.setdefault(name, set())
                if each.operator != "is" and each.other is None and each.value is not None:
                    self.compared[each.fact] |= set(each.value if isinstance(each.value, tuple) else (each.value,))

    def facts(self, number: int) -> dict[str, FactValue]:
        chance = random.Random(number)
        share = chance.choice((0.1, 0.5, 0.9))
        return {name: self._value(name, chance) for name in sorted(self.compared) if chance.random() < share}

    def _value(self, name: str, chance: random.Random) -> FactValue:
        declared = self.declared[name]
        near = sorted(self.compared[name], key=str)
        if declared.kind == "flag":
            return chance.random() < 0.5
        if declared.kind != "quantity":
            return chance.choice([*near, *declared.choices, "something else"])
        around = float(chance.choice(near)) if near else 10.0 ** chance.uniform(-3, 12)
        return around * chance.choice((1.0, 1.0, 0.5, 2.0, 0.999, 1.001)) + chance.choice((0.0, 0.0, 1.0))

    def expected(self, values: Mapping[str, FactValue]) -> set[str]:
        return {rule.id for rule in self.rules if rule.phase == "check" and holds(rule, values)}


_DRAWN: list[Drawn] = []


def drawn(library: Library) -> Drawn:
    if not _DRAWN:
        _DRAWN.append(Drawn(library))
    return _DRAWN[0]


def test_engine_and_conditions_agree(library: Library) -> None:
    case = drawn(library)
    fired: set[str] = set()
    for number in range(DRAWS):
        values = case.facts(number)
        found = {advice.rule for advice in case.engine.advise(values)}
        assert found == case.expected(values)
        fired |= found
    # The draws reach most of the rules, so agreement says something.
    assert len(fired) > 0.7 * sum(rule.phase == "check" for rule in case.rules)


def test_eight_threads_find_what_one_finds(library: Library) -> None:
    case = drawn(library)
    sets = [case.facts(number) for number in range(160)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda values: {advice.rule for advice in case.engine.advise(values)}, sets))
    assert found == [case.expected(values) for values in sets]
