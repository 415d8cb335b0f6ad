"""What is asked for beside a plan: a simulation of what it recommends, and its refusals."""

import pytest

from advisor.errors import DocumentError
from advisor.library import Library
from advisor.plan.further import ArrivalKind, Further
from advisor.plan.making import make_plan
from advisor.workload.reading import to_document

CHAT = {"kind": "realtime-inference", "model": "llama-3.1-8b", "accelerators": {"only": ["h100-sxm"]}}


def test_a_plan_has_neither_unless_asked(library: Library) -> None:
    plan = make_plan(to_document({"workloads": [CHAT]}), library).workloads[0]
    assert plan.simulation is None
    assert plan.second_opinion is None


@pytest.mark.parametrize("arrivals", ["poisson", "bursty"])
def test_a_simulation_serves_what_arrives_at_the_rate_of_the_plan(library: Library, arrivals: ArrivalKind) -> None:
    document = to_document({"workloads": [{**CHAT, "traffic": {"requests_per_second": 3}}]})
    plan = make_plan(document, library, further=Further(simulate=arrivals)).workloads[0]
    run = plan.simulation
    assert run is not None
    assert run.requests_per_second == pytest.approx(3)
    assert run.served + run.rejected == run.requests
    assert run.requests == pytest.approx(3 * 3600, rel=0.1)
    times = run.time_to_first_token
    assert times.p50 is not None
    assert times.p95 is not None
    assert times.p99 is not None
    assert times.p50 <= times.p95 <= times.p99
    assert make_plan(document, library, further=Further(simulate=arrivals)).workloads[0].simulation == run


def test_recorded_arrivals_need_a_trace(library: Library) -> None:
    with pytest.raises(DocumentError, match="names none") as refused:
        make_plan(to_document({"workloads": [CHAT]}), library, further=Further(simulate="trace"))
    assert refused.value.where == "workloads[0].traffic.trace"


def test_progress_is_told_to_the_end(library: Library) -> None:
    told: list[tuple[int, int]] = []
    document = to_document({"workloads": [{**CHAT, "traffic": {"requests_per_second": 5}}]})
    make_plan(document, library, further=Further(simulate="poisson", progress=lambda done, all: told.append((done, all))))
    assert told
    assert told[-1][0] == told[-1][1]


def test_a_second_opinion_says_why_there_is_none(library: Library) -> None:
    plan = make_plan(to_document({"workloads": [CHAT]}), library, further=Further(second_opinion=True)).workloads[0]
    assert plan.second_opinion is not None
    assert plan.second_opinion.refused or plan.second_opinion.figures
