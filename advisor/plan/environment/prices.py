"""Prices behind the totals: the person's own first, then dated lists, then street prices, which carry no day and say so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from statistics import median_low

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.server import Server
from advisor.catalogue.storage import Storage
from advisor.errors import AdvisorError
from advisor.facts import Label
from advisor.library import Library
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import PriceUsed
from advisor.plan.rents import OWN_PRICE
from advisor.units import parse
from advisor.workload.budget import Budget, OwnPrice

# Names of own prices that are no catalogue ids, and what one unit of each is.
OWN_PRICES: Mapping[str, str] = {
    "api-input": "purchase of a million input tokens",
    "api-output": "purchase of a million output tokens",
    "storage-tb": "rent of a stored TB",
    "storage-raw-tb": "purchase of a raw TB of a shared file system",
    "transfer-gb": "purchase of a GB sent out",
    "colocation-kw": "rent of a contracted kW",
    "licence": "rent of the software of one accelerator",
}
_ARCHIVE = parse("0.015 USD/GB/month", "USD/byte/second")
_TB, _GB, _KW = parse("1 TB", "byte"), parse("1 GB", "byte"), parse("1 kW", "watt")


@dataclass
class Prices:
    """The prices of one setting. used: those that entered a figure. undated_…: whether its price carries no day."""

    setting: Setting
    used: list[PriceUsed] = field(default_factory=list)
    undated_purchase: bool = False
    undated_rent: bool = False

    @property
    def budget(self) -> Budget:
        """What the person said of money."""
        return self.setting.document.budget or Budget()

    def own(self, name: str) -> OwnPrice | None:
        """The person's own price by one of OWN_PRICES."""
        return self.budget.prices.get(name)

    def own_rate(self, name: str, per: float = 1.0) -> float | None:
        """An own rent, each of `per` base units, noted as used."""
        price = self.own(name)
        if price is None or price.rent is None:
            return None
        self._note(OWN_PRICES[name], price.rent, "USD/second", Label.answered, price.as_of)
        return price.rent / per

    def own_amount(self, name: str, per: float = 1.0) -> float | None:
        """An own purchase price, each of `per` base units, noted as used."""
        price = self.own(name)
        if price is None or price.purchase is None:
            return None
        self._note(OWN_PRICES[name], price.purchase, "USD", Label.answered, price.as_of)
        return price.purchase / per

    def storage_rate(self) -> float:
        """Rent of a stored byte, noted as used: the person's own, else the middle of the object stores' standard classes."""
        own = self.own_rate("storage-tb", _TB)
        if own is not None:
            return own
        offers = [
            each
            for each in self.setting.library.all(Storage)
            if each.tier == "object" and each.role == "product" and each.price is not None and each.price > _ARCHIVE
        ]
        middle = median_low(each.price for each in offers if each.price is not None)
        chosen = next(each for each in offers if each.price == middle)
        self._note(chosen.name, middle, "USD/byte/second", Label.catalogue, chosen.checked, str(chosen.sources[0]))
        return middle

    def purchase(self, g: Gathered) -> bool:
        """Gives the price of a server, or of an accelerator to make one from; whether there is one."""
        s = self.setting
        if s.chosen.owned:
            g.give("server_price", 0.0, "owned already", label=Label.answered)
            return True
        for key, price in self.budget.prices.items():
            if price.purchase is None or key in OWN_PRICES:
                continue
            if s.server is not None and _is(s.library, Server, key, s.server.id):
                self._note(s.server.name, price.purchase, "USD", Label.answered, price.as_of)
                g.give("server_price", price.purchase, f"budget.prices.{key}", label=Label.answered)
                return True
            if _is(s.library, Accelerator, key, s.part.id):
                self._note(s.part.name, price.purchase, "USD", Label.answered, price.as_of)
                g.give("accelerator_purchase_price", price.purchase, f"budget.prices.{key}", label=Label.answered)
                g.constants("server_price_ratio")
                return True
        street = s.server.price if s.server is not None else None
        if s.server is not None and street is not None:
            self.undated_purchase = True
            middle = (street.low + street.high) / 2
            self._note(f"{s.server.name} ({street.basis})", middle, "USD", Label.assumed, None, f"catalogue entry {s.server.id}")
            because = f"{s.server.name}: {street.basis}, undated"
            g.give("server_price", middle, because, label=Label.assumed, low=street.low, high=street.high)
            return True
        street = s.part.price
        if street is None:
            return False
        self.undated_purchase = True
        middle = (street.low + street.high) / 2
        self._note(f"{s.part.name} ({street.basis})", middle, "USD", Label.assumed, None, f"catalogue entry {s.part.id}")
        because = f"{s.part.name}: {street.basis}, undated"
        g.give("accelerator_purchase_price", middle, because, label=Label.assumed, low=street.low, high=street.high)
        if street.basis.startswith("whole computer"):
            g.give("server_price_ratio", 1.0, "the price is that of the whole computer", label=Label.catalogue)
        g.constants("server_price_ratio")
        return True

    def rent(self) -> None:
        """Notes the rent of the configuration as used."""
        rent = self.setting.rent
        if rent is not None:
            what = f"{rent.provider} {rent.instance}"
            if rent.source != OWN_PRICE:
                self._note(what, rent.per_instance, "USD/second", Label.catalogue, rent.as_of, rent.source)
                return
            day = own_rents(self.setting.library, self.budget)[self.setting.chosen.accelerator].as_of
            self.undated_rent = day is None
            self._note(what, rent.per_instance, "USD/second", Label.answered, day)

    def _note(self, what: str, amount: float, unit: str, label: Label, as_of: date | None, source: str | None = None) -> None:
        self.used.append(PriceUsed(what=what, amount=amount, unit=unit, label=label, as_of=as_of, source=source))


def own_rents(library: Library, budget: Budget | None) -> dict[str, OwnPrice]:
    """Own rents of accelerators by catalogue id."""
    found: dict[str, OwnPrice] = {}
    for key, price in (budget.prices if budget is not None else {}).items():
        if price.rent is not None and key not in OWN_PRICES:
            try:
                found[library.find(Accelerator, key).id] = price
            except AdvisorError:
                continue
    return found


def unknown_prices(library: Library, budget: Budget) -> tuple[str, ...]:
    """Own prices whose name is neither in the catalogue nor one of OWN_PRICES."""
    return tuple(
        key
        for key in budget.prices
        if key not in OWN_PRICES and not _named(library, Accelerator, key) and not _named(library, Server, key)
    )


def _is(library: Library, record: type[Accelerator] | type[Server], key: str, id: str) -> bool:
    try:
        return library.find(record, key).id == id
    except AdvisorError:
        return False


def _named(library: Library, record: type[Accelerator] | type[Server], key: str) -> bool:
    try:
        library.find(record, key)
    except AdvisorError:
        return False
    return True
