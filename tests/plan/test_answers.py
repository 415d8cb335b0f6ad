"""Answers become the document a person would have written, and say which questions are left."""

from collections.abc import Mapping

import pytest

from advisor.errors import DocumentError
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.answers import (
    answers_data,
    answers_document,
    asked,
    counted,
    foreseen,
    in_order,
    missing,
    question_concerned,
    required,
    sensible,
    with_answer,
)
from advisor.questionnaire.question import Question, read_answer
from advisor.workload.reading import to_document

CHAT: dict[str, FactValue] = {"kind": "realtime-inference", "model": "llama-3.1-70b"}
# One answer in words to each question that ships, and what it is in a document.
WORDS = {
    "kind": "rag",
    "model": "Qwen2.5 32B Instruct",
    "people": "2,000 people",
    "active_share": "10 %",
    "requests_per_active_person_per_hour": "6",
    "concurrent_requests": "50",
    "requests_per_second": "72 requests/h",
    "input_tokens": "4k",
    "output_tokens": "500 tokens",
    "first_token_target": "1.5 s",
    "token_target": "33.3 ms",
    "availability_target": "99.95 %",
    "precision": "fp8",
    "engine": "vllm",
    "accelerators_only": "h100-sxm, h200-sxm",
    "max_count": "8",
    "deployment": "on premises",
    "term": "18 months",
    "method": "qlora",
    "dataset_tokens": "50M tokens",
    "epochs": "2",
    "sequence_length": "2k",
    "global_batch": "128",
    "finish_within": "12 hours",
}


@pytest.fixture
def questions(library: Library) -> tuple[Question, ...]:
    return library.all(Question)


def facts(questions: tuple[Question, ...]) -> list[str]:
    return [question.fact for question in questions]


def by_fact(questions: tuple[Question, ...]) -> Mapping[str, Question]:
    return {question.fact: question for question in questions}


def said(questions: tuple[Question, ...], *left_out: str) -> dict[str, FactValue]:
    return {fact: read_answer(by_fact(questions)[fact], text) for fact, text in WORDS.items() if fact not in left_out}


def test_every_question_that_ships_is_tried_here(questions: tuple[Question, ...]) -> None:
    assert set(WORDS) == set(facts(questions))
    assert all(question.topic != "other" for question in questions)


def test_they_are_asked_from_the_work_to_the_place(questions: tuple[Question, ...]) -> None:
    ordered = facts(in_order(questions))
    assert ordered[:4] == ["kind", "model", "method", "people"]
    assert ordered == facts(in_order(reversed(questions)))
    assert ordered.index("people") < ordered.index("active_share") < ordered.index("input_tokens")
    assert ordered.index("first_token_target") < ordered.index("precision") < ordered.index("term")


def test_only_what_a_document_cannot_do_without_is_required(questions: tuple[Question, ...]) -> None:
    assert [question.fact for question in in_order(questions) if required(question)] == ["kind", "model"]
    assert facts(missing(questions, {})) == ["kind", "model"]
    assert facts(missing(questions, {"kind": "rag"})) == ["model"]
    assert missing(questions, CHAT) == ()


def test_answers_make_the_document_that_says_the_same(questions: tuple[Question, ...]) -> None:
    document = answers_document(questions, said(questions, "concurrent_requests", "requests_per_second"))
    assert document == to_document(
        {
            "workloads": [
                {
                    "kind": "rag",
                    "model": "Qwen2.5 32B Instruct",
                    "precision": "fp8",
                    "engine": "vllm",
                    "traffic": {"people": 2000, "active_share": "10 %", "requests_per_active_person_per_hour": 6},
                    "input_tokens": 4000,
                    "output_tokens": 500,
                    "targets": {"ttft_mean": "1.5 s", "tpot_mean": "33.3 ms", "availability": "99.95 %"},
                    "accelerators": {"only": ["h100-sxm", "h200-sxm"], "max_count": 8},
                }
            ],
            "site": {"deployment": "on-premises"},
            "budget": {"term": "18 months"},
        }
    )


@pytest.mark.parametrize("fact", WORDS)
def test_each_answer_alone_is_in_the_document(questions: tuple[Question, ...], fact: str) -> None:
    known: dict[str, FactValue] = {"kind": "agent", "model": "x"}
    if fact in ("active_share", "requests_per_active_person_per_hour"):
        known["people"] = 5.0
    if fact in ("method", "dataset_tokens", "epochs", "sequence_length", "global_batch", "finish_within"):
        known["kind"] = "fine-tuning"
    given = {**known, fact: read_answer(by_fact(questions)[fact], WORDS[fact])}
    assert answers_document(questions, given) != answers_document(questions, known)


def test_what_is_not_answered_stays_out(questions: tuple[Question, ...]) -> None:
    assert answers_data(questions, CHAT) == {"workloads": [{"kind": "realtime-inference", "model": "llama-3.1-70b"}]}
    assert answers_data(questions, {}) == {}


def test_a_document_without_its_model_is_refused_with_the_question(questions: tuple[Question, ...]) -> None:
    with pytest.raises(DocumentError, match="Which model is it to run") as caught:
        answers_document(questions, {"kind": "rag"})
    assert caught.value.where == "workloads[0].model"
    assert question_concerned(questions, caught.value.where) == by_fact(questions)["model"]


def test_answers_that_contradict_one_another_name_their_question(questions: tuple[Question, ...]) -> None:
    with pytest.raises(DocumentError, match="each fixes the load by itself") as caught:
        answers_document(questions, {**CHAT, "concurrent_requests": 50.0, "requests_per_second": 2.0})
    concerned = question_concerned(questions, caught.value.where)
    assert concerned is not None
    assert concerned.fact == "requests_per_second"


@pytest.mark.parametrize(
    ("where", "fact"),
    [
        ("workloads[0].model", "model"),
        ("workloads[0].accelerators.only[1]", "accelerators_only"),
        ("workloads[0].accelerators", "accelerators_only"),
        ("workloads[0].model_x", None),
        ("somewhere else", None),
        (None, None),
    ],
)
def test_an_error_finds_its_question(questions: tuple[Question, ...], where: str | None, fact: str | None) -> None:
    concerned = question_concerned(questions, where)
    assert (concerned.fact if concerned else None) == fact


def test_the_load_is_asked_for_in_one_way(questions: tuple[Question, ...]) -> None:
    ways = {"people", "concurrent_requests", "requests_per_second"}
    assert ways <= set(facts(asked(questions, CHAT)))
    assert "active_share" not in facts(asked(questions, CHAT))
    assert ways & set(facts(asked(questions, {**CHAT, "people": 200.0}))) == {"people"}
    assert "active_share" in facts(asked(questions, {**CHAT, "people": 200.0}))
    assert ways & set(facts(asked(questions, {**CHAT, "concurrent_requests": 20.0}))) == {"concurrent_requests"}


def test_the_latest_way_of_saying_the_load_counts(questions: tuple[Question, ...]) -> None:
    people = with_answer(questions, {**CHAT, "concurrent_requests": 20.0}, by_fact(questions)["people"], 200.0)
    assert people == {**CHAT, "people": 200.0}
    shared = {**people, "active_share": 0.2}
    again = with_answer(questions, shared, by_fact(questions)["concurrent_requests"], 30.0)
    assert again == {**CHAT, "concurrent_requests": 30.0, "active_share": 0.2}
    assert counted(questions, again) == {**CHAT, "concurrent_requests": 30.0}


def test_answers_wait_while_another_makes_them_pointless(questions: tuple[Question, ...]) -> None:
    answers: dict[str, FactValue] = {**CHAT, "people": 200.0, "active_share": 0.2, "token_target": 0.05}
    batch = with_answer(questions, answers, by_fact(questions)["kind"], "batch-inference")
    assert batch == {**answers, "kind": "batch-inference"}
    assert counted(questions, batch) == {"kind": "batch-inference", "model": "llama-3.1-70b"}
    assert "concurrent_requests" in facts(asked(questions, batch))
    assert counted(questions, {**batch, "kind": "rag"}) == {**answers, "kind": "rag"}
    assert not sensible(by_fact(questions)["people"], counted(questions, batch))


def test_what_is_foreseen_hardly_changes_on_the_way(questions: tuple[Question, ...]) -> None:
    assert (len(foreseen(questions, {})), len(foreseen(questions, CHAT))) == (22, 16)
    assert len(foreseen(questions, {**CHAT, "people": 200.0})) == 16
    assert len(foreseen(questions, {**CHAT, "concurrent_requests": 20.0}, {"people"})) < 16
    for answers in ({}, CHAT, {**CHAT, "people": 200.0}):
        assert set(facts(asked(questions, answers))) <= set(facts(foreseen(questions, answers)))


def test_a_question_about_a_key_no_document_has_is_told() -> None:
    astray = Question(id="x", ask="What?", fact="x", kind="text", path="workloads[0].colour")
    with pytest.raises(DocumentError, match='no document has the key "colour"'):
        in_order([astray])


def test_lists_and_flags_are_written_as_such() -> None:
    second = Question(id="x", ask="What?", fact="x", kind="text", path="workloads[0].accelerators.owned[1].id")
    cached = Question(id="y", ask="Which?", fact="y", kind="flag", path="workloads[0].engine_settings.enforce_eager")
    assert answers_data([second, cached], {"x": "h100-sxm", "y": True}) == {
        "workloads": [{"engine_settings": {"enforce_eager": True}, "accelerators": {"owned": [{}, {"id": "h100-sxm"}]}}]
    }
