"""List prices for ranking: the lowest dated on-demand rent of each accelerator, and the sizes it is sold in.

Undated prices and doubtful ones never rank a configuration.
"""

from collections import defaultdict
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.price import Price
from advisor.catalogue.server import Server
from advisor.library import Library
from advisor.plan.plan import Rent


class Rents:
    """Dated rents by accelerator. today: prices after that day are not known yet."""

    def __init__(self, library: Library, today: date) -> None:
        self._library = library
        self._today = today

    def of(self, part: Accelerator, count: int) -> Rent | None:
        """The lowest dated rent of `count` of this part, or None where the catalogue has none."""
        price = self._lowest.get(part.id)
        if price is None or price.as_of is None:
            return None
        rate = price.on_demand_per_accelerator
        assert rate is not None
        return Rent(
            per_accelerator=rate,
            total=rate * count,
            provider=price.provider,
            instance=price.instance,
            region=price.region,
            as_of=price.as_of,
            source=str(price.sources[0]),
        )

    def per_accelerator(self, accelerators: Any) -> NDArray[np.float64]:
        """Rent per second for each accelerator id of a column, NaN where there is none."""
        ids = np.asarray(accelerators)
        rates = {id: price.on_demand_per_accelerator for id, price in self._lowest.items()}
        names, places = np.unique(ids, return_inverse=True)
        return np.array([rates.get(str(name)) or np.nan for name in names], dtype=float)[places]

    def server_sizes(self, part: Accelerator) -> set[int]:
        """Accelerators per server or instance that the catalogue knows for this part."""
        return self._sizes[part.id]

    @cached_property
    def _prices(self) -> tuple[Price, ...]:
        return tuple(price for price in self._library.all(Price) if price.accelerator is not None)

    @cached_property
    def _lowest(self) -> dict[str, Price]:
        lowest: dict[str, Price] = {}
        for price in self._prices:
            rate = price.on_demand_per_accelerator
            if rate is None or price.as_of is None or price.as_of > self._today or price.doubt is not None:
                continue
            known = lowest.get(str(price.accelerator))
            if known is None or rate < (known.on_demand_per_accelerator or np.inf):
                lowest[str(price.accelerator)] = price
        return lowest

    @cached_property
    def _sizes(self) -> defaultdict[str, set[int]]:
        sizes: defaultdict[str, set[int]] = defaultdict(set)
        for server in self._library.all(Server):
            if server.accelerator is not None and server.accelerator_count:
                sizes[server.accelerator].add(server.accelerator_count)
        for price in self._prices:
            if price.count is not None and price.count >= 1 and price.dated:
                sizes[str(price.accelerator)].add(int(price.count))
        return sizes
