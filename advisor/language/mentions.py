"""A name of the catalogue in a text, and the form names are compared in."""

from collections.abc import Sequence
from dataclasses import dataclass, field

NO_SUCH_ACCELERATOR = "no accelerator is called so"


@dataclass(frozen=True, slots=True)
class Spelling:
    """One spelling of a catalogue entry; without an id it names what cannot be sized.

    note: why it cannot, or what it leaves open. part: of a cloud instance, the accelerator in it.
    """

    kind: str
    shown: str
    id: str | None
    note: str | None = None
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text: what it may mean, likeliest first, and whether it can only mean the first.

    kind: of the catalogue, singular; "cpu" for processors. part: the accelerator in a cloud instance. qualifiers: words that
    narrowed it.
    """

    kind: str
    ids: tuple[str, ...]
    first: int
    last: int
    sure: bool
    because: str = ""
    plural: bool = False
    part: str | None = None
    qualifiers: frozenset[int] = field(default_factory=frozenset)


def compact(parts: Sequence[str]) -> str:
    """Parts of a name run together, digits kept apart: mi 300x and MI300X are one, 10 00 and 1000 are not."""
    made = ""
    for part in parts:
        made += ("-" if made and made[-1].isdecimal() and part[:1].isdecimal() else "") + part
    return made
