"""Questions: what their files may hold, when they apply, and how answers are read."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from advisor.catalogue.record import BASE_UNITS
from advisor.errors import InputError, KnowledgeError
from advisor.facts import Label
from advisor.questionnaire.question import (
    Question,
    answer_fact,
    applicable,
    check_questions,
    declared_facts,
    read_answer,
    says_unsure,
)

SHIPPED = sorted((Path(__file__).parents[2] / "knowledge" / "questions").glob("*.yaml"))
LENGTH: dict[str, Any] = {
    "id": "context-length",
    "ask": "How long is a typical conversation?",
    "fact": "context_length",
    "kind": "quantity",
    "unit": "token",
    "between": [1, 10_000_000],
    "asked_when": ['workload == "inference"'],
    "unsure": {"use": 8192, "because": "room for a retrieval prompt and a long answer"},
    "path": "workloads[0].input_tokens",
}
TERM = {
    **LENGTH,
    "fact": "term",
    "unit": "second",
    "between": ["1 h", "15 years"],
    "unsure": {"use": "3 years", "because": "usual"},
}
SHARE = {**LENGTH, "fact": "share", "unit": "1", "percentage": True, "between": ["50 %", "99.999 %"], "unsure": None}
BARE = {"unit": "", "between": None, "unsure": None}
CHOICE = {**LENGTH, **BARE, "fact": "deployment", "kind": "choice", "choices": ["on-premises", "cloud"]}
FLAG = {**LENGTH, **BARE, "fact": "owned", "kind": "flag"}
MANY = {**LENGTH, **BARE, "fact": "only", "kind": "text", "many": True}


def question(given: dict[str, Any]) -> Question:
    return Question.model_validate(given)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_questions_read_and_survive_the_compiled_library(path: Path) -> None:
    read = question({"id": path.stem, **yaml.safe_load(path.read_text("utf-8"))})
    assert Question.model_validate_json(read.model_dump_json(exclude_defaults=True), context=BASE_UNITS) == read
    assert read.ask.endswith("?")
    assert read.help


def test_there_are_as_many_as_the_plan_needs() -> None:
    assert len(SHIPPED) >= 18


def test_quantities_are_kept_in_base_units() -> None:
    read = question(TERM)
    assert read.between == (3600, 15 * 365 * 86400)
    assert read.unsure is not None
    assert read.unsure.use == 3 * 365 * 86400


@pytest.mark.parametrize(
    ("given", "text", "value"),
    [
        (LENGTH, "4k", 4000.0),
        (LENGTH, " 8,192 tokens ", 8192.0),
        (TERM, "18 months", 18 * 365 * 86400 / 12),
        (SHARE, "99.9 %", 0.999),
        (SHARE, "0.95", 0.95),
        (CHOICE, "On premises", "on-premises"),
        (CHOICE, "CLOUD", "cloud"),
        (FLAG, "yes", True),
        (FLAG, "N", False),
        (MANY, "h100-sxm ,h200-sxm,", "h100-sxm, h200-sxm"),
        (LENGTH, "I don't know", 8192.0),
        (LENGTH, "?", 8192.0),
    ],
)
def test_answers_are_read(given: dict[str, Any], text: str, value: Any) -> None:
    read = read_answer(question(given), text)
    assert read == pytest.approx(value) if isinstance(value, float) else read is value or read == value


@pytest.mark.parametrize(
    ("given", "text", "message"),
    [
        (LENGTH, "a lot", 'context_length: "a lot" is not a number with a unit; expected a number of tokens'),
        (LENGTH, "0", "context_length: 0 tokens is given; expected between 1 token and 10,000,000 tokens"),
        (LENGTH, "2 GB", "expected a number of tokens"),
        (TERM, "3", 'term: "3" has no unit; expected a time'),
        (TERM, "20 years", "term: 20 years is given; expected between 60 min and 15 years"),
        (SHARE, "40 %", "share: 40 % is given; expected between 50 % and 99.999 %"),
        (CHOICE, "cloudy", 'deployment: "cloudy" is not a choice; did you mean "cloud"?'),
        (CHOICE, "moon", "choices are on-premises, cloud"),
        (FLAG, "perhaps", 'owned: "perhaps" is neither yes nor no'),
        (CHOICE, "no idea", "there is no usual answer to: How long"),
        (MANY, "  ", "there is no usual answer"),
    ],
)
def test_answers_that_cannot_be_read_are_told(given: dict[str, Any], text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_answer(question(given), text)
    assert message in str(caught.value)


def test_not_knowing_is_an_assumption_with_its_reason() -> None:
    fact = answer_fact(question(LENGTH), "don't know")
    assert (fact.value, fact.unit, fact.origin.label) == (8192.0, "token", Label.assumed)
    assert fact.origin.because == "room for a retrieval prompt and a long answer"
    assert answer_fact(question(LENGTH), "4000").origin.label is Label.answered
    assert says_unsure("I don’t know.")
    assert not says_unsure("no")


def test_a_question_applies_when_all_its_conditions_hold() -> None:
    read = question(LENGTH)
    assert applicable(read, {"workload": "inference"})
    assert not applicable(read, {"workload": "training"})
    assert not applicable(read, {})
    assert applicable(question({**LENGTH, "asked_when": ["people is unknown"]}), {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "GB"}, '"GB" is not a base unit; write byte'),
        ({"unit": "furlong"}, 'unknown unit "furlong"'),
        ({"unit": "byte"}, "has no unit; expected bytes"),
        ({"kind": "flag"}, "only a quantity has a unit, a range or a percentage"),
        ({"choices": ["a"]}, "a choice, and nothing else, lists its choices"),
        ({**BARE, "kind": "choice"}, "a choice, and nothing else, lists its choices"),
        ({"many": True}, "only text can be several words"),
        ({"unsure": {"use": 0, "because": "none"}}, "expected between"),
        ({"path": "workloads.0.x"}, "String should match pattern"),
        ({"asked_when": ["x ~ 1"]}, "is not a condition"),
        ({"hlep": "x"}, "Extra inputs are not permitted"),
    ],
)
def test_files_that_do_not_fit_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((ValidationError, InputError)) as caught:
        question({**LENGTH, **changes})
    assert message in str(caught.value)


def test_declared_facts_agree() -> None:
    declared = declared_facts([question(LENGTH), question({**LENGTH, "id": "again"}), question(CHOICE)])
    assert declared["context_length"].unit == "token"
    assert declared["deployment"].choices == ("on-premises", "cloud")
    with pytest.raises(KnowledgeError, match="again: it declares context_length otherwise than context-length does"):
        declared_facts([question(LENGTH), question({**LENGTH, "id": "again", "unit": "1"})])


def test_conditions_on_unknown_facts_are_told() -> None:
    with pytest.raises(KnowledgeError) as caught:
        check_questions([question({**LENGTH, "asked_when": ["contxt_length > 1"]})], declared_facts([question(LENGTH)]))
    assert str(caught.value) == ('context-length, asked_when[0]: unknown fact "contxt_length"; did you mean "context_length"?')
