"""The plan on a screen of its own: figures to open, charts, alternatives, advice with its reasons, assumptions to answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static, TabbedContent, TabPane

from advisor.plan.plan import AdviceReport, Assumption, Configuration, Plan, WorkloadPlan
from advisor.plan.quantity import Quantity
from advisor.report.memory_parts import memory_parts
from advisor.report.sections import MAIN_FIGURES, SEVERITY_MARK, carries, headline
from advisor.report.words import called, rent_text, written
from advisor.units import show
from advisor_tui.actions import PLAN, Action, bindings
from advisor_tui.ranges import written_range
from advisor_tui.screens.ask_value import AskValueScreen
from advisor_tui.screens.explain import ExplainScreen
from advisor_tui.widgets.curves import Percentiles
from advisor_tui.widgets.memory_bar import MemoryBar, mark

if TYPE_CHECKING:
    from advisor_tui.app import AdvisorApp

_PANES = ("figures", "charts", "instead", "advice", "assumed")
_TARGETS = {"time_to_first_token": "first_token_target", "time_per_output_token": "token_target"}
_STYLES = {"error": "bold red", "warning": "yellow", "note": ""}


class PlanScreen(Screen[None]):
    """Shows the latest plan of the questions and follows every new one. workload: the place of the one shown."""

    ACTIONS: ClassVar[tuple[Action, ...]] = PLAN
    BINDINGS: ClassVar[list[BindingType]] = list(bindings(PLAN))

    def __init__(self, app: "AdvisorApp") -> None:
        super().__init__()
        self.guided = app.guided
        self.plan: Plan | None = self.guided.plan
        self.shown = 0
        self.sorted_by = -1

    def compose(self) -> ComposeResult:
        yield Static(id="decision", markup=False)
        with TabbedContent(id="panes"):
            with TabPane("Figures", id="figures"):
                yield DataTable(id="figure-table", cursor_type="row", zebra_stripes=True)
            with TabPane("Charts", id="charts"):
                yield MemoryBar(id="memory-bar")
                with VerticalScroll(can_focus=False):
                    yield DataTable(id="memory-table", cursor_type="row", show_header=False)
                    with Horizontal(id="plots"):
                        for quantity in _TARGETS:
                            with Vertical(id=f"box-{quantity}", classes="plot"):
                                yield Percentiles(quantity, id=f"plot-{quantity}")
            with TabPane("Instead", id="instead"):
                yield DataTable(id="instead-table", cursor_type="row", zebra_stripes=True)
                yield Static(id="instead-detail", classes="detail", markup=False)
            with TabPane("Advice", id="advice"):
                yield DataTable(id="advice-table", cursor_type="row")
                with VerticalScroll(classes="detail"):
                    yield Static(id="advice-detail", markup=False)
            with TabPane("Assumed", id="assumed"):
                yield DataTable(id="assumed-table", cursor_type="row", zebra_stripes=True)
        yield Footer()

    def on_mount(self) -> None:
        self.guided.plan_changed.subscribe(self, self._follow)
        self._show()
        self.query_one("#figure-table").focus()

    @property
    def workload(self) -> WorkloadPlan | None:
        """The workload shown, or a component of one."""
        found = () if self.plan is None else tuple(_all(self.plan.workloads))
        return found[self.shown % len(found)] if found else None

    def _follow(self, plan: Plan) -> None:
        self.plan = plan
        self._show()

    # What is drawn

    def _show(self) -> None:
        workload = self.workload
        self.query_one("#decision", Static).update(_decision(workload))
        if workload is None or self.plan is None:
            return
        chosen = workload.recommended
        table = self._emptied("figure-table", "figure", "value", "80 % range", "known as")
        for name, figure in _figures(workload):
            cells = (called(name), written(name, figure.value, figure.unit), _range(name, figure), figure.label.value)
            table.add_row(*map(Text, cells), key=name)
        parts = memory_parts(workload)
        self.query_one("#memory-bar", MemoryBar).show(parts)
        table = self._emptied("memory-table", "part", "GiB", "share")
        whole = sum(part.bytes for part in parts) or 1
        for number, part in enumerate(parts):
            letter, colour = ("·", "dim") if part.free else mark(number)
            label = Text.assemble((f"{letter} ", colour), part.name)
            table.add_row(label, Text(show(part.bytes, "GiB")), Text(f"{100 * part.bytes / whole:.0f} %"), key=part.quantity)
        for quantity, target in _TARGETS.items():
            fact = workload.facts.get(target)
            asked = fact.value if fact is not None and isinstance(fact.value, float) else None
            box = self.query_one(f"#box-{quantity}")
            box.border_title = f"{called(quantity)}: mean and percentiles, 80 % ranges"
            box.display = chosen is not None and self.query_one(f"#plot-{quantity}", Percentiles).show(chosen, asked)
        self._show_alternatives(workload)
        table = self._emptied("advice-table", "", "rule", "advice")
        for number, advice in enumerate(self.plan.advice):
            style = _STYLES[advice.severity]
            table.add_row(Text(SEVERITY_MARK[advice.severity], style), Text(advice.rule), Text(advice.title), key=str(number))
        if not self.plan.advice:
            self.query_one("#advice-detail", Static).update("No rule has anything to say of this plan.")
        table = self._emptied("assumed-table", "assumed", "value", "because")
        for assumption in self.plan.assumptions:
            value = written(assumption.name, assumption.value, assumption.unit)
            row = (called(assumption.name), value, assumption.because)
            table.add_row(*map(Text, row), key=_key(assumption))

    def _show_alternatives(self, workload: WorkloadPlan) -> None:
        table = self._emptied("instead-table", "role", "accelerators", "rent", "time", "memory left")
        found = ((workload.recommended,) if workload.recommended else ()) + workload.alternatives
        if self.sorted_by >= 0:
            column = self.sorted_by
            found = tuple(sorted(found, key=lambda each: _cells(each)[column][0]))
        for each in found:
            table.add_row(*(Text(text) for _, text in _cells(each)), key=headline(each))

    def _emptied(self, id: str, *columns: str) -> DataTable[Text]:
        table = self.query_one(f"#{id}", DataTable)
        row = table.cursor_row
        table.clear()
        if not table.columns:
            table.add_columns(*columns)
        self.call_after_refresh(table.move_cursor, row=row)
        return table

    # What is picked

    @on(DataTable.RowSelected, "#figure-table")
    @on(DataTable.RowSelected, "#memory-table")
    def _open(self, event: DataTable.RowSelected) -> None:
        workload, name = self.workload, event.row_key.value
        if workload is not None and name is not None and name in workload.trace:
            self.app.push_screen(ExplainScreen(workload, name))

    @on(DataTable.RowHighlighted, "#instead-table")
    def _detail(self, event: DataTable.RowHighlighted) -> None:
        workload = self.workload
        if workload is None or event.row_key.value is None:
            return
        found = ((workload.recommended,) if workload.recommended else ()) + workload.alternatives
        chosen = next((each for each in found if headline(each) == event.row_key.value), None)
        self.query_one("#instead-detail", Static).update(_alternative(chosen) if chosen else "")

    @on(DataTable.RowHighlighted, "#advice-table")
    def _advice_detail(self, event: DataTable.RowHighlighted) -> None:
        if self.plan is not None and event.row_key.value is not None:
            self.query_one("#advice-detail", Static).update(_advice(self.plan.advice[int(event.row_key.value)]))

    @on(DataTable.RowSelected, "#assumed-table")
    def _answer(self, event: DataTable.RowSelected) -> None:
        if self.plan is None or event.row_key.value is None:
            return
        assumption = next(each for each in self.plan.assumptions if _key(each) == event.row_key.value)
        question = next((each for each in self.guided.interview.questions if each.fact == assumption.name), None)
        if question is None or self.guided.interview.at(assumption.name).current != assumption.name:
            self.notify("No question asks for this; a workload document can state it.", markup=False)
            return
        self.app.push_screen(AskValueScreen(question, self.guided.answer))

    @on(TabbedContent.TabActivated)
    def _focus(self, event: TabbedContent.TabActivated) -> None:
        for table in event.pane.query(DataTable):
            table.focus()
            return

    # What keys call

    def action_close(self) -> None:
        """Return to the questions."""
        self.app.pop_screen()

    def action_next_pane(self) -> None:
        """Show the next page of the plan."""
        panes = self.query_one("#panes", TabbedContent)
        panes.active = _PANES[(_PANES.index(panes.active) + 1) % len(_PANES)]

    def action_sort(self) -> None:
        """Sort the alternatives by their next column."""
        self.query_one("#panes", TabbedContent).active = "instead"
        self.sorted_by = (self.sorted_by + 2) % 6 - 1
        if self.workload is not None:
            self._show_alternatives(self.workload)
            table = self.query_one("#instead-table", DataTable)
            names = [str(column.label) for column in table.columns.values()]
            self.notify(
                f"Sorted by {names[self.sorted_by]}." if self.sorted_by >= 0 else "In the plan's own order.", markup=False
            )

    @on(DataTable.HeaderSelected, "#instead-table")
    def _sort_by(self, event: DataTable.HeaderSelected) -> None:
        self.sorted_by = event.column_index
        if self.workload is not None:
            self._show_alternatives(self.workload)

    def action_next_workload(self) -> None:
        """Show the next workload or component."""
        self.shown += 1
        self._show()

    def action_show_help(self) -> None:
        """List the keys."""
        from advisor_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(PLAN))

    def action_save_page(self) -> None:
        """Ask for a file and write the report."""
        from advisor_tui.screens.save import SaveScreen

        if self.plan is not None:
            from advisor.report.html import plan_html

            self.app.push_screen(SaveScreen(plan_html(self.plan, self.guided.library), "report.html"), self._after_saving)

    def _after_saving(self, path: Path | None) -> None:
        if path is not None:
            self.notify(f"Saved {path}", markup=False)


def _all(workloads: tuple[WorkloadPlan, ...]) -> Iterator[WorkloadPlan]:
    for workload in workloads:
        yield workload
        yield from _all(workload.components)


def _figures(workload: WorkloadPlan) -> Iterator[tuple[str, Quantity]]:
    """The main figures first, then every other that was estimated, then those of running it."""
    estimates = workload.recommended.estimates if workload.recommended else {}
    for name in dict.fromkeys((*(each for each in MAIN_FIGURES if each in estimates), *estimates)):
        yield name, estimates[name]
    if workload.running is not None:
        yield from workload.running.figures.items()


def _range(name: str, figure: Quantity) -> str:
    if figure.low is None or figure.high is None:
        return "exact"
    return written_range(written(name, figure.low, figure.unit), written(name, figure.high, figure.unit))


def _decision(workload: WorkloadPlan | None) -> Text:
    if workload is None:
        return Text("There is no plan yet: answer the first questions (f2).")
    text = Text(f"{workload.name} · {workload.kind.replace('-', ' ')} · {workload.model.name}\n", style="dim")
    chosen = workload.recommended
    if chosen is None:
        binding = next((limit for limit in workload.limits if limit.binding), None)
        text.append("Nothing keeps every limit" + (f": {binding.says}" if binding else ""), style="bold red")
        return text
    text.append(headline(chosen), style="bold")
    text.append(f"\n{carries(chosen)}")
    if chosen.rent is not None:
        text.append(f"; rent {show(chosen.rent.total, 'USD/month', digits=4)}")
    return text


def _cells(each: Configuration) -> tuple[tuple[float | str, str], ...]:
    """Of each column what it is sorted by and what it says."""
    rent = each.rent.total if each.rent else None
    time = each.estimates.get("time_to_train") or each.estimates.get("time_per_output_token")
    margin = each.estimates.get("memory_margin")
    return (
        (each.role, each.role),
        (each.accelerators, f"{each.accelerators} × {each.accelerator_name}"),
        (float("inf") if rent is None else rent, "no dated price" if rent is None else show(rent, "USD/month", digits=4)),
        (time.value if time else float("inf"), written("time", time.value, time.unit) if time else "–"),
        (-margin.value if margin else 0.0, written("memory_margin", margin.value, margin.unit) if margin else "–"),
    )


def _alternative(each: Configuration) -> Text:
    text = Text(headline(each), style="bold")
    text.append(f"\n{carries(each)}", style="not bold")
    if each.rent:
        text.append(f"\nrent {rent_text(each.rent)}", style="not bold")
    for says in (each.against, each.quality_note):
        if says:
            text.append(f"\n{says}", style="not bold")
    return text


def _advice(advice: AdviceReport) -> Text:
    text = Text(f"{advice.rule}  {advice.title}\n", style="bold")
    text.append(f"{advice.advice}\n\n", style="not bold")
    text.append(f"Why: {advice.because}\n", style="not bold")
    text.append(f"Source: {'; '.join(advice.sources)}", style="not bold dim")
    return text


def _key(assumption: Assumption) -> str:
    return f"{assumption.workload}/{assumption.name}"
