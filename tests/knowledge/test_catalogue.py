"""The catalogue as it ships: everything the reference tables list is there, reads, cites, and keeps its figures in range."""

import csv
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml
from pydantic import BaseModel

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.ambiguous import AmbiguousName, ClosedNames
from advisor.catalogue.formats import Format
from advisor.catalogue.licence import Licence
from advisor.catalogue.model import LayerGroup, Model
from advisor.catalogue.names import normal
from advisor.catalogue.network import Network
from advisor.catalogue.price import Price
from advisor.catalogue.record import Citation, Entry
from advisor.catalogue.server import Server
from advisor.catalogue.source import Source
from advisor.catalogue.storage import Storage
from advisor.units import parse

ROOT = Path(__file__).parents[2]
KNOWLEDGE = ROOT / "knowledge"
REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "reference_ids.json").read_text(encoding="utf-8"))
KINDS: dict[str, type[Entry]] = {
    "accelerators": Accelerator,
    "models": Model,
    "formats": Format,
    "servers": Server,
    "networks": Network,
    "storage": Storage,
    "licences": Licence,
}
NAMES_ONLY = {"ambiguous.yaml", "closed.yaml"}
R = TypeVar("R", bound=BaseModel)


def read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


@cache
def entries(kind: str) -> Mapping[str, Entry]:
    """Every entry of a kind, read without context so that a quantity without its unit is refused."""
    found: dict[str, Entry] = {}
    for path in sorted((KNOWLEDGE / kind).glob("*.yaml")):
        if path.name not in NAMES_ONLY:
            for id, body in read(path).items():
                assert id not in found, f"{path.name}: {id} stands twice"
                found[id] = KINDS[kind].model_validate({"id": id, **body})
    return found


def of(record: type[R], kind: str) -> Mapping[str, R]:
    found = entries(kind)
    return {id: entry for id, entry in found.items() if isinstance(entry, record)}


@cache
def prices() -> tuple[Price, ...]:
    return tuple(
        Price.model_validate(row)
        for path in sorted((KNOWLEDGE / "prices").glob("*.csv"))
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    )


@cache
def sources() -> Mapping[str, Source]:
    return {
        path.stem: Source.model_validate({"id": path.stem, **read(path)})
        for path in sorted((KNOWLEDGE / "sources").glob("*.yaml"))
    }


@cache
def ambiguous(kind: str) -> Mapping[str, AmbiguousName]:
    return {name: AmbiguousName.model_validate(body) for name, body in read(KNOWLEDGE / kind / "ambiguous.yaml").items()}


def spellings(kind: str) -> Iterator[tuple[str, str]]:
    for id, entry in entries(kind).items():
        for name in {id, getattr(entry, "name", id), *getattr(entry, "aliases", ())}:
            yield name, id


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "formats"])
def test_every_reference_id_is_there(kind: str) -> None:
    wanted = " ".join(REFERENCE[kind]).split()
    assert sorted(set(wanted) - set(entries(kind))) == []


def test_every_reference_format_is_found_by_its_name() -> None:
    known = {normal(name).replace("_", "-") for name, _ in spellings("formats")}
    assert [name for name in REFERENCE["formats"] if normal(name).replace("_", "-") not in known] == []


def test_every_price_row_is_there_once() -> None:
    assert Counter(price.provider for price in prices()) == REFERENCE["price_rows"]
    assert [id for id, count in Counter(price.id for price in prices()).items() if count > 1] == []


def test_names_that_need_a_question_name_entries() -> None:
    assert len(ambiguous("models")) == REFERENCE["ambiguous_model_names"]
    for kind in ("models", "accelerators"):
        for name, meant in ambiguous(kind).items():
            assert [id for id in meant.meanings if id not in entries(kind)] == [], name
    assert len(ClosedNames.model_validate(read(KNOWLEDGE / "models" / "closed.yaml")).names) == REFERENCE["closed_model_names"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_spelling_stands_for_two_entries(kind: str) -> None:
    meanings: dict[str, set[str]] = {}
    for name, id in spellings(kind):
        meanings.setdefault(normal(name), set()).add(id)
    assert {name: ids for name, ids in meanings.items() if len(ids) > 1} == {}


def test_accelerator_short_names_stay_ambiguous() -> None:
    spelled = {normal(name) for name, _ in spellings("accelerators")}
    assert [name for name in ambiguous("accelerators") if normal(name) in spelled] == []


def test_what_entries_name_exists() -> None:
    for model in of(Model, "models").values():
        for named in (model.format, model.kv_format):
            assert named is None or named in entries("formats"), model.id
    for server in of(Server, "servers").values():
        assert server.accelerator is None or server.accelerator in entries("accelerators"), server.id
    for price in prices():
        assert price.accelerator is None or price.accelerator in entries("accelerators"), price.id
    for licence in of(Licence, "licences").values():
        assert set(licence.included_with) <= set(entries("accelerators")), licence.id


def cited() -> Iterator[tuple[str, Citation]]:
    for kind in KINDS:
        for id, entry in entries(kind).items():
            yield from ((id, citation) for citation in entry.sources)
    for price in prices():
        yield from ((price.id, citation) for citation in price.sources)


def test_every_cited_source_exists() -> None:
    assert sorted({citation.source for _, citation in cited()} - set(sources())) == []


def test_every_source_is_used() -> None:
    unused = set(sources()) - {citation.source for _, citation in cited()}
    # Engines, efficiencies, rules, questions and formulas cite too; their files name the source by its id.
    others = [path for folder in ("rules", "knowledge", "advisor") for path in (ROOT / folder).rglob("*")]
    for path in others:
        if unused and path.suffix in (".yaml", ".csv", ".py") and path.parent.name != "sources":
            text = path.read_text(encoding="utf-8")
            unused = {id for id in unused if id not in text}
    assert sorted(unused) == []


def between(value: float | None, low: str, high: str, unit: str) -> bool:
    return value is None or parse(low, unit) <= value <= parse(high, unit)


def test_accelerator_figures_are_sane() -> None:
    for part in of(Accelerator, "accelerators").values():
        assert between(part.memory, "0.2 GB", "600 GB", "byte"), part.id
        assert between(part.memory_bandwidth, "90 GB/s", "80 TB/s", "byte/second"), part.id
        assert between(part.power, "20 W", "1.5 kW", "watt"), part.id
        for usable in (part.usable_memory, part.nominal_memory):
            # A driver shows a little less than the box, or a binary gigabyte for each that is printed.
            assert usable is None or part.memory is None or 0.97 <= usable / part.memory <= 1.08, part.id
        assert set(part.compute) <= {"fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"}, part.id
        assert all(between(rate, "1 TFLOP/s", "40 PFLOP/s", "FLOP/second") for rate in part.compute.values()), part.id
        assert part.price is None or part.price.low <= part.price.high, part.id


def test_links_halve_what_vendors_print() -> None:
    for part in of(Accelerator, "accelerators").values():
        link = part.scale_up
        if link and link.bandwidth and link.per_direction:
            assert math.isclose(link.per_direction * 2, link.bandwidth), part.id
        if link and link.peer_bandwidth and link.per_direction:
            assert link.peer_bandwidth * (link.domain - 1) <= link.per_direction * 1.001, part.id
    for network in of(Network, "networks").values():
        if network.per_direction and network.bidirectional:
            assert math.isclose(network.per_direction * 2, network.bidirectional), network.id
        if network.per_direction and network.line_rate:
            assert math.isclose(network.per_direction, network.line_rate), network.id


def test_format_bits_are_sane() -> None:
    for form in of(Format, "formats").values():
        assert 1.5 <= form.bits <= 32, form.id
        # Published files of mixed formats keep the head and some of the attention larger.
        assert form.whole_model_bits is None or -0.05 < form.whole_model_bits / form.bits - 1 < 0.15, form.id
        assert form.compute in {"fp32", "bf16", "fp16", "fp8", "int8", "fp4"}, form.id


def test_layer_groups_say_what_their_kind_needs() -> None:
    needs: dict[str, Callable[[LayerGroup], object]] = {
        "attention": lambda group: group.kv_heads and group.head_dim,
        "latent": lambda group: group.latent_width,
        "recurrent": lambda group: group.state_bytes,
        "none": lambda group: bool(group.kv_heads and group.head_dim) == bool(group.cross_tokens) and group.latent_width is None,
    }
    for model in of(Model, "models").values():
        for group in model.layer_groups:
            assert needs[group.kind](group), f"{model.id}: {group}"


def test_latent_groups_say_how_wide_an_expanded_key_is() -> None:
    # It sets the work of attention; without it there would be none.
    for model in of(Model, "models").values():
        assert [group for group in model.layer_groups if group.kind == "latent" and group.head_dim is None] == [], model.id


def test_layer_groups_cover_the_layers() -> None:
    # A layer that keeps two kinds of state stands in two groups.
    twice = {"falcon-h1-34b", "deepseek-v4-flash", "deepseek-v4-pro", "deepseek-v4-flash-0731", "deepseek-v4-pro-0813"}
    for model in of(Model, "models").values():
        counted = sum(group.count for group in model.layer_groups)
        if model.layers and counted:
            assert counted > model.layers if model.id in twice else counted == model.layers, model.id


def test_parameters_add_up() -> None:
    # Published totals that hold multi-token-prediction layers, or an encoder rounded at the source, beside what is active.
    more = {"step-3.5-flash", "mimo-v2-flash", "ernie-4.5-21b-a3b", "mistral-large-3-675b"}
    for model in of(Model, "models").values():
        parts = model.parameters
        if model.vocabulary and model.hidden and parts.embedding:
            assert parts.embedding == pytest.approx(model.vocabulary * model.hidden, rel=2e-3), model.id
        if model.experts and parts.active:
            used = model.experts.per_token / model.experts.count
            idle = parts.experts * (1 - used)
            resting = parts.total - parts.tower - idle
            assert resting == pytest.approx(parts.active, rel=0.25 if model.id in more else 0.01), model.id


def test_families_released_quantized_say_so() -> None:
    """A checkpoint's format unknown means 16 bit, which for these would be up to four times what they take."""
    released = {
        "DeepSeek V3": {"fp8-e4m3-block128"},
        "DeepSeek R1": {"fp8-e4m3-block128"},
        "DeepSeek V4": {"mxfp4-fp8"},
        "Kimi K2": {"fp8-e4m3-block128", "int4-g32"},
        "Kimi K2.5": {"int4-g32"},
        "Kimi K3": {"mxfp4"},
        "gpt-oss": {"mxfp4"},
        "Ministral 3": {"fp8-e4m3-per-tensor"},
        "Mistral Medium": {"fp8-e4m3-per-tensor"},
    }
    for model in of(Model, "models").values():
        if model.family in released:
            assert model.format in released[model.family], model.id


def test_prices_are_sane_or_doubted() -> None:
    for price in prices():
        each = price.on_demand_per_accelerator
        assert between(each, "0.25 USD/h", "30 USD/h", "USD/second"), price.id
        if price.spot is not None and price.on_demand is not None:
            assert price.spot <= price.on_demand or price.doubt, price.id
        assert price.dated == (price.as_of is not None), price.id


FIGURES = [
    ("accelerators", "h100-sxm", "memory_bandwidth", "3.35 TB/s", "byte/second"),
    ("accelerators", "h100-sxm", "usable_memory", "81559 MiB", "byte"),
    ("accelerators", "h100-sxm", "compute.bf16", "989 TFLOP/s", "FLOP/second"),
    ("accelerators", "h100-sxm", "scale_up.per_direction", "450 GB/s", "byte/second"),
    ("accelerators", "b300-sxm", "compute.int8", "157.5 TOP/s", "FLOP/second"),
    ("accelerators", "mi300x", "scale_up.peer_bandwidth", "64 GB/s", "byte/second"),
    ("accelerators", "mi325x", "nominal_memory", "256 GiB", "byte"),
    ("accelerators", "rtx-4090", "compute.fp8", "330.3 TFLOP/s", "FLOP/second"),
    ("accelerators", "trainium1", "scale_up.bandwidth", "384 GiB/s", "byte/second"),
    ("accelerators", "gb200", "price.low", "43000 USD", "USD"),
    ("models", "llama-3.1-70b", "parameters.total", "70.5537 B", "1"),
    ("models", "qwen3-235b-a22b", "parameters.active", "22.1908 B", "1"),
    ("models", "deepseek-v3", "parameters.extra.multi_token_prediction", "13.505 B", "1"),
    ("models", "qwen3.5-35b-a3b", "layer_groups.1.state_bytes", 64389120 / 30, "1"),
    ("models", "gemma-4-31b", "layer_groups.1.head_dim", 512, "1"),
    ("models", "sam-vit-h", "flops_per_item", "5961.083 GFLOP", "FLOP"),
    ("formats", "gguf-q4-k-m", "whole_model_bits", 4.8944, "1"),
    ("formats", "nvfp4", "bits", 4.5, "1"),
    ("servers", "dgx_b200", "power", "14.3 kW", "watt"),
    ("servers", "gb200_nvl72", "accelerator_count", 72, "1"),
    ("networks", "nvlink4_nvls", "all_reduce", "482.3 GB/s", "byte/second"),
    ("networks", "ib_ndr", "line_rate", "400 Gbit/s", "byte/second"),
    ("storage", "s3_standard", "price", "0.023 USD/GB/month", "USD/byte/second"),
    ("storage", "mlperf_ckpt_llama3_405b", "capacity", "5290 GB", "byte"),
    ("licences", "nvaie_cloud", "per_year", "1 USD/h", "USD/second"),
]


@pytest.mark.parametrize(
    ("kind", "id", "path", "figure", "unit"), FIGURES, ids=[f"{kind}-{id}-{path}" for kind, id, path, *_ in FIGURES]
)
def test_figures_read_as_printed(kind: str, id: str, path: str, figure: str | float, unit: str) -> None:
    value: Any = entries(kind)[id]
    for step in path.split("."):
        value = value[int(step)] if step.isdigit() else value[step] if isinstance(value, dict) else getattr(value, step)
    assert value == pytest.approx(parse(figure, unit), rel=1e-9)


def test_a_price_reads_as_printed() -> None:
    price = next(price for price in prices() if price.id == "aws/p5.48xlarge/us-east-1")
    assert price.on_demand == pytest.approx(parse("55.04 USD/h", "USD/second"))
    assert (price.accelerator, price.count, price.vcpu, str(price.as_of)) == ("h100-sxm", 8, 192, "2026-07-20")
    assert price.memory == parse("2048 GiB", "byte")
    undated = [price.provider for price in prices() if not price.dated]
    assert set(undated) == {"hyperstack", "lambda", "nebius", "oci", "runpod"}
