"""The ways to pay for a workload side by side: by the hour, on spot, bought, or by the token."""

from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.prices import Prices
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import CostOption
from advisor.plan.plan import Rent
from advisor.plan.rents import OWN_PRICE
from advisor.workload.budget import YEAR


def ways_to_pay(g: Gathered, s: Setting, prices: Prices, rented: bool, owned: bool) -> tuple[CostOption, ...]:
    """Every way whose prices are known, the cheapest of the year first. rented, owned: whether each was priced."""
    years = g.number("term") / YEAR
    found: list[CostOption] = []

    def option(name: str, per_year: float, remark: str, undated: bool = False) -> None:
        found.append(CostOption(name=name, per_year=per_year, over_term=per_year * years, undated=undated, remark=remark))

    if rented and s.rent is not None:
        alike = g.number("rented_cost_per_year") - g.number("rent_cost_per_year")
        when = "while runs last" if s.runs else "all replicas all year"
        option("renting on demand", g.number("rented_cost_per_year"), f"{when}; {_listed(s.rent, prices)}", prices.undated_rent)
        spot = s.rents.spot(s.chosen.accelerator, s.provisioned, max(1, s.accelerators // max(1, s.provisioned)))
        if spot is not None and (s.runs or s.workload.kind == "batch-inference"):
            g.constants("spot_stretch")
            rate = spot.total * g.number("rented_share") * g.number("spot_stretch") * YEAR
            option("renting on spot", rate + alike, f"may be taken away; {spot.provider}, list of {spot.as_of}")
    if owned:
        what = "owned already: running cost alone" if s.chosen.owned else "hardware over its life, energy, maintenance"
        option("buying", g.number("owned_cost_per_year"), what, prices.undated_purchase)
    if (api := _api(g, s, prices)) is not None:
        option("an API, by the token", *api)
    return tuple(sorted(found, key=lambda each: each.per_year))


def _listed(rent: Rent, prices: Prices) -> str:
    if rent.source != OWN_PRICE:
        return f"{rent.provider}, list of {rent.as_of}"
    return "your price, without a day" if prices.undated_rent else f"your price of {rent.as_of}"


def _api(g: Gathered, s: Setting, prices: Prices) -> tuple[float, str, bool] | None:
    read, written = prices.own_amount("api-input", 1e6), prices.own_amount("api-output", 1e6)
    if s.runs or s.beside or not s.calls or (read is None and written is None):
        return None
    mean = s.calls / s.peak_to_mean
    g.give("mean_input_token_rate", mean * s.input_tokens, "prompts at the mean load")
    g.give("mean_output_token_rate", mean * s.output_tokens, "answers at the mean load")
    g.give("api_input_price", read or 0.0, "budget.prices.api-input", label=Label.answered)
    g.give("api_output_price", written or 0.0, "budget.prices.api-output", label=Label.answered)
    g.show("api_cost_per_year")
    dates = [price.as_of for name in ("api-input", "api-output") if (price := prices.own(name)) is not None]
    return g.number("api_cost_per_year"), "your prices, at the mean load", None in dates
