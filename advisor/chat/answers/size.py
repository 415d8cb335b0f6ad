"""Size this: what it needs by formula, ranges from experience where there is no formula, and a plan where enough was said."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.machines import power_supply, processes
from advisor.chat.subjects.pictures import pictures
from advisor.chat.subjects.planned import planned
from advisor.chat.subjects.rates import processor_decoding
from advisor.chat.subjects.services import camera_streams, live_speech
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.training_memory import training_memory

SUBJECTS: tuple[Subject, ...] = (
    camera_streams,
    live_speech,
    training_memory,
    pictures,
    processor_decoding,
    serving_memory,
    processes,
    power_supply,
    planned,
)
