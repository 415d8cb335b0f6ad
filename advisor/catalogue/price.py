"""What a provider charges for an instance by the hour, as its list said on a day."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import Field, model_validator

from advisor.catalogue.record import Entry, Memory, MoneyRate


class Price(Entry):
    """One instance in one region; rates are for the whole instance.

    id: provider/instance/region, with a number behind it where a provider sells several under one name.
    accelerator: id of an accelerators entry; none where the catalogue has no such part or the list does not say which variant it
    is, and then `sold_as` holds the list's own name. count: accelerators in the instance, a fraction for a slice, none if
    the list does not say.
    on_demand, spot, reserved: reserved for `term`. as_of: day of the on-demand rate, spot_as_of of the spot rate; none means
    undated, and then it never enters a total unmarked.
    doubt: why not to rely on it (stale, impossible, third-hand), none if there is no particular reason.
    """

    provider: str
    instance: str
    region: str | None = None
    accelerator: str | None = None
    sold_as: str
    count: float | None = Field(default=None, gt=0)
    vcpu: int | None = Field(default=None, ge=1)
    memory: Memory | None = None
    on_demand: MoneyRate | None = None
    spot: MoneyRate | None = None
    reserved: MoneyRate | None = None
    term: str | None = None
    as_of: date | None = None
    spot_as_of: date | None = None
    doubt: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _table_row(cls, given: Any) -> Any:
        """A row of a CSV file has text in every cell, blanks for what is unknown, and source ids with spaces between them."""
        if not isinstance(given, Mapping) or "source" not in given:
            return given
        row = {key: value for key, value in given.items() if value != ""}
        row["sources"] = str(row.pop("source")).split()
        row.setdefault("id", "/".join(part for part in (row.get("provider"), row.get("instance"), row.get("region")) if part))
        return row

    @model_validator(mode="after")
    def _has_a_rate(self) -> "Price":
        if self.on_demand is None and self.spot is None and self.reserved is None:
            raise ValueError("a price needs at least one of on_demand, spot and reserved")
        if (self.reserved is None) != (self.term is None):
            raise ValueError("reserved and term stand together")
        return self

    @property
    def dated(self) -> bool:
        """Whether the day of the list is known."""
        return self.as_of is not None

    @property
    def any_count(self) -> bool:
        """Whether the list prices one accelerator of an instance that is sold in several sizes."""
        return self.count == 1 and "per gpu" in self.instance.casefold()

    @property
    def on_demand_per_accelerator(self) -> float | None:
        """On-demand rate for each accelerator, where both are known; in USD per second."""
        return None if self.on_demand is None or not self.count else self.on_demand / self.count
