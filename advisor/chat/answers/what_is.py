"""What is: terms, models, accelerators and rules in plain words."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.records import Part
from advisor.chat.situation import Situation
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.words import entries, terms


def memory_named(situation: Situation) -> Part | None:
    """Memory of serving, where both a model and a card stand in the question."""
    return serving_memory(situation) if situation.setup is not None else None


SUBJECTS: tuple[Subject, ...] = (terms, entries, memory_named)
