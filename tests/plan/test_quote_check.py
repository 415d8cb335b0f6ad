"""From a quote to findings and a verdict, with and without a workload beside it."""

from datetime import date
from typing import Any

import pytest
import yaml

from advisor.errors import UnknownNameError
from advisor.library import Library
from advisor.plan.quote_check import Review, check_quote
from advisor.plan.quote_facts import quote_facts, recogniser_for
from advisor.quote.quote import Quote
from advisor.quote.reading import read_quote
from advisor.workload.document import Document

TODAY = date(2026, 12, 1)
# The final mail of a four-card workstation: facts of a review request, as its vendor listed them.
MAIL = """\
  1x TR PRO 7975WX ............... 3.899
  1x WRX90E-SAGE SE .............. 1.299
  8x 64GB DDR5-5600 ECC RDIMM .... 3.200
  4x RTX 4090 24G (triple fan) ... 7.200
  1x 1600W T2 + 1x 1000W T2 ......   899
  1x 990 Pro 2T, 2x T705 4T ......   850
  tower case + 6 fans ............   430
  total USD                       17.778
one 20A outlet on the wall (110-120V)
Use: Llama 70B in fp16
"""
# A pod of sixteen nodes, as its bill of quantities gives them.
POD: dict[str, Any] = {
    "title": "16-node 8xH200 pod",
    "kind": "parts-list",
    "workload": {"text": "training and inference pod", "type": "mixed"},
    "items": [
        {"what": "server", "model": "Dell PowerEdge XE9680 (6U)", "quantity": 16, "attributes": {"stated_watts": 8400}},
        {"what": "gpu", "model": "NVIDIA HGX H200 SXM5 141 GB", "quantity": 8, "per": "node", "attributes": {"tdp_w": 700}},
        {"what": "cpu", "model": "Xeon Platinum 8562Y+", "quantity": 2, "per": "node", "attributes": {"tdp_w": 300}},
        {"what": "ram", "model": "128 GB RDIMM DDR5-5600", "quantity": 16, "per": "node"},
        {"what": "nic", "model": "ConnectX-7 dual-port 400 GbE OSFP", "quantity": 2, "per": "node", "attributes": {"ports": 4}},
        {"what": "psu", "model": "2800 W Titanium, described as 2+1", "quantity": 3, "per": "node"},
        {"what": "switch", "model": "SN5600, 64 x 800 GbE", "quantity": 3},
    ],
}


def read(library: Library, text: str) -> Quote:
    return read_quote(text.encode(), recogniser_for(library), where="quote")


def check(library: Library, text: str, document: dict[str, Any] | None = None) -> Review:
    workload = Document.model_validate(document) if document else None
    return check_quote(read(library, text), library, workload=workload, today=TODAY)


def severities(review: Review) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in review.findings:
        found.setdefault(each.code, each.severity)
    return found


def test_a_workstation_that_should_not_be_bought(library: Library) -> None:
    review = check(library, MAIL)
    assert review.verdict == "do-not-buy"
    found = severities(review)
    assert found["VRAM_TOO_SMALL"] == "error"
    assert found["PCIE_SLOTS"] == "error"
    assert found["CIRCUIT_SHORT"] == "warning"
    assert found["PART_MISSING"] == "warning"
    assert {"RAM_LT_VRAM", "DIMM_CHANNELS", "PCIE_LANES", "TOTAL_MISMATCH"}.isdisjoint(found)
    circuit = next(each for each in review.findings if each.code == "CIRCUIT_SHORT")
    assert "300 W" in circuit.advice
    assert circuit.sources


def test_a_pod_with_half_of_its_supplies(library: Library) -> None:
    review = check(library, yaml.dump(POD))
    found = severities(review)
    assert review.verdict == "do-not-buy"
    assert found["PSU_SHORT"] == "error"
    assert found["NET_UNDER_REFERENCE"] == "warning"
    assert found["OVERSPEC"] == "warning"
    assert found["FACILITY_FEED"] == "note"
    assert {"RAM_LT_VRAM", "NO_NVLINK", "QTY_MISMATCH"}.isdisjoint(found)


@pytest.mark.parametrize(("amperes", "severity"), [(40, None), (34, "note"), (24, "warning"), (15, "error")])
def test_the_severity_of_a_circuit_follows_from_the_numbers(library: Library, amperes: int, severity: str | None) -> None:
    quote = {
        "items": [
            {"what": "gpu", "model": "RTX PRO 6000 Blackwell Workstation 96 GB", "quantity": 8, "attributes": {"tdp_w": 600}}
        ],
        "totals": {"load_w": 6000},
        "facility": {"circuit": f"one circuit of {amperes} A at 220 V"},
    }
    assert severities(check(library, yaml.dump(quote))).get("CIRCUIT_SHORT") == severity


def test_every_fact_of_a_finding_is_shown(library: Library) -> None:
    for finding in check(library, yaml.dump(POD)).findings:
        assert "{" not in finding.advice
        assert all(fact.shown for fact in finding.numbers)


def test_the_verdict_is_that_of_the_worst(library: Library) -> None:
    sound = {
        "items": [{"what": "server", "model": "2U server", "quantity": 1}, {"what": "gpu", "model": "L40S 48 GB", "quantity": 2}]
    }
    assert check(library, yaml.dump(sound)).verdict == "ok"


def test_a_reviewers_own_findings_are_not_read(library: Library) -> None:
    told = {**POD, "expect": {"must_flag": [{"code": "WALL_CLOCK"}], "verdict": "ok"}}
    assert check(library, yaml.dump(told)).codes == check(library, yaml.dump(POD)).codes


CHAT = {
    "kind": "realtime-inference",
    "model": "llama-3.1-70b-instruct",
    "traffic": {"concurrent_requests": 50},
    "input_tokens": 4000,
}
TARGETS = {"ttft_mean": "2 s", "tpot_mean": "50 ms"}


def test_a_workload_says_what_shall_run(library: Library) -> None:
    eight = {"items": [{"what": "gpu", "model": "H100 SXM5 80 GB", "quantity": 8}]}
    fits = check(library, yaml.dump(eight), {"workloads": [{**CHAT, "output_tokens": 500, "targets": TARGETS}]})
    assert {"VRAM_TOO_SMALL", "UNDERPOWERED", "UNDERSPECIFIED"}.isdisjoint(fits.codes)
    assert fits.reading.wanted[0].parameters == pytest.approx(70.6e9, rel=0.01)
    one = {"items": [{"what": "gpu", "model": "H100 SXM5 80 GB", "quantity": 1}]}
    assert "VRAM_TOO_SMALL" in check(library, yaml.dump(one), {"workloads": [CHAT]}).codes


def test_a_target_that_is_missed(library: Library) -> None:
    eight = {
        "items": [
            {"what": "gpu", "model": "L40S 48 GB", "quantity": 4},
            {"what": "server", "model": "4-GPU server", "quantity": 1},
        ]
    }
    asked = {**CHAT, "output_tokens": 500, "targets": {"ttft_mean": "50 ms", "tpot_mean": "3 ms"}}
    assert "UNDERPOWERED" in check(library, yaml.dump(eight), {"workloads": [asked]}).codes


def test_an_unknown_model_is_an_error_not_a_guess(library: Library) -> None:
    with pytest.raises(UnknownNameError):
        check(library, MAIL, {"workloads": [{"kind": "realtime-inference", "model": "lama-9000"}]})


def test_the_same_quote_gives_the_same_review(library: Library) -> None:
    assert check(library, MAIL) == check(library, MAIL)


def test_time_is_reckoned_from_a_given_day(library: Library) -> None:
    quote = {
        "kind": "tender",
        "items": [{"what": "compute", "model": "H100 GPU-hours", "quantity": 8_800_000}],
        "totals": {"gpu_hours": 8_800_000},
        "terms": {"end": "2027-06-30"},
    }
    facts = quote_facts(read(library, yaml.dump(quote)), library, today=date(2026, 12, 31))
    assert facts["quoted_required_gpus"] == pytest.approx(8_800_000 / (181 * 24))
