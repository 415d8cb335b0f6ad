"""The answers so far; picking one opens its question again."""

from collections.abc import Sequence

from rich.text import Text
from textual import on
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.report.words import called
from advisor_tui.interview import Given
from advisor_tui.messages import AnswerPicked

_LABEL_WIDTH = 19


class AnswersList(OptionList):
    """One row an answer. Posts AnswerPicked."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.border_title = "Answers so far"

    def show(self, given: Sequence[Given], refused: str | None) -> None:
        """Show answers, the latest row in sight; `refused` is the fact whose answer cannot be planned with."""
        before = self.highlighted_option.id if self.highlighted_option is not None else None
        self.clear_options()
        self.add_options(Option(_row(each, each.question.fact == refused), id=each.question.fact) for each in given)
        facts = [each.question.fact for each in given]
        if facts:
            self.highlighted = facts.index(before) if self.has_focus and before in facts else len(facts) - 1
        self.border_subtitle = "tab, enter: change one" if facts else ""

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option.id is not None:
            self.post_message(AnswerPicked(event.option.id))


def _row(given: Given, refused: bool) -> Text:
    counts = given.counts or given.value is None
    label = called(given.question.fact)
    label = label if len(label) <= _LABEL_WIDTH else f"{label[: _LABEL_WIDTH - 1]}…"
    row = Text()
    row.append("✖ " if refused else "  ", style="bold red")
    row.append(f"{label:{_LABEL_WIDTH}} ", style="dim")
    row.append(given.shown, style="" if given.value is not None and counts else "dim")
    if not counts:
        row.append(" · unused now", style="dim")
    return row
