"""Families, accelerators and formats drawn at random: each gives a plan or a named limit, never a traceback."""

import random
from datetime import date

import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.errors import InputError
from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.workload.reading import to_document

FORMATS = ("bf16", "fp8", "awq-int4", "nvfp4", "q4_k_m")
KINDS_OF_PART = ("NVIDIA", "AMD", "Intel", "Google", "Apple", "consumer")


def _draws(library: Library, seed: int) -> list[tuple[str, str, str]]:
    chance = random.Random(seed)
    families: dict[str, list[str]] = {}
    for model in library.all(Model):
        families.setdefault(model.family, []).append(model.id)
    models = [chance.choice(families[family]) for family in chance.sample(sorted(families), 10)]
    parts: list[str] = []
    for kind in KINDS_OF_PART:
        of_kind = [
            part.id
            for part in library.all(Accelerator)
            if (part.data_centre == "no" if kind == "consumer" else part.vendor == kind) and part.memory
        ]
        parts.append(chance.choice(of_kind))
    parts += chance.sample([part.id for part in library.all(Accelerator)], 4)
    return [(model, part, form) for model in models for part in parts for form in FORMATS]


@pytest.mark.parametrize("seed", [1, 2])
def test_each_draw_gives_a_plan_or_a_named_limit(library: Library, seed: int) -> None:
    planned = refused = unknown = 0
    messages: set[str] = set()
    for model, part, form in _draws(library, seed):
        document = to_document(
            {
                "workloads": [
                    {
                        "kind": "realtime-inference",
                        "model": model,
                        "precision": form,
                        "traffic": {"concurrent_requests": 8},
                        "input_tokens": 1000,
                        "output_tokens": 200,
                        "accelerators": {"only": [part]},
                    }
                ]
            }
        )
        try:
            workload = make_plan(document, library, today=date(2026, 11, 30)).workloads[0]
        except InputError as error:
            messages.add(error.message)
            unknown += 1
            continue
        if workload.recommended is None:
            binding = [limit for limit in workload.limits if limit.binding]
            assert len(binding) == 1, (model, part, form)
            assert binding[0].relax
            refused += 1
        else:
            assert workload.recommended.accelerator == part
            assert workload.recommended.accelerators >= 1
            planned += 1
    assert planned + refused + unknown == 500
    assert planned > 100
    # The catalogue knows the size of a few models but not their attention, and not the memory of every part.
    assert all("attention layout" in message or "memory" in message for message in messages)
