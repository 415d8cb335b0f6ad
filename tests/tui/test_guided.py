"""The guided screen: from the first question to a plan, with errors, doubts, changes and small terminals on the way."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from advisor.plan import making
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.workload.reading import to_document
from advisor_tui.messages import Answered, PlanMade
from advisor_tui.screens.help import HelpScreen
from advisor_tui.widgets.answers_list import AnswersList

CHAT = ("realtime-inference", "llama-3.1-70b")
PEOPLE = (*CHAT, "2000", "20 %", "6", "4k", "500", "2 s", "50 ms", "99.9 %")
EVERYTHING = (*PEOPLE, "bf16", "vllm", "h100 sxm, h200 sxm", "16", "on-premises", "3 years")


async def test_it_opens_at_the_first_question(opened: Any) -> None:
    async with opened() as terminal:
        assert terminal.text("#ask") == "What is it to do?"
        assert terminal.text("#why").startswith("Why: Somebody waiting")
        assert terminal.panel.border_title == "Question 1 of about 22"
        assert terminal.text("#plan").startswith("A plan appears here")
        assert terminal.panel.query_one("#choices", OptionList).has_focus


async def test_all_questions_lead_to_the_plan_of_the_same_document(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.say(*EVERYTHING)
        assert terminal.asked is None
        assert terminal.panel.border_title == "All questions settled"
        assert terminal.screen.query_one(AnswersList).has_focus
        expected = to_document(
            {
                "workloads": [
                    {
                        "kind": "realtime-inference",
                        "model": "llama-3.1-70b",
                        "traffic": {"people": 2000, "active_share": 0.2, "requests_per_active_person_per_hour": 6},
                        "input_tokens": 4000,
                        "output_tokens": 500,
                        "targets": {"ttft_mean": "2 s", "tpot_mean": "50 ms", "availability": "99.9 %"},
                        "precision": "bf16",
                        "engine": "vllm",
                        "accelerators": {"only": ["h100 sxm", "h200 sxm"], "max_count": 16},
                    }
                ],
                "site": {"deployment": "on-premises"},
                "budget": {"term": "3 years"},
            }
        )
        plan = terminal.screen.plan
        assert plan == make_plan(expected, terminal.app.library, today=terminal.app.today)
        chosen = plan.workloads[0].recommended
        assert terminal.plan.shown[0].rows[0].value == f"{chosen.accelerators} × {chosen.accelerator_name}"
        assert len(terminal.rows()) == len(EVERYTHING)


async def test_a_plan_is_there_from_the_second_answer_and_shows_what_changes(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given("realtime-inference")
        assert terminal.screen.plan is None
        await terminal.given("llama-3.1-70b")
        assert terminal.screen.plan is not None
        assert terminal.plan.changed == {}
        await terminal.press("ctrl+d")
        await terminal.say("50")
        assert terminal.plan.changed["load"] == "holds 10 requests on its fullest replica"
        assert terminal.plan.border_subtitle == f"{len(terminal.plan.changed)} changed"
        await terminal.say("1155")
        assert "load" not in terminal.plan.changed


async def test_a_wrong_unit_shows_the_message_and_keeps_the_answer(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*PEOPLE[:7])
        await terminal.say("2")
        assert terminal.asked == "first_token_target"
        assert terminal.text("#problem").startswith('"2" has no unit; expected a time')
        field = terminal.panel.query_one("#answer", Input)
        assert (field.value, field.has_focus) == ("2", True)
        await terminal.press("space", "s", "enter")
        assert terminal.asked == "token_target"
        assert terminal.text("#problem") == ""
        assert terminal.screen.interview.answers["first_token_target"] == 2


async def test_not_knowing_takes_what_is_usual_and_says_so(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT, "2000")
        assert terminal.text("#unsure").startswith("Don't know (ctrl+d): 10 %, a tenth of those with access")
        await terminal.press("ctrl+d")
        assert terminal.rows()[-1] == "active share 10 % (assumed)"
        assert "active_share" not in terminal.screen.interview.answers
        assert any(each.name == "active_share" for each in terminal.screen.plan.assumptions)
        await terminal.press("enter")
        assert terminal.asked == "input_tokens"


async def test_the_model_cannot_be_unknown(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.say("rag")
        await terminal.press("ctrl+d")
        assert terminal.asked == "model"
        assert terminal.text("#problem").startswith("nothing can be planned without this")


async def test_back_and_change(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT, "2000", "20 %")
        await terminal.press("escape", "escape")
        assert terminal.asked == "people"
        assert terminal.panel.query_one("#answer", Input).value == "2000"
        await terminal.say("300")
        assert terminal.asked == "requests_per_active_person_per_hour"
        assert terminal.screen.interview.answers["people"] == 300
        assert terminal.screen.interview.answers["active_share"] == pytest.approx(0.2)
        assert terminal.screen.plan.workloads[0].facts["people"].value == 300


async def test_an_answer_picked_from_the_list_is_changed(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT, "2000", "20 %")
        await terminal.press("tab", "home", "enter")
        assert terminal.asked == "kind"
        choices = terminal.panel.query_one("#choices", OptionList)
        assert choices.has_focus
        assert choices.highlighted_option is not None
        assert choices.highlighted_option.id == "realtime-inference"
        await terminal.say("batch-inference")
        assert terminal.asked == "concurrent_requests"
        assert terminal.rows()[2] == "people 2,000 people · unused now"
        await terminal.press("tab", "home", "escape")
        assert terminal.panel.query_one("#answer", Input).has_focus
        await terminal.press("b")
        assert terminal.panel.query_one("#answer", Input).value == "b"


async def test_an_unclear_model_is_told_beside_its_question_with_names_to_pick(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given("realtime-inference", "llama 70b")
        assert terminal.asked == "model"
        assert terminal.text("#problem").startswith('"llama 70b" can mean several models')
        assert terminal.text("#refusal").startswith("No plan with these answers")
        assert terminal.rows()[1].startswith("✖ model")
        await terminal.press("down", "down", "up", "up", "down", "down", "enter")
        assert terminal.screen.interview.answers["model"] == "llama-3.1-70b"
        assert terminal.asked == "people"
        assert terminal.screen.refused is None
        assert terminal.text("#refusal") == ""


async def test_an_answer_that_cannot_be_planned_leaves_the_plan_before_it(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT)
        before = terminal.screen.plan
        await terminal.press("tab", "home", "down", "enter")
        await terminal.say("llama-9.9-70b")
        assert terminal.asked == "model"
        assert 'no model is called "llama-9.9-70b"' in terminal.text("#problem")
        assert terminal.plan.has_class("stale")
        assert terminal.screen.plan == before
        assert terminal.screen.interview.answers["model"] == "llama-9.9-70b"


async def test_a_refusal_does_not_disturb_somebody_who_types_on(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message then stands in the plan's place, and the answer is marked in the list."""
    async with opened() as terminal:
        await terminal.given("realtime-inference")
        release = held_back(monkeypatch)
        await terminal.pilot.press(*"llama 70b", "enter", *"20")
        release.set()
        await terminal.settle()
        assert terminal.asked == "people"
        assert terminal.panel.query_one("#answer", Input).value == "20"
        assert "can mean several models" in terminal.text("#refusal")
        assert terminal.rows()[1].startswith("✖ model")


async def test_keys_are_taken_while_a_plan_is_made_and_only_the_latest_is_shown(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT, "2000")
        made: list[Any] = []
        release = held_back(monkeypatch, made)
        await terminal.pilot.press(*"20 %", "enter")
        assert terminal.plan.border_subtitle == "calculating …"
        await terminal.pilot.press(*"6", "enter", *"4000", "enter")
        assert terminal.asked == "output_tokens"
        release.set()
        await terminal.settle()
        assert len(made) == 2, "the answer in between is never planned"
        assert terminal.screen.plan.workloads[0].facts["input_tokens"].value == 4000


async def test_the_plan_of_an_older_answer_is_not_shown(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT)
        older = terminal.screen.plan
        await terminal.say("2000")
        latest = terminal.screen.plan
        terminal.screen.post_message(PlanMade(terminal.screen.revision - 1, older))
        await terminal.settle()
        assert terminal.screen.plan is latest


async def test_a_fault_of_the_program_keeps_the_answers(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Plan:
        raise ZeroDivisionError("by zero")

    async with opened() as terminal:
        await terminal.given("realtime-inference")
        monkeypatch.setattr(making, "make_plan", broken)
        await terminal.pilot.press(*"llama-3.1-70b", "enter")
        await pause_until(terminal.pilot, lambda: bool(terminal.text("#refusal")))
        assert "The calculation failed: ZeroDivisionError: by zero" in terminal.text("#refusal")
        assert terminal.screen.interview.answers["model"] == "llama-3.1-70b"


async def test_what_people_write_is_no_markup(opened: Any) -> None:
    name = "[bold red]llama[/] [@click=app.quit]x"
    async with opened() as terminal:
        await terminal.say("realtime-inference", name)
        assert name in terminal.text("#problem")
        assert terminal.rows()[1] == f"✖ model {name}"


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)])
async def test_the_field_stays_in_sight(opened: Any, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(size) as terminal:
        plan = make_plan(to_document({"workloads": [{"kind": "rag", "model": "llama-3.1-8b"}]}), terminal.app.library)
        monkeypatch.setattr(making, "make_plan", lambda *_, **__: plan)
        seen = []
        while terminal.asked is not None:
            seen.append(terminal.asked)
            field = terminal.app.focused
            assert field is not None
            assert field.id in ("answer", "choices")
            assert terminal.panel.content_region.contains_region(field.region), terminal.asked
            terminal.screen.post_message(Answered({"kind": "rag", "model": "llama-3.1-8b"}.get(terminal.asked, "?")))
            await terminal.pilot.pause()
        assert len(seen) == 16


async def test_made_smaller_the_typed_answer_and_its_field_remain(opened: Any) -> None:
    async with opened((140, 45)) as terminal:
        await terminal.given(*CHAT)
        await terminal.pilot.press(*"2 GB", "enter")
        await terminal.pilot.resize_terminal(80, 24)
        await terminal.settle()
        field = terminal.panel.query_one("#answer", Input)
        assert (field.value, field.has_focus) == ("2 GB", True)
        assert terminal.panel.content_region.contains_region(field.region)
        assert terminal.screen.query_one(AnswersList).size.height >= 2
        assert not terminal.screen.has_class("-wide")
        await terminal.say("2000")
        assert terminal.asked == "active_share"


async def test_page_keys_move_the_plan_while_typing(opened: Any) -> None:
    async with opened((80, 24)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("pagedown")
        assert terminal.plan.scroll_y > 0
        assert terminal.panel.query_one("#answer", Input).has_focus
        await terminal.press("pageup")
        assert terminal.plan.scroll_y == 0


async def test_help_lists_the_keys(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.press("f1")
        assert isinstance(terminal.app.screen, HelpScreen)
        await terminal.press("escape")
        assert terminal.app.screen is terminal.screen


async def test_the_palette_offers_every_action(opened: Any) -> None:
    async with opened() as terminal:
        titles = [command.title for command in terminal.app.get_system_commands(terminal.screen)]
        assert titles[:7] == ["Back", "Don't know", "Why", "Simulate", "Save", "Help", "Quit"]
        assert "Theme" in titles
        await terminal.given(*CHAT)
        await terminal.press("ctrl+p", *"know", "enter")
        assert terminal.asked == "concurrent_requests"


async def test_a_simulation_runs_behind_and_stands_in_the_plan(opened: Any) -> None:
    async with opened() as terminal:
        assert terminal.screen.check_action("simulate", ()) is None
        await terminal.given(*PEOPLE)
        assert "Simulated" not in [group.heading for group in terminal.plan.shown]
        await terminal.press("ctrl+r")
        assert terminal.screen.plan.workloads[0].simulation.served > 0
        assert "Simulated" in [group.heading for group in terminal.plan.shown]


async def test_what_cannot_be_done_yet_is_greyed_out(opened: Any) -> None:
    async with opened() as terminal:
        assert terminal.screen.check_action("explain", ()) is None
        assert terminal.screen.check_action("save", ()) is None
        await terminal.given(*CHAT)
        assert terminal.screen.check_action("explain", ()) is True
        assert terminal.screen.check_action("save", ()) is True


async def test_leaving_asks_once_where_answers_would_be_lost(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT)
        await terminal.press("ctrl+q")
        assert terminal.app.is_running
        await terminal.say("2000")
        await terminal.press("ctrl+q")
        assert terminal.app.is_running
        await terminal.pilot.press("ctrl+q")
        assert not terminal.app.is_running


async def test_leaving_without_answers_asks_nothing(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.pilot.press("q")
        assert not terminal.app.is_running


def held_back(monkeypatch: pytest.MonkeyPatch, made: list[Any] | None = None) -> Event:
    """Makes plans wait for the event, and notes each."""
    release = Event()
    really = making.make_plan

    def waiting(*given: Any, **settings: Any) -> Plan:
        if made is not None:
            made.append(given)
        assert release.wait(10)
        return really(*given, **settings)

    monkeypatch.setattr(making, "make_plan", waiting)
    return release


async def pause_until(pilot: Pilot[None], reached: Callable[[], bool]) -> None:
    for _ in range(100):
        if reached():
            return
        await pilot.pause(0.02)
    raise AssertionError("it was not reached")
