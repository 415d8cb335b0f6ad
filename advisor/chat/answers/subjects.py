"""What a subject is: it looks at what is known and says its part, or nothing."""

from collections.abc import Callable

from advisor.chat.records import Part
from advisor.chat.situation import Situation
from advisor.chat.subjects.purchases import offer_without_work, rent, rent_or_buy
from advisor.chat.subjects.rates import loading, stream_rate
from advisor.chat.subjects.surroundings import (
    agent_calls,
    checkpoints,
    circuits,
    downtime,
    host_floor,
    host_loading,
    vector_index,
)

Subject = Callable[[Situation], Part | None]

# What is told whatever is asked, where there is something to tell.
EVERYWHERE: tuple[Subject, ...] = (
    loading,
    stream_rate,
    host_loading,
    host_floor,
    vector_index,
    checkpoints,
    circuits,
    downtime,
    agent_calls,
    rent,
    rent_or_buy,
    offer_without_work,
)
