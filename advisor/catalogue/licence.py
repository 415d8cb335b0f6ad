"""Software licences: what they cost and what they forbid."""

from typing import Literal

from pydantic import Field, model_validator

from advisor.catalogue.record import Entry, Money, MoneyRate


class Licence(Entry):
    """A licence or subscription at list price.

    metric: what is counted. price_low and price_high: for one of that metric and one `term`; equal where one figure is given,
    none where no price was found. per_year: the same spread over a year (for hourly metrics: running all year).
    minimum_cores_per_cpu, minimum_cores_per_order: what is charged at least. included_with: hardware it comes with.
    data_centre_allowed: false where its terms bar a data centre.
    """

    name: str
    vendor: str
    metric: Literal["accelerator", "accelerator-hour", "physical-core", "core-pair", "TiB-year", "none"]
    price_low: Money | None = None
    price_high: Money | None = None
    term: str | None = None
    per_year: MoneyRate | None = None
    minimum_cores_per_cpu: int | None = Field(default=None, ge=1)
    minimum_cores_per_order: int | None = Field(default=None, ge=1)
    included_with: tuple[str, ...] = ()
    data_centre_allowed: bool = True
    aliases: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _ordered(self) -> "Licence":
        low, high = self.price_low, self.price_high
        if (low is None) != (high is None) or (low is not None and high is not None and low > high):
            raise ValueError("price_low and price_high stand together, the lower first")
        return self
