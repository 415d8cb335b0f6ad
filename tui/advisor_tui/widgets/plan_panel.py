"""The plan as it stands, with what the last answer changed set off."""

from collections.abc import Mapping

from rich.console import Group as Stacked
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from advisor.errors import AdvisorError
from advisor.plan.plan import Plan
from advisor.report.sections import made_with
from advisor_tui.plan_rows import Group, Row, changes, groups

_WAITING = "A plan appears here as soon as the work and the model are known, and grows with every answer."
_CHANGED = "bold yellow"
# Longer values are marked as changed, and what they were is left to memory.
_SHORT = 32


class PlanPanel(VerticalScroll, can_focus=True):
    """Shows a plan, or why there is none; what was shown before is compared with."""

    def __init__(self) -> None:
        super().__init__()
        self.border_title = "Plan so far"
        self.shown: tuple[Group, ...] = ()
        self.changed: Mapping[str, str | None] = {}

    def compose(self) -> ComposeResult:
        yield Static(id="refusal", markup=False)
        yield Static(_WAITING, id="plan", markup=False)

    def on_mount(self) -> None:
        self.query_one("#refusal").display = False

    def wait(self) -> None:
        """Say that too little is known for a plan."""
        self.shown, self.changed = (), {}
        self.remove_class("stale")
        self.query_one("#refusal").display = False
        self.query_one("#plan", Static).update(Text(_WAITING))

    def calculating(self) -> None:
        """Say that the plan of the latest answer is on its way."""
        self.border_subtitle = "calculating …"

    def show(self, plan: Plan) -> None:
        """Show a plan, and mark what differs from the one shown before."""
        after = groups(plan)
        self.changed = changes(self.shown, after) if self.shown else {}
        self.shown = after
        self.remove_class("stale")
        self.border_subtitle = f"{len(self.changed)} changed" if self.changed else ""
        self.query_one("#refusal").display = False
        self.query_one("#plan", Static).update(_drawn(after, self.changed, made_with(plan)))

    def refuse(self, text: str) -> None:
        """Say why the latest answers give no plan; the one before stays below, dimmed."""
        self.add_class("stale")
        self.border_subtitle = ""
        refusal = self.query_one("#refusal", Static)
        refusal.display = True
        refusal.update(Text(f"No plan with these answers\n{text}" + ("\n\nThe plan before:" if self.shown else "")))
        if not self.shown:
            self.query_one("#plan", Static).update("")


def refusal_text(error: AdvisorError) -> str:
    """An error without the place in a document that nobody here has written."""
    return "\n".join(part for part in (error.message, error.hint) if part)


def _drawn(found: tuple[Group, ...], changed: Mapping[str, str | None], made: str) -> RenderableType:
    parts: list[RenderableType] = []
    for number, group in enumerate(found):
        if number:
            parts.append(Text(""))
        if group.heading:
            parts.append(Text(group.heading, style="bold underline"))
        rows = Table.grid(padding=(0, 1, 0, 0))
        labelled = any(row.label for row in group.rows)
        if labelled:
            rows.add_column(max_width=17, overflow="fold")
        rows.add_column(overflow="fold", ratio=1)
        for row in group.rows:
            rows.add_row(*((Text(row.label, style="dim"),) if labelled else ()), _value(row, changed))
        parts.append(rows)
    parts += [Text(""), Text(made, style="dim")]
    return Stacked(*parts)


def _value(row: Row, changed: Mapping[str, str | None]) -> Text:
    text = Text()
    if row.key in changed:
        text.append(row.value, style=_CHANGED)
        before = changed[row.key]
        if before is not None and len(before) <= _SHORT:
            text.append(f"  was {before}", style="dim")
    else:
        text.append(row.value, style="bold" if row.key == "use" else "")
    if row.note:
        text.append(f"\n{row.note}", style="dim")
    return text
