"""Where nothing keeps every limit: each change that is offered, made by itself, gives a plan; a smaller one does not."""

from typing import Any

import pytest

from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import Relaxation, WorkloadPlan
from advisor.workload.reading import to_document

ASKED: dict[str, Any] = {
    "kind": "realtime-inference",
    "model": "llama-3.1-70b",
    "traffic": {"concurrent_requests": 50},
    "input_tokens": 4000,
    "output_tokens": 500,
    "precision": "bf16",
    "targets": {"tpot_mean": "20 ms", "ttft_mean": "2 s"},
    "accelerators": {"only": ["h100-sxm"], "max_count": 8},
}


def planned(library: Library, **changes: Any) -> WorkloadPlan:
    return make_plan(to_document({"workloads": [{**ASKED, **changes}]}), library).workloads[0]


def with_change(library: Library, relaxation: Relaxation, share: float = 1.0) -> WorkloadPlan:
    needed = relaxation.needed
    if relaxation.what == "weight format":
        return planned(library, precision=needed)
    assert isinstance(needed, float)
    if relaxation.what == "accelerators allowed":
        return planned(library, accelerators={"only": ["h100-sxm"], "max_count": int(needed * share)})
    if relaxation.what == "requests at once":
        return planned(library, traffic={"concurrent_requests": int(needed / share)})
    return planned(library, targets={**ASKED["targets"], relaxation.what: f"{1000 * needed * share:g} ms"})


def test_each_change_alone_gives_a_plan_and_a_smaller_one_does_not(library: Library) -> None:
    refused = planned(library)
    assert refused.recommended is None
    assert {each.what for each in refused.relaxations} >= {"tpot_mean", "accelerators allowed"}
    for relaxation in refused.relaxations:
        assert with_change(library, relaxation).recommended is not None, relaxation
        if relaxation.what != "weight format":
            assert with_change(library, relaxation, share=0.95).recommended is None, relaxation


def test_too_few_accelerators_for_the_load_say_how_many_requests_they_hold(library: Library) -> None:
    refused = planned(library, targets=None, accelerators={"only": ["h100-sxm"], "max_count": 2})
    load = next(each for each in refused.relaxations if each.what == "requests at once")
    assert load.asked == 50
    held = planned(
        library,
        targets=None,
        accelerators={"only": ["h100-sxm"], "max_count": 2},
        traffic={"concurrent_requests": load.needed},
    )
    assert held.recommended is not None


def test_a_plan_with_a_recommendation_has_none(library: Library) -> None:
    assert planned(library, targets=None).relaxations == ()


def test_owned_accelerators_are_a_count_that_may_give(library: Library) -> None:
    refused = planned(library, accelerators={"owned": [{"id": "h100-sxm", "count": 4}], "only": ["h100-sxm"]})
    more = next(each for each in refused.relaxations if each.what == "accelerators owned")
    assert more.asked == 4
    assert float(more.needed) > 4


def test_what_can_never_do_offers_only_what_helps(library: Library) -> None:
    refused = planned(library, targets={"tpot_mean": "1 ms"}, accelerators={"only": ["h100-sxm"]})
    assert [each.what for each in refused.relaxations] == ["tpot_mean"]
    assert refused.relaxations[0].needed == pytest.approx(0.0127, rel=0.3)
