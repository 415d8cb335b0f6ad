"""The guided screen: one question and the answers so far on the left, the plan on the right."""

from datetime import date
from functools import partial
from pathlib import Path
from threading import Lock
from typing import ClassVar

from pydantic import BaseModel
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.screen import Screen
from textual.signal import Signal
from textual.widgets import Footer
from textual.worker import Worker, WorkerState, get_current_worker

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.errors import AdvisorError, InputError
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.answers import Answers, answers_document, missing, question_concerned
from advisor.plan.further import ArrivalKind
from advisor.plan.plan import Plan
from advisor.questionnaire.question import Question
from advisor_tui.actions import GUIDED, bindings
from advisor_tui.interview import Interview
from advisor_tui.messages import Answered, AnswerPicked, PlanMade, PlanRefused
from advisor_tui.widgets.answers_list import AnswersList
from advisor_tui.widgets.plan_panel import PlanPanel, refusal_text
from advisor_tui.widgets.question_panel import QuestionPanel
from advisor_tui.widgets.type_ahead import NameSuggester

_WIDE = 100
_NAMED: dict[str, type[BaseModel]] = {"model": Model, "accelerators_only": Accelerator, "engine": Engine, "precision": Format}


class GuidedScreen(Screen[None]):
    """Asks, plans in the background after every answer, and shows what that changed.

    interview: where the questions stand. plan: the latest one made. revision: counts the answers, so that the plan of an older
    one is told from that of the latest. refused: the fact whose answer the latest plan failed on. planning: held while a plan is
    made, by whichever screen asks for it. plan_changed: tells other screens of each new plan.
    """

    BINDINGS: ClassVar[list[BindingType]] = list(bindings(GUIDED))

    def __init__(self, library: Library, *, today: date | None = None) -> None:
        super().__init__()
        self.library = library
        self.today = today
        self.interview = Interview.begun(library.all(Question))
        self.plan: Plan | None = None
        self.revision = 0
        self.refused: str | None = None
        self._saved: dict[str, FactValue] = {}
        self._asked_to_leave = False
        self.planning = Lock()
        self.plan_changed: Signal[Plan] = Signal(self, "plan changed")

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="left"):
                yield QuestionPanel({fact: NameSuggester(partial(self.library.ids, kind)) for fact, kind in _NAMED.items()})
                yield AnswersList()
            yield PlanPanel()
        yield Footer()

    def on_mount(self) -> None:
        self._show()

    def on_resize(self, event: Resize) -> None:
        """Give what is read the room that is left over."""
        self.set_class(event.size.width >= _WIDE, "-wide")

    # What widgets and workers tell

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        try:
            self.settle(self.interview.answered(message.text))
        except InputError as error:
            self.query_one(QuestionPanel).refuse(error)

    @on(AnswerPicked)
    def _picked(self, message: AnswerPicked) -> None:
        self.interview = self.interview.at(message.fact)
        self._show()

    @on(PlanMade)
    def _made(self, message: PlanMade) -> None:
        if message.revision != self.revision:
            return
        self.plan, self.refused = message.plan, None
        self.query_one(PlanPanel).show(message.plan)
        self.plan_changed.publish(message.plan)
        self.query_one(AnswersList).show(self.interview.given, None)
        self.refresh_bindings()

    @on(PlanRefused)
    def _not_made(self, message: PlanRefused) -> None:
        """The message stands in the plan's place, and beside its question unless somebody is answering another already."""
        if message.revision != self.revision:
            return
        panel = self.query_one(QuestionPanel)
        answered = [question for question in self.interview.questions if question.fact in self.interview.answers]
        concerned = question_concerned(answered, message.error.where)
        self.refused = concerned.fact if concerned is not None else None
        if concerned is not None and (panel.untouched or panel.question == concerned):
            self.query_one(PlanPanel).refuse("See beside the question.")
            self.interview = self.interview.at(concerned.fact)
            self._show()
            panel.refuse(message.error)
        else:
            self.query_one(PlanPanel).refuse(refusal_text(message.error))
            self.query_one(AnswersList).show(self.interview.given, self.refused)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of the program must not take the answers with it."""
        if event.state is WorkerState.ERROR and event.worker.group == "plan":
            fault = event.worker.error
            self.query_one(PlanPanel).refuse(
                f"The calculation failed: {type(fault).__name__}: {fault}\nYour answers are kept; save them with ctrl+s."
            )

    # The calculation

    @work(thread=True, exclusive=True, group="plan", exit_on_error=False)
    def _calculate(self, revision: int, answers: Answers, simulate: ArrivalKind | None = None) -> None:
        from advisor.plan.further import Further
        from advisor.plan.making import make_plan

        worker = get_current_worker()
        with self.planning:
            if worker.is_cancelled:
                return
            try:
                document = answers_document(self.interview.questions, answers)
                plan = make_plan(document, self.library, today=self.today, further=Further(simulate=simulate))
                message: PlanMade | PlanRefused = PlanMade(revision, plan)
            except AdvisorError as error:
                message = PlanRefused(revision, error)
        if not worker.is_cancelled:
            self.post_message(message)

    def answer(self, fact: str, text: str) -> None:
        """Answer the question of a fact from another screen. Raises InputError where it cannot be read, or means nothing now."""
        there = self.interview.at(fact)
        if there.current != fact:
            raise InputError("there is no such question for this work", hint="write it into the workload document")
        self.settle(there.answered(text))

    def settle(self, interview: Interview) -> None:
        """Take the next state of the interview, and plan anew."""
        self.interview = interview
        self.revision += 1
        self.refused = None
        self._asked_to_leave = False
        self._show()
        if missing(interview.questions, interview.answers):
            self.query_one(PlanPanel).wait()
            return
        self.query_one(PlanPanel).calculating()
        self._calculate(self.revision, dict(interview.answers))

    def _show(self) -> None:
        question = self.interview.question
        text = self.interview.typed.get(question.fact, "") if question and question.fact in self.interview.answers else ""
        self.query_one(AnswersList).show(self.interview.given, self.refused)
        self.query_one(QuestionPanel).show(question, self.interview.progress, text)
        if question is None:
            self.query_one(AnswersList).focus()
        self.refresh_bindings()

    # What keys, palette and footer call

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Grey out what cannot be done yet."""
        if action in ("explain", "simulate"):
            return True if self.plan is not None else None
        if action == "save":
            return None if missing(self.interview.questions, self.interview.answers) else True
        if action == "not_known":
            return None if self.interview.question is None else True
        return True

    def action_back(self) -> None:
        """To the question before this one; from the lists, to the open question."""
        panel = self.query_one(QuestionPanel)
        if panel.question is not None and self.focused is not None and panel not in self.focused.ancestors:
            panel.focus_answer()
            return
        self.interview = self.interview.back()
        self._show()

    def action_not_known(self) -> None:
        """Settle the open question with what is usual."""
        try:
            self.settle(self.interview.not_known())
        except InputError as error:
            self.query_one(QuestionPanel).refuse(error)

    def action_explain(self) -> None:
        """Open the calculation of the plan's figures."""
        if self.plan is not None:
            from advisor_tui.screens.explain import ExplainScreen

            self.app.push_screen(ExplainScreen(self.plan.workloads[0]))

    def action_simulate(self) -> None:
        """Make the plan again with a simulation of what it recommends; a newer answer takes its place."""
        if self.plan is not None:
            self.query_one(PlanPanel).calculating()
            self._calculate(self.revision, dict(self.interview.answers), "poisson")

    def action_save(self) -> None:
        """Ask for a file and write the document."""
        from advisor_tui.screens.save import SaveScreen

        try:
            document = answers_document(self.interview.questions, self.interview.answers)
        except AdvisorError as error:
            self.notify(refusal_text(error), severity="error", markup=False)
            return
        self.app.push_screen(SaveScreen(document), self._after_saving)

    def action_show_help(self) -> None:
        """List the keys."""
        from advisor_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen())

    def action_leave(self) -> None:
        """Close the terminal; once more where answers would be lost."""
        if dict(self.interview.answers) != self._saved and not self._asked_to_leave:
            self._asked_to_leave = True
            self.notify("The answers are not saved: ctrl+s saves them, ctrl+q again leaves without.", severity="warning")
            return
        self.app.exit()

    def action_plan_down(self) -> None:
        """Show more of the plan."""
        self.query_one(PlanPanel).scroll_page_down(animate=False)

    def action_plan_up(self) -> None:
        """Show the plan further up."""
        self.query_one(PlanPanel).scroll_page_up(animate=False)

    def _after_saving(self, path: Path | None) -> None:
        if path is not None:
            self._saved = dict(self.interview.answers)
            self.notify(f"Saved. Next: advisor plan {path}", markup=False)
