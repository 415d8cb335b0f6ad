"""Good documents: everything the key table names is read, in the forms people write it."""

import time
from datetime import date
from pathlib import Path

import pytest

from advisor.workload.document import Document, Workload
from advisor.workload.model_wish import UndecidedModel
from advisor.workload.reading import read_document, to_document

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALLEST = "workloads: [{kind: rag, model: llama-3.1-8b}]\n"


def workload(keys: str) -> Workload:
    return read_document(f"workloads:\n  - kind: realtime-inference\n    model: llama-3.1-8b\n    {keys}\n").workloads[0]


@pytest.mark.parametrize(
    ("file", "model"),
    [("assistant.yaml", "meta-llama/Llama-3.1-70B-Instruct"), ("assistant-8b.yaml", "meta-llama/Llama-3.1-8B-Instruct")],
)
def test_examples(file: str, model: str) -> None:
    document = read_document(EXAMPLES / file)
    chat = document.workloads[0]
    assert (document.name, chat.name, chat.kind, chat.model) == ("Staff assistant", "chat", "realtime-inference", model)
    assert chat.environment is None
    assert chat.traffic is not None
    assert chat.traffic.concurrent_requests == 50
    assert chat.input_tokens is not None
    assert chat.input_tokens.typical == chat.input_tokens.long == 4000
    assert chat.targets is not None
    assert (chat.targets.ttft_mean, chat.targets.tpot_mean, chat.targets.availability) == (2.0, 0.05, 0.999)
    assert chat.accelerators is not None
    assert chat.accelerators.only == ("h100-sxm",)
    assert document.site is not None
    assert document.site.electricity == pytest.approx(0.12 / 3.6e6)
    assert document.site.rack_power == 20_000
    assert document.budget is not None
    assert document.budget.term == 3 * 365 * 86400


def test_reading_the_example_takes_less_than_five_milliseconds() -> None:
    text = (EXAMPLES / "assistant.yaml").read_text()
    read_document(text)

    def once() -> float:
        start = time.perf_counter()
        read_document(text)
        return time.perf_counter() - start

    assert min(once() for _ in range(20)) < 0.005


def test_every_key_of_the_table() -> None:
    document = read_document(
        """
        name: Everything
        today: 2026-11-30
        workloads:
          - name: tuning
            kind: Fine_Tuning
            environment: dev
            model: {parameters: 13B, layers: 40, heads: 40, kv_heads: 8}
            components:
              - {role: embedder, model: bge-m3, precision: fp16}
              - {role: reward, model: {parameters: 7B}}
            precision: bf16
            kv_precision: fp8
            engine: vllm
            engine_version: 0.10
            engine_settings: {gpu_memory_utilization: 90 %, max_num_seqs: 256, enforce_eager: no, sharding: ZeRO-3, context: 8k}
            traffic: {people: 2k, active_share: 10 %, requests_per_active_person_per_hour: 6, growth_per_year: 20 %}
            input_tokens: {p50: 1k, p95: 4k}
            output_tokens: 500
            calls_per_request: 3.5
            shared_prefix_tokens: 800
            targets: {ttft_p95: 2 s, latency_p99: 30 s, availability: 0.999, requests_per_second: 20, finish_within: 8 h}
            method: LoRA
            dataset: {samples: 50k, tokens_per_sample: 700}
            epochs: 3
            sequence_length: 4096
            batch: 64
            finish_within: 8 h
            runs_per_month: 4
            accelerators:
              exclude: a100-sxm
              max_count: 16
              owned: [{id: h100-sxm, count: 8, per_node: 8}]
            data: {size: 500 GB, documents: 2M, sensitivity: personal, residency: Germany, prompts_logged: yes}
        site:
          deployment: on-prem
          circuit: {voltage: 208 V, current: 60 A, phases: 3, continuous_share: 80 %}
        budget:
          currency: €
          exchange_rates: {EUR: 1.25 USD}
          purchase_limit: 100,000 EUR
          prices: {h100-sxm: {purchase: 28000 USD, as_of: 2026-10-01}, l40s: 1.20 USD/h}
        estate:
          servers: [{id: dgx-h100, count: 2}]
          projects: [{name: helpdesk, workloads: [tuning], share: 0.4}]
        """
    )
    tuning = document.workloads[0]
    assert document.today == date(2026, 11, 30)
    assert (tuning.kind, tuning.environment, tuning.method, tuning.engine_version) == (
        "fine-tuning",
        "development",
        "lora",
        "0.10",
    )
    assert isinstance(tuning.model, UndecidedModel)
    assert tuning.model.parameters == 13e9
    assert [component.role for component in tuning.components] == ["embedder", "reward"]
    assert tuning.engine_settings is not None
    assert tuning.engine_settings.gpu_memory_utilization == 0.9
    assert tuning.engine_settings.enforce_eager is False
    assert tuning.engine_settings.sharding == "zero-3"
    assert tuning.engine_settings.context == 8000
    assert tuning.traffic is not None
    assert (tuning.traffic.people, tuning.traffic.active_share) == (2000, 0.1)
    assert tuning.input_tokens is not None
    assert (tuning.input_tokens.typical, tuning.input_tokens.long) == (1000, 4000)
    assert tuning.dataset is not None
    assert tuning.dataset.all_tokens == 35e6
    assert tuning.accelerators is not None
    assert tuning.accelerators.exclude == ("a100-sxm",)
    assert tuning.accelerators.owned[0].per_node == 8
    assert tuning.data is not None
    assert (tuning.data.residency, tuning.data.prompts_logged) == (("Germany",), True)
    assert document.site is not None
    assert document.site.deployment == "on-premises"
    assert document.budget is not None
    assert (document.budget.currency, document.budget.purchase_limit) == ("EUR", 125_000)
    assert document.budget.prices["h100-sxm"].purchase == 28_000
    assert document.budget.prices["l40s"].rent == pytest.approx(1.2 / 3600)
    assert document.estate is not None
    assert document.estate.servers[0].count == 2


def test_words_that_yaml_1_1_would_change_stay_words() -> None:
    read = workload("name: no\n    engine_version: 0.10\n    engine: 1_000\n    precision: 0x10\n    kv_precision: 1:30")
    assert (read.name, read.engine_version, read.engine, read.precision, read.kv_precision) == (
        "no",
        "0.10",
        "1_000",
        "0x10",
        "1:30",
    )


@pytest.mark.parametrize(
    ("written", "tokens"),
    [("4000", 4000), ("4k", 4000), ("'8k tokens'", 8000), ("2M", 2e6), ("2,000", 2000), ("010", 10), ("1e3", 1000)],
)
def test_counts(written: str, tokens: float) -> None:
    length = workload(f"input_tokens: {written}").input_tokens
    assert length is not None
    assert length.mean == tokens


@pytest.mark.parametrize("written", ["90 %", "0.9", "90%", '"90 %"', "90 percent"])
def test_shares(written: str) -> None:
    settings = workload(f"engine_settings: {{gpu_memory_utilization: {written}}}").engine_settings
    assert settings is not None
    assert settings.gpu_memory_utilization == 0.9


@pytest.mark.parametrize("written", ["20", "20 requests/s", "1200 requests/min", "72k requests/h", "'20 req/s'"])
def test_rates_carry_their_unit_in_the_name(written: str) -> None:
    traffic = workload(f"traffic: {{requests_per_second: {written}}}").traffic
    assert traffic is not None
    assert traffic.requests_per_second == pytest.approx(20)


@pytest.mark.parametrize(
    ("written", "flag"), [("true", True), ("yes", True), ("On", True), ("false", False), ("no", False), ("OFF", False)]
)
def test_flags(written: str, flag: bool) -> None:
    settings = workload(f"engine_settings: {{enforce_eager: {written}}}").engine_settings
    assert settings is not None
    assert settings.enforce_eager is flag


def test_people_beside_a_measured_load_say_for_whom_it_is() -> None:
    traffic = workload("traffic: {people: 2000, active_share: 10 %, concurrent_requests: 50}").traffic
    assert traffic is not None
    assert (traffic.people, traffic.concurrent_requests) == (2000, 50)


def test_arrivals_said_twice_alike() -> None:
    keys = "{people: 2000, active_share: 10 %, requests_per_active_person_per_hour: 6, requests_per_second: 0.333}"
    traffic = workload(f"traffic: {keys}").traffic
    assert traffic is not None
    assert traffic.requests_per_second == 0.333


def test_keys_without_a_value_are_left_out() -> None:
    read = workload("traffic:\n    components:\n    accelerators: {only: , owned: ~}")
    assert read.traffic is None
    assert read.components == ()
    assert read.accelerators is not None
    assert (read.accelerators.only, read.accelerators.owned) == ((), ())


def test_aliases_and_merged_keys() -> None:
    document = read_document(
        "workloads:\n"
        "  - &chat {name: a, kind: rag, model: m, traffic: &load {people: 10}}\n"
        "  - {<<: *chat, name: b, kind: agent}\n"
        "  - {name: c, kind: rag, model: m, traffic: *load}\n"
    )
    first, second, third = document.workloads
    assert (second.name, second.kind, second.model) == ("b", "agent", "m")
    assert first.traffic == second.traffic == third.traffic


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "document.yaml"
    file.write_bytes(f"name: Größe\n{SMALLEST}".encode(encoding))
    assert read_document(file).name == "Größe"


def test_text_with_a_byte_order_mark_and_windows_lines() -> None:
    assert read_document("\ufeffname: x\r\n" + SMALLEST).name == "x"


def test_json() -> None:
    text = (
        '{"workloads":[\n\t{"kind": "rag", "model": "m", "traffic": {"people": 2e3},"engine_settings": {"enforce_eager": true}}]}'
    )
    data = {"kind": "rag", "model": "m", "traffic": {"people": 2000}, "engine_settings": {"enforce_eager": True}}
    assert read_document(text) == to_document({"workloads": [data]})


def test_currencies_by_their_sign() -> None:
    document = read_document(
        SMALLEST + "budget: {exchange_rates: {€: 1.25 USD}, purchase_limit: 100 €, monthly_limit: 730 $/month}"
    )
    assert document.budget is not None
    assert document.budget.exchange_rates == {"EUR": 1.25}
    assert document.budget.purchase_limit == 125
    assert document.budget.monthly_limit == pytest.approx(1 / 3600)


def test_data_with_numbers() -> None:
    document = to_document(
        {"today": "2026-11-30", "workloads": [{"kind": "rag", "model": "m", "batch": 8.0, "input_tokens": {"p50": 10}}]}
    )
    assert isinstance(document, Document)
    assert document.workloads[0].batch == 8
