"""Why: the formula behind a number with its numbers put in, or the cause of what was seen."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.causes import likely_causes
from advisor.chat.subjects.pictures import pictures
from advisor.chat.subjects.rates import gradient_exchange, peak_share, piles, processor_decoding
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.training_memory import training_memory
from advisor.chat.subjects.words import terms

SUBJECTS: tuple[Subject, ...] = (
    likely_causes,
    training_memory,
    processor_decoding,
    piles,
    gradient_exchange,
    peak_share,
    pictures,
    serving_memory,
    terms,
)
