"""What if: the same figures for the set-up that was described, and for the one that is thought of."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.causes import likely_causes
from advisor.chat.subjects.pictures import pictures
from advisor.chat.subjects.planned import planned
from advisor.chat.subjects.rates import piles, processor_decoding
from advisor.chat.subjects.services import camera_streams, live_speech
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.training_memory import training_memory

SUBJECTS: tuple[Subject, ...] = (
    training_memory,
    pictures,
    processor_decoding,
    piles,
    camera_streams,
    live_speech,
    serving_memory,
    likely_causes,
    planned,
)
