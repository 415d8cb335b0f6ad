"""Compare: which of the things named holds the work, at which price, and what a plan takes."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.cards import cards_compared
from advisor.chat.subjects.pictures import pictures
from advisor.chat.subjects.planned import planned
from advisor.chat.subjects.purchases import prices_named
from advisor.chat.subjects.rates import peak_share
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.training_memory import training_memory

SUBJECTS: tuple[Subject, ...] = (training_memory, pictures, cards_compared, serving_memory, prices_named, peak_share, planned)
