"""List prices for ranking: the cheapest dated on-demand rent of instances that hold a configuration.

A replica needs its accelerators in one instance, or in whole instances where it spans several; what an instance has beyond that
stands idle and is paid for. Undated and doubtful prices never rank a configuration.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.price import Price
from advisor.catalogue.record import Citation
from advisor.catalogue.server import Server
from advisor.library import Library
from advisor.plan.plan import Rent, Sold
from advisor.workload.budget import OwnPrice

_USUAL_BOARD = 8
# What a rent of the person's own names as its source.
OWN_PRICE = "budget"


@dataclass(frozen=True)
class Offer:
    """The cheapest dated price of one instance size; size 0 stands for a list price of one accelerator in any number."""

    size: int
    rate: float
    price: Price


class Rents:
    """Dated rents by accelerator. today: prices after that day are not known yet.

    own: the person's rent of one accelerator, by its id; it goes before every list.
    """

    def __init__(self, library: Library, today: date, own: Mapping[str, OwnPrice] | None = None) -> None:
        self._library = library
        self._today = today
        self._own = own or {}

    def totals(self, columns: Mapping[str, Any]) -> NDArray[np.float64]:
        """Rent per second of every row, NaN where no dated instance holds its replica."""
        ids = np.asarray(columns["accelerator"])
        replicas, per_replica = (
            np.asarray(columns["replicas"], dtype=float),
            np.asarray(columns["accelerators_per_replica"], dtype=float),
        )
        totals = np.full(len(ids), np.nan)
        for id in dict.fromkeys(ids.tolist()):  # np.unique would import numpy.ma, a tenth of a cold start
            rows = np.flatnonzero(ids == id)
            for offer in self._offers[id]:
                cost = _instances(offer.size, replicas[rows], per_replica[rows]) * offer.rate
                totals[rows] = np.fmin(totals[rows], cost)
        return totals

    def of(self, accelerator: str, replicas: int, per_replica: int) -> Rent | None:
        """The cheapest dated rent that holds these replicas, or None where the catalogue has none."""
        return _cheapest(self._offers[accelerator], replicas, per_replica)

    def spot(self, accelerator: str, replicas: int, per_replica: int) -> Rent | None:
        """The same of capacity that may be taken away, by the day of the spot price."""
        return _cheapest(self._spot_offers[accelerator], replicas, per_replica)

    def spread(self, accelerator: str) -> tuple[float | None, float | None]:
        """The lowest and highest dated rent of one of these accelerators; none without any, and for the person's own."""
        if accelerator in self._own:
            return None, None
        rates = [
            price.on_demand_per_accelerator
            for price in self._prices
            if price.accelerator == accelerator
            and price.on_demand_per_accelerator is not None
            and price.as_of is not None
            and price.as_of <= self._today
            and price.doubt is None
        ]
        return (min(rates), max(rates)) if rates else (None, None)

    def offers(self, accelerator: str) -> tuple[Offer, ...]:
        """The cheapest dated price of every instance size with this accelerator."""
        return self._offers[accelerator]

    def sizes(self, accelerator: str) -> tuple[int, ...]:
        """Accelerators in the servers that the catalogue has with it, smallest first."""
        return tuple(sorted(self._sizes[accelerator]))

    def sold(self, accelerator: str, replicas: int, per_replica: int) -> Sold | None:
        """Servers to buy: of the sizes the catalogue has, those that leave least idle, then the fewest; None without a server."""
        needed = replicas * per_replica
        choices = []
        for size in sorted(self._sizes[accelerator]):
            number = float(_instances(size, np.array([float(replicas)]), np.array([float(per_replica)]))[0])
            if np.isfinite(number):
                choices.append((int(number) * size - needed, int(number), size))
        if not choices:
            return None
        idle, nodes, per_node = min(choices)
        return Sold(per_node=per_node, nodes=nodes, accelerators=per_node * nodes, idle=idle)

    @cached_property
    def _prices(self) -> tuple[Price, ...]:
        return tuple(price for price in self._library.all(Price) if price.accelerator is not None)

    @cached_property
    def _offers(self) -> defaultdict[str, tuple[Offer, ...]]:
        cheapest: dict[tuple[str, int], Offer] = {}
        for price in self._prices:
            if price.on_demand is None or price.as_of is None or price.as_of > self._today or price.doubt is not None:
                continue
            if not price.count or price.count < 1:
                continue
            key = (str(price.accelerator), 0 if price.any_count else int(price.count))
            known = cheapest.get(key)
            if known is None or price.on_demand < known.rate:
                cheapest[key] = Offer(key[1], price.on_demand, price)
        offers: defaultdict[str, tuple[Offer, ...]] = defaultdict(tuple)
        for (accelerator, _), offer in sorted(cheapest.items()):
            if accelerator not in self._own:
                offers[accelerator] += (offer,)
        for accelerator, own in self._own.items():
            assert own.rent is not None
            offers[accelerator] = (Offer(0, own.rent, _as_listed(accelerator, own, self._today)),)
        return offers

    @cached_property
    def _spot_offers(self) -> defaultdict[str, tuple[Offer, ...]]:
        offers: defaultdict[str, tuple[Offer, ...]] = defaultdict(tuple)
        for price in self._prices:
            day = price.spot_as_of
            if price.spot is None or day is None or day > self._today or price.doubt is not None or not price.count:
                continue
            if price.count >= 1:
                listed = price.model_copy(update={"as_of": day})
                offers[str(price.accelerator)] += (Offer(0 if price.any_count else int(price.count), price.spot, listed),)
        return offers

    @cached_property
    def _sizes(self) -> defaultdict[str, set[int]]:
        sizes: defaultdict[str, set[int]] = defaultdict(set)
        for server in self._library.all(Server):
            if server.accelerator is not None and server.accelerator_count:
                sizes[server.accelerator].add(server.accelerator_count)
        return sizes


def _instances(size: int, replicas: NDArray[np.float64], per_replica: NDArray[np.float64]) -> NDArray[np.float64]:
    """Instances of `size` accelerators that hold the replicas; infinite where one does not divide onto whole instances."""
    if size == 0:
        return replicas * per_replica
    inside = np.ceil(replicas / np.maximum(1, np.floor(size / per_replica)))
    across = np.where((per_replica % size == 0) & (size >= _USUAL_BOARD), replicas * per_replica / size, np.inf)
    return np.where(per_replica <= size, inside, across)


def _cheapest(offers: tuple[Offer, ...], replicas: int, per_replica: int) -> Rent | None:
    best: tuple[float, float, Offer] | None = None
    for offer in offers:
        number = float(_instances(offer.size, np.array([float(replicas)]), np.array([float(per_replica)]))[0])
        if np.isfinite(number) and (best is None or number * offer.rate < best[0]):
            best = (number * offer.rate, number, offer)
    if best is None:
        return None
    total, number, offer = best
    assert offer.price.as_of is not None
    return Rent(
        total=total,
        instances=int(number),
        per_instance=offer.rate,
        accelerators=int(number) * max(1, offer.size),
        provider=offer.price.provider,
        instance=offer.price.instance,
        region=offer.price.region,
        as_of=offer.price.as_of,
        source=str(offer.price.sources[0]),
    )


def _as_listed(accelerator: str, own: OwnPrice, today: date) -> Price:
    """The person's own rent as a list's; without a day of its own it is today's, since it was given today."""
    return Price.model_construct(
        id=f"own/{accelerator}",
        provider="your price",
        instance=accelerator,
        region=None,
        accelerator=accelerator,
        sold_as=accelerator,
        count=1.0,
        on_demand=own.rent,
        as_of=own.as_of or today,
        sources=(Citation(source=OWN_PRICE),),
    )
