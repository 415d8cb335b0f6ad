"""What an estate can stand on: servers owned already, and sizes that can be rented or bought, each with its yearly price.

A dated rent comes first; the person's own price goes before any; what has neither is still a place to stand, marked as unpriced.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.server import Server
from advisor.errors import AmbiguousNameError, UnknownNameError
from advisor.evidence.hosts import usual_node
from advisor.library import Library
from advisor.plan.rents import Rents
from advisor.workload.budget import YEAR, OwnPrice
from advisor.workload.document import Document

# Sizes in which accelerators are rented that a list sells in any number.
_ANY_NUMBER = (1, 2, 4, 8)
_USUAL_TERM = 3 * YEAR


@dataclass(frozen=True)
class Kind:
    """Servers of one kind. rate: USD per second of one, none where unpriced. limit: how many there are, none for no end.

    sharing, server: for the room left on one server that stands already, who may use it and its name; size is then that room.
    power: design power of one accelerator in watts, 0 where it is not known.
    """

    id: str
    accelerator: str
    size: int
    rate: float | None
    limit: int | None = None
    owned: bool = False
    as_of: date | None = None
    source: str | None = None
    sharing: str | None = None
    server: str | None = None
    power: float = 0.0

    def room(self, server: str, sharing: str, free: int) -> "Kind":
        """What is left of one server of this kind, which is paid for already."""
        return replace(self, id=server, size=free, rate=0.0, limit=1, sharing=sharing, server=server)


@dataclass(frozen=True)
class Supply:
    """All kinds, owned ones first, and what to know of them."""

    kinds: tuple[Kind, ...]
    notes: tuple[str, ...]


def supply_of(document: Document, library: Library, rents: Rents, accelerators: Iterable[str]) -> Supply:
    """The kinds that hold any of the accelerators. Raises UnknownNameError and AmbiguousNameError for owned ones nobody knows."""
    wanted = tuple(dict.fromkeys(accelerators))
    owned, notes = _owned(document, library, wanted)
    bought = [kind for id in wanted for kind in _offered(document, library, rents, id)]
    kinds = (replace(kind, power=library.get(Accelerator, kind.accelerator).power or 0.0) for kind in (*owned, *bought))
    return Supply(tuple(kinds), tuple(notes))


def _owned(document: Document, library: Library, wanted: tuple[str, ...]) -> tuple[list[Kind], list[str]]:
    kinds: dict[str, Kind] = {}
    notes: list[str] = []
    for position, each in enumerate(document.estate.servers if document.estate else ()):
        where = f"estate.servers[{position}]"
        server = library.find(Server, each.id, where=f"{where}.id") if each.id else None
        name = each.accelerator or (server.accelerator if server else None)
        label = each.name or (server.name if server else f"server {position + 1}")
        if name is None:
            notes.append(f"{label}: no accelerator is in it, so nothing of this plan stands there")
            continue
        part = library.find(Accelerator, name, where=f"{where}.accelerator")
        size = each.accelerators or (server.accelerator_count if server else None) or usual_node(part)
        if each.accelerators is None and server is None:
            notes.append(f"{label}: taken as servers of {size} {part.name}, since it does not say how many are in one")
        if part.id not in wanted:
            notes.append(f"{label}: no workload may or can use {part.name}, so it stands idle")
            continue
        id = f"owned {label}"
        while id in kinds:
            id += " again"
        kinds[id] = Kind(id, part.id, int(size), 0.0, limit=int(each.count), owned=True)
    listed = {kind.accelerator for kind in kinds.values()}
    # The same parts, listed by several workloads, are taken to be the same hardware.
    counts: dict[tuple[str, int], int] = {}
    for workload in document.workloads:
        for mine in workload.accelerators.owned if workload.accelerators else ():
            part = library.find(Accelerator, mine.id)
            key = part.id, int(min(mine.per_node or usual_node(part), mine.count))
            counts[key] = max(counts.get(key, 0), int(mine.count) // key[1])
    for (id, size), count in counts.items():
        if id in wanted and id not in listed:
            label = f"owned servers of {size} {library.get(Accelerator, id).name}"
            kinds[label] = Kind(label, id, size, 0.0, limit=count, owned=True)
    return list(kinds.values()), notes


def _offered(document: Document, library: Library, rents: Rents, id: str) -> list[Kind]:
    part = library.get(Accelerator, id)
    sizes = rents.sizes(id) or (usual_node(part),)
    own = _own_price(document, library, id)
    if own is not None:
        term = (document.budget.term if document.budget else None) or _USUAL_TERM
        each = own.rent if own.rent is not None else (own.purchase or 0.0) / term
        return [
            Kind(f"{size} × {part.name}, own price", id, size, each * size, as_of=own.as_of, source="budget.prices")
            for size in sizes
        ]
    found = []
    for offer in rents.offers(id):
        price = offer.price
        for size in _ANY_NUMBER if offer.size == 0 else (offer.size,):
            called = f"{price.provider} {price.instance}" + (f" × {size}" if offer.size == 0 else "")
            rate = offer.rate * (size if offer.size == 0 else 1)
            found.append(Kind(f"rent {called}", id, size, rate, as_of=price.as_of, source=str(price.sources[0])))
    cheapest = _undominated(found)
    return cheapest or [Kind(f"{size} × {part.name}, no dated price", id, size, None) for size in sizes]


def _undominated(kinds: list[Kind]) -> list[Kind]:
    """Kinds that no larger one undercuts and no smaller ones replace at no more cost; what is left out never helps."""

    def beaten(kind: Kind) -> bool:
        return any(
            other.size >= kind.size and other.rate is not None and kind.rate is not None and other.rate < kind.rate
            for other in kinds
        )

    return [kind for kind in kinds if not beaten(kind)]


def _own_price(document: Document, library: Library, id: str) -> OwnPrice | None:
    for name, price in (document.budget.prices if document.budget else {}).items():
        # A price may also be of a server or of anything else.
        with suppress(UnknownNameError, AmbiguousNameError):
            if library.find(Accelerator, name).id == id:
                return price
    return None
