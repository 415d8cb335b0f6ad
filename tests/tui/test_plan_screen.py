"""The plan's own screen: every page, every key, and following the answers."""

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import DataTable, Input, Static, TabbedContent

from advisor.report.memory_parts import memory_parts
from advisor_tui.screens.ask_value import AskValueScreen
from advisor_tui.screens.explain import ExplainScreen
from advisor_tui.screens.help import HelpScreen
from advisor_tui.screens.plan import PlanScreen
from advisor_tui.screens.save import SaveScreen
from advisor_tui.widgets.curves import Percentiles
from advisor_tui.widgets.memory_bar import MemoryBar, drawn

CHAT = ("realtime-inference", "llama-3.1-70b", "?", "50")


def table(terminal: Any, name: str) -> DataTable[Any]:
    found = terminal.app.screen.query_one(f"#{name}", DataTable)
    assert isinstance(found, DataTable)
    return found


def cells(terminal: Any, name: str) -> list[list[str]]:
    found = table(terminal, name)
    return [[str(cell) for cell in found.get_row_at(row)] for row in range(found.row_count)]


def says(terminal: Any, name: str) -> str:
    return str(terminal.app.screen.query_one(name, Static).visual)


async def test_without_answers_it_says_so_and_leads_back(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.press("f3")
        assert "There is no plan yet" in says(terminal, "#decision")
        await terminal.press("ctrl+n", "ctrl+o", "ctrl+w", "ctrl+s", "escape")
        assert terminal.app.screen is terminal.screen


async def test_figures_open_their_tree(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f3")
        chosen = terminal.screen.plan.workloads[0].recommended
        assert f"{chosen.accelerators} × {chosen.accelerator_name}" in says(terminal, "#decision")
        assert table(terminal, "figure-table").has_focus
        assert cells(terminal, "figure-table")[0][0] == "time to first token"
        shown = len(cells(terminal, "figure-table"))
        assert shown >= len(chosen.estimates)
        await terminal.press("down", "down", "enter")
        assert isinstance(terminal.app.screen, ExplainScreen)
        assert terminal.app.screen.quantity == "time_per_output_token"
        assert terminal.text("#steps").startswith("time per token")
        await terminal.press("escape")
        assert isinstance(terminal.app.screen, PlanScreen)


async def test_charts_show_memory_and_times(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f3", "ctrl+n")
        assert terminal.app.screen.query_one("#panes", TabbedContent).active == "charts"
        parts = memory_parts(terminal.screen.plan.workloads[0])
        assert terminal.app.screen.query_one(MemoryBar).parts == parts
        assert [row[0][2:] for row in cells(terminal, "memory-table")] == [part.name for part in parts]
        assert all(plot.display and plot.size.height > 5 for plot in terminal.app.screen.query(Percentiles))
        await terminal.press("enter")
        assert isinstance(terminal.app.screen, ExplainScreen)
        assert terminal.app.screen.quantity == "weights_per_accelerator"


@pytest.mark.parametrize("width", [10, 37, 200])
async def test_the_bar_is_as_wide_as_it_may_be(opened: Any, width: int) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT)
        assert drawn(memory_parts(terminal.screen.plan.workloads[0]), width).cell_len == width
        assert drawn((), width).cell_len == 0


async def test_alternatives_are_sorted_by_each_column_and_back(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f3")
        workload = terminal.screen.plan.workloads[0]
        roles = ["recommended", *(each.role for each in workload.alternatives)]
        orders = []
        for _ in range(6):
            await terminal.press("ctrl+o")
            orders.append([row[0] for row in cells(terminal, "instead-table")])
        assert terminal.app.screen.query_one("#panes", TabbedContent).active == "instead"
        assert orders[0] == sorted(roles)
        counts = {each.role: each.accelerators for each in (workload.recommended, *workload.alternatives)}
        assert [counts[role] for role in orders[1]] == sorted(counts.values())
        assert orders[5] == roles
        await terminal.press("down")
        assert workload.alternatives[0].against in says(terminal, "#instead-detail")


async def test_advice_is_shown_with_its_reason(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT, *["?"] * 4, "99.9 %")
        await terminal.press("f3", "ctrl+n", "ctrl+n", "ctrl+n")
        advice = terminal.screen.plan.advice
        assert advice
        assert [row[1] for row in cells(terminal, "advice-table")] == [each.rule for each in advice]
        assert advice[0].because in says(terminal, "#advice-detail")
        assert advice[0].sources[0] in says(terminal, "#advice-detail")


async def test_an_assumption_is_answered_on_the_spot_and_the_plan_follows(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f3", *["ctrl+n"] * 4)
        rows = cells(terminal, "assumed-table")
        names = [each.name for each in terminal.screen.plan.assumptions]
        assert len(rows) == len(names)
        await terminal.press(*["down"] * names.index("input_tokens"), "enter")
        window = terminal.app.screen
        assert isinstance(window, AskValueScreen)
        assert window.question.fact == "input_tokens"
        field = window.query_one("#answer", Input)
        field.value = "4 GB"
        await terminal.press("enter")
        assert terminal.app.screen is window
        assert "4 GB" in terminal.text("#problem")
        field.value = "4000"
        await terminal.press("enter")
        assert isinstance(terminal.app.screen, PlanScreen)
        assert terminal.screen.interview.answers["input_tokens"] == 4000
        assert terminal.screen.plan.workloads[0].facts["input_tokens"].value == 4000
        assert terminal.app.screen.plan == terminal.screen.plan
        assert "input_tokens" not in [each.name for each in terminal.screen.plan.assumptions]
        assert len(cells(terminal, "assumed-table")) == len(names) - 1


async def test_an_assumption_that_no_question_asks_for_is_told(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f3", *["ctrl+n"] * 4)
        names = [each.name for each in terminal.screen.plan.assumptions]
        await terminal.press(*["down"] * names.index("kv_precision"), "enter")
        assert isinstance(terminal.app.screen, PlanScreen)
        assert any("No question asks for this" in note.message for note in terminal.app._notifications)


async def test_the_report_is_saved(opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened() as terminal:
        await terminal.given(*CHAT)
        await terminal.press("f3", "ctrl+s")
        assert isinstance(terminal.app.screen, SaveScreen)
        await terminal.press("enter")
        assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
        assert isinstance(terminal.app.screen, PlanScreen)


async def test_every_model_of_a_workload_has_its_turn(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given("rag", "llama-3.1-8b")
        await terminal.press("f3")
        first = says(terminal, "#decision")
        await terminal.press("ctrl+w")
        second = says(terminal, "#decision")
        assert first != second
        turns = len(terminal.screen.plan.workloads[0].components)
        await terminal.press(*["ctrl+w"] * turns)
        assert says(terminal, "#decision") == first


async def test_help_names_the_keys_of_this_screen(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.press("f3", "f1")
        assert isinstance(terminal.app.screen, HelpScreen)
        assert any(action.name == "sort" for action in terminal.app.screen.actions)
        await terminal.press("f5")
        assert isinstance(terminal.app.screen, HelpScreen), "a window is closed first"
        await terminal.press("escape")
        assert isinstance(terminal.app.screen, PlanScreen)


async def test_questions_of_a_fine_tuning_lead_to_its_plan(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.say("fine-tuning", "llama-3.1-8b")
        assert terminal.asked == "method"
        await terminal.given("lora", "200M", "3", *["?"] * 20)
        assert terminal.asked is None
        workload = terminal.screen.plan.workloads[0]
        assert (workload.kind, workload.facts["method"].value) == ("fine-tuning", "lora")
        assert workload.recommended.layout is not None
        await terminal.press("f3")
        assert cells(terminal, "figure-table")[0][0] == "time to train"
        assert len(cells(terminal, "memory-table")) >= 3
        await terminal.press("ctrl+n", "ctrl+n")
        assert cells(terminal, "instead-table")[0][0] == "recommended"
