"""What if: facts on the left moved with the arrow keys, the figures they give on the right beside those of the answers."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.coordinate import Coordinate
from textual.message import Message
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static
from textual.worker import Worker, WorkerState, get_current_worker

from advisor.errors import AdvisorError
from advisor.facts import FactValue
from advisor.plan.answers import answers_document, counted, sensible
from advisor.plan.plan import Plan
from advisor.questionnaire.question import Question
from advisor.report.sections import headline
from advisor.report.words import called, written
from advisor.units import show
from advisor_tui.actions import WHAT_IF, Action, bindings
from advisor_tui.messages import PlanMade, PlanRefused
from advisor_tui.steps import stepped, swept
from advisor_tui.widgets.curves import Curve
from advisor_tui.widgets.plan_panel import refusal_text

if TYPE_CHECKING:
    from advisor_tui.app import AdvisorApp

_COMPARED = (
    "time_to_train",
    "accelerator_time",
    "training_memory_margin",
    "time_to_first_token",
    "time_to_first_token_p95",
    "time_per_output_token",
    "time_per_output_token_p95",
    "request_latency",
    "output_token_rate",
    "memory_margin",
    "concurrency_capacity",
    "item_latency",
    "items_per_second",
)
_WIDE = 110
_NARROW = 20
_CURVES = ("rent", "accelerators", "time_to_train", "time_per_output_token", "item_latency")


class Swept(Message):
    """A worker planned another value of a sweep. plan: none where that value gives none."""

    def __init__(self, revision: int, fact: str, value: float, plan: Plan | None) -> None:
        super().__init__()
        self.revision = revision
        self.fact = fact
        self.value = value
        self.plan = plan


class WhatIfScreen(Screen[None]):
    """tried: values in place of the answers, by fact. plan: of them. points: of the latest sweep, value and plan."""

    ACTIONS: ClassVar[tuple[Action, ...]] = WHAT_IF
    BINDINGS: ClassVar[list[BindingType]] = list(bindings(WHAT_IF))

    def __init__(self, app: "AdvisorApp") -> None:
        super().__init__()
        self.guided = app.guided
        self.today = app.today
        self.base = self.guided.plan
        self.plan = self.base
        self.tried: dict[str, float] = {}
        self.revision = 0
        self.points: list[tuple[float, Plan | None]] = []
        self.swept_fact: str | None = None

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="facts-box"):
                yield DataTable(id="fact-table", cursor_type="row")
                yield Static(id="what-if-help", markup=False)
            with Vertical(id="figures-box"):
                yield Static(id="what-if-decision", markup=False)
                yield DataTable(id="change-table", cursor_type="row", zebra_stripes=True)
                with Horizontal(id="curves"):
                    for name in _CURVES:
                        yield Curve(id=f"curve-{name}")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#facts-box").border_title = "Facts: ← less, → more"
        self.query_one("#figures-box").border_title = "What they give"
        self.query_one("#curves").display = False
        self.guided.plan_changed.subscribe(self, self._follow)
        facts = self.query_one("#fact-table", DataTable)
        facts.add_columns("fact", "value")
        self.query_one("#change-table", DataTable).add_columns("figure", "now", "change", "was")
        for question in self.movable:
            facts.add_row(*self._fact_row(question), key=question.fact)
        says = "" if self.base else "There is no plan yet: answer the first questions (f2)."
        self.query_one("#what-if-help", Static).update(says)
        self._show()
        facts.focus()

    # What can be moved

    @property
    def movable(self) -> tuple[Question, ...]:
        """The questions with a number for an answer that mean something now and have a value, answered or assumed."""
        interview = self.guided.interview
        known = counted(interview.questions, interview.answers)
        return tuple(
            each
            for each in interview.questions
            if each.kind == "quantity" and sensible(each, known) and self._answer(each) is not None
        )

    @property
    def picked(self) -> Question | None:
        """The fact under the cursor."""
        movable, row = self.movable, self.query_one("#fact-table", DataTable).cursor_row
        return movable[row] if row < len(movable) else None

    def _answer(self, question: Question) -> float | None:
        """What the plan stands on: the answer, else what it was sized with, else what is usual."""
        given = self.guided.interview.answers.get(question.fact)
        if given is None and self.base is not None:
            fact = self.base.workloads[0].facts.get(question.fact)
            given = fact.value if fact is not None else None
        if given is None and question.unsure is not None:
            given = question.unsure.use
        return float(given) if isinstance(given, float | int) and not isinstance(given, bool) else None

    def value(self, question: Question) -> float:
        """What is tried of a fact, or what the plan stands on."""
        return self.tried.get(question.fact, self._answer(question) or 0.0)

    @property
    def answers(self) -> dict[str, FactValue]:
        """The answers with what is tried in their place."""
        return {**self.guided.interview.answers, **self.tried}

    # What is drawn

    def _fact_row(self, question: Question) -> tuple[Text, Text]:
        shown = question.declaration.show
        style = "bold yellow" if question.fact in self.tried else ""
        return Text(called(question.fact)), Text(shown(self.value(question)), style)

    def _show(self) -> None:
        decision = self.query_one("#what-if-decision", Static)
        if self.plan is None or self.base is None:
            decision.update("")
            return
        chosen = self.plan.workloads[0].recommended
        decision.update(Text(headline(chosen) if chosen else "Nothing keeps every limit", "bold" if chosen else "bold red"))
        table = self.query_one("#change-table", DataTable)
        table.clear()
        for cells in _changes(self.base, self.plan, width=_NARROW if self._narrow else None):
            table.add_row(*cells)

    @property
    def _narrow(self) -> bool:
        return self.app.size.width < _WIDE

    def _show_facts(self) -> None:
        table = self.query_one("#fact-table", DataTable)
        for row, question in enumerate(self.movable):
            for column, cell in enumerate(self._fact_row(question)):
                table.update_cell_at(Coordinate(row, column), cell, update_width=True)

    # The calculation

    def _try(self) -> None:
        self.revision += 1
        self._show_facts()
        if not self.tried:
            self.workers.cancel_group(self, "what-if")
            self.plan = self.base
            self._show()
            return
        self.query_one("#figures-box").border_subtitle = "calculating …"
        self._calculate(self.revision, self.answers)

    @work(thread=True, exclusive=True, group="what-if", exit_on_error=False)
    def _calculate(self, revision: int, answers: Mapping[str, FactValue]) -> None:
        worker = get_current_worker()
        message = self._planned(worker, revision, answers)
        if message is not None and not worker.is_cancelled:
            self.post_message(message)

    @work(thread=True, exclusive=True, group="sweep", exit_on_error=False)
    def _sweep(self, revision: int, fact: str, values: tuple[float, ...], answers: Mapping[str, FactValue]) -> None:
        worker = get_current_worker()
        for value in values:
            message = self._planned(worker, revision, {**answers, fact: value})
            if message is None or worker.is_cancelled:
                return
            self.post_message(Swept(revision, fact, value, message.plan if isinstance(message, PlanMade) else None))

    def _planned(self, worker: Worker[None], revision: int, answers: Mapping[str, FactValue]) -> PlanMade | PlanRefused | None:
        from advisor.plan.making import make_plan

        with self.guided.planning:
            if worker.is_cancelled:
                return None
            try:
                document = answers_document(self.guided.interview.questions, answers)
                return PlanMade(revision, make_plan(document, self.guided.library, today=self.today))
            except AdvisorError as error:
                return PlanRefused(revision, error)

    @on(PlanMade)
    def _made(self, message: PlanMade) -> None:
        if message.revision == self.revision:
            self.plan = message.plan
            self.query_one("#figures-box").border_subtitle = ""
            self._show()

    @on(PlanRefused)
    def _not_made(self, message: PlanRefused) -> None:
        if message.revision == self.revision:
            self.query_one("#figures-box").border_subtitle = ""
            self.query_one("#what-if-decision", Static).update(Text(refusal_text(message.error), "bold red"))

    @on(Swept)
    def _point(self, message: Swept) -> None:
        if message.revision != self.revision or message.fact != self.swept_fact:
            return
        self.points.append((message.value, message.plan))
        self._draw_curves()

    def _draw_curves(self) -> None:
        question = next((each for each in self.movable if each.fact == self.swept_fact), None)
        if question is None:
            return
        drawn = 0
        for name in _CURVES:
            curve = self.query_one(f"#curve-{name}", Curve)
            points = [(x, y) for x, plan in self.points if plan is not None and (y := _height(plan, name)) is not None]
            curve.display = bool(points) and drawn < (1 if self._narrow else 2)
            drawn += curve.display
            if curve.display:
                curve.show(
                    [x for x, _ in points],
                    [y for _, y in points],
                    now=self.value(question),
                    x_label=f"{called(question.fact)}, now {question.declaration.show(self.value(question))}",
                    y_label=_CURVE_LABELS[name],
                )
        self.query_one("#curves").display = drawn > 0

    def _follow(self, plan: Plan) -> None:
        self.base, self.plan = plan, plan
        self._show_facts()
        self._show()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of the program is told, and the screen goes on."""
        if event.state is WorkerState.ERROR:
            self.notify(f"The calculation failed: {event.worker.error}", severity="error", markup=False)

    # What keys call

    def action_close(self) -> None:
        """Return to the questions."""
        self.app.pop_screen()

    def action_less(self) -> None:
        """A step smaller."""
        self._move(-1)

    def action_more(self) -> None:
        """A step larger."""
        self._move(1)

    def _move(self, steps: int) -> None:
        question = self.picked
        if question is None or self.base is None:
            return
        self.tried[question.fact] = stepped(question, self.value(question), steps)
        if self.tried[question.fact] == self._answer(question):
            del self.tried[question.fact]
        self._try()

    def action_reset(self) -> None:
        """Back to the answers."""
        self.tried.clear()
        self._try()

    def action_sweep(self) -> None:
        """Plan a range of values of the fact under the cursor; a newer sweep or step takes its place."""
        question = self.picked
        if question is None or self.base is None:
            return
        self.points, self.swept_fact = [], question.fact
        self._sweep(self.revision, question.fact, swept(question, self.value(question)), self.answers)

    def action_adopt(self) -> None:
        """Make what was tried the answers; the questions plan with them."""
        if not self.tried:
            return
        interview = self.guided.interview
        typed = {each.fact: each.declaration.show(self.tried[each.fact]) for each in self.movable if each.fact in self.tried}
        self.tried, kept = {}, self.tried
        self.guided.settle(
            replace(
                interview,
                answers={**interview.answers, **kept},
                typed={**interview.typed, **typed},
                unsure=interview.unsure - kept.keys(),
            )
        )
        self._show_facts()
        self.notify("Taken over as answers.")

    def action_show_help(self) -> None:
        """List the keys."""
        from advisor_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(WHAT_IF))


_CURVE_LABELS = {
    "rent": "USD a month",
    "accelerators": "accelerators",
    "time_to_train": "hours to train",
    "time_per_output_token": "ms a token",
    "item_latency": "ms an item",
}
_CURVE_SIZES = {"time_to_train": 3600.0, "time_per_output_token": 1e-3, "item_latency": 1e-3}
_MONTH = 365 * 86400 / 12


def _height(plan: Plan, name: str) -> float | None:
    """The height of a plan in a curve, in the unit of its label."""
    chosen = plan.workloads[0].recommended
    if chosen is None:
        return None
    if name == "rent":
        return None if chosen.rent is None else chosen.rent.total * _MONTH
    if name == "accelerators":
        return float(chosen.accelerators)
    figure = chosen.estimates.get(name)
    return None if figure is None else figure.value / _CURVE_SIZES[name]


def _changes(base: Plan, plan: Plan, *, width: int | None) -> Iterator[tuple[Text, Text, Text, Text]]:
    before, after = base.workloads[0].recommended, plan.workloads[0].recommended
    if before is None or after is None:
        return
    old, new = before.accelerators, after.accelerators
    yield _changed("accelerators", old, new, str(old), str(new), width)
    if before.rent and after.rent:
        rents = before.rent.total, after.rent.total
        was, now = (show(rent, "USD/month", digits=4) for rent in rents)
        yield _changed("rent", *rents, was, now, width)
    for name in _COMPARED:
        if name in before.estimates and name in after.estimates:
            values = before.estimates[name].value, after.estimates[name].value
            unit = after.estimates[name].unit
            was, now = (written(name, value, unit) for value in values)
            yield _changed(called(name), *values, was, now, width)


def _changed(name: str, old: float, new: float, was: str, now: str, width: int | None) -> tuple[Text, Text, Text, Text]:
    moved = old != new
    name = name if width is None or len(name) <= width else f"{name[: width - 1]}…"
    change = f"{100 * (new / old - 1):+.0f} %" if old and moved else ""
    style = "bold yellow" if moved else ""
    return Text(name), Text(now, style), Text(change, style), Text(was if moved else "", "dim")
