"""The set-ups a conversation speaks of: which accelerators, how many, with what memory and at what price, in their order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from advisor.catalogue.accelerator import Accelerator
from advisor.language.readings import Reading, Readings
from advisor.library import Library

# "A single card" and "my 4090" say one; a count further than this from a name does not belong to it.
_NEAR = 60
_FAR = 200
_CLOSE_MEMORY = 0.12


@dataclass(frozen=True)
class Setup:
    """One of them. name: as written. count: accelerators in all, None where nobody said. memory: of one card, in bytes.

    part: the catalogue's entry where it is clear enough which; price: USD per second for one of them. turn: where it was said.
    """

    name: str
    turn: int
    part: Accelerator | None = None
    count: float | None = None
    per_node: float | None = None
    memory: float | None = None
    price: float | None = None

    @property
    def total_memory(self) -> float | None:
        """Memory of all cards together."""
        return None if self.memory is None or self.count is None else self.memory * self.count

    @property
    def shown(self) -> str:
        """Count and name."""
        return f"{self.count:g} × {self.name}" if self.count else self.name


def setups(turns: Sequence[Readings], library: Library) -> tuple[Setup, ...]:
    """Every set-up said, the person's own first; a later count without a name is another size of the one before."""
    found: list[Setup] = []
    for number, turn in enumerate(turns):
        for setup in _of_turn(turn, number, library):
            _put(found, setup)
    return tuple(found)


def _put(found: list[Setup], setup: Setup) -> None:
    """Add a set-up, or what it says anew about the one before."""
    if setup.part is None and not setup.name and found:
        last = found[-1]
        if last.count is None or setup.count is None:
            found[-1] = replace(last, count=last.count or setup.count, memory=last.memory or setup.memory)
        elif setup.count != last.count or (setup.memory and last.memory and setup.memory != last.memory):
            found.append(replace(last, count=setup.count, memory=setup.memory or last.memory, turn=setup.turn))
        return
    same = next((place for place, each in enumerate(found) if each.part is not None and each.part == setup.part), None)
    if same is not None and (setup.count is None or found[same].count in (None, setup.count)):
        known = found[same]
        found[same] = replace(known, count=known.count or setup.count, memory=known.memory or setup.memory)
        return
    found.append(setup)


def _of_turn(turn: Readings, number: int, library: Library) -> Iterator[Setup]:
    names = [each for each in turn.of("accelerator") if each.among or each.text]
    nodes = _value(turn, "node_count")
    counts = list(turn.of("accelerator_count"))
    per_node = list(turn.of("accelerators_per_node"))
    memories = list(turn.of("accelerator_memory"))
    prices = list(turn.of("price"))
    if not names:
        count = counts[0].value if counts else None
        each = per_node[0].value if per_node else None
        if isinstance(each, float):
            count = each * (nodes or 1)
        for place, memory in enumerate(memories or [None]):
            size = memory.value if memory is not None else None
            if count or size:
                yield Setup(
                    "" if place == 0 or not isinstance(size, float) else f"{size / 1e9:.3g} GB card",
                    number,
                    count=_number(count),
                    memory=_number(size),
                )
        return
    for name in names:
        number_of, in_node = _nearest(name, counts), _nearest(name, per_node)
        if in_node is not None:
            number_of = in_node * (nodes or 1)
        size_of = _nearest(name, memories)
        part = _part(name, size_of, library)
        shown = part.name if part is not None and name.sure else _tidy(name.text)
        if size_of is None:
            size_of = _common_memory(name, part, library)
        price = _nearest(name, [offer for offer in prices if offer.unit == "USD/second"], _FAR)
        yield Setup(shown, number, part, number_of, in_node, size_of, price)


def _tidy(text: str) -> str:
    """A name as written without what stands behind it: "a100 but only 40g" is A100."""
    match = re.match(r"(?:(?:rtx|gtx|titan|quadro|tesla|radeon|instinct|nvidia|amd)\s?)*[a-z]*\s?\d*[a-z]*", text, re.IGNORECASE)
    short = match[0].strip() if match and match[0].strip() else text
    return short.upper() if short.islower() and any(c.isdigit() for c in short) else short


def _part(name: Reading, memory: float | None, library: Library) -> Accelerator | None:
    parts = [library.get(Accelerator, id) for id in name.among if library.has(Accelerator, id)]
    if not name.sure and not any(_written_like(name.text, part) for part in parts):
        return None
    if memory is not None:
        parts = sorted(parts, key=lambda part: abs((part.memory or 0) - memory) > _CLOSE_MEMORY * memory)
    return parts[0] if parts else None


def _common_memory(name: Reading, part: Accelerator | None, library: Library) -> float | None:
    """The memory of the card where every meaning of its name has the same."""
    if part is None:
        return None
    if name.sure:
        return part.memory
    sizes = {library.get(Accelerator, id).memory for id in name.among if library.has(Accelerator, id)}
    return part.memory if len(sizes) == 1 else None


def _written_like(text: str, part: Accelerator) -> bool:
    """Whether a name in a text can be this part's: the digits in it are its own."""
    compact = "".join(character for character in text.lower() if character.isalnum())
    own = "".join(character for character in f"{part.id} {part.name}".lower() if character.isalnum())
    return any(word in own for word in (compact, compact.rstrip("s"), compact[:4])) and not _other_number(text, own)


def _other_number(text: str, own: str) -> bool:
    numbers = ["".join(c for c in word if c.isdigit()) for word in text.split()]
    return any(len(each) >= 2 and each not in own for each in numbers)


def _nearest(name: Reading, others: Sequence[Reading], within: int = _NEAR) -> float | None:
    def distance(other: Reading) -> int:
        return max(other.start - name.end, name.start - other.end, 0)

    close = [each for each in others if distance(each) <= within and isinstance(each.value, float)]
    best = min(close, key=distance, default=None)
    return _number(best.value) if best is not None else None


def _value(turn: Readings, fact: str) -> float | None:
    first = turn.first(fact)
    return _number(first.value) if first is not None else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
