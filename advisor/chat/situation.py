"""What is known at one point of a conversation, in the form that subjects ask for it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.chat.setups import Setup, setups
from advisor.facts import FactValue
from advisor.interview.facts_in_text import Understood, accelerators_in_all
from advisor.interview.symptoms import LikelyCause, diagnose, observed
from advisor.language.readings import Reading, Readings
from advisor.library import Library

_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?b\b", re.IGNORECASE)
# "Add the second identical PC", "two nodes with four cards": the count is that of one machine.
_OF_EACH = re.compile(
    r"\b(second|another|identical|one more|other) (\w+ )?(pc|machine|server|box|node|workstation)"
    r"|\b(nodes|machines|servers|boxes) (of|with) \d"
)
# A size in a model's name is rounded: "7b" is a model of 6.7 billion parameters.
_LIKE = 0.13
_TRAINING = ("fine-tuning", "pretraining", "training")
_FULL = ("full", "pretraining")


@dataclass(frozen=True)
class Situation:
    """Turns and answers so far. notes: answers in words to what no reading holds. unknown: facts that the person cannot tell."""

    library: Library
    turns: tuple[Readings, ...]
    got: Understood
    notes: Mapping[str, str]
    unknown: frozenset[str]

    @cached_property
    def text(self) -> str:
        """All that the person wrote, in lower case."""
        return " ".join(turn.text.lower() for turn in self.turns)

    @cached_property
    def seen(self) -> dict[str, FactValue]:
        """Facts for conditions: readings, symptoms, and what follows from them."""
        seen = observed(self.got)
        seen.update({f"noted_{fact}": True for fact in self.notes})
        if self.intent:
            seen["intent"] = self.intent
        if self.trains:
            seen["trains"] = True
        if self.full:
            seen["trains_all"] = True
        if self.model is not None:
            seen["task"] = self.model.task
            seen["modality"] = seen.get("modality", self.model.modality)
            if self.model.side_parameters:
                seen["pictures"] = True
        open_parts = [setup for setup in self.setups if setup.part is not None and setup.memory is None]
        if open_parts:
            seen["card_memory_open"] = True
        elif any(setup.memory for setup in self.setups):
            seen["card_memory"] = next(setup.memory for setup in self.setups if setup.memory) or 0.0
        if self.reading("model") is not None and self.model_open:
            seen["model_open"] = True
        if self.parameters:
            seen["parameters"] = self.parameters
            processor = self.setup is not None and self.setup.part is not None and self.setup.part.kind == "cpu"
            if processor or ("cpu" in seen and not self.setups and not self.trains):
                seen["on_cpu"] = True
        return seen

    @property
    def intent(self) -> str | None:
        """What the person is after."""
        return self.got.intent

    @cached_property
    def setups(self) -> tuple[Setup, ...]:
        """The set-ups said, the person's first."""
        return setups(self.turns, self.library)

    @property
    def setup(self) -> Setup | None:
        """The set-up as the person describes it."""
        return self.setups[0] if self.setups else None

    @cached_property
    def accelerators(self) -> float | None:
        """Accelerators of the set-up in all; those of one machine times the machines where each has as many."""
        first = self.setup.count if self.setup and self.setup.count else accelerators_in_all(self.got.facts)
        nodes = self.number("node_count")
        if first and nodes and nodes > 1 and self.setup and self.setup.per_node is None and self._count_is_of_one_machine:
            return first * nodes
        return first

    @property
    def _count_is_of_one_machine(self) -> bool:
        return bool(_OF_EACH.search(self.text))

    def reading(self, fact: str) -> Reading | None:
        """The reading of a fact that counts: the last said, of names the first."""
        found = [each for each in self.got.facts if each.fact == fact and not each.negated]
        return found[0] if found else None

    def number(self, fact: str) -> float | None:
        """A quantity that was said, the upper end of a range; None where it was not."""
        reading = self.reading(fact)
        if reading is None:
            return None
        value = reading.upper if reading.upper is not None else reading.value
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def all_numbers(self, fact: str) -> tuple[float, ...]:
        """Every value said of a fact in any turn, in order."""
        values = [each.value for turn in self.turns for each in turn.of(fact)]
        return tuple(dict.fromkeys(value for value in values if isinstance(value, float)))

    def word(self, fact: str) -> str | None:
        """A word that was said of a fact."""
        reading = self.reading(fact)
        value = reading.value if reading is not None else None
        return value if isinstance(value, str) else None

    def has(self, symptom: str) -> bool:
        """Whether something is said to go wrong; what was observed decides between a crash and want of memory."""
        return bool(self.seen.get(symptom.replace("-", "_")))

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models named, each as its likeliest meaning for the size that was written with it."""
        found = []
        for each in self.got.facts:
            if each.fact != "model" or each.negated or not each.among:
                continue
            choices = [self.library.get(Model, id) for id in each.among if self.library.has(Model, id)]
            size = _size_in(each.text) or (_size_in(self._after(each)) if not each.sure else None)
            if size is not None and not each.sure:
                choices = [one for one in choices if abs(one.parameters.total - size) <= _LIKE * size]
            if choices:
                found.append(choices[0])
        return tuple({each.id: each for each in found}.values())

    def _after(self, reading: Reading) -> str:
        """The text from a name to a little behind it."""
        for turn in self.turns:
            if turn.text[reading.start : reading.end] == reading.text:
                return turn.text[reading.start : reading.end + 8]
        return reading.text

    @property
    def model(self) -> Model | None:
        """The model that is spoken of."""
        return self.models[0] if self.models else None

    @property
    def model_open(self) -> bool:
        """Whether the model's name leaves open which size it is."""
        reading = self.reading("model")
        if reading is None or reading.sure:
            return False
        choices = [self.library.get(Model, id) for id in reading.among if self.library.has(Model, id)]
        sizes = {one.parameters.total for one in choices}
        return len(sizes) > 1 and max(sizes) > 1.5 * min(sizes) and _size_in(self._after(reading)) is None

    @cached_property
    def parameters(self) -> float | None:
        """Parameters of the model, or of the size that was said."""
        if self.model is not None:
            return self.model.parameters.total
        reading = self.reading("model")
        if reading is not None and (size := _size_in(self._after(reading))) is not None:
            return size
        return self.number("parameters")

    @property
    def model_name(self) -> str:
        """The model as people call it."""
        if self.model is not None:
            return self.model.name.split("/")[-1]
        return f"a model of {(self.parameters or 0) / 1e9:.3g} billion parameters"

    @cached_property
    def format(self) -> Format | None:
        """The weight format that was said."""
        id = self.word("precision")
        reading = self.reading("precision")
        if id is None and reading is not None and reading.among:
            id = reading.among[0]
        return self.library.get(Format, id) if id and self.library.has(Format, id) else None

    @property
    def trains(self) -> bool:
        """Whether it is about training."""
        reading = self.reading("kind")
        kinds = (self.word("kind"), *(reading.among if reading else ()))
        return any(kind in _TRAINING for kind in kinds) or self.word("method") is not None

    @property
    def method(self) -> str | None:
        """How it is trained."""
        return self.word("method")

    @property
    def full(self) -> bool:
        """Whether all parameters are trained."""
        return self.method in _FULL or (self.trains and self.method is None)

    @property
    def adapters(self) -> bool:
        """Whether adapters are trained instead of all parameters."""
        return self.method in ("lora", "qlora")

    @cached_property
    def causes(self) -> tuple[LikelyCause, ...]:
        """What is likely wrong, likeliest first; none where nothing is said to go wrong."""
        return diagnose(self.got, self.library)


def _size_in(text: str) -> float | None:
    match = _SIZE.search(text)
    return float(match[1]) * 1e9 if match else None
