"""An estate to measure with: the workloads that teams of a company run, over and over with other loads, from a seed."""

import random
from typing import Any

_MODELS = (
    "llama-3.1-8b",
    "llama-3.1-70b",
    "qwen2.5-7b",
    "qwen2.5-32b",
    "mistral-7b-v0.3",
    "gemma-2-9b",
    "qwen2.5-72b",
    "llama-3.2-3b",
)
_DEPARTMENTS = ("sales", "support", "research", "legal", "finance")
_ENVIRONMENTS = ("production", "production", "production", "development", "evaluation")


def estate(workloads: int = 200, seed: int = 7) -> dict[str, Any]:
    """The body of a document with so many workloads: services of three environments, and fine-tuning runs with deadlines."""
    chance = random.Random(seed)
    made = [_training(chance, number) if number % 8 == 7 else _service(chance, number) for number in range(workloads)]
    names = [each["name"] for each in made]
    projects = [
        {"name": f"project {number + 1}", "owner": _DEPARTMENTS[number % len(_DEPARTMENTS)], "workloads": names[number::20]}
        for number in range(min(20, workloads))
    ]
    return {
        "name": f"Estate of {workloads}",
        "today": "2026-11-30",
        "workloads": made,
        "site": {"deployment": "on-premises"},
        "budget": {
            "term": "3 years",
            # Bought in whole servers, so that packing matters; the figures are round ones to measure with, not offers.
            "prices": {"h200-sxm": {"purchase": "40000 USD"}, "l40s": {"purchase": "12000 USD"}},
        },
        "estate": {
            "servers": [
                {"name": "first hall", "count": 4, "accelerator": "h100-sxm", "accelerators": 8},
                {"name": "second hall", "count": 6, "accelerator": "l40s", "accelerators": 4},
            ],
            "projects": projects,
        },
    }


def _service(chance: random.Random, number: int) -> dict[str, Any]:
    return {
        "name": f"service {number + 1}",
        "kind": "realtime-inference",
        "model": chance.choice(_MODELS),
        "environment": chance.choice(_ENVIRONMENTS),
        "traffic": {
            "requests_per_second": chance.choice((0.5, 1, 2, 5, 10)),
            "growth_per_year": chance.choice(("10 %", "50 %", "100 %")),
        },
        "input_tokens": chance.choice((500, 1000, 2000)),
        "output_tokens": chance.choice((100, 200, 400)),
        "accelerators": {"only": ["h100-sxm", "l40s", "h200-sxm", "a100-sxm4-80"]},
        "data": {"sensitivity": chance.choice(("internal", "internal", "internal", "confidential"))},
    }


def _training(chance: random.Random, number: int) -> dict[str, Any]:
    return {
        "name": f"run {number + 1}",
        "kind": "fine-tuning",
        "method": "lora",
        "model": chance.choice(_MODELS[:4]),
        "dataset": {"tokens": chance.choice(("20M", "50M", "100M"))},
        "sequence_length": 2048,
        "finish_within": chance.choice(("8 h", "1 day", "3 days")),
        "runs_per_month": chance.choice((1, 2, 4)),
        "accelerators": {"only": ["h100-sxm", "h200-sxm", "a100-sxm4-80"]},
    }
