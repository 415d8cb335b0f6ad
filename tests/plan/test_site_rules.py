"""Rules on site, data, money and what surrounds the accelerators fire in real plans, with the figures of the case."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.plan.rules import engine_for
from advisor.plan.site_facts import site_facts
from advisor.reasoning.candidate_facts import CANDIDATE_FACTS
from advisor.reasoning.environment_facts import ENVIRONMENT_FACTS
from advisor.reasoning.site_facts import SITE_FACTS
from advisor.sizing.formula import formulas
from advisor.workload.reading import to_document

Body = dict[str, Any]

CHAT: Body = {
    "kind": "realtime-inference",
    "model": "llama-3.1-8b",
    "traffic": {"requests_per_second": 2},
    "input_tokens": 1000,
    "output_tokens": 200,
    "accelerators": {"only": ["h100-sxm"]},
}
BUSY: Body = {**CHAT, "traffic": {"requests_per_second": 60}, "targets": {"availability": "99.9 %"}}
TUNING: Body = {
    "kind": "fine-tuning",
    "model": "llama-3.1-8b",
    "method": "lora",
    "dataset": {"tokens": "20M"},
    "accelerators": {"only": ["h100-sxm"]},
}
PRETRAINING: Body = {
    "kind": "pretraining",
    "model": "llama-3.1-8b",
    "dataset": {"tokens": "300B"},
    "finish_within": "10 days",
    "accelerators": {"only": ["h100-sxm"]},
}


def planned(library: Library, *workloads: Body, **parts: Any) -> Plan:
    body = {"workloads": [{"name": f"w{number}", **each} for number, each in enumerate(workloads)], **parts}
    return make_plan(to_document(body), library, today=date(2026, 12, 1))


def said(plan: Plan) -> dict[str, str]:
    return {each.rule: each.advice for each in plan.advice}


CASES: dict[str, tuple[tuple[Body, ...], Body, dict[str, str]]] = {
    "personal data in a shared cloud": (
        ({**CHAT, "data": {"sensitivity": "personal", "residency": "Germany", "prompts_logged": True, "shared_tenancy": True}},),
        {"site": {"deployment": "cloud", "region": "us-east-1", "user_regions": ["Germany", "France", "Spain"]}},
        {
            "SEC-005": "personal",
            "SEC-006": "2 requests/s",
            "SEC-010": "us-east-1",
            "SEC-011": "2 requests/s",
            "SEC-019": "2 requests/s",
            "GOV-003": "NIST AI RMF 1.0 (2023)",
            "GOV-005": "personal",
            "NET-006": "us-east-1",
            "NET-007": "3 regions",
        },
    ),
    "secrets in a public cloud": (
        ({**CHAT, "data": {"sensitivity": "secret", "prompts_logged": True, "log_retention": "1 year", "retention": "3 years"}},),
        {"site": {"deployment": "cloud"}},
        {"DEP-006": "on premises", "SEC-008": "secret", "SEC-012": "365 days", "GOV-004": "1,095 days"},
    ),
    "data that stays on the premises, in a hybrid": (
        ({**CHAT, "data": {"sensitivity": "regulated", "residency": "on-premises"}},),
        {"site": {"deployment": "hybrid"}},
        {"DEP-007": "bursts outside", "DEP-014": "break-even", "SEC-007": "regulated"},
    ),
    "a place is asked for and none is named": (
        ({**CHAT, "data": {"sensitivity": "regulated", "residency": "Switzerland"}},),
        {"site": {"deployment": "cloud"}},
        {"SEC-009": "Switzerland"},
    ),
    "a busy service in rooms of its own": (
        (BUSY,),
        {
            "site": {
                "deployment": "on-premises",
                "redundant_feeds": False,
                "cooling": "air",
                "rack_power": "45 kW",
                "pue": 2,
                "electricity": "0.32 USD/kWh",
            },
            "budget": {"term": "8 years", "residual_value": "50 %", "maintenance_share": "1 %", "purchase_limit": "250000 USD"},
        },
        {
            "PWR-009": "second feed",
            "PWR-011": "2 times",
            "PWR-013": "45 kW",
            "CST-019": "50 %",
            "CST-020": "8 years",
            "CST-022": "250,000 USD",
            "CST-027": "1 %",
            "CST-028": "0.32 USD/kWh",
            "AVL-010": "99.9 %",
            "NET-009": "load balancer",
            "DEP-013": "digest",
        },
    ),
    "a service that may hardly fail, in one place": (
        ({**CHAT, "targets": {"availability": "99.99 %"}},),
        {"site": {"deployment": "colocation"}},
        {"AVL-004": "99.99 %", "SEC-013": "public, internal"},
    ),
    "a workstation that is to be up": (
        ({**CHAT, "accelerators": {"only": ["rtx-4090"]}, "targets": {"availability": "99.5 %"}},),
        {"site": {"deployment": "workstation"}},
        {"DEP-010": "99.5 %"},
    ),
    "the edge": (({**CHAT, "accelerators": {"only": ["l4"]}},), {"site": {"deployment": "edge"}}, {"DEP-011": "line is down"}),
    "pre-training on an office network": (
        (
            {
                **PRETRAINING,
                "data": {
                    "size": "80 TB",
                    "location": "object-storage",
                    "copies": 1,
                    "growth_per_year": "80 %",
                    "sensitivity": "personal",
                },
                "runs_per_month": 1,
            },
        ),
        {
            "site": {"deployment": "on-premises", "network": "1 Gbit/s", "storage": "40 TB", "rack_power": "8 kW"},
            "budget": {"purchase_limit": "5000000 USD", "staff": 0},
        },
        {
            "NET-001": "1 Gbit/s",
            "STO-002": "80 TB",
            "STO-003": "80 TB",
            "STO-005": "1 Gbit/s",
            "STO-012": "80 TB",
            "STO-014": "80 %",
            "STO-015": "collectives",
            "DEP-004": "(1 a month)",
            "CST-021": "64 accelerators",
            "CST-024": "(64)",
            "SEC-018": "personal",
        },
    ),
    "pre-training over a network that nobody named": (
        (PRETRAINING,),
        {"site": {"deployment": "colocation"}},
        {"NET-004": "InfiniBand", "PWR-012": "10 to 15 kW"},
    ),
    "data in a database": (
        ({**TUNING, "data": {"location": "database", "size": "1 TB"}},),
        {},
        {"STO-004": "sequential files"},
    ),
    "training and serving side by side": (
        ({**CHAT, "data": {"sensitivity": "regulated"}}, {**TUNING, "data": {"sensitivity": "regulated"}}),
        {
            "site": {"deployment": "on-premises"},
            "estate": {"projects": [{"name": "desk", "workloads": ["w0"]}, {"name": "lab", "workloads": ["w1"]}]},
        },
        {"DEP-008": "by priority", "GOV-001": "register", "GOV-002": "regulated", "CST-023": "each of the 2"},
    ),
    "development on machines to be bought": (
        ({**CHAT, "environment": "development"},),
        {"site": {"deployment": "on-premises"}},
        {"DEP-009": "virtual machines"},
    ),
    "an agent": (
        (
            {
                **CHAT,
                "kind": "agent",
                "model": "meta-llama/Llama-3.1-8B-Instruct",
                "targets": {"cost_per_million_tokens": "1 USD"},
            },
        ),
        {"site": {"deployment": "on-premises"}},
        {
            "SEC-014": "hash",
            "SEC-016": "2 requests/s",
            "SEC-017": "200 tokens",
            "SEC-020": "1,000 tokens",
            "CST-025": "2 requests/s",
            "DEP-016": "rights",
            "CPU-005": "gateway",
        },
    ),
    "retrieval over personal documents": (
        ({**CHAT, "kind": "rag", "data": {"sensitivity": "personal", "size": "1 TB"}},),
        {"site": {"deployment": "on-premises"}},
        {"SEC-015": "personal", "SEC-020": "1,000 tokens"},
    ),
    "retrieval over documents that nobody counted": (
        ({**CHAT, "kind": "rag"},),
        {"site": {"deployment": "on-premises"}},
        {"STO-013": "Index"},
    ),
    "a large service for years": (
        ({**CHAT, "traffic": {"requests_per_second": 400}},),
        {"site": {"deployment": "cloud"}, "budget": {"term": "3 years"}},
        {"DEP-005": "3 years", "CST-031": "smaller model"},
    ),
    "racks for office machines": (
        ({**CHAT, "traffic": {"requests_per_second": 400}},),
        {"site": {"deployment": "on-premises", "rack_power": "8 kW"}},
        {"PWR-001 or PWR-003 or PWR-010": "8 kW"},
    ),
    "old prices and years of growth": (
        ({**BUSY, "traffic": {"requests_per_second": 60, "growth_per_year": "60 %"}},),
        {
            "site": {"deployment": "on-premises"},
            "budget": {
                "term": "3 years",
                "exchange_rates": {"EUR": "1.08 USD"},
                "exchange_rates_as_of": "2026-07-01",
                "prices": {"h100-sxm": {"purchase": "28000 USD", "as_of": "2025-12-01"}},
            },
        },
        {"CST-017": "365 days", "CST-018": "153 days", "CST-029": "60 %"},
    ),
    "servers that are there are too small": (
        (TUNING,),
        {"estate": {"servers": [{"count": 2, "memory": "16 GB", "cores": 8}]}},
        {"CPU-001": "8", "RAM-009": "14.9 GiB"},
    ),
    "money without a place": ((CHAT,), {"budget": {"term": "3 years"}}, {"DEP-015": "colocation"}),
    "a light load on a training board": (
        ({**CHAT, "traffic": {"requests_per_second": 0.01}},),
        {"site": {"deployment": "cloud"}},
        {"CST-030": "24 to 48 GB", "DEP-012": "hosted model", "CPU-004": "processors"},
    ),
    "a run that is dearer than it may be": (
        ({**PRETRAINING, "dataset": {"tokens": "5T"}, "targets": {"cost_per_run": "500 USD", "recovery_time": "1 min"}},),
        {},
        {"CST-015": "500 USD", "AVL-007": "60 s", "STO-009": "0.1", "AVL-008": "spare node"},
    ),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.replace(" ", "-"))
def test_rules_fire_in_plans(case: str, library: Library) -> None:
    workloads, parts, wanted = CASES[case]
    found = said(planned(library, *workloads, **parts))
    # With the server's own power a plan says it more exactly, by another rule.
    found |= {either: next((found[rule] for rule in either.split(" or ") if rule in found), "silent") for either in wanted}
    assert {rule: found.get(rule, "silent") for rule in wanted if wanted[rule] not in found.get(rule, "silent")} == {}
    assert all("{" not in advice for advice in found.values())


def test_a_bare_document_is_told_nothing_of_its_site(library: Library) -> None:
    families = ("CPU", "RAM", "STO", "NET", "PWR", "DEP", "SEC", "GOV")
    assert [rule for rule in said(planned(library, CHAT)) if rule.startswith(families)] == []


def test_an_own_site_keeps_what_must_stay(library: Library) -> None:
    at_home = {"site": {"deployment": "on-premises"}}
    found = said(planned(library, {**CHAT, "data": {"sensitivity": "secret", "shared_tenancy": False}}, **at_home))
    assert not {"DEP-006", "DEP-007", "SEC-005", "SEC-008"} & set(found)


def test_development_alone_is_no_experiment_beside_production(library: Library) -> None:
    assert "DEP-008" not in said(planned(library, {**CHAT, "environment": "development"}, site={"deployment": "on-premises"}))
    both = ({**CHAT, "environment": "development"}, CHAT)
    assert "DEP-008" in said(planned(library, *both, site={"deployment": "on-premises"}))


def test_what_must_stay_on_site_is_not_asked_for_a_region(library: Library) -> None:
    data = {"sensitivity": "regulated", "residency": "on-premises"}
    assert "SEC-009" not in said(planned(library, {**CHAT, "data": data}, site={"deployment": "hybrid"}))


def test_sensitivity_and_place_chain_to_what_the_site_must_be(library: Library) -> None:
    engine = engine_for(library)

    def derived(**facts: FactValue) -> dict[str, str]:
        return {name: fact.rule for name, fact in engine.derive(facts).items()}

    assert derived(data_sensitivity="secret") == {"data_is_sensitive": "SEC-001", "needs_own_site": "SEC-003"}
    assert derived(data_sensitivity="regulated", residency_stated=True, stays_on_site=True) == {
        "data_is_sensitive": "SEC-001",
        "needs_own_site": "SEC-002",
        "needs_named_place": "SEC-004",
    }
    assert derived(data_sensitivity="public", residency_stated=True, stays_on_site=False) == {}


def test_facts_are_declared_and_of_their_kind() -> None:
    for workloads, parts, _ in CASES.values():
        document = to_document({"workloads": [{"name": f"w{number}", **each} for number, each in enumerate(workloads)], **parts})
        for workload in document.workloads:
            for name, value in site_facts(document, workload, date(2026, 12, 1)).items():
                assert name == "deployment" or name in CANDIDATE_FACTS, name
                if name in SITE_FACTS:
                    kind = SITE_FACTS[name].kind
                    assert isinstance(value, bool if kind == "flag" else float if kind == "quantity" else str), name
                    assert kind != "choice" or value in SITE_FACTS[name].choices, name


def test_sized_facts_have_the_units_of_their_formulas() -> None:
    known = formulas().formulas
    units: Mapping[str, set[str]] = {name: {each.unit for each in known[name]} for name in ENVIRONMENT_FACTS if name in known}
    assert {name for name, found in units.items() if found != {ENVIRONMENT_FACTS[name].unit}} == set()
    assert len(units) > 60


@pytest.mark.parametrize(
    ("region", "residency", "inside"),
    [
        ("Frankfurt, Germany", "Germany", True),
        ("Germany", ["Austria", "germany"], True),
        ("us-east-1", "Germany", False),
        ("Germany", "on-premises", None),
    ],
)
def test_where_a_region_lies(region: str, residency: str | list[str], inside: bool | None) -> None:
    document = to_document({"workloads": [{**CHAT, "data": {"residency": residency}}], "site": {"region": region}})
    assert site_facts(document, document.workloads[0]).get("region_in_residency") is inside
