"""Use-case presets: every use case has one recommended variant, is found by its spelling, and gives facts with their reasons."""

from collections import Counter

import pytest
from pydantic import ValidationError

from advisor.catalogue.preset import Preset
from advisor.catalogue.source import Source
from advisor.evidence.traces import shipped_traces
from advisor.library import Library
from advisor.plan.presets import preset_defaults
from advisor.questionnaire.question import Question
from advisor.workload.reading import read_document
from advisor.workload.targets import Targets

# Variants of each use case.
USE_CASES = {
    "chat assistant": 6,
    "reasoning chat": 1,
    "RAG question answering": 2,
    "code completion": 2,
    "code assistant / agent": 3,
    "document summarisation": 3,
    "batch document processing / OCR": 2,
    "translation": 3,
    "classification / extraction": 3,
    "long-context analysis": 2,
    "voice assistant": 2,
    "multimodal chat": 1,
    "agent with tools": 3,
    "content generation": 2,
}


def test_every_use_case_has_its_variants_and_one_recommended(library: Library) -> None:
    presets = library.all(Preset)
    assert Counter(preset.use_case for preset in presets) == USE_CASES
    recommended = [preset for preset in presets if preset.recommended]
    assert Counter(preset.use_case for preset in recommended) == dict.fromkeys(USE_CASES, 1)
    for preset in recommended:
        assert preset.name == preset.use_case
        assert library.find(Preset, preset.use_case.upper()) == preset


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("chatbot", "chat-assistant"),
        ("RAG", "rag-question-answering"),
        ("Document Summarization", "document-summarisation"),
        ("coding agent", "code-assistant"),
        ("code-assistant/agent", "code-assistant"),
        ("OCR", "batch-document-processing"),
        ("autocomplete", "code-completion"),
        ("agents", "agent-with-tools"),
        ("long context", "long-context-analysis"),
    ],
)
def test_usual_spellings(library: Library, name: str, id: str) -> None:
    assert library.find(Preset, name).id == id


@pytest.mark.parametrize(
    ("id", "fact", "value", "unit"),
    [
        ("chat-assistant", "input_tokens", 1154.7, "token"),
        ("chat-assistant", "input_tokens_p95", 4083, "token"),
        ("chat-assistant", "output_tokens", 211.1, "token"),
        ("chat-assistant", "ttft_p99", 2, "second"),
        ("chat-assistant", "tpot_p99", 0.2, "second"),
        ("chat-assistant", "peak_to_mean_within_hour", 1.52, "1"),
        ("chat-assistant-burstgpt", "input_tokens", 353, "token"),
        ("chat-assistant-llm-d", "output_tokens", 256, "token"),
        ("chat-assistant-llm-d", "active_share", 0.2, "1"),
        ("chat-assistant-llm-d", "requests_per_active_person_per_hour", 24, "1"),
        ("rag-question-answering", "prefix_hit_rate", 0.3143, "1"),
        ("rag-question-answering", "peak_to_mean", 3.45, "1"),
        ("rag-question-answering", "latency_p95", 18, "second"),
        ("rag-question-answering-llm-d", "ttft_mean", 1.2, "second"),
        ("code-assistant", "calls_per_request", 7.83, "1"),
        ("code-assistant", "prefix_hit_rate", 0.857, "1"),
        ("multimodal-chat", "input_tokens", 572.1 + 1.6 * 649.8, "token"),
        ("content-generation", "output_tokens", 1000, "token"),
        ("voice-assistant", "ttft_p95", 0.3, "second"),
    ],
)
def test_facts_a_preset_gives(library: Library, id: str, fact: str, value: float, unit: str) -> None:
    default = preset_defaults(library.get(Preset, id))[fact]
    assert default.value == pytest.approx(value)
    assert default.unit == unit


def test_what_a_source_does_not_say_is_absent(library: Library) -> None:
    assert set(preset_defaults(library.get(Preset, "voice-assistant"))) == {"ttft_p95"}
    assert "output_tokens" not in preset_defaults(library.get(Preset, "translation"))
    assert preset_defaults(library.get(Preset, "agent-with-tools-autonomous")) == {}
    assert "peak_to_mean" not in preset_defaults(library.get(Preset, "chat-assistant"))
    assert "input_tokens_p95" not in preset_defaults(library.get(Preset, "multimodal-chat"))


def test_every_default_has_a_reason_and_a_source_and_fits_what_asks_for_it(library: Library) -> None:
    asked = {question.fact: question for question in library.all(Question)}
    for preset in library.all(Preset):
        for name, default in preset_defaults(preset).items():
            assert preset.id in default.because
            assert default.sources
            for source in default.sources:
                assert library.has(Source, source.split(",")[0])
            if name in asked:
                between = asked[name].between
                assert default.unit == asked[name].unit
                assert between is None or between[0] <= default.value <= between[1], (preset.id, name)
            if name.startswith(("ttft", "tpot", "latency")):
                assert name in Targets.model_fields


def test_traces_that_presets_name_ship(library: Library) -> None:
    named = {preset.trace for preset in library.all(Preset) if preset.trace}
    assert named == set(shipped_traces(library))


def test_sources_of_the_parts_are_those_of_the_whole() -> None:
    body = {
        "id": "a",
        "name": "a",
        "use_case": "a",
        "variant": "b",
        "basis": "study",
        "lengths": {"input": {"p50": 5}, "sources": ["one"]},
        "peak": {"to_mean": 2, "window": "1 h", "over": "1 day", "sources": ["one", {"two": "page 3"}]},
    }
    assert [str(source) for source in Preset.model_validate(body).sources] == ["one", "two, page 3"]
    with pytest.raises(ValidationError, match="sources"):
        Preset.model_validate({**body, "lengths": None, "peak": None})
    with pytest.raises(ValidationError, match="has no unit"):
        Preset.model_validate({**body, "targets": {"ttft": 300, "sources": ["one"]}})


def test_a_document_names_a_preset() -> None:
    document = read_document("workloads: [{kind: realtime-inference, model: llama-3.1-8b, preset: chat assistant}]")
    assert document.workloads[0].preset == "chat assistant"
