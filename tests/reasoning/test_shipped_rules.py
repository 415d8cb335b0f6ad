"""Every rule that ships fits the declared facts, fires on its `fires` examples and is silent on its `silent` ones."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.catalogue.record import Citation
from advisor.facts import FactDeclaration
from advisor.questionnaire.question import Question, check_questions, declared_facts
from advisor.quote.facts import QUOTE_FACTS
from advisor.reasoning.candidate_facts import CANDIDATE_FACTS
from advisor.reasoning.checking import problems, read_example
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.rule import Rule, declared_by_rules

ROOT = Path(__file__).parents[2]
SHIPPED_AT_LEAST = 250


@cache
def rules() -> tuple[Rule, ...]:
    files = sorted((ROOT / "rules").glob("*/*.yaml"))
    return tuple(Rule.model_validate({"family": path.parent.name, **yaml.safe_load(path.read_text("utf-8"))}) for path in files)


@cache
def questions() -> tuple[Question, ...]:
    files = sorted((ROOT / "knowledge" / "questions").glob("*.yaml"))
    return tuple(Question.model_validate({"id": path.stem, **yaml.safe_load(path.read_text("utf-8"))}) for path in files)


@cache
def facts() -> dict[str, FactDeclaration]:
    return {**CANDIDATE_FACTS, **QUOTE_FACTS, **declared_by_rules(rules()), **declared_facts(questions())}


@cache
def engine() -> RuleEngine:
    return RuleEngine(rules(), facts())


def _all_sources() -> Iterator[tuple[Citation, ...]]:
    yield from (rule.sources for rule in rules())
    yield from (question.sources for question in questions())


def examples() -> Iterator[Any]:
    for rule in rules():
        for kind in ("fires", "silent"):
            for index, example in enumerate(getattr(rule.examples, kind)):
                yield pytest.param(rule, example, kind == "fires", id=f"{rule.id}-{kind}-{index}")


def test_how_many_ship() -> None:
    assert len(rules()) >= SHIPPED_AT_LEAST
    assert len({rule.id for rule in rules()}) == len(rules())


def test_they_fit_the_declared_facts() -> None:
    assert [str(problem) for problem in problems(rules(), facts())] == []
    check_questions(questions(), facts())


def test_file_names_start_with_the_id() -> None:
    for path in (ROOT / "rules").glob("*/*.yaml"):
        assert path.stem.startswith(f"{yaml.safe_load(path.read_text('utf-8'))['id']}-")


def test_cited_sources_exist() -> None:
    known = {path.stem for path in (ROOT / "knowledge" / "sources").glob("*.yaml")}
    cited = {citation.source for sources in _all_sources() for citation in sources}
    assert cited <= known


@pytest.mark.parametrize(("rule", "example", "fires"), list(examples()))
def test_examples(rule: Rule, example: dict[str, Any], fires: bool) -> None:
    values = read_example(example, facts())
    if rule.phase == "design":
        found = {fact.rule for fact in engine().derive(values, subject=rule.subject).values()}
    else:
        advice = [each for each in engine().advise(values, subject=rule.subject) if each.rule == rule.id]
        found = {each.rule for each in advice}
        assert all("{" not in each.text for each in advice)
    assert (rule.id in found) is fires


def test_the_chain_from_kind_to_what_it_is_sized_for() -> None:
    derived = engine().derive({"kind": "rag"})
    assert {name: (fact.value, fact.rule) for name, fact in derived.items()} == {
        "fans_out": (True, "CLS-007"),
        "lifecycle": ("service", "CLS-006"),
        "objective": ("latency", "CLS-002"),
        "sized_for": ("peak", "CLS-004"),
    }
