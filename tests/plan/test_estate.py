"""Several workloads solved as one: the same plan every time, owned hardware first, nothing mixed that must stay apart."""

import copy
from typing import Any

import pytest

from advisor.errors import DocumentError
from advisor.library import Library
from advisor.plan.estate_items import Item, Runs
from advisor.plan.estate_model import choose
from advisor.plan.estate_options import Option
from advisor.plan.estate_records import EstateReport
from advisor.plan.estate_supply import Kind
from advisor.plan.further import Further
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.report.text import plan_text
from advisor.workload.reading import to_document

PARTS = {"only": ["h100-sxm", "l40s"]}


def service(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "realtime-inference",
        "model": "llama-3.1-8b",
        "traffic": {"requests_per_second": 2},
        "input_tokens": 1000,
        "output_tokens": 200,
        "accelerators": PARTS,
        **changes,
    }


def run(name: str, within: str = "1 day", **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "fine-tuning",
        "method": "lora",
        "model": "llama-3.1-8b",
        "dataset": {"tokens": "20M"},
        "sequence_length": 2048,
        "finish_within": within,
        "runs_per_month": 2,
        "accelerators": {"only": ["h100-sxm"]},
        **changes,
    }


def body(*workloads: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"today": "2026-11-30", "workloads": list(workloads), **changes}


def plan(library: Library, given: dict[str, Any], previous: EstateReport | None = None) -> Plan:
    return make_plan(to_document(copy.deepcopy(given)), library, further=Further(previous=previous))


def estate(library: Library, given: dict[str, Any], previous: EstateReport | None = None) -> EstateReport:
    report = plan(library, given, previous).estate
    assert report is not None
    return report


OWNED = {"servers": [{"name": "hall", "count": 2, "accelerator": "h100-sxm", "accelerators": 8}]}
MIXED = body(
    service("sales", environment="production"),
    service("support", environment="production", model="llama-3.1-70b"),
    service("trial", environment="development"),
    service("court", environment="production", data={"sensitivity": "confidential"}),
    run("monday"),
    run("friday", dataset={"tokens": "30M"}),
    estate={
        **OWNED,
        "projects": [
            {"name": "shop", "owner": "trade", "workloads": ["sales", "support"]},
            {"name": "law", "owner": "legal", "workloads": ["court"]},
        ],
    },
)


@pytest.fixture(scope="module")
def mixed(library: Library) -> EstateReport:
    return estate(library, MIXED)


def test_one_workload_is_no_estate(library: Library) -> None:
    assert plan(library, body(service("alone"))).estate is None


def test_the_same_estate_gives_the_same_plan(library: Library, mixed: EstateReport) -> None:
    assert estate(library, MIXED) == mixed
    assert mixed.stopped == "gap"
    assert mixed.gap <= 0.001


def test_owned_hardware_is_used_first(library: Library) -> None:
    report = estate(library, body(service("a"), service("b", model="llama-3.1-70b"), estate=OWNED))
    assert {server.kind for server in report.servers} == {"owned hall"}
    assert report.cost == 0
    without = estate(library, body(service("a"), service("b", model="llama-3.1-70b")))
    assert without.cost > 0


def test_no_more_owned_servers_are_used_than_there_are(mixed: EstateReport) -> None:
    assert sum(1 for server in mixed.servers if server.owned) <= 2


def test_what_must_stay_apart_does(mixed: EstateReport) -> None:
    on: dict[str, set[str]] = {}
    for placement in mixed.placements:
        for each in placement.on:
            on.setdefault(each.server, set()).add(placement.sharing)
    assert all(len(sharing) == 1 for sharing in on.values())
    apart = {placement.workload: placement.sharing for placement in mixed.placements}
    assert len({apart["sales"], apart["trial"], apart["court"]}) == 3
    assert apart["trial"] == apart["monday"]


def test_servers_hold_what_stands_on_them(mixed: EstateReport) -> None:
    used: dict[str, int] = {}
    for placement in mixed.placements:
        if placement.lane in (None, placement.workload):
            assert not placement.on or sum(each.accelerators for each in placement.on) == (
                placement.replicas * placement.accelerators
            )
            for each in placement.on:
                used[each.server] = used.get(each.server, 0) + each.accelerators
    assert used == {server.name: server.accelerators - server.free for server in mixed.servers}


def test_costs_add_up(library: Library) -> None:
    given = copy.deepcopy(MIXED)
    del given["estate"]["servers"]
    given["estate"]["projects"][0] = {"name": "shop", "owner": "trade", "share": "25 %"}
    report = estate(library, given)
    assert report.cost == pytest.approx(sum(line.cost for line in report.bill))
    for lines in (report.by_project, report.by_department, report.by_application, report.by_environment):
        assert sum(line.cost for line in lines) == pytest.approx(report.cost)
    assert {line.name: line.share for line in report.by_project}["shop"] == pytest.approx(0.25)
    assert {"trade", "legal", "no department"} == {line.name for line in report.by_department}


def test_shares_above_the_whole_are_refused(library: Library) -> None:
    given = body(
        service("a"), service("b"), estate={"projects": [{"name": "x", "share": "70 %"}, {"name": "y", "share": "60 %"}]}
    )
    with pytest.raises(DocumentError, match="130 %"):
        estate(library, given)


def test_equal_services_share_replicas_where_that_is_cheaper(library: Library) -> None:
    report = estate(library, body(service("a"), service("b"), service("c", environment="development")))
    pooled = [placement for placement in report.placements if len(placement.members) > 1]
    assert [placement.members for placement in pooled] == [("a", "b")]
    assert {line.name for line in report.by_application} == {"a", "b", "c"}


def test_a_plan_made_again_changes_nothing(library: Library, mixed: EstateReport) -> None:
    again = estate(library, MIXED, EstateReport.model_validate_json(mixed.model_dump_json()))
    assert again.changes == ()
    assert again.placements == mixed.placements


@pytest.mark.parametrize("within", ["2 h", "10 days"])
def test_a_moved_deadline_changes_only_what_must(library: Library, mixed: EstateReport, within: str) -> None:
    moved = copy.deepcopy(MIXED)
    moved["workloads"][4]["finish_within"] = within
    again = estate(library, moved, mixed)
    assert again.changes is not None
    assert {change.workload for change in again.changes} <= ({"monday"} if within == "2 h" else set())
    assert all("must now be done in" in change.because or "late" in change.because for change in again.changes)


def test_a_new_workload_moves_nobody(library: Library, mixed: EstateReport) -> None:
    more = copy.deepcopy(MIXED)
    more["workloads"].append(service("new", environment="production", model="qwen2.5-7b"))
    again = estate(library, more, mixed)
    assert again.changes is not None
    assert [change.workload for change in again.changes] == ["new"]


def test_one_of_those_who_share_replicas_leaves(library: Library) -> None:
    before = estate(library, body(service("a"), service("b"), service("c", model="llama-3.1-70b")))
    after = estate(library, body(service("a"), service("c", model="llama-3.1-70b")), before)
    assert after.changes is not None
    assert {change.because for change in after.changes} == {"with whom it shares replicas has changed"}
    assert "c" not in {change.workload for change in after.changes}


def test_a_server_that_is_gone_moves_those_on_it(library: Library, mixed: EstateReport) -> None:
    fewer = copy.deepcopy(MIXED)
    fewer["estate"]["servers"][0]["count"] = 1
    again = estate(library, fewer, mixed)
    assert again.changes is not None
    gone = {server.name for server in mixed.servers} - {server.name for server in again.servers}
    before = {each.workload for each in mixed.placements if gone & {one.server for one in each.on}}
    assert {change.workload for change in again.changes} == before


def test_a_broken_budget_names_the_limit(library: Library) -> None:
    given = body(service("a"), service("b", model="llama-3.1-70b"), budget={"monthly_limit": "100 USD/month"})
    limit = estate(library, given).limits[0]
    assert limit.name == "monthly limit"
    assert limit.needed > limit.asked


def test_power_of_the_site_is_kept_where_it_can_be(library: Library) -> None:
    workloads = (service("a"), service("b", model="llama-3.1-70b"))
    site = {"deployment": "on-premises", "power": "4 kW"}
    assert not estate(library, body(*workloads, site=site)).limits
    too_little = estate(library, body(*workloads, site={**site, "power": "300 W"}))
    assert [(limit.name, limit.asked) for limit in too_little.limits] == [("power of the site", 300.0)]


def test_what_fits_nowhere_says_which_limit_binds(library: Library) -> None:
    report = estate(library, body(service("a"), service("b", targets={"ttft_mean": "1 ms"})))
    assert [(each.workload, bool(each.says)) for each in report.unplaced] == [("b", True)]


def test_growth_adds_and_never_takes_away(library: Library) -> None:
    growing = service("a", traffic={"requests_per_second": 40, "growth_per_year": "200 %"})
    report = estate(library, body(growing, service("b", model="qwen2.5-7b")))
    assert [round(step.after / 86400) for step in report.growth] == [182, 365]
    costs = [report.cost, *(step.cost for step in report.growth)]
    assert costs == sorted(costs)
    assert costs[-1] > costs[0]


def test_the_text_shows_the_estate(library: Library) -> None:
    text = plan_text(plan(library, MIXED), width=140)
    assert "Bill of materials" in text
    assert "by project" in text


# The programme by itself.

EIGHT = Kind("eight", "x", 8, 8.0)


def item(name: str, *options: Option, sharing: str = "all", runs: Runs | None = None) -> Item:
    return Item(name, (name,), "production", sharing, options, name, runs=runs)


def test_servers_are_counted_by_places() -> None:
    items = [item(f"four {number}", Option("x", 4, 1, "bf16")) for number in range(3)]
    items += [item(f"one {number}", Option("x", 1, 1, "bf16")) for number in range(5)]
    choice = choose(items, [EIGHT])
    assert choice.servers == {("eight", "all"): 3}
    assert len(choice.chosen) == 8


def test_those_who_may_not_share_take_servers_each() -> None:
    items = [item("a", Option("x", 1, 1, "bf16")), item("b", Option("x", 1, 1, "bf16"), sharing="apart")]
    assert choose(items, [EIGHT]).servers == {("eight", "all"): 1, ("eight", "apart"): 1}


def test_a_large_replica_takes_whole_servers() -> None:
    choice = choose([item("large", Option("x", 16, 2, "bf16"))], [EIGHT])
    assert choice.servers == {("eight", "all"): 4}


def test_runs_take_turns_while_all_are_in_time() -> None:
    hour = 3600.0
    runs = [item(f"run {number}", Option("x", 8, 1, "bf16", time=hour), runs=Runs(3 * hour, 12)) for number in range(4)]
    owned = Kind("own", "x", 8, 0.0, limit=4, owned=True)
    choice = choose(runs, [owned])
    lanes = [each.lane for each in choice.chosen]
    assert choice.servers == {("own", "all"): 2}
    assert max(lanes.count(lane) for lane in lanes) <= 3


def test_hundreds_of_items_take_few_nodes() -> None:
    kinds = [EIGHT, Kind("y8", "y", 8, 5.0), Kind("own", "x", 8, 0.0, limit=20, owned=True)]
    items = [
        item(
            f"service {number}",
            Option("x", (1, 2, 4, 8)[number % 4], 1 + number % 3, "bf16"),
            Option("y", (2, 4, 8, 8)[number % 4], 1 + number % 3, "bf16"),
            sharing=("production", "rest", "secret")[number % 7 % 3],
        )
        for number in range(400)
    ]
    first, second = choose(items, kinds), choose(items, kinds)
    assert len(first.chosen) == 400
    assert first == second
    assert first.solution.nodes <= 5000
    assert first.solution.gap <= 0.001 or first.solution.stopped == "node count"
