"""Money: renting and buying side by side, what a token, a request and a run cost, and which inputs move the total."""

from functools import cache

from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.prices import Prices
from advisor.plan.environment.setting import Setting
from advisor.plan.environment.ways import ways_to_pay
from advisor.plan.environment_records import CostReport, MovedBy, SiteLimit
from advisor.plan.quantity import Quantity
from advisor.sizing.formula import all_formulas
from advisor.sizing.uncertainty import Range, band, sensitivity
from advisor.units import number, parse, show
from advisor.workload.budget import YEAR

_TERM = parse("3 years", "second")
_TB = parse("1 TB", "byte")
_GB = parse("1 GB", "byte")
_KW = parse("1 kW", "watt")
_OWNED = (
    "hardware_cost",
    "capital_cost_per_year",
    "energy_cost_per_year",
    "maintenance_cost_per_year",
    "operating_cost_per_year",
    "owned_cost_per_year",
)
_AGAINST = ("break_even_rented_share", "saving_over_term", "saved_share", "payback_time", "net_present_value")
# Inputs whose ends may move a total; what an estate's owner can find out or bargain for.
_VARIED = (
    "server_price",
    "accelerator_purchase_price",
    "server_price_ratio",
    "instance_rate",
    "hidden_hardware_share",
    "hardware_life",
    "residual_value",
    "discount_rate",
    "maintenance_share",
    "electricity_price",
    "load_factor",
    "power_usage_effectiveness",
    "whole_system_power_ratio",
    "colocation_rate",
    "staff_posts",
    "salary",
    "fabric_price_share",
)
_SHOWN_MOVES = 4


def cost_report(g: Gathered, s: Setting) -> CostReport:
    """Money of one workload; both ways where the catalogue or the person gives their prices."""
    prices = Prices(s)
    notes: list[str] = []
    _term(g, s, prices)
    _shared(g, s, prices, notes)
    _use(g, s)
    rented, owned = _rented(g, s, prices, notes), _bought(g, s, prices, notes)
    paid_by = "purchase" if owned and (s.bought or not rented) else "rent"
    figures = g.show("utilisation", "storage_cost_per_year")
    if rented:
        figures |= g.show("rent_cost_per_year", "rented_cost_per_year")
    if owned:
        figures |= g.show(*_OWNED)
    if rented and owned and not s.chosen.owned:
        figures |= _compared(g, s)
    moved: tuple[MovedBy, ...] = ()
    if rented or owned:
        g.give("paid_by", paid_by, "where it is to run, or the only way with a price")
        figures |= _headline(g, s)
        figures, moved = _uncertain(g, figures)
    else:
        notes.append("Neither a dated rent nor a purchase price is known: nothing of it is in any total. State budget.prices.")
    options = ways_to_pay(g, s, prices, rented, owned)
    limits = tuple(_limits(g, s, figures))
    currency, worth = _currency(prices, notes)
    return CostReport(
        paid_by=paid_by,
        currency=currency,
        worth=worth,
        figures=figures,
        options=options,
        prices=tuple(prices.used),
        moved_by=moved,
        limits=limits,
        notes=tuple(notes),
    )


def _term(g: Gathered, s: Setting, prices: Prices) -> None:
    budget = prices.budget
    if not g.state("term", budget.term, "budget.term"):
        g.give("term", _TERM, "the time over which servers are usually written off", label=Label.assumed)
    if budget.term is not None:
        g.give("hardware_life", budget.term, "a purchase is spread over budget.term", label=Label.answered)
    g.constants("hardware_life")
    for name, stated in (
        ("residual_value", budget.residual_value),
        ("discount_rate", budget.discount_rate),
        ("maintenance_share", budget.maintenance_share),
    ):
        if not g.state(name, stated, f"budget.{name}"):
            g.constants(name)


def _shared(g: Gathered, s: Setting, prices: Prices, notes: list[str]) -> None:
    """What renting and buying cost alike: storage, people, licences, transfer."""
    tiers = [g.number(name) for name in ("object_capacity", "shared_file_capacity") if name in g.values]
    g.give("stored_bytes", sum(tiers), "the object store and the shared file system")
    g.give("stored_copies", 1.0, "the provider's own copies are in its price")
    g.give(
        "storage_rate", prices.storage_rate(), "rent of stored bytes; a shared file system costs several times an object store"
    )
    licence = prices.own_rate("licence")
    g.give("licensed_units", float(s.accelerators), "accelerators for the load and its spares")
    g.give("licence_rate", licence or 0.0, "budget.prices.licence" if licence else "no licence is stated: open software")
    transfer = prices.own_amount("transfer-gb", _GB)
    sent = g.number("text_egress_rate") / s.peak_to_mean if "text_egress_rate" in g.values else 0.0
    g.give("transferred_out_rate", sent, "answers at the mean load")
    g.give("transfer_price", transfer or 0.0, "budget.prices.transfer-gb" if transfer else "no price of transfer is stated")
    if not transfer and sent * YEAR > 1000 * _GB:
        notes.append(f"Transfer out is not priced: {number(sent * YEAR / _GB)} GB a year; state budget.prices.transfer-gb.")
    _people(g, s, prices, notes)


def _people(g: Gathered, s: Setting, prices: Prices, notes: list[str]) -> None:
    budget = prices.budget
    if budget.staff is not None or budget.salary is not None:
        if not g.state("staff_posts", budget.staff, "budget.staff"):
            g.constants("staff_posts")
        if not g.state("salary", budget.salary, "budget.salary"):
            g.constants("salary")
        if s.beside:
            g.give("staff_cost_per_year", 0.0, "people are counted with the main model")
        return
    g.give("staff_cost_per_year", 0.0, "no people are stated; see the notes")
    if not s.beside:
        notes.append(
            "People are in no total, since none are stated: sources name 0.5 to 2 posts for a small estate, at 150,000 to "
            "250,000 USD a year each. State budget.staff and budget.salary to count them."
        )


def _use(g: Gathered, s: Setting) -> None:
    if s.runs:
        g.give("load_comes", "runs", "runs, one after the other")
        time = s.chosen.estimates["time_to_train"].value
        g.give("time_to_train", time, "of one run")
        monthly = s.workload.runs_per_month
        if monthly is not None:
            g.give("runs_per_year", 12 * float(monthly), "runs_per_month", label=Label.answered)
        else:
            g.give("runs_per_year", 1.0, "one run in a year; runs_per_month says otherwise", label=Label.assumed)
        return
    g.give("load_comes", "requests", "requests, at their own times")
    running = s.plan.running
    busy = running.figures.get("peak_utilisation") if running is not None else s.chosen.estimates.get("item_utilisation")
    because = "of what the replicas carry within the targets" if busy is not None else "runs at the load it is sized for"
    g.give("peak_utilisation", busy.value if busy is not None else 1.0, because)
    g.give("peak_to_mean", s.peak_to_mean, s.peak_to_mean_because, label=Label.assumed if s.peak_to_mean != 1 else Label.derived)
    g.give("needed_replicas", float(s.replicas), "for the load")
    g.give("provisioned_replicas", float(s.provisioned), "with spares")


def _rented(g: Gathered, s: Setting, prices: Prices, notes: list[str]) -> bool:
    rent = s.rent
    if rent is None:
        if not s.chosen.owned:
            notes.append("No dated price list rents these accelerators: renting is not priced.")
        return False
    prices.rent()
    g.give("rent_terms", "on-demand", "by the hour at list price")
    g.give("instances", float(rent.instances), "instances that hold the load and its spares")
    low, high = s.rents.spread(s.chosen.accelerator)
    each = rent.accelerators / rent.instances
    because = f"{rent.provider} {rent.instance}, list of {rent.as_of}"
    g.give(
        "instance_rate",
        rent.per_instance,
        because,
        label=Label.catalogue,
        sources=(rent.source,),
        low=min(rent.per_instance, low * each) if low else None,
        high=max(rent.per_instance, high * each) if high else None,
    )
    if s.runs:
        busy = g.number("runs_per_year") * g.number("time_to_train") / YEAR
        g.give("rented_share", busy, "only while runs take the accelerators; above one, on several sets at once")
    else:
        g.give("rented_share", *_batches(s, notes))
    return True


def _batches(s: Setting, notes: list[str]) -> tuple[float, str]:
    """Share of the year that capacity is rented for: all of it for a service, its batches for what comes in batches."""
    monthly, within = s.workload.runs_per_month, s.workload.finish_within
    if s.workload.kind not in ("batch-inference", "evaluation"):
        return 1.0, "all replicas stand all year"
    if monthly is not None and within is not None:
        return min(1.0, 12 * monthly * within / YEAR), "runs_per_month, each for finish_within"
    notes.append(
        "It is paid as if work came without end: runs_per_month and finish_within say how often, and renting then stops."
    )
    return 1.0, "work without end"


def _bought(g: Gathered, s: Setting, prices: Prices, notes: list[str]) -> bool:
    if "server_power" not in g.values:
        notes.append("Buying is not priced: the power of a server is not known.")
        return False
    if not prices.purchase(g):
        notes.append(f"No purchase price of {s.part.name} is known: buying is not priced. State one under budget.prices.")
        return False
    if "leaf_switches" in g.values:
        g.constants("fabric_price_share")
        g.compute("fabric_cost_estimate")
        share = g.number("fabric_price_share")
        g.give(
            "network_hardware_cost",
            g.number("fabric_cost_estimate"),
            f"no price of switches is dated: {100 * share:g} % of the servers, as large clusters pay",
            label=Label.assumed,
        )
        g.give("hidden_hardware_share", 0.0, "cables and switches are in the network's share")
    else:
        g.give("network_hardware_cost", 0.0, "no fabric between servers")
        if s.chosen.owned:
            g.give("hidden_hardware_share", 0.0, "owned already")
        g.constants("hidden_hardware_share")
    raw = prices.own_amount("storage-raw-tb", _TB)
    if raw is not None and "shared_file_capacity" in g.values:
        cost = g.number("shared_file_capacity") * raw
        g.give("storage_hardware_cost", cost, "capacity of the shared file system at budget.prices.storage-raw-tb")
    else:
        g.give("storage_hardware_cost", 0.0, "storage is priced as rented, either way")
    _electricity(g, s, prices)
    if prices.undated_purchase:
        notes.append(
            "Buying rests on an assumed purchase price without a day"
            + ("" if "server_price" in g.facts else ", of a server composed from its accelerators")
            + ": get a quote before deciding, and check it with advisor check."
        )
    return True


def _electricity(g: Gathered, s: Setting, prices: Prices) -> None:
    site = s.document.site
    if s.deployment == "colocation":
        own = prices.own_rate("colocation-kw", _KW)
        g.give("contracted_power", g.number("it_power"), "the most that all computers draw")
        if own is not None:
            g.give("colocation_rate", own, "budget.prices.colocation-kw", label=Label.answered)
        g.constants("colocation_rate")
        g.give("energy_cost_per_year", 0.0, "in the price of the contracted power")
        return
    g.give("colocation_cost_per_year", 0.0, "no hall of somebody else's")
    if not g.state("electricity_price", site.electricity if site else None, "site.electricity"):
        g.constants("electricity_price")


def _compared(g: Gathered, s: Setting) -> dict[str, Quantity]:
    g.give("cost_before", g.number("rented_cost_per_year"), "rented")
    g.give("cost_after", g.number("owned_cost_per_year"), "bought")
    alike = g.number("rented_cost_per_year") - g.number("rent_cost_per_year")
    rate = g.number("instances") * g.number("instance_rate") + alike / YEAR
    g.give("rent_rate", rate, "all instances by the hour, with what both ways cost alike")
    return g.show(*_AGAINST, "break_even_time")


def _headline(g: Gathered, s: Setting) -> dict[str, Quantity]:
    figures = g.show("cost_per_year", "cost_over_term", "idle_cost_per_year")
    if s.runs:
        return figures | g.show("cost_per_training_run")
    tokens = s.input_tokens + s.output_tokens
    if s.calls and tokens:
        use = g.number("utilisation")
        full = s.calls / s.peak_to_mean * tokens / use if use else 0.0
        g.give("served_token_rate", full, "tokens read and written at the mean load, over the share of use")
        figures |= g.show("cost_per_million_tokens")
    if s.requests:
        g.give("mean_requests_per_second", s.requests / s.peak_to_mean, "the peak over the ratio of peak to mean")
        figures |= g.show("cost_per_request")
    return figures


def _uncertain(g: Gathered, figures: dict[str, Quantity]) -> tuple[dict[str, Quantity], tuple[MovedBy, ...]]:
    """The range of the cost over the term from all its uncertain inputs together, and those that move it most."""
    needs = _needs()
    ranges = {name: Range(*g.ranges[name]) for name in _VARIED if name in g.ranges and name in needs and name in g.facts}
    facts = g.scalars(g.facts)
    effects = sensitivity("cost_over_term", facts, ranges) if ranges else ()
    moving = [each for each in effects if each.swing > 0]
    if not moving:
        return figures, ()
    spread = band("cost_over_term", facts, {each.input: ranges[each.input] for each in moving})
    g.bands["cost_over_term"] = (spread.low, spread.high)
    total = figures["cost_over_term"]
    figures = figures | {"cost_over_term": total.model_copy(update={"low": spread.low, "high": spread.high})}
    return figures, tuple(
        MovedBy(
            name=each.input,
            unit=all_formulas().units[each.input],
            low=ranges[each.input].low,
            high=ranges[each.input].high,
            at_low=each.at_low,
            at_high=each.at_high,
        )
        for each in moving[:_SHOWN_MOVES]
    )


@cache
def _needs() -> frozenset[str]:
    return frozenset(all_formulas().needs(["cost_over_term"]))


def _limits(g: Gathered, s: Setting, figures: dict[str, Quantity]) -> list[SiteLimit]:
    found = []
    budget, targets = s.document.budget, s.workload.targets

    def limit(name: str, needed: str, there: float | None, times: float, unit: str, relax: str) -> None:
        figure = figures.get(needed)
        if there is not None and figure is not None:
            value = figure.value * times
            found.append(SiteLimit(name=name, needed=value, there=there, unit=unit, holds=value <= there, relax=relax))

    if budget is not None:
        if s.bought:
            limit("purchase limit", "hardware_cost", budget.purchase_limit, 1.0, "USD", "rent, or a smaller load or model")
        cheaper = "a smaller load, model or weight format, or a longer term"
        limit("monthly limit", "cost_per_year", budget.monthly_limit, 1 / YEAR, "USD/second", cheaper)
        limit("yearly limit", "cost_per_year", budget.yearly_limit, 1 / YEAR, "USD/second", cheaper)
    if s.runs and s.bought:
        taken = g.number("runs_per_year") * g.number("time_to_train")
        relax = "more accelerators, or fewer or shorter runs"
        found.append(SiteLimit(name="runs of a year", needed=taken, there=YEAR, unit="second", holds=taken <= YEAR, relax=relax))
    if targets is not None:
        fuller = "fuller replicas, a smaller model or weight format"
        limit("cost per million tokens", "cost_per_million_tokens", targets.cost_per_million_tokens, 1.0, "USD", fuller)
        limit(
            "cost per run",
            "cost_per_training_run",
            targets.cost_per_run,
            1.0,
            "USD",
            "more runs in a year, or renting by the hour",
        )
    return found


def _currency(prices: Prices, notes: list[str]) -> tuple[str, float]:
    budget = prices.budget
    currency = budget.currency or "USD"
    if currency == "USD":
        return "USD", 1.0
    worth = budget.exchange_rates.get(currency)
    if worth is None:
        notes.append(f"Amounts are in USD: budget.exchange_rates does not say what one {currency} is worth.")
        return "USD", 1.0
    when = budget.exchange_rates_as_of
    day = f"of {when}" if when is not None else "without a day"
    notes.append(f"Amounts in {currency} at your rate {day}: one is {show(worth, 'USD', digits=6)}.")
    return currency, worth
