"""Does it fit: memory of training, serving or pictures against the cards named, then a plan."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.causes import likely_causes
from advisor.chat.subjects.machines import processes
from advisor.chat.subjects.pictures import pictures
from advisor.chat.subjects.planned import planned
from advisor.chat.subjects.rates import processor_decoding
from advisor.chat.subjects.services import camera_streams, live_speech
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.training_memory import training_memory

SUBJECTS: tuple[Subject, ...] = (
    training_memory,
    pictures,
    processor_decoding,
    serving_memory,
    processes,
    camera_streams,
    live_speech,
    likely_causes,
    planned,
)
