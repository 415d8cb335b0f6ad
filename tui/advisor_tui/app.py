"""The application: the questions, the screens beside them, and a command palette made from the actions of all."""

from collections.abc import Iterable
from datetime import date
from functools import partial
from importlib import import_module
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from advisor.library import Library
from advisor_tui.actions import EVERYWHERE, GUIDED, PLACES, QUESTIONS, bindings, place_bindings
from advisor_tui.screens.guided import GuidedScreen
from advisor_tui.themes import HIGH_CONTRAST, following

_OWN = {"Quit", "Keys"}


class AdvisorApp(App[None]):
    """The guided terminal. today: the day prices are reckoned from; the calendar's if none is given."""

    CSS_PATH = "app.tcss"
    TITLE = "advisor"
    BINDINGS: ClassVar[list[BindingType]] = [*place_bindings(PLACES), *bindings(EVERYWHERE)]

    def __init__(self, library: Library, *, today: date | None = None) -> None:
        super().__init__()
        self.library = library
        self.today = today
        self.register_theme(HIGH_CONTRAST)

    @property
    def guided(self) -> GuidedScreen:
        """The screen of the questions, which all others stand over."""
        guided = self.screen_stack[0]
        assert isinstance(guided, GuidedScreen)
        return guided

    def get_default_screen(self) -> Screen[None]:
        """The guided screen."""
        return GuidedScreen(self.library, today=self.today)

    async def action_quit(self) -> None:
        """What the framework's own key does, on every screen: leave as the guided screen leaves."""
        self.guided.action_leave()

    async def action_open_place(self, name: str) -> None:
        """Go to a screen; windows and the screen left are closed, the questions stay as they are below."""
        place = next(place for place in PLACES if place.name == name)
        module, _, kind = place.screen.partition(":")
        while len(self.screen_stack) > 1:
            if type(self.screen).__name__ == kind:
                return
            await self.pop_screen()
        if place != QUESTIONS:
            await self.push_screen(getattr(import_module(module), kind)(self))

    def action_next_theme(self) -> None:
        """Go on to the next colours."""
        self.theme = following(self.theme)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A window is closed before another screen is opened."""
        return not isinstance(self.screen, ModalScreen) if action == "open_place" else True

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: every action of the screen, every place, and the colours."""
        for action in GUIDED if isinstance(screen, GuidedScreen) else getattr(screen, "ACTIONS", ()):
            yield SystemCommand(action.label, action.help, partial(screen.run_action, action.name))
        for place in PLACES:
            yield SystemCommand(place.label, place.help, partial(self.run_action, place.action))
        for action in EVERYWHERE:
            yield SystemCommand(action.label, action.help, partial(self.run_action, action.name))
        yield from (command for command in super().get_system_commands(screen) if command.title not in _OWN)
