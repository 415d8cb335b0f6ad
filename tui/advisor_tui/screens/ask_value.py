"""One question in a window: turns what was assumed into an answer on the spot."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer

from advisor.errors import InputError
from advisor.questionnaire.question import Question
from advisor_tui.messages import Answered
from advisor_tui.widgets.question_panel import QuestionPanel


class AskValueScreen(ModalScreen[None]):
    """Asks a question again and hands fact and words to `take`, which may refuse them with InputError."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Cancel", priority=True)]

    def __init__(self, question: Question, take: Callable[[str, str], None]) -> None:
        super().__init__()
        self.question = question
        self.take = take

    def compose(self) -> ComposeResult:
        with Vertical(classes="window small"):
            yield QuestionPanel()
        yield Footer()

    def on_mount(self) -> None:
        panel = self.query_one(QuestionPanel)
        panel.show(self.question, (1, 1))
        panel.border_title = Text("Answer what was assumed").plain

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        message.stop()
        try:
            self.take(self.question.fact, message.text)
        except InputError as error:
            self.query_one(QuestionPanel).refuse(error)
        else:
            self.dismiss()

    def action_close(self) -> None:
        """Leave what was assumed as it is."""
        self.dismiss()
