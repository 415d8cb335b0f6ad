"""Which parts run which weight formats, as the shipped lists have it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.formats import Format
from advisor.catalogue.running import Running, how_it_runs

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"


def read(folder: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((KNOWLEDGE / folder).glob("*.yaml")):
        if path.name != "ambiguous.yaml":
            found.update(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
    return found


@cache
def parts() -> Mapping[str, Accelerator]:
    return {id: Accelerator.model_validate({"id": id, **body}) for id, body in read("accelerators").items()}


@cache
def formats() -> Mapping[str, Format]:
    return {id: Format.model_validate({"id": id, **body}) for id, body in read("formats").items()}


PAIRS: list[tuple[str, str, Running]] = [
    # 16 bit
    ("bf16", "v100-sxm2-32", "no"),
    ("bf16", "t4", "no"),
    ("bf16", "a10g", "native"),  # its rates are not published
    ("bf16", "a100-sxm4-80", "native"),
    ("bf16", "jetson-agx-orin-64", "native"),
    ("bf16", "mi210", "native"),
    ("bf16", "gaudi2", "native"),
    ("bf16", "tpu-v5e", "native"),
    ("bf16", "apple-m4-max", "unknown"),
    ("fp16", "t4", "native"),
    ("fp16", "w7900", "native"),
    ("fp16", "max-1550", "native"),
    # 8 bit
    ("fp8-e4m3-per-tensor", "h100-sxm", "native"),
    ("fp8-e4m3-per-channel", "l40s", "native"),
    ("fp8-e4m3-per-channel", "a30", "weight-only"),
    ("fp8-e4m3-per-channel", "t4", "weight-only"),
    ("fp8-e4m3-per-channel", "v100-pcie-16", "no"),
    ("fp8-e4m3-per-tensor", "mi300x", "native"),
    ("fp8-e4m3-per-tensor", "mi250x", "no"),
    ("fp8-e4m3-per-tensor", "gaudi3", "native"),
    ("fp8-e4m3-block128", "rtx-pro-6000-bw-maxq", "native"),
    ("fp8-e4m3-block128", "arc-pro-b60", "unknown"),
    ("mxfp8", "mi355x", "native"),
    ("mxfp8", "h200-sxm", "weight-only"),
    ("int8-w8a8", "t4", "native"),
    ("int8-w8a8", "b200-sxm", "no"),
    ("int8-w8a8", "mi300x", "no"),
    ("int8-w8a8", "xeon-8480plus", "native"),
    ("int8-weight-only", "gb300", "native"),
    # 4 bit
    ("nvfp4", "b200-sxm", "native"),
    ("nvfp4", "gb300", "native"),
    ("nvfp4", "rtx-5090", "native"),
    ("nvfp4", "rtx-pro-6000-bw-server", "native"),
    ("nvfp4", "h100-sxm", "weight-only"),
    ("nvfp4", "mi355x", "weight-only"),
    ("mxfp4", "mi355x", "native"),
    ("mxfp4", "b300-sxm", "native"),
    ("mxfp4", "h100-sxm", "weight-only"),
    ("mxfp4", "a100-sxm4-80", "weight-only"),
    ("mxfp4", "mi325x", "weight-only"),
    ("mxfp4", "t4", "no"),
    ("mxfp4-fp8", "h200-sxm", "weight-only"),
    ("mxfp4-fp8", "mi250", "no"),
    ("awq-int4-g128", "v100-sxm2-16", "no"),
    ("awq-int4-g128", "t4", "native"),
    ("awq-int4-g128", "mi300x", "no"),
    ("gptq-int4-g128", "v100-sxm2-16", "native"),
    ("gptq-int4-g128", "arc-pro-b60", "native"),
    ("gptq-int4-g128", "tpu-v6e", "no"),
    ("int4-g32", "gb200", "native"),
    ("nf4", "mi300x", "no"),
    ("nf4", "b200-sxm", "unknown"),
    # files of llama.cpp
    ("gguf-q4-k-m", "apple-m3-ultra", "native"),
    ("gguf-q4-k-m", "jetson-orin-nano-super-8", "native"),
    ("gguf-q8-0", "epyc-9654", "native"),
    ("gguf-q8-0", "tpu-v5e", "no"),
    ("gguf-iq4-k", "mi300x", "unknown"),
]


@pytest.mark.parametrize(("form", "part", "expected"), PAIRS)
def test_how_it_runs(form: str, part: str, expected: Running) -> None:
    assert how_it_runs(parts()[part], formats()[form]) == expected


def lists(form: Format) -> tuple[tuple[str, ...], ...]:
    return form.runs_on, form.weight_only_on, form.not_on


def test_a_name_stands_in_one_list_only() -> None:
    for form in formats().values():
        named = [name for names in lists(form) for name in names]
        assert len(named) == len(set(named)), form.id


def test_every_name_is_an_architecture_or_a_vendor_of_the_catalogue() -> None:
    vendors = {part.vendor for part in parts().values()}
    architectures = {part.architecture for part in parts().values()}
    for form in formats().values():
        for name in (name for names in lists(form) for name in names):
            assert name in vendors or any(each.startswith(name) for each in architectures), f"{form.id}: {name}"


def test_every_format_runs_somewhere() -> None:
    for form in formats().values():
        assert any(how_it_runs(part, form) == "native" for part in parts().values()), form.id


def test_a_format_of_two_runs_where_both_do() -> None:
    """DeepSeek V4's: experts in mxfp4, the rest in fp8."""
    best: list[Running] = ["native", "weight-only", "unknown", "no"]
    experts, rest, both = formats()["mxfp4"], formats()["fp8-e4m3-block128"], formats()["mxfp4-fp8"]
    for part in parts().values():
        worse = max(how_it_runs(part, experts), how_it_runs(part, rest), key=best.index)
        assert how_it_runs(part, both) in (worse, "unknown"), part.id


def test_vllm_is_its_main_repository_on_graphics_processors() -> None:
    served = {part.id for part in parts().values() if "vllm" in part.frameworks}
    assert {parts()[id].kind for id in served} <= {"gpu", "edge"}
    assert {"h100-sxm", "mi300x", "arc-pro-b60"} <= served
    spelled = {framework for part in parts().values() for framework in part.frameworks if framework.startswith("vllm")}
    assert spelled == {"vllm", "vllm-tpu", "vllm-neuron", "vllm-hpu", "vllm-cpu", "vllm-qaic"}
