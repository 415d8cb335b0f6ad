"""Facts that a sized candidate puts back for the check rules: its configuration, its memory, and what is sold with it.

Facts that people answer are declared by their questions, facts that design rules set by the rules; these have no other place.
"""

from advisor.facts import FactDeclaration
from advisor.reasoning.environment_facts import ENVIRONMENT_FACTS
from advisor.reasoning.plan_facts import PLAN_FACTS
from advisor.reasoning.site_facts import SITE_FACTS


def _count(name: str, unit: str = "1") -> FactDeclaration:
    return FactDeclaration(name=name, kind="quantity", unit=unit)


def _share(name: str) -> FactDeclaration:
    return FactDeclaration(name=name, kind="quantity", unit="1", percentage=True)


def _word(name: str, *choices: str) -> FactDeclaration:
    return FactDeclaration(name=name, kind="choice", choices=choices)


CANDIDATE_FACTS: dict[str, FactDeclaration] = PLAN_FACTS | {
    declared.name: declared
    for declared in (
        _count("accelerators"),
        _count("tensor_parallel"),
        _count("pipeline_parallel"),
        _count("replicas"),
        _count("spare_replicas"),
        _count("gpus_per_node"),
        _count("sold_accelerators"),
        _count("idle_accelerators"),
        _count("kv_heads"),
        _count("context_length", "token"),
        _count("concurrent_requests", "request"),
        _count("concurrency_capacity", "request"),
        _count("calls"),
        _share("memory_margin"),
        _share("memory_fraction"),
        _word("attention", "full", "windowed", "latent", "recurrent", "hybrid", "none"),
        _word(
            "scale_up_kind",
            "nvlink",
            "nvlink-bridge",
            "xgmi",
            "ici",
            "neuronlink",
            "roce",
            "xe-link",
            "pcie",
            "none",
        ),
        FactDeclaration(name="precision", kind="text"),
        FactDeclaration(name="native_precision", kind="text"),
        FactDeclaration(name="engine", kind="text"),
    )
}
CANDIDATE_FACTS |= ENVIRONMENT_FACTS | SITE_FACTS
