"""Figures printed in papers and logs, reproduced by the formulas; the table beside this file holds them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.catalogue.source import Source
from advisor.evidence.hosts import host_of
from advisor.library import Library
from advisor.sizing.candidates import EngineSettings, Question, candidates
from advisor.sizing.formula import at
from advisor.sizing.memory.constants import MEMORY_CONSTANTS
from advisor.sizing.size import size
from advisor.units import parse

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "memory.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"][:50])
def test_published_memory(library: Library, case: dict[str, Any]) -> None:
    engine = library.get(Engine, "vllm")
    question = Question(
        model=library.get(Model, case["model"]),
        hosts=(host_of(library, library.get(Accelerator, "h100-sxm"), 8),),
        formats=(library.get(Format, case.get("form", "bf16")),),
        kv_format=library.get(Format, case.get("kv", "bf16")),
        engine_family="vllm",
        era=engine.era(case.get("generation", engine.current)),
        settings=EngineSettings(),
        input_tokens=4000,
        output_tokens=500,
        concurrent_requests=1,
        tensor_parallel=(case.get("tensor_parallel", 1),),
        pipeline_parallel=(1,),
    )
    table = size(candidates(question), [library.get(Efficiency, id) for id in MEMORY_CONSTANTS], layout=())
    assert at(table.values[case["quantity"]], 0) == pytest.approx(parse(case["printed"], "byte"), rel=case["within"])
    assert library.has(Source, next(iter(case["cite"])))
