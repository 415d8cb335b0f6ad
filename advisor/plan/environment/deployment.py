"""Where to run it: what each way costs by its own figures, what the load curve makes of it, and what would change the answer."""

import numpy as np

from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import CostReport, DeploymentReport
from advisor.plan.quantity import Quantity
from advisor.sizing.hybrid import HybridBase, hybrid_base, load_duration_curve
from advisor.units import number, show

_STEPS = 730
# A rent this many times today's is no longer worth naming.
_FAR = 10.0
# Assumed purchase prices differ by more than this; ways nearer to each other are not told apart.
_TOO_CLOSE = 0.15
_WAYS = {
    "renting on demand": "cloud",
    "renting on spot": "cloud",
    "buying": "on-premises",
    "owning a part and renting the rest": "hybrid",
}
_HOME = ("on-premises", "onpremises", "on premises")


def deployment_report(g: Gathered, s: Setting, cost: CostReport) -> DeploymentReport:
    """The deployment that was stated, or the one that the figures speak for, with the figures."""
    ways = {each.name: each.per_year for each in cost.options if each.name in _WAYS}
    undated = any(each.undated for each in cost.options)
    because, change, figures = [], [], dict[str, Quantity]()
    mixed = _mixed(g, s) if "renting on demand" in ways and "buying" in ways and not s.chosen.owned else None
    if mixed is not None:
        figures |= _figures(mixed)
        because.append(_curve(mixed, s))
        if 0 < mixed.base < s.replicas:
            alike = g.number("rented_cost_per_year") - g.number("rent_cost_per_year")
            ways["owning a part and renting the rest"] = mixed.total_cost + alike
    because += [
        f"{name}: {show(value, 'USD', digits=4)} a year" for name, value in sorted(ways.items(), key=lambda each: each[1])
    ]
    lowest = min(ways, key=lambda name: ways[name]) if ways else None
    if "break_even_rented_share" in g.values:
        change += _thresholds(g, s, cost)
    elsewhere = _bound(s)
    if elsewhere:
        because.insert(0, elsewhere)
    if s.deployment_stated:
        model = s.deployment
        if lowest is not None and not _agrees(model, _WAYS[lowest]):
            because.append(f"By these figures {lowest} costs least" + (", at an assumed purchase price." if undated else "."))
    elif elsewhere:
        model = "on-premises"
    else:
        model = _by_figures(ways, lowest, undated, because)
    return DeploymentReport(
        model=model,
        stated=s.deployment_stated,
        lowest=lowest,
        because=tuple(because),
        would_change=tuple(change),
        figures=figures,
    )


def _by_figures(ways: dict[str, float], lowest: str | None, undated: bool, because: list[str]) -> str:
    if lowest is None:
        because.append("Nothing has a price; a cloud needs no purchase before the load is known.")
        return "cloud"
    rented = ways.get("renting on demand")
    if undated and rented is not None and _WAYS[lowest] != "cloud" and ways[lowest] > (1 - _TOO_CLOSE) * rented:
        because.append("The ways are too close to tell apart at an assumed purchase price: renting commits to less.")
        return "cloud"
    return _WAYS[lowest]


def _agrees(model: str, way: str) -> bool:
    owned = ("on-premises", "colocation", "workstation", "edge")
    return model == way or (model in owned and way == "on-premises") or (model == "dedicated" and way == "cloud")


def _bound(s: Setting) -> str | None:
    """Why the data must stay where it is, if it must."""
    data = s.workload.data
    if data is None:
        return None
    if any(place.casefold() in _HOME for place in data.residency):
        return "The data must stay on premises (data.residency)."
    if data.sensitivity == "secret":
        return "Secret data rules out machines of others (data.sensitivity)."
    return None


def _mixed(g: Gathered, s: Setting) -> HybridBase | None:
    """Owned and rented units under the load curve: replicas of a service; for runs, whole sets of their accelerators."""
    alike = g.number("rented_cost_per_year") - g.number("rent_cost_per_year")
    units = 1 if s.runs else s.provisioned
    owned = (g.number("owned_cost_per_year") - alike) / units
    hourly = g.number("instances") * g.number("instance_rate") * 3600 / units
    if owned <= 0 or hourly <= 0:
        return None
    if s.runs:
        busy = round(_STEPS * g.number("utilisation"))
        demand = np.concatenate([np.ones(busy), np.zeros(_STEPS - busy)])
    else:
        demand = load_duration_curve(float(s.replicas), s.peak_to_mean, _STEPS)
    return hybrid_base(demand, owned, hourly)


def _figures(mixed: HybridBase) -> dict[str, Quantity]:
    def quantity(value: float, unit: str) -> Quantity:
        return Quantity(value=value, unit=unit, label=Label.estimated)

    return {
        "owned_base": quantity(float(mixed.base), "1"),
        "cost_with_owned_base": quantity(mixed.total_cost, "USD"),
        "cost_following_the_load": quantity(mixed.all_rented_cost, "USD"),
        "break_even_hours_share": quantity(mixed.break_even, "1"),
    }


def _curve(mixed: HybridBase, s: Setting) -> str:
    what = "The accelerators of a run are" if s.runs else "A replica is"
    share = 100 * mixed.break_even
    if share > 100:
        return f"{what} never worth owning: that costs {share / 100:.2g} times renting every hour of the year."
    units = "" if s.runs else f"; under this load's curve that is {mixed.base} of {s.replicas}"
    return f"{what} worth owning when needed in more than {share:.0f} % of all hours{units}."


def _thresholds(g: Gathered, s: Setting, cost: CostReport) -> list[str]:
    share = g.number("break_even_rented_share")
    if not np.isfinite(share):
        return []
    use = g.number("rented_share")
    rate = g.number("instances") * g.number("instance_rate") / s.accelerators
    at_par = rate * share / use if use else 0.0
    if share > 1:
        first = f"Owning costs {share:.2g} times what renting every hour of the year does."
    else:
        first = (
            f"Owning breaks even where the accelerators are rented {100 * share:.0f} % of the year; here it is {100 * use:.0f} %."
        )
    found = [first]
    if 0 < at_par < _FAR * rate:
        found.append(
            f"At a rent of {show(at_par, 'USD/h')} for one accelerator both cost the same; it is {show(rate, 'USD/h')} now."
        )
    if 0 < share < 1 and not s.runs:
        found.append(
            f"A reservation of every hour must give {100 * (1 - share):.0f} % off the list price to cost what owning does."
        )
    if cost.moved_by:
        most = cost.moved_by[0]
        found.append(f"The total hangs most on {most.name.replace('_', ' ')}: check that figure first.")
    if s.plan.traffic is not None and s.plan.traffic.grown_requests_per_second is not None:
        grown = s.plan.traffic.grown_requests_per_second.value / s.requests if s.requests else 1.0
        found.append(
            f"By the end of the term the load is {number(grown)} times today's: plan the next servers, do not buy them now."
        )
    return found
