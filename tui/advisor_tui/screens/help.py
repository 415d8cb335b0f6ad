"""Every key: of the screen it was opened from, and of all screens."""

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from advisor_tui.actions import EVERYWHERE, GUIDED, PLACES, Action

_MOVING = (
    ("enter", "Answer; an empty field means that you don't know. In a table: open what is picked."),
    ("tab", "Go on to the answers so far and to the plan; enter there changes an answer."),
    ("letters", "In a list, go to the entry that begins so."),
    ("ctrl+p", "Open the command palette: everything by name, and the colours."),
)


class HelpScreen(ModalScreen[None]):
    """Lists what the action registry and the widgets offer."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,enter", "close", "Close", priority=True)]

    def __init__(self, actions: tuple[Action, ...] = GUIDED) -> None:
        super().__init__()
        self.actions = actions

    def compose(self) -> ComposeResult:
        rows = Table.grid(padding=(0, 2, 0, 0))
        rows.add_column(no_wrap=True)
        rows.add_column(overflow="fold")
        for key, help in _MOVING:
            rows.add_row(Text(key, style="bold"), Text(help))
        for action in (*self.actions, *EVERYWHERE):
            letter = {None: "", "question_mark": " or ?"}.get(action.letter, f" or {action.letter}")
            rows.add_row(Text(f"{action.key}{letter}", style="bold"), Text(action.help))
        for place in PLACES:
            rows.add_row(Text(place.key, style="bold"), Text(place.help))
        with VerticalScroll(classes="window"):
            yield Static(rows, id="keys")
            yield Static(Text("\nThe letters work wherever nothing is being typed.", style="dim"))
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(".window").border_title = "Keys"

    def action_close(self) -> None:
        """Return to the screen below."""
        self.dismiss()
