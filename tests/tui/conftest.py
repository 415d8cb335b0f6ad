"""The guided terminal, driven without a terminal."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import date

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from advisor.library import Library
from advisor_tui.app import AdvisorApp
from advisor_tui.messages import Answered
from advisor_tui.screens.guided import GuidedScreen
from advisor_tui.widgets.answers_list import AnswersList
from advisor_tui.widgets.plan_panel import PlanPanel
from advisor_tui.widgets.question_panel import QuestionPanel

DAY = date(2026, 11, 30)


@dataclass(frozen=True)
class Terminal:
    """The application with the keys and looks that the tests need."""

    app: AdvisorApp
    pilot: Pilot[None]

    @property
    def screen(self) -> GuidedScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, GuidedScreen)
        return screen

    @property
    def panel(self) -> QuestionPanel:
        return self.screen.query_one(QuestionPanel)

    @property
    def plan(self) -> PlanPanel:
        return self.screen.query_one(PlanPanel)

    @property
    def asked(self) -> str | None:
        return self.screen.interview.current

    async def settle(self) -> None:
        """Wait until what was pressed has had all its effects, plans included."""
        await self.pilot.pause()
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()

    async def given(self, *answers: str) -> None:
        """Where a test begins: answers that the questions got one after another, without their keys."""
        for answer in answers:
            self.screen.post_message(Answered(answer))
        await self.settle()

    async def say(self, *answers: str) -> None:
        """Answer question after question, as if it had been typed or picked."""
        for answer in answers:
            choices = self.panel.query_one("#choices", OptionList)
            if choices.has_focus:
                while choices.highlighted_option is not None and choices.highlighted_option.id != answer:
                    await self.pilot.press("down")
            else:
                field = self.panel.query_one("#answer", Input)
                field.value, field.cursor_position = answer, len(answer)
            await self.press("enter")

    def text(self, name: str) -> str:
        """The text of a line that is shown; empty where it is not."""
        line = self.app.screen.query_one(name, Static)
        return str(line.visual) if line.display else ""

    def rows(self) -> list[str]:
        """The answers so far as they are shown."""
        answers = self.screen.query_one(AnswersList)
        return [" ".join(str(answers.get_option_at_index(row).prompt).split()) for row in range(answers.option_count)]


Opened = Callable[..., AbstractAsyncContextManager[Terminal]]


@pytest.fixture
def opened(library: Library) -> Opened:
    """Opens the terminal at a size."""

    @asynccontextmanager
    async def opening(size: tuple[int, int] = (100, 30)) -> AsyncIterator[Terminal]:
        app = AdvisorApp(library, today=DAY)
        async with app.run_test(size=size) as pilot:
            terminal = Terminal(app, pilot)
            await terminal.settle()
            yield terminal

    return opening
