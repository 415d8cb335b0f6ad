"""The catalogue and the rules: a kind of entry, words to look for, the entries that hold them, and the one picked in full."""

from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static, Tab, Tabs
from textual.widgets.option_list import Option

from advisor.library.kinds import kind_named
from advisor.reasoning.rule import Rule
from advisor.report.entries import entry_card, entry_line, rule_card
from advisor_tui.actions import CATALOGUE, Action, bindings
from advisor_tui.screens.explain import hanging

if TYPE_CHECKING:
    from advisor_tui.app import AdvisorApp

KINDS = (
    "models",
    "accelerators",
    "servers",
    "prices",
    "formats",
    "engines",
    "networks",
    "storage",
    "licences",
    "sources",
    "rules",
)


class CatalogueScreen(Screen[None]):
    """kind: the kind of entry shown. found: the entries that hold the words, in their order."""

    ACTIONS: ClassVar[tuple[Action, ...]] = CATALOGUE
    BINDINGS: ClassVar[list[BindingType]] = list(bindings(CATALOGUE))

    def __init__(self, app: "AdvisorApp") -> None:
        super().__init__()
        self.library = app.library
        self.kind = KINDS[0]
        self.found: tuple[BaseModel, ...] = ()

    def compose(self) -> ComposeResult:
        yield Tabs(*(Tab(kind, id=kind) for kind in KINDS), id="kinds")
        yield Input(placeholder="words to look for", id="words")
        with Vertical(id="entries-box"):
            yield OptionList(id="entries", markup=False)
        with VerticalScroll(id="entry-box"):
            yield Static(id="entry", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#entries-box").border_title = "Entries"
        self.query_one("#words").focus()

    @on(Tabs.TabActivated, "#kinds")
    def _kind(self, event: Tabs.TabActivated) -> None:
        self.kind = event.tab.id or KINDS[0]
        self._look()

    @on(Input.Changed, "#words")
    def _words(self) -> None:
        self._look()

    @on(OptionList.OptionHighlighted, "#entries")
    def _picked(self, event: OptionList.OptionHighlighted) -> None:
        self._show(self.found[event.option_index])

    def on_key(self, event: Key) -> None:
        """The arrows lead from the words into the entries and back."""
        words, entries = self.query_one("#words"), self.query_one("#entries", OptionList)
        if event.key == "down" and words.has_focus and self.found:
            entries.focus()
        elif event.key == "up" and entries.has_focus and entries.highlighted == 0:
            words.focus()
        else:
            return
        event.stop()
        event.prevent_default()

    def _look(self) -> None:
        kind = kind_named(self.kind)
        assert kind is not None
        text = self.query_one("#words", Input).value.strip()
        everything = self.library.all(kind.record)
        if not text:
            self.found = everything
        else:
            searched = self.library.search(kind.record, text, limit=200)
            wanted = text.lower().split()
            plain = tuple(each for each in everything if all(word in self._line(each).lower() for word in wanted))
            self.found = tuple({id(each): each for each in (*searched, *plain)}.values())
        entries = self.query_one("#entries", OptionList)
        entries.clear_options()
        entries.add_options(Option(Text(self._line(each), no_wrap=True, overflow="ellipsis")) for each in self.found)
        self.query_one("#entries-box").border_subtitle = f"{len(self.found)} of {len(everything)}"
        if self.found:
            entries.highlighted = 0
            self._show(self.found[0])
        else:
            self.query_one("#entry", Static).update(Text("Nothing holds these words.", "dim"))

    def _line(self, record: BaseModel) -> str:
        if isinstance(record, Rule):
            return f"{record.id:10}{record.severity:9}{record.title}"
        return entry_line(self.kind, record)

    def _show(self, record: BaseModel) -> None:
        box = self.query_one("#entry-box", VerticalScroll)
        card = rule_card(record) if isinstance(record, Rule) else entry_card(record)
        self.query_one("#entry", Static).update(Text(hanging(card, max(20, box.scrollable_content_region.width))))
        box.scroll_home(animate=False)

    # What keys call

    def action_close(self) -> None:
        """Return to the questions."""
        self.app.pop_screen()

    def action_next_kind(self) -> None:
        """Show the next kind of entry."""
        self._turn(1)

    def action_previous_kind(self) -> None:
        """Show the kind before."""
        self._turn(-1)

    def _turn(self, steps: int) -> None:
        self.query_one("#kinds", Tabs).active = KINDS[(KINDS.index(self.kind) + steps) % len(KINDS)]

    def action_show_help(self) -> None:
        """List the keys."""
        from advisor_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(CATALOGUE))
