"""Money: limits, term, and the person's own prices, which go before any in the catalogue."""

from datetime import date
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from advisor.catalogue.record import Record
from advisor.workload.quantities import SIGNS, Money, MoneyRate, Quantity, Share
from advisor.workload.refusal import refusal, show_given
from advisor.workload.words import Day, Name, Note

YEAR = 365 * 86400.0
Term = Annotated[
    float, Quantity("second", 86400, 30 * YEAR, "hardware does not last so long", "3 years", "plans look at least a day ahead")
]
Rate = Annotated[float, Quantity("1", -0.05, 1, "money does not cost its own amount a year", "8 %")]
Worth = Annotated[float, Quantity("USD", 1e-7, 1e4, "no currency is worth more", "1.08 USD")]
Posts = Annotated[float, Quantity("1", 0, 10_000, "no estate employs more", "1.5")]


def currency_code(given: Any) -> str:
    """The three letters of a currency, given as them or as its sign. Refuses anything else."""
    code = SIGNS.get(given, given) if isinstance(given, str) else ""
    if len(code) == 3 and code.isascii() and code.isalpha():
        return code.upper()
    raise refusal(f"{show_given(given)} is not a currency", hint="write its three letters, such as USD or EUR")


Currency = Annotated[str, BeforeValidator(currency_code)]


class OwnPrice(Record):
    """What the person pays for one thing, bought or rented, with the day of the price. Short form: just the amount."""

    purchase: Money | None = None
    rent: MoneyRate | None = None
    as_of: Annotated[date, Day()] | None = None
    note: Note | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"rent" if "/" in given else "purchase": given}
        if isinstance(given, int | float) and not isinstance(given, bool):
            return {"purchase": given}
        return given

    @model_validator(mode="after")
    def _has_amount(self) -> "OwnPrice":
        if self.purchase is None and self.rent is None:
            raise refusal("no amount is given", hint="write purchase: 28000 USD or rent: 2.10 USD/h")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        text = {"type": "string", "description": "a price such as 28000 USD, or a rent such as 2.10 USD/h"}
        return {"anyOf": [text, handler(schema)]}


class Budget(Record):
    """Money.

    currency: what totals are shown in. exchange_rates: what one unit of another currency is worth, {EUR: 1.08 USD}; amounts may
    then be written in it. term: how long it is planned for. purchase_limit, monthly_limit, yearly_limit: most that may be
    spent. discount_rate: what money costs a year. residual_value: part of the purchase left at the end. staff: posts, salary:
    of one, with all charges. maintenance_share: of the purchase a year. prices: own prices by catalogue id.
    """

    currency: Currency | None = None
    exchange_rates: dict[Currency, Worth] = Field(default_factory=dict)
    exchange_rates_as_of: Annotated[date, Day()] | None = None
    term: Term | None = None
    purchase_limit: Money | None = None
    monthly_limit: MoneyRate | None = None
    yearly_limit: MoneyRate | None = None
    discount_rate: Rate | None = None
    residual_value: Share | None = None
    staff: Posts | None = None
    salary: MoneyRate | None = None
    maintenance_share: Share | None = None
    prices: dict[Name, OwnPrice] = Field(default_factory=dict)
