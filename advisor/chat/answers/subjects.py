"""What a subject is: it looks at what is known and says its part, or nothing."""

from collections.abc import Callable

from advisor.chat.records import Part
from advisor.chat.situation import Situation

Subject = Callable[[Situation], Part | None]
