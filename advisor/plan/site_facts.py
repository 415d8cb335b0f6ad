"""What a document states of its site, its data and its money, and what was sized around the accelerators, as facts for rules.

site_facts(document, workload, today) -> facts by name, all of them declared in advisor.reasoning.site_facts. What was not
stated is left out, so that a rule can ask whether it is unknown.
sized_facts(plan) -> quantities of the plan's calculation that advisor.reasoning.environment_facts declares.
"""

import math
from collections.abc import Iterable, Mapping
from datetime import date

from advisor.facts import FactValue
from advisor.plan.plan import WorkloadPlan
from advisor.plan.running import SERVED
from advisor.plan.training_records import TRAINING_KINDS
from advisor.reasoning.environment_facts import ENVIRONMENT_FACTS
from advisor.units import parse
from advisor.workload.budget import Budget
from advisor.workload.data import Data
from advisor.workload.document import Document, Workload
from advisor.workload.site import Site
from advisor.workload.targets import Targets
from advisor.workload.traffic import Traffic

SiteFacts = dict[str, FactValue]

_ON_SITE = frozenset({"on-premises", "on-premise", "on-prem", "on premises", "on site", "on-site", "own site"})
_ENVIRONMENT = {"evaluation": "evaluation", **dict.fromkeys(TRAINING_KINDS, "training")}
_DAY = parse("1 day", "second")


def site_facts(document: Document, workload: Workload, today: date | None = None) -> SiteFacts:
    """Facts of one workload's document. today: the day that ages of prices are reckoned to; without one they are left out."""
    return {
        **_site(document.site),
        **_data(workload.data, document.site),
        **_money(document.budget, today),
        **_work(workload),
        **_together(document),
    }


def sized_facts(plan: WorkloadPlan) -> SiteFacts:
    """What the calculation of one workload has of hosts, storage, network, power, availability and cost; the rest is left out."""
    figures: dict[str, object] = {name: step.value for name, step in plan.trace.items()}
    if plan.running is not None:
        figures |= {name: figure.value for name, figure in plan.running.figures.items()}
    chosen = plan.recommended
    duration = figures.get("time_to_train")
    if chosen is not None and chosen.rent is not None and isinstance(duration, float | int):
        figures["run_rent"] = chosen.rent.total * float(duration)
    return {
        name: float(value)
        for name in ENVIRONMENT_FACTS
        if isinstance(value := figures.get(name), float | int) and not isinstance(value, bool) and math.isfinite(value)
    }


def _site(site: Site | None) -> SiteFacts:
    if site is None:
        return {"site_stated": False}
    circuit = site.circuit
    facts = _known(
        {
            "deployment": site.deployment,
            "site_region": site.region,
            "site_power": site.power,
            "rack_power": site.rack_power,
            "free_racks": site.racks,
            "rack_units": site.rack_units,
            "circuit_phases": circuit.phases if circuit else None,
            "circuit_voltage": circuit.voltage if circuit else None,
            "circuit_current": circuit.current if circuit else None,
            "redundant_feeds": site.redundant_feeds,
            "cooling": site.cooling,
            "power_usage_effectiveness": site.pue,
            "electricity_price": site.electricity,
            "site_network": site.network,
            "internet_bandwidth": site.internet,
            "site_storage": site.storage,
        }
    )
    if site.user_regions:
        facts["user_regions"] = float(len(site.user_regions))
        if site.region is not None:
            facts["users_elsewhere"] = not _lies_in(site.region, site.user_regions)
    return {**facts, "site_stated": True}


def _data(data: Data | None, site: Site | None) -> SiteFacts:
    if data is None:
        return {"residency_stated": False}
    facts = _known(
        {
            "data_size": data.size,
            "data_copies": data.copies,
            "data_growth": data.growth_per_year,
            "data_location": data.location,
            "data_sensitivity": data.sensitivity,
            "data_retention": data.retention,
            "log_retention": data.log_retention,
            "prompts_logged": data.prompts_logged,
            "shared_tenancy": data.shared_tenancy,
        }
    )
    facts["residency_stated"] = bool(data.residency)
    if data.residency:
        on_site = [place for place in data.residency if place.casefold() in _ON_SITE]
        facts["residency"] = ", ".join(data.residency)
        facts["stays_on_site"] = bool(on_site)
        if site is not None and site.region is not None and not on_site:
            facts["region_in_residency"] = _lies_in(site.region, data.residency)
    return facts


def _money(budget: Budget | None, today: date | None) -> SiteFacts:
    if budget is None:
        return {"budget_stated": False}
    facts = _known(
        {
            "term": budget.term,
            "purchase_limit": budget.purchase_limit,
            "monthly_limit": budget.monthly_limit,
            "yearly_limit": budget.yearly_limit,
            "discount_rate": budget.discount_rate,
            "residual_value": budget.residual_value,
            "staff_posts": budget.staff,
            "salary": budget.salary,
            "maintenance_share": budget.maintenance_share,
        }
    )
    dated = [price.as_of for price in budget.prices.values() if price.as_of is not None]
    if today is not None and dated:
        facts["own_price_age"] = (today - min(dated)).days * _DAY
    if today is not None and budget.exchange_rates_as_of is not None:
        facts["exchange_rate_age"] = (today - budget.exchange_rates_as_of).days * _DAY
    return {**facts, "budget_stated": True}


def _work(workload: Workload) -> SiteFacts:
    targets, traffic, answers = workload.targets or Targets(), workload.traffic or Traffic(), workload.output_tokens
    stated = (targets.cost_per_million_tokens, targets.cost_per_run)
    return {
        **_known(
            {
                "recovery_target": targets.recovery_time,
                "cost_per_run_target": targets.cost_per_run,
                "cost_per_million_tokens_target": targets.cost_per_million_tokens,
                "timeout_share": targets.timeout_share,
                "growth_per_year": traffic.growth_per_year,
                "runs_per_month": workload.runs_per_month,
            }
        ),
        "environment": workload.environment or _ENVIRONMENT.get(workload.kind, "production"),
        "data_volume_stated": workload.dataset is not None or _counted(workload.data),
        "cost_target_stated": any(target is not None for target in stated),
        "answer_cap_stated": answers is not None and answers.max is not None,
        "guard_beside": any(component.role == "guard" for component in workload.components),
        "model_from_hub": isinstance(workload.model, str) and "/" in workload.model and not workload.model.endswith(".json"),
    }


def _counted(data: Data | None) -> bool:
    return data is not None and any(each is not None for each in (data.size, data.documents, data.tokens))


def _together(document: Document) -> SiteFacts:
    kinds = {each.kind for each in document.workloads}
    served = {each.environment or "production" for each in document.workloads if each.kind in SERVED}
    trains = bool(kinds & set(TRAINING_KINDS))
    tries = trains or any(each.environment == "development" for each in document.workloads)
    estate = document.estate
    owned = any(each.accelerators is not None and each.accelerators.owned for each in document.workloads)
    memory = [server.memory for server in estate.servers if server.memory is not None] if estate else []
    cores = [float(server.cores) for server in estate.servers if server.cores is not None] if estate else []
    return {
        # Of servers that are there already the least decides, since a plan may land on any of them.
        **_known({"host_memory": min(memory, default=None), "host_cores": min(cores, default=None)}),
        "projects": float(len(estate.projects)) if estate else 0.0,
        "hardware_owned": owned or bool(estate and estate.servers),
        "serves_and_trains": trains and bool(served),
        "only_training_planned": kinds <= set(TRAINING_KINDS),
        "experiments_beside_production": "production" in served and tries,
    }


def _lies_in(region: str, places: Iterable[str]) -> bool:
    """Whether one of the places is named in the region's name, or the region in its: no map is asked."""
    name = region.casefold()
    return any(place.casefold() in name or name in place.casefold() for place in places)


def _known(given: Mapping[str, FactValue | int | None]) -> SiteFacts:
    return {
        name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in given.items()
        if value is not None
    }
