"""Filling statements in: a subject works out figures, names them, and tells the statements of its topics that hold."""

from collections.abc import Mapping
from typing import Any

from advisor.catalogue.saying import Statement
from advisor.chat.records import Figure, Part, Sentence, Verdict
from advisor.chat.situation import Situation
from advisor.chat.working import figure
from advisor.facts import FactValue


class Telling:
    """What one subject gathers. words: texts for placeholders; facts: further facts for the conditions of statements."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.figures: dict[str, Figure] = {}
        self.words: dict[str, str] = {}
        self.facts: dict[str, FactValue] = {}

    def work(self, key: str, name: str, what: str, facts: Mapping[str, Any], *, constants: tuple[str, ...] = ()) -> Figure:
        """Work a figure out and keep it under a key, for placeholders and conditions."""
        return self.keep(key, figure(self.situation.library, name, what, facts, constants=constants))

    def keep(self, key: str, made: Figure) -> Figure:
        """Keep a figure under a key."""
        self.figures[key] = made
        self.facts[key] = made.value
        return made

    def told(self, *topics: str, verdict: Verdict | None = None) -> Part:
        """The statements of these topics that hold, filled in, with all figures and a verdict."""
        known = {**self.situation.seen, **self.facts}
        sentences = []
        for topic in topics:
            for each in self.situation.library.all(Statement):
                if each.topic != topic or not all(condition.holds(known) for condition in each.when):
                    continue
                if any(name not in self.figures and name not in self.words for name in each.placeholders):
                    continue
                filling = {**{key: made.shown for key, made in self.figures.items()}, **self.words}
                formulas = tuple(
                    f"formulas/{self.figures[name].name}" for name in sorted(each.placeholders) if name in self.figures
                )
                sentences.append(
                    Sentence(text=each.text.format_map(filling), evidence=(f"statements/{each.id}", *dict.fromkeys(formulas)))
                )
        return Part(sentences=tuple(sentences), figures=tuple(self.figures.values()), verdict=verdict)
