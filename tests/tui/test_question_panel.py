"""The question panel alone: every kind of question, also those that no shipped question has."""

from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Input, OptionList, Static

from advisor.errors import AmbiguousNameError, InputError, UnknownNameError
from advisor.questionnaire.question import Question, Unsure
from advisor_tui.messages import Answered
from advisor_tui.widgets.question_panel import QuestionPanel

BARE: dict[str, Any] = {"id": "x", "ask": "What [b]now[/b]?", "fact": "x", "path": "workloads[0].precision"}
TEXT = Question(**BARE, kind="text")
MANY = Question(**BARE, kind="text", many=True)
FLAG = Question(**BARE, kind="flag", unsure=Unsure(use=False, because="rarely so"))
SHARE = Question.model_validate({**BARE, "kind": "quantity", "unit": "1", "percentage": True, "between": ["1 %", "100 %"]})


class PanelApp(App[None]):
    """A panel and what it said."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield QuestionPanel()

    def on_answered(self, message: Answered) -> None:
        self.said.append(message.text)


def words(panel: QuestionPanel) -> list[str | None]:
    choices = panel.query_one("#choices", OptionList)
    return [choices.get_option_at_index(index).id for index in range(choices.option_count)] if choices.display else []


def text(panel: QuestionPanel, name: str) -> str:
    return str(panel.query_one(name, Static).visual)


async def test_a_flag_is_picked_from_yes_and_no() -> None:
    async with PanelApp().run_test() as pilot:
        panel = pilot.app.query_one(QuestionPanel)
        panel.show(FLAG, (1, 2))
        await pilot.pause()
        assert words(panel) == ["yes", "no"]
        assert not panel.query_one("#answer").display
        assert text(panel, "#ask") == "What [b]now[/b]?"
        assert text(panel, "#unsure") == "Don't know (ctrl+d): no, rarely so"
        await pilot.press("down", "enter")
        assert isinstance(pilot.app, PanelApp)
        assert pilot.app.said == ["no"]


async def test_what_is_taken_is_said() -> None:
    async with PanelApp().run_test() as pilot:
        panel = pilot.app.query_one(QuestionPanel)
        panel.show(SHARE, (1, 2))
        assert text(panel, "#accepted") == "Takes a plain number or a percentage: 1 – 100 %."
        panel.show(MANY, (1, 2))
        assert text(panel, "#accepted") == "Several words: separate them by commas."
        assert text(panel, "#unsure") == "Don't know (ctrl+d): left open"
        panel.show(TEXT, (1, 2), "as before")
        assert panel.query_one("#answer", Input).value == "as before"
        assert panel.untouched


@pytest.mark.parametrize(
    ("question", "error", "offered"),
    [
        (TEXT, AmbiguousNameError("two of them", meanings=["one", "two"]), ["one", "two"]),
        (TEXT, UnknownNameError("nobody", nearest=["somebody"]), ["somebody"]),
        (TEXT, UnknownNameError("nobody"), []),
        (TEXT, InputError("no", hint="write yes"), []),
        (MANY, UnknownNameError("nobody", nearest=["somebody"]), []),
    ],
)
async def test_names_that_come_close_are_offered(question: Question, error: InputError, offered: list[str]) -> None:
    async with PanelApp().run_test() as pilot:
        panel = pilot.app.query_one(QuestionPanel)
        panel.show(question, (1, 2))
        panel.refuse(error)
        assert words(panel) == offered
        assert text(panel, "#problem").startswith(error.message)
        assert panel.query_one("#answer", Input).has_focus
        panel.show(question, (1, 2))
        assert words(panel) == []


async def test_the_end_says_what_can_be_done() -> None:
    async with PanelApp().run_test() as pilot:
        panel = pilot.app.query_one(QuestionPanel)
        panel.show(None, (2, 2))
        assert text(panel, "#ask") == "That was the last question."
        assert not panel.query_one("#answer").display
        assert words(panel) == []
