"""Counts and sums of a quote's lines: what one node holds, what all of it comes to, and which kinds of part are there."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.server import Server
from advisor.quote.part import Part
from advisor.quote.quote import PartReading, Quote, QuoteLine

HOLDS_ACCELERATORS = ("server", "node", "cloud_node", "system")
_MANAGEMENT = re.compile(
    r"\b(management|login|head|cpu|infrastructure|storage|service|admin|edge|monitor)\w*\b(?! *\+)", re.IGNORECASE
)
_ASIDE_NETWORK = re.compile(
    r"management|front[- ]?end|storage|out[- ]of[- ]band|\boob\b|\bbmc\b|ipmi|uplink|in-?band", re.IGNORECASE
)
_SHARED = re.compile(r"\b(NFS|share|shared|Lustre|GPFS|BeeGFS|Ceph|SAN|NAS|WEKA|VAST|object)\b", re.IGNORECASE)
_OPTION = re.compile(r"\b(?:option|alternative|variante)\s*([A-D1-4])\b", re.IGNORECASE)


@dataclass(frozen=True)
class Known:
    """What the catalogue and the parts know, for looking up what a line leaves unsaid."""

    accelerators: Mapping[str, Accelerator]
    servers: Mapping[str, Server]
    parts: Mapping[str, Part]


@dataclass(frozen=True)
class Counted:
    """A part with how many of it one node has, and how many all lines have; None where the quote does not tell."""

    part: PartReading
    line: QuoteLine
    per_node: float | None
    total: float | None


@dataclass(frozen=True)
class Tally:
    """The parts of a quote counted. nodes: machines with accelerators, None where the quote leaves it open."""

    quote: Quote
    known: Known
    nodes: float | None
    parts: tuple[Counted, ...]

    def of(self, *kinds: str) -> tuple[Counted, ...]:
        """The counted parts of these kinds."""
        return tuple(each for each in self.parts if each.part.kind in kinds)

    def has(self, *kinds: str) -> bool:
        """Whether any line holds a part of these kinds."""
        return any(each.part.kind in kinds for each in self.parts)

    def gpus(self) -> tuple[Counted, ...]:
        """Accelerators a node holds. Of options only those of the first are counted."""
        found = [
            each for each in self.parts if each.part.kind == "gpu" or (each.part.kind == "system" and self.accelerator(each))
        ]
        options = [match[1] if (match := _OPTION.search(each.line.text)) else None for each in found]
        first = next((option for option in options if option is not None), None)
        return tuple(each for each, option in zip(found, options, strict=True) if option in (None, first))

    def options(self) -> dict[str, list[Counted]]:
        """Accelerator lines by the option they belong to."""
        found: dict[str, list[Counted]] = {}
        for each in self.of("gpu"):
            if match := _OPTION.search(each.line.text):
                found.setdefault(match[1].upper(), []).append(each)
        return found

    def accelerator(self, each: Counted) -> Accelerator | None:
        """The catalogue's entry of a counted accelerator."""
        return self.known.accelerators.get(each.part.id or "")

    def card(self, each: Counted) -> Part | None:
        """The parts' entry of a counted part."""
        return self.known.parts.get(each.part.id or "")

    def gpu_figure(self, each: Counted, attribute: str) -> float | None:
        """Memory, power or bandwidth of one accelerator: as the line says, else as the catalogue or the parts know."""
        given = each.part.attributes.get(attribute)
        if isinstance(given, float):
            return given
        name = {"bandwidth": "memory_bandwidth"}.get(attribute, attribute)
        for entry in (self.accelerator(each), self.card(each)):
            value = getattr(entry, name, None) if entry is not None else None
            if isinstance(value, float):
                return value
        return None

    def fabric(self) -> tuple[Counted, ...]:
        """Adapters for traffic among the nodes; those for storage, management and the front end are left out."""
        return tuple(
            each
            for each in self.of("nic")
            if not _ASIDE_NETWORK.search(each.line.text if len(each.line.parts) == 1 else each.part.text)
        )

    def node_sum(self, counted: Iterable[Counted], value: Callable[[Counted], float | None]) -> float | None:
        """Sum of a figure over the parts of one node; None where none of them has it."""
        found = [each.per_node * figure for each in counted if each.per_node is not None and (figure := value(each)) is not None]
        return sum(found) if found else None


def tally(quote: Quote, known: Known) -> Tally:
    """Count the parts of a quote's lines."""
    nodes = _nodes(quote, known)
    holding = any(_is_holder(line) and _holds(line, known) for line in quote.lines)
    parts: list[Counted] = []
    for line in quote.lines:
        for part in line.parts:
            inner = _is_holder(line) and part is not line.main
            if inner and holding and not _holds(line, known):
                # What stands in login and management servers is no part of an accelerator node.
                continue
            parts.append(_counted(line, _with_held_count(line, part) if inner else part, nodes, inner=inner))
    if any(each.part.kind == "gpu" and each.part.id and not _is_holder(each.line) for each in parts):
        parts = [each for each in parts if each.part.kind != "gpu" or not _is_holder(each.line)]
    counted = Tally(quote, known, nodes, tuple(parts))
    if not counted.of("gpu"):
        counted = Tally(quote, known, nodes, (*counted.parts, *_held_by_servers(counted)))
    return counted


def _is_holder(line: QuoteLine) -> bool:
    return line.main is not None and line.main.kind in HOLDS_ACCELERATORS


def _with_held_count(line: QuoteLine, part: PartReading) -> PartReading:
    """An accelerator named with its server, as many as a key of the line says where the words give no number."""
    if part.kind != "gpu" or part.count != 1 or line.main is None:
        return part
    held = line.main.attributes.get("gpus_per_server")
    return part.model_copy(update={"count": held}) if isinstance(held, float) else part


def _counted(line: QuoteLine, part: PartReading, nodes: float | None, *, inner: bool) -> Counted:
    number = line.quantity * part.count
    if inner:
        return Counted(part, line, part.count, number)
    if line.basis == "node":
        return Counted(part, line, number, None if nodes is None else number * nodes)
    if nodes is None:
        return Counted(part, line, None, number)
    return Counted(part, line, number / nodes if nodes else None, number)


def _held_by_servers(counted: Tally) -> list[Counted]:
    """Accelerators that come with the servers named, where no line lists them."""
    found: list[Counted] = []
    for each in counted.of(*HOLDS_ACCELERATORS):
        server = counted.known.servers.get(each.part.id or "")
        held = each.part.attributes.get("gpus_per_server")
        if server is not None and server.accelerator and server.accelerator_count:
            part = PartReading(kind="gpu", text=each.part.text, id=server.accelerator, count=float(server.accelerator_count))
        elif isinstance(held, float):
            part = PartReading(kind="gpu", text=each.part.text, count=held)
        else:
            continue
        found.append(Counted(part, each.line, part.count, part.count * each.line.quantity))
    return found


def _nodes(quote: Quote, known: Known) -> float | None:
    servers = [line for line in quote.lines if line.main is not None and line.main.kind in HOLDS_ACCELERATORS]
    holding = [line for line in servers if _holds(line, known)]
    if holding:
        return sum(line.quantity for line in holding)
    plain = [line for line in servers if not _MANAGEMENT.search(line.text)] or servers
    stated = quote.stated("totals_nodes")
    if plain and (any(line.basis == "node" for line in quote.lines) or len(plain) == 1):
        open_count = any(each.name == "count_open" for each in quote.statements if each.where == plain[0].where)
        return None if open_count else plain[0].quantity
    if stated is not None and isinstance(stated.value, float):
        return stated.value
    if any(line.basis == "node" for line in quote.lines):
        return None
    gpus = sum(line.quantity * part.count for line in quote.lines for part in line.parts if part.kind == "gpu")
    return 1.0 if gpus <= 16 and not any(part.kind == "compute" for line in quote.lines for part in line.parts) else None


def _holds(line: QuoteLine, known: Known) -> bool:
    assert line.main is not None
    if any(part.kind == "gpu" for part in line.parts) or "gpus_per_server" in line.main.attributes:
        return True
    server = known.servers.get(line.main.id or "")
    if server is not None and server.accelerator_count:
        return True
    return line.main.kind == "system" and line.main.id is not None


def is_shared_storage(each: Counted) -> bool:
    """Whether a storage line serves all nodes over the network."""
    return each.part.kind == "storage_server" or bool(_SHARED.search(each.line.text))
