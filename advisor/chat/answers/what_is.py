"""What is: terms, models, accelerators and rules in plain words."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.words import entries, passages_near, terms

SUBJECTS: tuple[Subject, ...] = (terms, entries, passages_near)
