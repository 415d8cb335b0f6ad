"""The facts of one workload: what was answered, what the catalogue says, and what had to be assumed, each with its reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from advisor.facts import Fact, FactValue, Label, answered, assumed, catalogued, derived
from advisor.library import Library
from advisor.plan.plan import Assumption
from advisor.plan.presets import PresetDefault
from advisor.questionnaire.question import Question


@dataclass
class FactSheet:
    """Facts by name, in the order they were taken. defaults: what the workload's preset says where nothing was stated."""

    workload: str
    library: Library
    facts: dict[str, Fact] = field(default_factory=dict)
    defaults: Mapping[str, PresetDefault] = field(default_factory=dict)

    def take(self, name: str, given: FactValue | None, unit: str = "") -> FactValue:
        """The answer where there is one, else the preset's, else the default that the fact's question declares."""
        if given is not None:
            return self._put(answered(name, given, unit))
        if (default := self.defaults.get(name)) is not None:
            return self._put(assumed(name, default.value, default.unit, because=default.because, sources=default.sources))
        question = _questions(self.library)[name]
        assert question.unsure is not None
        return self._put(assumed(name, question.unsure.use, question.unit or unit, because=question.unsure.because))

    def assume(self, name: str, value: FactValue, unit: str = "", *, because: str) -> FactValue:
        """A fact taken for the person."""
        return self._put(assumed(name, value, unit, because=because))

    def answer(self, name: str, value: FactValue, unit: str = "") -> FactValue:
        """A fact the person stated."""
        return self._put(answered(name, value, unit))

    def catalogue(self, name: str, value: FactValue, unit: str = "", *, sources: tuple[str, ...] = ()) -> FactValue:
        """A fact from a knowledge entry."""
        return self._put(catalogued(name, value, unit, sources=sources))

    def derive(self, name: str, value: FactValue, unit: str = "", *, because: str) -> FactValue:
        """A fact made from others."""
        return self._put(derived(name, value, unit, because=because))

    def number(self, name: str) -> float:
        """A fact that is a number."""
        value = self.facts[name].value
        assert not isinstance(value, str)
        return float(value)

    def values(self) -> dict[str, FactValue]:
        """Bare values by name, as conditions and rules read them."""
        return {name: fact.value for name, fact in self.facts.items()}

    def assumptions(self) -> Iterator[Assumption]:
        """What was assumed, for the plan."""
        for fact in self.facts.values():
            if fact.origin.label is Label.assumed:
                yield Assumption(
                    workload=self.workload,
                    name=fact.name,
                    value=fact.value,
                    unit=fact.unit,
                    because=fact.origin.because or "",
                )

    def _put(self, fact: Fact) -> FactValue:
        self.facts[fact.name] = fact
        return fact.value


def _questions(library: Library) -> Mapping[str, Question]:
    return {question.fact: question for question in library.all(Question)}
