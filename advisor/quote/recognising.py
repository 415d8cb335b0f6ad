"""What the text of a line names: its parts, each with kind, catalogue entry and figures."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.server import Server
from advisor.quote.attributes import attributes_of
from advisor.quote.names import NameFinder
from advisor.quote.numbers import Mark
from advisor.quote.part import Part
from advisor.quote.quote import AttributeValue, PartReading, Sureness
from advisor.quote.words import QuoteWords

LONGEST_TEXT = 2_000


@dataclass(frozen=True)
class _Gpu:
    """An accelerator named in a text: its kind, the entries it may be, and where its name stands."""

    kind: str
    ids: tuple[str, ...]
    start: int
    end: int


_SPLIT = re.compile(r"\s*(?:;|\s\+\s|\s&\s|,(?!\d)|,(?=\s)|\bwith\b|\bmit\b|\bplus\b|\binklusive\b)\s*")
_COUNT = re.compile(r"^\s*(?:each\s+|je\s+)?(\d{1,5})\s*(?:[x×*]\s*(?!\d{3,4}\s*mm)|pcs\.?\s+|Stk\.?\s+|Stück\s+)", re.IGNORECASE)
_COUNT_AFTER = re.compile(r"\s\(?[x×]\s?(\d{1,3})\)?\s*$", re.IGNORECASE)
_MAKER_ONLY = re.compile(r"^\s*(?:NVIDIA|AMD|Intel)?\s*$", re.IGNORECASE)
_COUNT_NAMED = re.compile(r"^\s*(\d{1,3})\s+(?=[A-Z][A-Za-z]*\d|EFA|GPU|Elastic)")
# "x16" at the end of a card's or riser's name is its lanes.
_LANES = ("1", "4", "8", "16")
# Kinds that hold others: the first of a line is what the line is about.
HOLDERS = ("server", "node", "cloud_node", "system", "storage_server")
# Lines of these kinds name other parts without being them: support for servers, cables for switches.
_ABOUT_OTHERS = ("service", "hosting", "licence", "cable", "riser", "cooler", "ups", "pdu")
_FABRIC = re.compile(r"\b(SXM\d?|HGX|DGX|NVLink|NVSwitch|baseboard)\b", re.IGNORECASE)
_ON_CARD = re.compile(r"\bPCI[- ]?E\b", re.IGNORECASE)


class Recogniser:
    """Recognises parts by the catalogue's names, by the parts' own patterns, and by the words of several languages."""

    def __init__(
        self,
        *,
        accelerators: Mapping[str, Accelerator],
        servers: Mapping[str, Server],
        accelerator_names: Mapping[str, tuple[str, ...]],
        server_names: Mapping[str, tuple[str, ...]],
        parts: Sequence[Part],
        words: Sequence[QuoteWords],
    ) -> None:
        self.accelerators = accelerators
        self.servers = servers
        self.parts = {part.id: part for part in parts}
        self.words = tuple(words)
        self._accelerator_names = NameFinder(accelerator_names)
        self._server_names = NameFinder(server_names)

    def parts_of(self, text: str, decimal: Mark, *, hint: str | None = None, context: str = "") -> tuple[PartReading, ...]:
        """The parts a line's text names, what it is about first.

        hint: the kind the quote itself gives. context: the whole quote's words, which tell a board of accelerators from a card
        where the name alone leaves it open.
        """
        text = text[:LONGEST_TEXT]
        if hint is not None and hint not in HOLDERS:
            # Sizes of memory and drives keep their counts; of other parts the text may begin with one.
            count, rest = (1.0, text) if hint in ("ram", "storage") else counted(text)
            return (self._part(rest, count, decimal, hint, context),)
        found: list[PartReading] = []
        if hint is not None:
            found.append(self._holder(hint, text, decimal))
        for position, segment in enumerate(_segments(text)):
            count, rest = counted(segment)
            inside = hint is not None
            read = self._inside(rest, count, decimal, context) if inside else self._segment(rest, count, decimal, context)
            for each in read:
                _add(found, each, said=count > 1 or bool(_COUNT.match(segment)), first=position == 0 and not inside)
        if not found:
            found = [PartReading(kind="unknown", text=text, sure=Sureness.guessed)]
        return self._filled(_holder_first(found))

    def _filled(self, found: tuple[PartReading, ...]) -> tuple[PartReading, ...]:
        """The parts, with as many accelerators as a named server holds where the words give no number."""
        server = self.servers.get(found[0].id or "") if found[0].kind in HOLDERS else None
        if server is None or server.accelerator_count < 2:
            return found
        held = float(server.accelerator_count)
        return tuple(
            each.model_copy(update={"count": held}) if each.kind == "gpu" and each.count == 1 else each for each in found
        )

    def _segment(self, text: str, count: float, decimal: Mark, context: str) -> Iterator[PartReading]:
        """The parts of one piece of a line: a server with what its name says it holds, or one part."""
        server = self._server(text)
        kind = self.kind_of(text)
        if (server is not None and kind not in _ABOUT_OTHERS) or kind == "server":
            gpu = self._gpu(text, context) if server is None and count > 1 else None
            # "8x H100 server" counts accelerators, "2x GPU server with ..." servers.
            inner = count if gpu is not None and _MAKER_ONLY.match(text[: gpu.start]) else 1.0
            yield PartReading(
                kind="server", text=text, count=count / inner, id=server, attributes=attributes_of("server", text, decimal)
            )
            yield from self._inside(text, inner, decimal, context)
            return
        named = kind not in _ABOUT_OTHERS and (self._gpu(text, context) is not None or self._known_part(text, None) is not None)
        yield self._part(text, count, decimal, None if named else kind, context)

    def _inside(self, text: str, count: float, decimal: Mark, context: str) -> Iterator[PartReading]:
        """What a piece of a server's text says it holds."""
        gpu = self._gpu(text, context)
        if gpu is not None:
            before = re.search(r"(\d{1,2})\s*[x×-]?\s*(?:NVIDIA\s*|AMD\s*)?$", text[: gpu.start])
            number = float(before[1]) if before else count
            if gpu.kind == "cpu":
                yield self._part(text, number, decimal, "cpu", context)
            else:
                sure = Sureness.likely if len(gpu.ids) > 1 else Sureness.sure
                yield self._reading(gpu.kind, text[gpu.start :], number, decimal, ids=gpu.ids, sure=sure)
            return
        kind = self.kind_of(text)
        known = self._known_part(text, None)
        if known is not None and kind not in _ABOUT_OTHERS:
            yield self._reading(known.kind, text, count, decimal, ids=(known.id,))
        elif kind is not None and kind not in ("server", "case", "misc", "gpu"):
            found = self._reading(kind, text, count, decimal, sure=Sureness.likely)
            if found.attributes or count > 1:
                yield found

    def _holder(self, hint: str, text: str, decimal: Mark) -> PartReading:
        server = self._server(text) if hint != "storage_server" else None
        part = self._known_part(text, hint)
        return PartReading(
            kind=hint, text=text, id=server or (part.id if part else None), attributes=attributes_of(hint, text, decimal)
        )

    def _part(self, text: str, count: float, decimal: Mark, hint: str | None, context: str) -> PartReading:
        """One part, by its name where the catalogue or the parts know it, else by its kind."""
        if hint in (None, "gpu", "unknown", "compute"):
            gpu = self._gpu(text, context)
            if gpu is not None and gpu.kind == "cpu" and hint is None:
                hint = "cpu"
            elif gpu is not None:
                sure = Sureness.likely if len(gpu.ids) > 1 else Sureness.sure
                return self._reading(hint or "gpu", text, count, decimal, ids=gpu.ids, sure=sure)
        known = self._known_part(text, None if hint in ("misc", "unknown") else hint)
        if known is not None:
            return self._reading(hint or known.kind, text, count, decimal, ids=(known.id,))
        if hint is None:
            return PartReading(kind="unknown", text=text, count=count, sure=Sureness.guessed)
        return self._reading(hint, text, count, decimal)

    def kind_of(self, text: str) -> str | None:
        """The kind of part that the words tell, in the order the kinds are listed in."""
        order: dict[str, None] = {}
        for words in self.words:
            order.update(dict.fromkeys(words.compiled["kinds"]))
        for kind in order:
            for words in self.words:
                pattern = words.compiled["kinds"].get(kind)
                if pattern is not None and pattern.search(text):
                    return kind
        return None

    def _gpu(self, text: str, context: str) -> "_Gpu | None":
        """The accelerator a text names; of several names the longest, and of equal ones the first."""
        found = [_Gpu("", each.meanings, each.start, each.end) for each in self._accelerator_names.all_in(text)]
        for part in self.parts.values():
            if part.kind == "gpu" and (match := part.pattern.search(text)):
                found.append(_Gpu("gpu", (part.id,), match.start(), match.end()))
        if not found:
            return None
        best = max(found, key=lambda each: (each.end - each.start, -each.start))
        if best.kind:
            return best
        ids = self._chosen(best.ids, text, context)
        kind = "cpu" if self.accelerators[ids[0]].kind == "cpu" else "gpu"
        return _Gpu(kind, ids, best.start, best.end)

    def _chosen(self, ids: tuple[str, ...], text: str, context: str) -> tuple[str, ...]:
        """Meanings in the order of likelihood; what the line or the quote says of memory and form decides."""
        if len(ids) == 1:
            return ids
        left = [id for id in ids if id in self.accelerators]
        memory = attributes_of("gpu", text, ".").get("memory")
        if isinstance(memory, float):
            left = [id for id in left if _near(self.accelerators[id].memory, memory)] or left
        for words in (text, context):
            boards, cards = bool(_FABRIC.search(words)), bool(_ON_CARD.search(text))
            if boards != cards:
                wanted = "SXM" if boards else "PCIe"
                narrowed = [id for id in left if wanted.casefold() in (self.accelerators[id].form_factor or "").casefold()]
                if narrowed:
                    # What this line says settles it; what stands elsewhere only orders.
                    left = narrowed if words is text else [*narrowed, *(id for id in left if id not in narrowed)]
                    break
        return tuple(left) or ids

    def _server(self, text: str) -> str | None:
        named = self._server_names.all_in(text)
        return max(named, key=lambda each: each.end - each.start).meanings[0] if named else None

    def _known_part(self, text: str, hint: str | None) -> Part | None:
        best: tuple[int, Part] | None = None
        for part in self.parts.values():
            if part.kind == "gpu" or (hint is not None and part.kind not in _ALIKE.get(hint, (hint,))):
                continue
            match = part.pattern.search(text)
            if match and (best is None or match.end() - match.start() > best[0]):
                best = (match.end() - match.start(), part)
        return best[1] if best else None

    def _reading(
        self,
        kind: str,
        text: str,
        count: float,
        decimal: Mark,
        *,
        ids: tuple[str, ...] = (),
        sure: Sureness = Sureness.sure,
    ) -> PartReading:
        attributes: dict[str, AttributeValue] = attributes_of(kind, text, decimal)
        part = self.parts.get(ids[0]) if ids else None
        if part is not None:
            if part.cores and "cores" not in attributes:
                spelled = re.sub(r"\s", "", text).casefold()
                matches = [name for name in part.cores if re.sub(r"\s", "", name).casefold() in spelled]
                if matches:
                    attributes["cores"] = float(part.cores[max(matches, key=len)])
            for name in ("ports", "port_speed"):
                value = getattr(part, name)
                if value is not None and name not in attributes:
                    attributes[name] = float(value)
        return PartReading(
            kind=kind, text=text, count=count, id=ids[0] if ids else None, others=ids[1:], attributes=attributes, sure=sure
        )


def counted(text: str) -> tuple[float, str]:
    """The count a text begins with ("4x 24 GB card"), and the rest; one where there is none."""
    match = _COUNT.match(text) or _COUNT_NAMED.match(text)
    if match is None:
        after = _COUNT_AFTER.search(text)
        if after is not None and after[1] not in _LANES:
            return float(after[1]), text[: after.start()].strip()
        return 1.0, text.strip()
    rest = text[match.end() :].strip()
    # "4x6.4TB NVMe" counts drives, "32x64GB" modules; sizes keep their count for the part's own reading.
    return float(match[1]), rest


def _segments(text: str) -> list[str]:
    return [each for each in _SPLIT.split(text) if each and each.strip()] or [text]


def _near(memory: float | None, given: float) -> bool:
    return memory is not None and abs(memory - given) <= 0.12 * given


def _add(found: list[PartReading], part: PartReading, *, said: bool, first: bool) -> None:
    """Add a part of a line. What follows without a count of its own says more of the part before, not of another one."""
    if found and part.kind == "unknown":
        return
    if found and not first and part.id is None and part.kind in ("gpu", "server"):
        return
    for index, earlier in enumerate(found):
        again = part.id is not None and part.id == earlier.id
        if earlier.kind == part.kind and not said and (again or part.kind not in ("storage", "psu")):
            found[index] = earlier.model_copy(
                update={"id": earlier.id or part.id, "attributes": {**part.attributes, **earlier.attributes}}
            )
            return
    found.append(part)


def _holder_first(found: list[PartReading]) -> tuple[PartReading, ...]:
    """The parts with the server that holds the others in front."""
    holders = [each for each in found if each.kind in HOLDERS]
    if not holders:
        return tuple(found)
    return (holders[0], *(each for each in found if each is not holders[0]))


_ALIKE: dict[str, tuple[str, ...]] = {
    "nic": ("nic",),
    "dpu": ("nic",),
    "cloud_node": ("nic",),
    "switch": ("switch",),
}
