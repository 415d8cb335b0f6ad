"""What if: facts moved with the arrow keys, and the figures that follow."""

from typing import Any

import pytest
from textual.widgets import DataTable, Static

from advisor.plan import making
from advisor.plan.plan import Plan
from advisor.questionnaire.question import Question
from advisor_tui.screens.what_if import WhatIfScreen
from advisor_tui.steps import stepped, swept
from advisor_tui.widgets.curves import Curve

CHAT = ("realtime-inference", "llama-3.1-70b", "?", "50")
BARE: dict[str, Any] = {"id": "x", "ask": "How many?", "fact": "x", "path": "workloads[0].input_tokens", "kind": "quantity"}
TOKENS = Question.model_validate({**BARE, "unit": "token", "between": [1, 5000]})
SHARE = Question.model_validate({**BARE, "unit": "1", "percentage": True, "between": ["1 %", "100 %"]})


def on(terminal: Any) -> WhatIfScreen:
    screen = terminal.app.screen
    assert isinstance(screen, WhatIfScreen)
    return screen


def planned(terminal: Any) -> Plan:
    plan = on(terminal).plan
    assert plan is not None
    return plan


def rows(terminal: Any, name: str) -> dict[str, list[str]]:
    table = terminal.app.screen.query_one(f"#{name}", DataTable)
    found = [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]
    return {row[0]: row[1:] for row in found}


async def test_without_a_plan_keys_do_nothing(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.press("f4", "right", "left", "ctrl+r", "backspace", "ctrl+t")
        assert "There is no plan yet" in str(terminal.app.screen.query_one("#what-if-help", Static).visual)
        assert on(terminal).tried == {}


async def test_a_fact_moves_and_its_figures_follow(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f4", "right")
        assert on(terminal).tried == {"concurrent_requests": 60}
        assert planned(terminal).workloads[0].facts["concurrent_requests"].value == 60
        assert rows(terminal, "fact-table")["requests at once"] == ["60 requests"]
        now, change, was = rows(terminal, "change-table")["time per token"]
        assert now != was
        assert change.startswith("+")
        assert terminal.screen.interview.answers["concurrent_requests"] == 50, "the answers stand"
        await terminal.press("left")
        assert on(terminal).tried == {}
        assert on(terminal).plan == terminal.screen.plan
        assert rows(terminal, "change-table")["time per token"][1:] == ["", ""]


async def test_several_facts_move_and_are_reset(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f4", "right", "down", "right", "right")
        assert set(on(terminal).tried) == {"concurrent_requests", "input_tokens"}
        await terminal.press("backspace")
        assert on(terminal).tried == {}
        assert on(terminal).plan == on(terminal).base


async def test_what_was_tried_becomes_the_answers(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f4", "right", "right", "ctrl+t")
        assert terminal.screen.interview.answers["concurrent_requests"] == 80
        assert on(terminal).tried == {}
        assert on(terminal).base == terminal.screen.plan
        assert terminal.screen.plan.workloads[0].facts["concurrent_requests"].value == 80
        await terminal.press("escape")
        assert any("80 requests" in row for row in terminal.rows())


async def test_a_sweep_draws_its_curves(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f4", "ctrl+r")
        screen = on(terminal)
        values = [value for value, _ in screen.points]
        assert values == sorted(values)
        assert (values[0], values[-1]) == (12, 200)
        shown = [curve.id for curve in screen.query(Curve) if curve.display]
        assert shown == ["curve-rent", "curve-accelerators"]
        assert screen.query_one("#curves").display


async def test_only_the_latest_step_is_planned_and_shown(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f4")
        really, made = making.make_plan, []

        def noted(*given: Any, **settings: Any) -> Any:
            made.append(given)
            return really(*given, **settings)

        monkeypatch.setattr(making, "make_plan", noted)
        with terminal.screen.planning:
            await terminal.pilot.press("right", "right", "right", "right")
        await terminal.settle()
        assert planned(terminal).workloads[0].facts["concurrent_requests"].value == 120
        assert len(made) == 1


async def test_a_value_that_cannot_be_planned_is_told(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f4")
        screen = on(terminal)
        screen.tried["concurrent_requests"] = -1
        screen._try()
        await terminal.settle()
        assert "-1 is negative" in str(screen.query_one("#what-if-decision", Static).visual)


@pytest.mark.parametrize(
    ("value", "steps", "expected"),
    [(50, 1, 60), (60, -1, 50), (1155, 1, 1200), (1, -1, 1), (1, 1, 2), (4800, 2, 5000), (9, 1, 10), (11, -1, 10)],
)
def test_counts_step_over_round_whole_numbers(value: float, steps: int, expected: float) -> None:
    assert stepped(TOKENS, value, steps) == expected


def test_shares_step_and_stay_within_their_bounds() -> None:
    assert stepped(SHARE, 0.1, 1) == pytest.approx(0.12)
    assert stepped(SHARE, 0.9, 3) == 1
    assert stepped(SHARE, 0.012, -3) == 0.01


def test_a_sweep_covers_a_quarter_to_four_times() -> None:
    assert swept(TOKENS, 100) == (25, 35, 50, 70, 85, 100, 125, 150, 200, 300, 400)
    assert swept(TOKENS, 4000)[-1] == 5000
    assert swept(TOKENS, 1) == (1, 2, 3, 4)
