"""How a figure was made: pick a quantity above, read its calculation below."""

from textwrap import wrap
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from advisor.plan.plan import WorkloadPlan
from advisor.plan.wording import SPOKEN
from advisor.report.text import tree_text
from advisor.report.words import called, written


class ExplainScreen(ModalScreen[None]):
    """The calculation of a workload's figures, down to answers and sources."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", priority=True),
        Binding("pagedown", "scroll_tree(1)", "Down", priority=True),
        Binding("pageup", "scroll_tree(-1)", "Up", priority=True),
    ]

    def __init__(self, workload: WorkloadPlan, quantity: str | None = None) -> None:
        super().__init__()
        self.workload = workload
        self.quantity = quantity

    def compose(self) -> ComposeResult:
        names = quantities(self.workload)
        if self.quantity is not None and self.quantity in self.workload.trace:
            names = tuple(dict.fromkeys((self.quantity, *names)))
        options = [Option(_row(self.workload, name), id=name) for name in names]
        with Vertical(classes="window"):
            yield OptionList(*options, id="quantities", markup=False)
            with VerticalScroll(id="tree"):
                yield Static(id="steps", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(".window").border_title = "How a figure was made"
        self.query_one("#quantities").focus()

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self._draw)

    @on(OptionList.OptionHighlighted)
    def _picked(self, event: OptionList.OptionHighlighted) -> None:
        self.quantity = event.option.id
        self._draw()
        self.query_one("#tree").scroll_home(animate=False)

    def action_close(self) -> None:
        """Return to the questions."""
        self.dismiss()

    def action_scroll_tree(self, pages: int) -> None:
        """Move the calculation by a page."""
        tree = self.query_one("#tree", VerticalScroll)
        tree.scroll_relative(y=pages * max(1, tree.size.height - 1), animate=False)

    def _draw(self) -> None:
        if self.quantity is not None:
            width = self.query_one("#tree").scrollable_content_region.width
            self.query_one("#steps", Static).update(Text(hanging(tree_text(self.workload, self.quantity), max(20, width))))


def quantities(workload: WorkloadPlan) -> tuple[str, ...]:
    """What can be explained: the quantities people ask for by name first, then every other that was calculated."""
    asked_for = [name for name in SPOKEN.values() if name in workload.trace]
    calculated = [name for name, step in workload.trace.items() if step.equation]
    return tuple(dict.fromkeys((*asked_for, *calculated)))


def hanging(text: str, width: int) -> str:
    """Text wrapped to a width, the later lines of each line deeper than its first."""
    lines: list[str] = []
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())][: width // 2]
        lines += wrap(line.strip(), width, initial_indent=indent, subsequent_indent=f"{indent}    ") or [""]
    return "\n".join(lines)


def _row(workload: WorkloadPlan, name: str) -> Text:
    step = workload.trace[name]
    row = Text(no_wrap=True, overflow="ellipsis")
    row.append(called(name))
    row.append(f"  {written(name, step.value, step.unit)}", style="dim")
    return row
