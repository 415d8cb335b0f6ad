"""A plan as rows, what changed between two, and how ranges and calculations are written."""

from datetime import date
from typing import Any

import pytest

from advisor.library import Library
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.workload.reading import to_document
from advisor_tui.plan_rows import changes, groups
from advisor_tui.ranges import written_range
from advisor_tui.screens.explain import hanging, quantities


def planned(library: Library, **changed: Any) -> Plan:
    workload = {"kind": "realtime-inference", "model": "llama-3.1-70b", "accelerators": {"only": ["h100-sxm"]}, **changed}
    return make_plan(to_document({"workloads": [workload]}), library, today=date(2026, 11, 30))


def test_the_decision_comes_first_and_nothing_is_left_out(library: Library) -> None:
    plan = planned(library, traffic={"concurrent_requests": 50}, targets={"availability": "99.9 %"})
    found = groups(plan)
    assert found[0].rows[0].key == "use"
    assert "NVIDIA H100" in found[0].rows[0].value
    headings = [group.heading.split("  ")[0] for group in found]
    assert headings == [
        "",
        "Figures, with 80 % ranges",
        "Measured nearby",
        "Instead",
        "Limits",
        "Advice",
        "Assumed",
        "Not modelled",
    ]
    warned = {f"advice/{each.rule}" for each in plan.advice if each.severity != "note"}
    assert warned
    assert warned <= {row.key for row in found[5].rows}
    assert len(found[6].rows) == len(plan.assumptions)
    keys = [row.key for group in found for row in group.rows]
    assert len(keys) == len(set(keys))


def test_a_run_and_a_model_of_items_have_rows(library: Library) -> None:
    run = groups(planned(library, kind="fine-tuning", model="llama-3.1-8b", dataset={"tokens": "10M"}, finish_within="1 day"))
    assert any(row.key == "figure/time_to_train" for group in run for row in group.rows)
    embedder = groups(planned(library, model="bge-m3", traffic={"requests_per_second": 20}))
    assert any(row.key == "figure/items_per_second" for group in embedder for row in group.rows)


def test_where_nothing_fits_the_limit_is_told(library: Library) -> None:
    found = groups(planned(library, model="llama-3.1-405b", accelerators={"only": ["l4"], "max_count": 2}))
    assert found[0].rows[0].value.startswith("Nothing of ")
    limits = next(group for group in found if group.heading == "Limits")
    assert limits.rows[0].note.startswith("what would help: ")


def test_several_workloads_stand_under_their_names(library: Library) -> None:
    document = to_document(
        {
            "workloads": [
                {"name": "chat", "kind": "realtime-inference", "model": "llama-3.1-8b"},
                {"name": "notes", "kind": "batch-inference", "model": "llama-3.1-8b"},
            ]
        }
    )
    headings = [group.heading for group in groups(make_plan(document, library, today=date(2026, 11, 30)))]
    assert headings[0] == "chat"
    assert "notes" in headings


def test_changes_name_the_value_before(library: Library) -> None:
    few, many = (groups(planned(library, traffic={"concurrent_requests": load})) for load in (10, 50))
    found = changes(few, many)
    assert found["load"] == "holds 10 requests on its fullest replica"
    assert "figure/weights" not in found
    assert changes(many, many) == {}
    assert set(changes((), few).values()) == {None}


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("69.2 GiB", "70.8 GiB", "69.2 – 70.8 GiB"),
        ("900 MiB", "1.2 GiB", "900 MiB – 1.2 GiB"),
        ("1 person", "10 people", "1 – 10 people"),
        ("1 token", "9 tokens", "1 – 9 tokens"),
        ("1", "8", "1 – 8"),
        ("no limit from memory", "no limit from memory", "no limit from memory"),
    ],
)
def test_a_range_has_its_unit_once(low: str, high: str, text: str) -> None:
    assert written_range(low, high) == text


def test_long_lines_hang_below_their_beginning() -> None:
    assert hanging("a\n  one two three four five\n", 14) == "a\n  one two\n      three\n      four\n      five"
    assert hanging(f"{' ' * 60}deep", 20).splitlines() == [f"{' ' * 10}deep"]


def test_what_people_ask_for_comes_first(library: Library) -> None:
    workload = planned(library).workloads[0]
    found = quantities(workload)
    assert found[:2] == ("weights", "kv_cache")
    assert len(found) == len(set(found))
    assert set(found) <= set(workload.trace)
    assert {name for name, step in workload.trace.items() if step.equation} <= set(found)
