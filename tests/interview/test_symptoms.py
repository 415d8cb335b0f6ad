"""Causes told from what somebody saw."""

import pytest

from advisor.catalogue.symptom import Symptom
from advisor.interview.facts_in_text import understood
from advisor.interview.known_names import reader_of
from advisor.interview.symptoms import LikelyCause, diagnose
from advisor.language.facts import FACTS
from advisor.language.words import LanguageWords
from advisor.library import Library


def causes(library: Library, *turns: str) -> tuple[LikelyCause, ...]:
    reader = reader_of(library)
    return diagnose(understood([reader.read(turn) for turn in turns]), library)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("vllm is no faster than ollama on my 4090, one prompt after the other", "one-request-at-a-time"),
        ("tp=4 on four cards is slower than one card, offline inference", "tensor-parallel-without-need"),
        ("vllm, memory shows 22 of 24 GB although the weights are 9 GB", "cache-set-aside-in-advance"),
        ("kv cache usage at 97%, 200 concurrent requests, everything slow", "cache-too-small"),
        ("it takes 35 min to load the weights from nfs, 8 workers", "weights-on-network-storage"),
        ("rag with reranker, cpu goes 90% for ages", "reranker-on-the-cpu"),
        ("full finetune with zero2 runs out of memory", "states-not-sharded-enough"),
        ("qlora of a 70b on 4 A10G, oom", "whole-copy-on-every-card"),
        ("deepspeed stage 3 with cpu offload, process gets killed", "host-memory-short"),
        ("training an image classifier, gpu utilisation about 5%, the vm has 4 cpus", "loader-too-slow"),
        ("image model training, gpus at 30 percent, data on nfs", "storage-too-slow"),
        ("training over 2 nodes is 10x slower, 1 Gbit/s network", "network-between-nodes"),
        ("both cards train and the pc reboots, 2x 3090, power supply 850 W", "power-supply-trips"),
        ("Training bricht ab, Speicher voll, LoRA mit Sequenzlänge 8192", "activations-of-long-sequences"),
    ],
)
def test_the_likeliest_cause(library: Library, text: str, cause: str) -> None:
    found = causes(library, text)
    assert found, text
    assert found[0].id == cause
    assert found[0].because
    assert found[0].confirm


def test_nothing_is_told_of_nothing(library: Library) -> None:
    assert causes(library, "hello, we plan a chatbot for 50 people") == ()


def test_conditions_read_facts_that_texts_can_give(library: Library) -> None:
    languages = library.all(LanguageWords)
    spread = {f"{name}_{part}" for name, fact in FACTS.items() if fact.spread for part in ("mean", "p50", "p90", "p95", "p99")}
    chosen = {fact for each in languages for fact in each.choices} | {flag for each in languages for flag in each.flags}
    symptoms = {value.replace("-", "_") for each in languages for value in each.choices.get("symptom", {})}
    named = {"model", "accelerator", "accelerator_family", "precision", "engine", "cpu_count", "on_cpu"}
    known = set(FACTS) | spread | chosen | symptoms | named
    for entry in library.all(Symptom):
        assert set(entry.facts) <= known, entry.id
