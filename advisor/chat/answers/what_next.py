"""What next: the order in which a plan is made, and a plan where enough was said."""

from advisor.chat.answers.subjects import Subject
from advisor.chat.subjects.planned import planned
from advisor.chat.subjects.services import where_to_start

SUBJECTS: tuple[Subject, ...] = (where_to_start, planned)
