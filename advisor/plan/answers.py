"""Answers to questions as a workload document: what is asked now, which answers count, and where each of them stands.

Answers are values in base units by the name of their fact; what somebody does not know is absent, and the plan then assumes
what the question declares. The terminal, conversations and forms are all read through here, so that they give one document.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, get_args

from advisor.catalogue.record import Record
from advisor.errors import DocumentError
from advisor.facts import FactValue
from advisor.questionnaire.question import TOPICS, Question, applicable
from advisor.workload.document import Document

Answers = Mapping[str, FactValue]
_STEPS = re.compile(r"(?P<key>[a-z][a-z0-9_]*)|\[(?P<index>\d+)\]")


def in_order(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Questions by topic, and within one in the order in which the document has their keys."""
    return tuple(sorted(questions, key=lambda question: (TOPICS.index(question.topic), _place(question.path))))


def required(question: Question) -> bool:
    """Whether there is no document without an answer to it."""
    return all(field.is_required() for _, field in _fields(question.path))


def sensible(question: Question, known: Answers) -> bool:
    """Whether an answer would mean something, even where another answer has made the question needless."""
    return all(each.holds(known) or _asks_whether_unknown(each) for each in question.asked_when)


def counted(questions: Collection[Question], answers: Answers) -> dict[str, FactValue]:
    """The answers that the document holds: those to questions that still make sense, such as no people for a batch.

    Of two answers that make each other's question needless both count, and the document says whether they agree.
    """
    counting = {question.fact: answers[question.fact] for question in questions if question.fact in answers}
    while True:
        left_out = [question.fact for question in questions if question.fact in counting and not sensible(question, counting)]
        if not left_out:
            return counting
        counting = {fact: value for fact, value in counting.items() if fact not in left_out}


def asked(questions: Collection[Question], answers: Answers) -> tuple[Question, ...]:
    """The questions that make sense for what is answered so far, answered ones included, in order."""
    known = counted(questions, answers)
    return tuple(question for question in in_order(questions) if question.fact in known or applicable(question, known))


def foreseen(questions: Collection[Question], answers: Answers, unsure: Collection[str] = ()) -> tuple[Question, ...]:
    """`asked`, and the questions that answers still to come may call for; it says about how many there will be.

    unsure: facts that were asked and are not known, so that nothing will be known of them.
    """
    known = counted(questions, answers)

    def may_hold(question: Question) -> bool:
        return all(
            each.holds(known) or (each.operator != "is" and not known.keys() & set(each.facts) and each.fact not in unsure)
            for each in question.asked_when
        )

    return tuple(question for question in in_order(questions) if question.fact in known or may_hold(question))


def with_answer(questions: Collection[Question], answers: Answers, question: Question, value: FactValue) -> dict[str, FactValue]:
    """The answers with a new one, and without those whose question it makes needless: the latest word on a thing counts."""
    needless = {
        each.fact
        for each in questions
        if any(_asks_whether_unknown(part) and part.fact == question.fact for part in each.asked_when)
    }
    kept = {fact: given for fact, given in answers.items() if fact not in needless}
    return {**kept, question.fact: value}


def missing(questions: Collection[Question], answers: Answers) -> tuple[Question, ...]:
    """The questions that must be answered before there is a document."""
    return tuple(question for question in in_order(questions) if required(question) and question.fact not in answers)


def answers_data(questions: Collection[Question], answers: Answers) -> dict[str, Any]:
    """The document as plain data, as a person could have written it."""
    data: dict[str, Any] = {}
    known = counted(questions, answers)
    for question in in_order(questions):
        if question.fact in known:
            _put(data, question.path, _written(question, known[question.fact]))
    return data


def answers_document(questions: Collection[Question], answers: Answers) -> Document:
    """The document that the answers make.

    Raises DocumentError where one that is needed is missing, and where answers contradict one another; `where` is the path of
    the question concerned or lies within it.
    """
    # It reads YAML too, which takes as long to import as the first question takes to be drawn.
    from advisor.workload.reading import to_document

    for question in missing(questions, answers):
        raise DocumentError(f"not answered yet: {question.ask}", where=question.path, hint=question.help)
    return to_document(answers_data(questions, answers))


def question_concerned(questions: Iterable[Question], where: str | None) -> Question | None:
    """The question that an error's `where` is about: that of its path, else one around it, else the first one within it."""
    if where is None:
        return None
    ordered = in_order(questions)
    around = [question for question in ordered if _within(where, question.path)]
    inside = [question for question in ordered if _within(question.path, where)]
    return max(around, key=lambda question: len(question.path), default=inside[0] if inside else None)


def _asks_whether_unknown(condition: Any) -> bool:
    return bool(condition.operator == "is" and condition.value == "unknown")


def _within(path: str, outer: str) -> bool:
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))


def _written(question: Question, value: FactValue) -> Any:
    """A value as the document's own readers take it: quantities that are no plain count carry their base unit."""
    if question.many and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if question.kind == "quantity" and question.unit not in ("1", "token", "request", "person"):
        return f"{value!r} {question.unit}"
    return value


def _put(data: dict[str, Any], path: str, value: Any) -> None:
    *outer, last = _steps(path)
    here: Any = data
    for step, following in zip(outer, [*outer[1:], last], strict=True):
        if isinstance(step, int):
            here.extend({} for _ in range(step + 1 - len(here)))
            here = here[step]
        else:
            here = here.setdefault(step, [] if isinstance(following, int) else {})
    here[last] = value


def _steps(path: str) -> Iterator[str | int]:
    for match in _STEPS.finditer(path):
        yield match["key"] if match["key"] else int(match["index"])


@cache
def _place(path: str) -> tuple[int, ...]:
    """Where a path stands in a document: the position of each of its keys in its record."""
    return tuple(position for position, _ in _fields(path))


@cache
def _fields(path: str) -> tuple[tuple[int, Any], ...]:
    """Position and field of each key of a path. Raises DocumentError for a path that no document has."""
    found: list[tuple[int, Any]] = []
    here: Sequence[type[Record]] = (Document,)
    for step in _steps(path):
        if isinstance(step, int):
            continue
        record = next((each for each in here if step in each.model_fields), None)
        if record is None:
            raise DocumentError(f'no document has the key "{step}"', where=path)
        field = record.model_fields[step]
        found.append((list(record.model_fields).index(step), field))
        here = tuple(_records_in(field.annotation))
    return tuple(found)


def _records_in(annotation: Any) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield annotation
    for argument in get_args(annotation):
        yield from _records_in(argument)
