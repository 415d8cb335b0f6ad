"""State over turns: questions back one at a time, answers to them, corrections, and what is said where nothing is close."""

import pytest

from advisor.chat.dialogue import Dialogue
from advisor.library import Library


def test_asks_one_thing_and_uses_the_answer(library: Library) -> None:
    dialogue = Dialogue(library)
    reply = dialogue.say("llama 33b full tune with zero 3 and cpu offload on 8x a100 40gb, the process is killed")
    assert [ask.fact for ask in reply.asks] == ["host_memory"]
    answered = dialogue.say("600 GB")
    assert "600 GB" in answered.text
    assert answered.verdict == "does-not-fit"


def test_not_knowing_is_an_answer_and_is_not_asked_again(library: Library) -> None:
    dialogue = Dialogue(library)
    asked = dialogue.say("pc reboots when both gpus train, 2x titan x with 250 w each").asks
    assert [ask.fact for ask in asked] == ["power"]
    later = dialogue.say("I don't know")
    assert "power" not in [ask.fact for ask in later.asks]


def test_what_was_said_is_not_said_twice(library: Library) -> None:
    dialogue = Dialogue(library)
    first = dialogue.say("does llama 3.1 8b in bf16 fit on one L4?")
    again = dialogue.say("does llama 3.1 8b in bf16 fit on one L4?")
    assert not set(first.text.splitlines()) & set(again.text.splitlines())
    assert again.text


def test_nothing_close_says_so_and_what_can_be_done(library: Library) -> None:
    reply = Dialogue(library).say("will it rain tomorrow?")
    assert "Nothing here is close enough" in reply.text
    assert reply.verdict == "not-applicable"
    assert reply.numbers == ()


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("does llama 3.1 70b in bf16 fit on two H100 80 GB?", "does-not-fit"),
        ("does llama 3.1 70b in bf16 fit on four H100 80 GB?", "fits"),
        ("does deepseek r1 in fp8 fit on 8x H100 80GB?", "does-not-fit"),
        ("can a rack with 12 kW take two DGX H100?", "does-not-fit"),
        ("we need 99.9% availability, is one server enough?", "does-not-fit"),
        ("how big is a vector index of 100 million vectors with 1024 dims, is 64 GB of ram enough?", "does-not-fit"),
    ],
)
def test_verdicts(question: str, verdict: str, library: Library) -> None:
    assert Dialogue(library).say(question).verdict == verdict


def test_numbers_come_with_their_equation(library: Library) -> None:
    reply = Dialogue(library).say("how much vram does qwen3-8b in bf16 need on a 24 GB card?")
    weights = next(each for each in reply.numbers if each.name == "plain_weights")
    assert weights.value == pytest.approx(16.38e9, rel=0.01)
    assert weights.equation == "parameters * weight_bits / 8"
    assert weights.sources


def test_every_sentence_names_its_entry(library: Library) -> None:
    reply = Dialogue(library).say("why is my vllm slow on a 4090, and what is tensor parallelism?")
    lines = [line for line in reply.text.splitlines() if not line.startswith("? ")]
    assert lines
    assert all(line.endswith("]") for line in lines)


def test_terms(library: Library) -> None:
    reply = Dialogue(library).say("what is TTFT?")
    assert reply.intent == "what-is"
    assert "terms/ttft" in reply.evidence


def test_a_wish_for_a_card_is_planned_with_that_card(library: Library) -> None:
    reply = Dialogue(library).say("how many H100 do I need for llama 3.1 70b with 50 users at once, 4k in 500 out?")
    assert "H100" in next(line for line in reply.text.splitlines() if line.startswith("A plan"))


@pytest.mark.parametrize("text", ["", " ", "?", "🙂" * 50, "a" * 5000, "1 2 3 GB x 99999999999999999999", "-- [] {} ' \""])
def test_any_text_is_answered(text: str, library: Library) -> None:
    assert Dialogue(library).say(text).text
