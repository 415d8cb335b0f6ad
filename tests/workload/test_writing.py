"""Documents written out: they read back as themselves, and what says the same is written the same."""

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.workload.document import Document
from advisor.workload.quantities import Bandwidth, Money, MoneyRate, Period, Quantity, Size
from advisor.workload.reading import read_document, to_document
from advisor.workload.writing import canonical_json, document_data, document_schema, document_to_yaml

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("assistant*.yaml"))
FULL = """
name: Everything
today: 2026-11-30
workloads:
  - {name: a, kind: agent, model: {parameters: 13B}, input_tokens: {p50: 1k, p95: 4000.5}, output_tokens: 500,
     calls_per_request: 2.5, components: [{role: draft, model: small, input_tokens: 3}], engine_settings: {enforce_eager: off,
     cpu_offload: 10 GiB}, targets: {tpot_p95: 45 ms, cost_per_million_tokens: 0.35 USD, finish_within: 90 min},
     dataset: 2M tokens,
     data: {size: 1.5 TB, retention: 36 h, residency: [EU, UK]},
     accelerators: {only: h100-sxm, owned: [{id: h100-sxm, count: 8}]}}
site: {network: 400 Gbit/s, circuit: {voltage: 230 V, current: 32 A}, electricity: 0.28 EUR/kWh, redundant_feeds: yes}
budget: {currency: EUR, exchange_rates: {EUR: 1.08 USD}, monthly_limit: 20000 EUR/month, term: 30 months,
  prices: {l40s: 1.20 USD/h}}
estate: {servers: [{count: 2, memory: 2 TB}], projects: [{name: p, workloads: a}]}
"""


@pytest.mark.parametrize("text", [*(file.read_text() for file in EXAMPLES), FULL])
def test_a_document_reads_back_as_itself(text: str) -> None:
    document = read_document(text)
    assert read_document(document_to_yaml(document)) == document
    assert to_document(document_data(document)) == document
    assert read_document(canonical_json(document)) == document
    assert canonical_json(read_document(document_to_yaml(document))) == canonical_json(document)


def test_quantities_are_written_as_people_write_them() -> None:
    data = document_data(read_document(FULL))
    first = data["workloads"][0]
    assert first["targets"] == {"tpot_p95": "45 ms", "cost_per_million_tokens": "0.35 USD", "finish_within": "1.5 h"}
    assert first["model"] == {"parameters": 13_000_000_000}
    assert (first["input_tokens"], first["output_tokens"]) == ({"p50": 1000, "p95": 4000.5}, 500)
    assert first["engine_settings"] == {"cpu_offload": "10 GiB", "enforce_eager": False}
    assert first["data"] == {"size": "1.5 TB", "residency": ["EU", "UK"], "retention": "1.5 days"}
    assert data["site"]["circuit"] == {"voltage": "230 V", "current": "32 A"}
    assert data["today"] == "2026-11-30"
    assert "estate" not in document_data(read_document("workloads: [{kind: rag, model: m}]"))


def test_what_says_the_same_has_one_canonical_form() -> None:
    spellings = [
        "workloads: [{kind: realtime-inference, model: m, targets: {ttft_mean: 2 s, availability: 99.9 %}, input_tokens: 4k}]",
        "workloads:\n- model: m\n  kind: Realtime_Inference\n  input_tokens: {mean: 4000}\n"
        "  targets: {availability: 0.999, ttft_mean: 2000 ms}",
        '{"workloads": [{"model": "m", "kind": "realtime", "traffic": null, "input_tokens": 4000.0,'
        '"targets": {"ttft_mean": "2 s", "availability": 0.999}}]}',
    ]
    assert len({canonical_json(read_document(text)) for text in spellings}) == 1
    assert canonical_json(read_document(spellings[0].replace("2 s", "3 s"))) != canonical_json(read_document(spellings[0]))


def test_amounts_in_another_currency_are_kept_in_dollars() -> None:
    document = read_document(FULL)
    assert document.site is not None
    assert document.site.electricity == pytest.approx(0.28 * 1.08 / 3.6e6)


READERS: list[Quantity] = [get_args(kind)[1] for kind in (Size, Period, Bandwidth, Money, MoneyRate)]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.unit)
@given(share=st.floats(0, 1))
@settings(max_examples=150)
def test_every_magnitude_is_written_exactly(reader: Quantity, share: float) -> None:
    value = float(f"{max(reader.at_least, reader.at_most**share, 1e-9):.12g}")
    info: Any = None
    assert reader.read(reader.write(value), info) == value


def test_the_schema_describes_what_is_read() -> None:
    schema = document_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for text in [*(file.read_text() for file in EXAMPLES), FULL]:
        assert not list(validator.iter_errors(document_data(read_document(text))))
    for file in EXAMPLES:
        assert not list(validator.iter_errors(yaml.safe_load(file.read_text())))
    refused: list[dict[str, Any]] = [
        {"workloads": []},
        {"workloads": [{"kind": "rag"}]},
        {"workloads": [{"kind": "chat", "model": "m"}]},
        {"workloads": [{"kind": "rag", "model": "m", "trafic": {}}]},
        {"workloads": [{"kind": "rag", "model": "m", "traffic": {"active_share": 10}}]},
    ]
    for wrong in refused:
        assert list(validator.iter_errors(wrong))


def test_the_schema_names_every_key() -> None:
    schema = document_schema()
    assert list(schema["properties"]) == list(Document.model_fields)
    assert json.loads(json.dumps(schema)) == schema
