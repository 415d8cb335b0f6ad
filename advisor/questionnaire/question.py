"""A question: what is asked, what fact the answer gives, when it applies, and what "I don't know" stands for.

One declaration renders as a prompt, a widget, an API schema and a turn of a conversation; nothing here reads a file.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from advisor.catalogue.names import normal
from advisor.catalogue.record import Citation, Record
from advisor.conditions import Condition, read_condition
from advisor.errors import AdvisorError, InputError, KnowledgeError
from advisor.facts import Fact, FactDeclaration, FactValue, answered, assumed, did_you_mean
from advisor.units import base_unit

_UNSURE = {
    "",
    "?",
    "idk",
    "i don't know",
    "i dont know",
    "i do not know",
    "don't know",
    "dont know",
    "do not know",
    "no idea",
    "not sure",
    "unsure",
    "unknown",
}
Topic = Literal["work", "load", "targets", "hardware", "place", "other"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
_STEP = r"[a-z][a-z0-9_]*(?:\[\d+\])?"
_PATH = re.compile(rf"^{_STEP}(?:\.{_STEP})*$")


class Unsure(Record):
    """What is taken when somebody does not know, in the base unit, and the reason that the report prints beside it."""

    use: FactValue
    because: str = Field(min_length=3)


class Question(Record):
    """One question and the fact it declares.

    unit: base unit of a quantity. percentage: whether a ratio is shown in percent. choices: the words to choose from, of a
    choice; a fact that names a catalogue entry (a model, an engine) is text. between: the smallest and largest answer.
    likely: answers at the low and at the high end of what is usual, between which a plan is tried to see how much it matters.
    asked_when: every condition must hold for the question to apply. many: whether several words, separated by commas, are one
    answer. path: where the answer goes in the workload document. topic: what it is about, asked in the order of TOPICS.
    """

    id: str
    ask: str = Field(min_length=3)
    fact: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    kind: Literal["quantity", "choice", "flag", "text"]
    unit: str = ""
    percentage: bool = False
    choices: tuple[str, ...] = ()
    between: tuple[float, float] | None = None
    likely: tuple[FactValue, FactValue] | None = None
    asked_when: tuple[Annotated[Condition, BeforeValidator(read_condition)], ...] = ()
    many: bool = False
    unsure: Unsure | None = None
    help: str | None = None
    path: str = Field(pattern=_PATH.pattern)
    topic: Topic = "other"
    sources: tuple[Citation, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _base_units(cls, given: Any, info: ValidationInfo) -> Any:
        """Quantities in files carry their unit; the compiled library holds base units already."""
        if not isinstance(given, dict) or given.get("kind") != "quantity" or (info.context and info.context.get("base_units")):
            return given
        try:
            unit = str(given.get("unit", ""))
            if base_unit(unit) != unit:
                raise ValueError(f'"{unit}" is not a base unit; write {base_unit(unit)}')
            declared = FactDeclaration(name=str(given.get("fact")), kind="quantity", unit=unit)
            read = dict(given)
            if isinstance(given.get("between"), list | tuple):
                read["between"] = tuple(declared.read(each, where="between") for each in given["between"])
            if isinstance(given.get("likely"), list | tuple):
                read["likely"] = tuple(declared.read(each, where="likely") for each in given["likely"])
            if isinstance(given.get("unsure"), dict) and "use" in given["unsure"]:
                read["unsure"] = {**given["unsure"], "use": declared.read(given["unsure"]["use"], where="unsure.use")}
        except AdvisorError as error:
            raise ValueError(str(error).replace("\n ", ";")) from None
        return read

    @model_validator(mode="after")
    def _whole(self) -> "Question":
        if self.kind != "quantity" and (self.unit or self.between or self.percentage):
            raise ValueError("only a quantity has a unit, a range or a percentage")
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError("a choice, and nothing else, lists its choices")
        if self.many and self.kind != "text":
            raise ValueError("only text can be several words")
        if self.unsure is not None:
            read_value(self, self.unsure.use)
        for each in self.likely or ():
            read_value(self, each)
        return self

    @property
    def declaration(self) -> FactDeclaration:
        """The fact it declares."""
        return FactDeclaration(name=self.fact, kind=self.kind, unit=self.unit, percentage=self.percentage, choices=self.choices)


def declared_facts(questions: Iterable[Question]) -> dict[str, FactDeclaration]:
    """The facts that questions declare, by name. Raises KnowledgeError where two questions disagree about one."""
    found: dict[str, FactDeclaration] = {}
    first: dict[str, str] = {}
    for question in questions:
        earlier = found.setdefault(question.fact, question.declaration)
        if earlier != question.declaration:
            raise KnowledgeError(f"it declares {question.fact} otherwise than {first[question.fact]} does", where=question.id)
        first.setdefault(question.fact, question.id)
    return found


def check_questions(questions: Iterable[Question], facts: Mapping[str, FactDeclaration]) -> None:
    """Raise KnowledgeError for the first condition that reads a fact nobody declares."""
    for question in questions:
        for index, each in enumerate(question.asked_when):
            for name in each.facts:
                if name not in facts:
                    raise KnowledgeError(
                        f'unknown fact "{name}"{did_you_mean(name, facts)}', where=f"{question.id}, asked_when[{index}]"
                    )


def applicable(question: Question, values: Mapping[str, FactValue]) -> bool:
    """Whether a question makes sense for what is known; a fact that is not known yet makes its comparisons false."""
    return all(each.holds(values) for each in question.asked_when)


def says_unsure(text: str) -> bool:
    """Whether an answer means "I don't know"."""
    return text.strip().strip(".!").casefold().replace("’", "'") in _UNSURE


def read_answer(question: Question, text: str) -> FactValue:
    """The value an answer gives, in the base unit; what the question takes for "I don't know" when that is the answer.

    Raises QuantityError or InputError that says what was given and what is expected.
    """
    if says_unsure(text):
        if question.unsure is None:
            raise InputError(f"there is no usual answer to: {question.ask}", where=question.fact, hint=_expected(question))
        return question.unsure.use
    given = text.strip()
    if question.kind == "choice":
        given = {normal(choice): choice for choice in question.choices}.get(normal(given), given)
    return read_value(question, given)


def answer_fact(question: Question, text: str) -> Fact:
    """The fact an answer gives: answered, or assumed with the question's reason where the answer is "I don't know"."""
    value = read_answer(question, text)
    if question.unsure is not None and says_unsure(text):
        return assumed(question.fact, value, question.unit, because=question.unsure.because)
    return answered(question.fact, value, question.unit)


def read_value(question: Question, given: FactValue) -> FactValue:
    """A value as written, or already in the base unit, checked against the question's kind, choices and range."""
    declared = question.declaration
    if isinstance(given, int | float) and not isinstance(given, bool) and question.kind == "quantity":
        value: FactValue = float(given)
    else:
        value = declared.read(given, where=question.fact)
    if question.between is not None and isinstance(value, float):
        low, high = question.between
        if not low <= value <= high:
            raise InputError(
                f"{declared.show(value)} is given; expected between {declared.show(low)} and {declared.show(high)}",
                where=question.fact,
            )
    if question.many and isinstance(value, str):
        value = ", ".join(part for part in (part.strip() for part in value.split(",")) if part)
    return value


def _expected(question: Question) -> str | None:
    if question.choices:
        return f"choices are {', '.join(question.choices)}"
    return question.help
