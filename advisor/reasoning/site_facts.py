"""Facts that a document states of its site, its data and its money, for the rules on them.

advisor.plan.site_facts fills them. Inputs of formulas keep the name and the unit they have there.
"""

from collections.abc import Iterator

from advisor.facts import FactDeclaration

QUANTITIES: dict[str, str] = {
    # Data.
    "data_size": "byte",
    "data_copies": "1",
    "data_retention": "second",
    "log_retention": "second",
    # Site.
    "site_power": "watt",
    "rack_power": "watt",
    "free_racks": "1",
    "rack_units": "1",
    "circuit_phases": "1",
    "circuit_voltage": "volt",
    "circuit_current": "ampere",
    "power_usage_effectiveness": "1",
    "electricity_price": "USD/joule",
    "site_network": "byte/second",
    "internet_bandwidth": "byte/second",
    "site_storage": "byte",
    "user_regions": "1",
    # Money.
    "purchase_limit": "USD",
    "monthly_limit": "USD/second",
    "yearly_limit": "USD/second",
    "salary": "USD/second",
    "staff_posts": "1",
    "own_price_age": "second",
    "exchange_rate_age": "second",
    # Targets that sizes do not rest on.
    "recovery_target": "second",
    "cost_per_run_target": "USD",
    "cost_per_million_tokens_target": "USD",
    # The document as a whole.
    "projects": "1",
    "runs_per_month": "1",
}
SHOWN_IN: dict[str, str] = {
    "site_network": "Gbit/s",
    "internet_bandwidth": "Gbit/s",
    "data_size": "TB",
    "site_storage": "TB",
    "electricity_price": "USD/kWh",
    "own_price_age": "days",
    "exchange_rate_age": "days",
    "log_retention": "days",
    "data_retention": "days",
}
SHARES: tuple[str, ...] = (
    "data_growth",
    "growth_per_year",
    "discount_rate",
    "residual_value",
    "maintenance_share",
    "timeout_share",
)
FLAGS: tuple[str, ...] = (
    "prompts_logged",
    "shared_tenancy",
    "residency_stated",
    "stays_on_site",
    "region_in_residency",
    "users_elsewhere",
    "redundant_feeds",
    "site_stated",
    "budget_stated",
    "cost_target_stated",
    "answer_cap_stated",
    "guard_beside",
    "model_from_hub",
    "data_volume_stated",
    "hardware_owned",
    "serves_and_trains",
    "only_training_planned",
    "experiments_beside_production",
)
TEXTS: tuple[str, ...] = ("residency", "site_region")


def declarations() -> Iterator[FactDeclaration]:
    """The declaration of every fact that advisor.plan.site_facts gives."""
    for name, unit in QUANTITIES.items():
        yield FactDeclaration(name=name, kind="quantity", unit=unit, shown_in=SHOWN_IN.get(name, ""))
    for name in SHARES:
        yield FactDeclaration(name=name, kind="quantity", unit="1", percentage=True)
    for name in FLAGS:
        yield FactDeclaration(name=name, kind="flag")
    for name in TEXTS:
        yield FactDeclaration(name=name, kind="text")
    yield FactDeclaration(
        name="data_sensitivity",
        kind="choice",
        choices=("public", "internal", "confidential", "personal", "regulated", "secret"),
    )
    yield FactDeclaration(name="data_location", kind="choice", choices=("local", "network", "object-storage", "database"))
    yield FactDeclaration(name="cooling", kind="choice", choices=("air", "rear-door", "liquid", "immersion"))
    yield FactDeclaration(name="environment", kind="choice", choices=("development", "training", "evaluation", "production"))


SITE_FACTS: dict[str, FactDeclaration] = {declared.name: declared for declared in declarations()}
