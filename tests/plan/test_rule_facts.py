"""Rules of memory, parallelism, compute, scaling, scheduling, watching and process fire on plans of real documents."""

from typing import Any

import pytest

from advisor.errors import UnknownNameError
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.plan.rule_facts import rule_facts
from advisor.questionnaire.question import Question, declared_facts
from advisor.reasoning.candidate_facts import CANDIDATE_FACTS
from advisor.reasoning.plan_facts import PLAN_FACTS
from advisor.reasoning.rule import Rule
from advisor.workload.reading import to_document

CHAT: dict[str, Any] = {
    "kind": "realtime-inference",
    "model": "llama-3.1-8b",
    "traffic": {"requests_per_second": 5},
    "input_tokens": 1000,
    "output_tokens": 200,
    "targets": {"ttft_mean": "1 s", "tpot_mean": "50 ms"},
    "accelerators": {"only": ["h100-sxm"]},
}
TUNE: dict[str, Any] = {
    "kind": "fine-tuning",
    "model": "llama-3.1-8b",
    "method": "full",
    "dataset": "100M tokens",
    "accelerators": {"only": ["h100-sxm"]},
}
PRETRAIN: dict[str, Any] = {
    "kind": "pretraining",
    "model": "llama-3.1-70b",
    "dataset": "1T tokens",
    "finish_within": "60 days",
    "accelerators": {"only": ["h100-sxm"]},
}
BARE: dict[str, Any] = {"kind": "realtime-inference", "model": "llama-3.1-8b"}
LARGE: dict[str, Any] = {**CHAT, "model": "llama-3.1-70b"}

# A name, one workload, rules that must speak of it, and rules that must not.
CASES: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("plain", CHAT, "OBS-001 OBS-002 PRC-009 MEM-010", "PRC-001 PRC-004 SCL-001 CMP-008 PRC-010"),
    ("nothing said", BARE, "PRC-001 PRC-002 PRC-004 PRC-009", "PRC-007 OBS-001"),
    (
        "hardware first",
        {**BARE, "accelerators": {"only": ["h100-sxm"], "max_count": 4}},
        "PRC-007 PRC-013 CMP-019 MEM-017",
        "CMP-016",
    ),
    (
        "bulk with a latency target",
        {"kind": "batch-inference", "model": "llama-3.1-8b", "targets": {"ttft_mean": "1 s"}},
        "CLS-011 PRC-011",
        "PRC-004 OBS-002",
    ),
    ("agent", {**CHAT, "kind": "agent"}, "CLS-015 SCL-011 OBS-009", "CLS-014"),
    ("retrieval", {**CHAT, "kind": "rag"}, "CLS-014 OBS-009", "CLS-015"),
    (
        "growth",
        {**LARGE, "traffic": {"requests_per_second": 8, "peak_to_mean": 3, "growth_per_year": "50 %"}},
        "SCL-001 SCL-002 OBS-010 SCL-008 SCL-009 CMP-015",
        "SCL-007 SCL-006",
    ),
    ("one user", {**LARGE, "traffic": {"concurrent_requests": 1}}, "CMP-001 CMP-009 MEM-006 CAP-001", "CMP-010 SCL-001"),
    ("many users", {**LARGE, "traffic": {"requests_per_second": 60}}, "OBS-003 OBS-008 PAR-007", "CMP-001"),
    ("does not fit", {**LARGE, "accelerators": {"only": ["l4"], "max_count": 1}}, "PRC-010 MEM-020", "MEM-006 OBS-002 CMP-015"),
    (
        "long prompts",
        {**CHAT, "input_tokens": 30000, "output_tokens": 50, "targets": {"ttft_mean": "3 s", "tpot_mean": "60 ms"}},
        "CMP-004 PAR-016 CMP-016 SCL-005 SCL-006",
        "CMP-001",
    ),
    ("percentile", {**CHAT, "targets": {"ttft_p95": "1 s"}}, "PRC-003", "OBS-001 CMP-016"),
    (
        "settings",
        {
            **CHAT,
            "traffic": {"concurrent_requests": 64},
            "shared_prefix_tokens": 800,
            "engine_settings": {
                "enforce_eager": True,
                "chunked_prefill": False,
                "prefix_caching": False,
                "speculative_tokens": 4,
            },
        },
        "CMP-005 CMP-011 CMP-013 MEM-026",
        "PAR-015",
    ),
    ("weights on the host", {**CHAT, "engine_settings": {"cpu_offload": "10 GB"}}, "MEM-011", "CMP-013"),
    ("four bits", {**CHAT, "precision": "int4", "traffic": {"concurrent_requests": 128}}, "CMP-008 CMP-010", "CMP-009"),
    ("development", {**CHAT, "environment": "development"}, "PRC-015", "OBS-002 PRC-009"),
    (
        "too many ranks",
        {**CHAT, "engine_settings": {"tensor_parallel": 8}, "traffic": {"concurrent_requests": 2}},
        "PAR-010 PAR-011 CMP-003",
        "PAR-007",
    ),
    (
        "seats",
        {
            **CHAT,
            "accelerators": {"only": ["l4"]},
            "traffic": {"concurrent_requests": 4},
            "engine_settings": {"max_num_seqs": 512, "max_num_batched_tokens": 16384},
        },
        "MEM-003",
        "MEM-007",
    ),
    ("a model of no name", {**CHAT, "model": {"parameters": "13B"}}, "PRC-008", "PRC-001"),
    ("every head a cache", {**CHAT, "model": "llama-2-7b"}, "MEM-016 CMP-002", "MEM-008"),
    ("special accelerator", {**CHAT, "accelerators": {"only": ["gaudi3"]}}, "CMP-018", "PRC-001"),
    ("pictures", {**CHAT, "model": "qwen2.5-vl-7b", "accelerators": {"only": ["l4"]}}, "MEM-005", "MEM-008"),
    ("experts", {**CHAT, "model": "deepseek-v3", "accelerators": {"only": ["b200"]}}, "MEM-008", "CMP-008"),
    ("full tuning", TUNE, "CLS-013 PRC-005 PRC-012", "PRC-006 SCH-001 MEM-018"),
    ("adapters", {**TUNE, "method": "lora", "runs_per_month": 2}, "CMP-021 OBS-004", "CLS-013 SCH-007"),
    (
        "tuning that does not fit",
        {**TUNE, "model": "llama-3.1-70b", "accelerators": {"only": ["h100-sxm"], "max_count": 2}},
        "PRC-010 MEM-018 PRC-013",
        "SCL-012",
    ),
    ("over PCIe", {**TUNE, "accelerators": {"only": ["l40s"]}, "finish_within": "1 day"}, "PAR-019 MEM-024", "PRC-005"),
    ("old cards", {**TUNE, "method": "lora", "accelerators": {"only": ["t4"]}}, "CMP-007", "MEM-018"),
    (
        "32 bit",
        {**TUNE, "precision": "fp32", "accelerators": {"only": ["h100-sxm"], "max_count": 1}},
        "MEM-018 MEM-019",
        "CMP-007",
    ),
    ("many runs", {**TUNE, "runs_per_month": 20}, "SCH-007", "CMP-021"),
    ("optimizer on the host", {**TUNE, "engine_settings": {"offload": "optimizer"}}, "MEM-025", "CMP-007"),
    ("pre-training", PRETRAIN, "SCH-001 SCH-004 SCH-009 OBS-004 OBS-005 OBS-011 PRC-012", "CLS-012 PRC-006 PAR-019 CLS-013"),
    ("little data", {**PRETRAIN, "dataset": "50B tokens"}, "CLS-012", "PRC-006"),
    ("data not said", {**PRETRAIN, "dataset": None}, "PRC-006 CMP-017", "CLS-012"),
    (
        "owned and too few",
        {**PRETRAIN, "accelerators": {"owned": [{"id": "h100-sxm", "count": 8}]}},
        "PRC-010 SCL-012",
        "SCH-009",
    ),
)


def planned(library: Library, *workloads: dict[str, Any], **document: Any) -> Plan:
    stated = [{key: value for key, value in each.items() if value is not None} for each in workloads]
    return make_plan(to_document({"workloads": stated, **document}), library)


def told(plan: Plan) -> set[str]:
    return {rule for advice in plan.advice for rule in (advice.rule, *advice.also)}


@pytest.mark.parametrize(("workload", "speak", "silent"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_rules_speak_where_they_should(library: Library, workload: dict[str, Any], speak: str, silent: str) -> None:
    found = told(planned(library, workload))
    assert set(speak.split()) <= found
    assert not set(silent.split()) & found


def test_the_cases_try_a_good_part_of_the_rules() -> None:
    assert len({rule for case in CASES for rule in case[2].split()}) >= 70


def test_advice_holds_the_numbers_of_its_case(library: Library) -> None:
    for plan in (planned(library, PRETRAIN), planned(library, LARGE), planned(library, BARE)):
        assert all("{" not in advice.advice for advice in plan.advice)
        assert sum(any(letter.isdigit() for letter in advice.advice) for advice in plan.advice) > len(plan.advice) / 2


def test_one_piece_of_advice_for_one_cause_worst_first(library: Library) -> None:
    plan = planned(library, PRETRAIN)
    order = [("error", "warning", "note").index(advice.severity) for advice in plan.advice]
    assert order == sorted(order)
    interrupted = next(advice for advice in plan.advice if advice.rule == "SCH-001")
    assert {"SCH-004", "SCH-009"} <= set(interrupted.also)
    assert not {"SCH-004", "SCH-009"} & {advice.rule for advice in plan.advice}


def test_what_concerns_all_workloads_is_said_once(library: Library) -> None:
    plan = planned(library, CHAT, TUNE)
    mixed = [advice for advice in plan.advice if advice.rule in ("PRC-014", "SCH-010")]
    assert len(mixed) == 1
    assert mixed[0].workload is None


def test_production_and_experiments_on_the_same_machines(library: Library) -> None:
    served = {**CHAT, "name": "desk"}
    tuned = {**TUNE, "name": "tuning", "accelerators": {"owned": [{"id": "h100-sxm", "count": 8}]}}
    bulk = {"name": "files", "kind": "batch-inference", "model": "llama-3.1-8b"}
    estate = {"projects": [{"name": "one", "workloads": ["desk"]}, {"name": "two", "workloads": ["tuning"]}]}
    assert {"SCH-005", "SCH-006", "SCH-008"} <= told(planned(library, served, tuned, bulk, estate=estate))


def test_a_rule_is_switched_off_with_a_reason(library: Library) -> None:
    plan = planned(library, BARE, rules={"off": {"prc-001": "a trial", "SCH-001": "does not matter here"}})
    assert "PRC-001" not in told(plan)
    assert [(each.rule, each.reason) for each in plan.switched_off] == [("PRC-001", "a trial")]
    # What saw the same cause comes forward in its place.
    assert "PRC-002" in {advice.rule for advice in plan.advice}


def test_a_rule_that_there_is_not_cannot_be_switched_off(library: Library) -> None:
    with pytest.raises(UnknownNameError, match="PRC-999") as refused:
        planned(library, BARE, rules={"off": {"PRC-999": "a slip"}})
    assert refused.value.where == "rules.off"


@pytest.mark.parametrize("workload", [CHAT, BARE, TUNE, PRETRAIN], ids=["chat", "bare", "tuning", "pre-training"])
def test_facts_are_declared_and_of_their_kind(library: Library, workload: dict[str, Any]) -> None:
    document = to_document({"workloads": [workload]})
    facts = rule_facts(library, document, 0, make_plan(document, library).workloads[0])
    declared = {**CANDIDATE_FACTS, **declared_facts(library.all(Question))}
    kinds = {"quantity": float, "flag": bool, "choice": str, "text": str}
    for name, value in facts.items():
        assert isinstance(value, kinds[declared[name].kind]), name


def test_every_declared_fact_is_read_by_some_rule(library: Library) -> None:
    read = {name for rule in library.all(Rule) for name in rule.facts}
    assert set(PLAN_FACTS) <= read
