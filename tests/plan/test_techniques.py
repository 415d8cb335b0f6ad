"""A draft model and split phases, where a document asks for them: what they gain, and when they lose."""

from typing import Any

from advisor.library import Library
from advisor.plan.beside import Technique
from advisor.plan.making import make_plan
from advisor.workload.reading import to_document

CHAT: dict[str, Any] = {
    "kind": "realtime-inference",
    "model": "llama-3.1-70b",
    "input_tokens": 2000,
    "output_tokens": 500,
    "accelerators": {"only": ["h100-sxm"]},
}


def asked(library: Library, **changes: Any) -> tuple[Technique, ...]:
    return make_plan(to_document({"workloads": [{**CHAT, **changes}]}), library).workloads[0].techniques


def test_none_unless_asked(library: Library) -> None:
    assert asked(library) == ()


def test_a_draft_gains_less_the_more_requests_run(library: Library) -> None:
    draft = [{"role": "draft", "model": "llama-3.2-1b"}]
    gains = []
    for requests in (1, 64, 512):
        (one,) = asked(library, components=draft, traffic={"concurrent_requests": requests}, targets={"tpot_mean": "10 s"})
        assert one.name == "speculative decoding"
        gains.append(one.figures["speculative_gain"].value)
        assert one.pays == (gains[-1] > 1)
    assert gains == sorted(gains, reverse=True)


def test_the_tokens_of_a_checking_step_are_leviathans(library: Library) -> None:
    settings = {"speculative_tokens": 5}
    (one,) = asked(library, components=[{"role": "draft", "model": "llama-3.2-1b"}], engine_settings=settings)
    assert abs(one.figures["speculative_tokens_per_step"].value - (1 - 0.7**6) / 0.3) < 1e-9


def test_split_phases_are_weighed_against_replicas_that_do_both(library: Library) -> None:
    (one,) = asked(library, engine_settings={"disaggregated": True}, traffic={"requests_per_second": 5})
    split = one.figures["split_accelerators"].value
    assert one.pays == (one.figures["split_gain"].value > 1)
    assert split >= one.figures["prompt_replicas"].value + one.figures["answer_replicas"].value
