"""The application: one guided screen, and a command palette made from its actions."""

from collections.abc import Iterable
from datetime import date
from functools import partial

from textual.app import App, SystemCommand
from textual.screen import Screen

from advisor.library import Library
from advisor_tui.actions import GUIDED
from advisor_tui.screens.guided import GuidedScreen

_OWN = {"Quit", "Keys"}


class AdvisorApp(App[None]):
    """The guided terminal. today: the day prices are reckoned from; the calendar's if none is given."""

    CSS_PATH = "app.tcss"
    TITLE = "advisor"

    def __init__(self, library: Library, *, today: date | None = None) -> None:
        super().__init__()
        self.library = library
        self.today = today

    def get_default_screen(self) -> Screen[None]:
        """The guided screen."""
        return GuidedScreen(self.library, today=self.today)

    async def action_quit(self) -> None:
        """What the framework's own key does, on every screen: leave as the guided screen leaves."""
        guided = self.screen_stack[0]
        assert isinstance(guided, GuidedScreen)
        guided.action_leave()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: every action of the guided screen, and the colours."""
        if isinstance(screen, GuidedScreen):
            for action in GUIDED:
                yield SystemCommand(action.label, action.help, partial(screen.run_action, action.name))
        yield from (command for command in super().get_system_commands(screen) if command.title not in _OWN)
