"""What is wrong: likely causes in order with what confirms them, then the figures that show it."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.causes import likely_causes
from advisor.chat.subjects.machines import loader_cores, power_supply, processes
from advisor.chat.subjects.pictures import pictures
from advisor.chat.subjects.rates import gradient_exchange, peak_share, piles, processor_decoding
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.training_memory import training_memory

SUBJECTS: tuple[Subject, ...] = (
    likely_causes,
    training_memory,
    pictures,
    processor_decoding,
    piles,
    gradient_exchange,
    loader_cores,
    power_supply,
    processes,
    peak_share,
    serving_memory,
)
