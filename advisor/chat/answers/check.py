"""Check this: what an offer leaves out or holds too much of, and whether it carries the work."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.causes import likely_causes
from advisor.chat.subjects.machines import power_supply, processes
from advisor.chat.subjects.pictures import pictures
from advisor.chat.subjects.planned import planned
from advisor.chat.subjects.purchases import over_bought, shared_box
from advisor.chat.subjects.serving_memory import serving_memory
from advisor.chat.subjects.training_memory import training_memory

SUBJECTS: tuple[Subject, ...] = (
    over_bought,
    shared_box,
    processes,
    power_supply,
    training_memory,
    pictures,
    serving_memory,
    likely_causes,
    planned,
)
