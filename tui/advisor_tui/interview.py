"""Where an interview stands: what was answered, in which words, what is not known, and which question is open."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from advisor.errors import InputError
from advisor.facts import FactValue
from advisor.plan.answers import asked, counted, foreseen, in_order, required, sensible, with_answer
from advisor.questionnaire.question import Question, read_answer, says_unsure


@dataclass(frozen=True)
class Given:
    """One row of the answers so far. value: none where it is not known; counts: whether the document holds it."""

    question: Question
    value: FactValue | None
    counts: bool

    @property
    def shown(self) -> str:
        """The answer as people read it, or what stands in its place."""
        if self.value is not None:
            return self.question.declaration.show(self.value)
        if self.question.unsure is None:
            return "left open"
        return f"{self.question.declaration.show(self.question.unsure.use)} (assumed)"


@dataclass(frozen=True)
class Interview:
    """An interview at one moment; every step gives the next one.

    answers: values in base units by fact. typed: the words they were given in, to be changed later. unsure: facts that were
    asked and are not known. current: the fact whose question is open; none when all are settled.
    """

    questions: tuple[Question, ...]
    answers: Mapping[str, FactValue] = field(default_factory=dict)
    typed: Mapping[str, str] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    current: str | None = None

    @classmethod
    def begun(cls, questions: tuple[Question, ...]) -> "Interview":
        """An interview at its first question."""
        return cls(in_order(questions))._at_next()

    @property
    def question(self) -> Question | None:
        """The open question."""
        return next((question for question in self.questions if question.fact == self.current), None)

    @property
    def progress(self) -> tuple[int, int]:
        """Number of the open question, and about how many there will be."""
        facts = [question.fact for question in foreseen(self.questions, self.answers, self.unsure)]
        return (facts.index(self.current) + 1 if self.current in facts else len(facts)), len(facts)

    @property
    def given(self) -> tuple[Given, ...]:
        """The answers so far, in the order of the questions; those that do not count at the moment too."""
        counting = counted(self.questions, self.answers)
        return tuple(
            Given(question, self.answers.get(question.fact), question.fact in counting)
            for question in self.questions
            if question.fact in self.answers or (question.fact in self.unsure and sensible(question, counting))
        )

    def answered(self, text: str) -> "Interview":
        """After an answer to the open question. Raises InputError and QuantityError for one that cannot be read."""
        question = self.question
        if question is None:
            return self
        if says_unsure(text):
            return self.not_known()
        value = read_answer(question, text)
        return replace(
            self,
            answers=with_answer(self.questions, self.answers, question, value),
            typed={**self.typed, question.fact: text.strip()},
            unsure=self.unsure - {question.fact},
        )._at_next()

    def not_known(self) -> "Interview":
        """After "I don't know". Raises InputError where nothing can be planned without an answer."""
        question = self.question
        if question is None:
            return self
        if required(question):
            raise InputError("nothing can be planned without this", hint=question.help)
        return replace(
            self,
            answers={fact: value for fact, value in self.answers.items() if fact != question.fact},
            unsure=self.unsure | {question.fact},
        )._at_next()

    def back(self) -> "Interview":
        """At the question settled before the open one; where there is none, as it is."""
        settled = [each.question.fact for each in self.given if each.counts or each.value is None]
        order = [question.fact for question in self.questions]
        before = [fact for fact in settled if self.current is None or order.index(fact) < order.index(self.current)]
        return replace(self, current=before[-1]) if before else self

    def at(self, fact: str) -> "Interview":
        """At the question of a fact, if an answer to it would mean something now."""
        known = counted(self.questions, self.answers)
        found = any(question.fact == fact and sensible(question, known) for question in self.questions)
        return replace(self, current=fact) if found else self

    def _at_next(self) -> "Interview":
        waiting = (question.fact for question in asked(self.questions, self.answers))
        return replace(
            self, current=next((fact for fact in waiting if fact not in self.answers and fact not in self.unsure), None)
        )
