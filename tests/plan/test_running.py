"""A service while it runs: spares that its availability asks for, room at its peak, and when another replica is started."""

from typing import Any

import pytest

from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import WorkloadPlan
from advisor.plan.running_records import RunningReport
from advisor.workload.reading import to_document

CHAT: dict[str, Any] = {
    "kind": "realtime-inference",
    "model": "llama-3.1-8b",
    "traffic": {"requests_per_second": 20},
    "input_tokens": 1000,
    "output_tokens": 200,
    "accelerators": {"only": ["h100-sxm"]},
}


def planned(library: Library, availability: str = "99.9 %", deployment: str = "cloud", **changes: Any) -> WorkloadPlan:
    body = {
        "workloads": [{**CHAT, "targets": {"availability": availability, "ttft_mean": "1 s", "tpot_mean": "40 ms"}, **changes}],
        "site": {"deployment": deployment},
    }
    return make_plan(to_document(body), library).workloads[0]


def running(plan: WorkloadPlan) -> RunningReport:
    assert plan.running is not None
    return plan.running


def test_spares_reach_the_target_and_one_fewer_does_not(library: Library) -> None:
    plan = planned(library, "99.95 %", "on-premises")
    report, chosen = running(plan), plan.recommended
    assert chosen is not None
    assert report.spares is not None
    assert report.figures["service_availability"].value >= 0.9995
    assert (
        report.accelerators_with_spares == (chosen.replicas + report.spares) * chosen.tensor_parallel * chosen.pipeline_parallel
    )
    fewer = running(planned(library, "99 %", "on-premises"))
    assert fewer.spares is not None
    assert fewer.spares <= report.spares


def test_a_target_above_what_a_site_gives_says_so(library: Library) -> None:
    report = running(planned(library, "99.999 %"))
    assert report.spares is None
    assert any("second site" in note for note in report.notes)


def test_cold_start_is_provisioning_image_weights_and_warm_up(library: Library) -> None:
    cloud, own = planned(library), planned(library, deployment="on-premises")
    longer = running(cloud).figures["cold_start_time"].value
    assert longer > running(own).figures["cold_start_time"].value

    def value(name: str) -> float:
        found = cloud.trace[name].value
        assert isinstance(found, float)
        return found

    moved = value("image_bytes") / value("image_pull_rate") + value("model_file_bytes") / value("load_bandwidth")
    assert longer == pytest.approx(value("node_provision_time") + moved + value("warm_up_time"))


def test_utilisation_at_the_peak_is_the_load_over_what_replicas_carry(library: Library) -> None:
    plan = planned(library)
    report = running(plan)
    assert plan.recommended is not None
    carried = report.figures["replica_request_rate"].value * plan.recommended.replicas
    assert report.figures["peak_utilisation"].value == pytest.approx(20 / carried)
    assert report.figures["peak_utilisation"].value <= 1.05
    assert report.figures["scale_out_utilisation"].value < 0.8 + 1e-9


def test_more_load_never_leaves_more_room(library: Library) -> None:
    rates = (2, 5, 10)
    reports = [
        running(planned(library, traffic={"requests_per_second": rate}, accelerators={"only": ["h100-sxm"]})) for rate in rates
    ]
    carried = [report.figures["replica_request_rate"].value for report in reports]
    assert carried == pytest.approx([carried[0]] * len(rates), rel=0.15)


def test_a_batch_is_not_a_service(library: Library) -> None:
    batch = {"kind": "batch-inference", "model": "llama-3.1-8b"}
    assert make_plan(to_document({"workloads": [batch]}), library).workloads[0].running is None
