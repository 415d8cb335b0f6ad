"""Checking a quote: its text pasted or opened, how each line was read beside it, and what is wrong with it."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Input, Static, TabbedContent, TabPane, TextArea
from textual.worker import Worker, WorkerState, get_current_worker

from advisor.errors import AdvisorError
from advisor.plan.answers import answers_document, missing
from advisor.plan.quote_check import Finding, Review
from advisor.quote.quote import QuoteLine, Sureness
from advisor.report.review import part_text, review_page
from advisor.report.sections import SEVERITY_MARK
from advisor.units import number
from advisor_tui.actions import QUOTE, Action, bindings
from advisor_tui.widgets.plan_panel import refusal_text

if TYPE_CHECKING:
    from advisor_tui.app import AdvisorApp

_SURE = {Sureness.sure: ("", ""), Sureness.likely: ("~", "yellow"), Sureness.guessed: ("?", "bold red")}
_STYLES = {"error": "bold red", "warning": "yellow", "note": ""}


class Reviewed(Message):
    """A worker read and checked the text that had this revision, or was refused."""

    def __init__(self, revision: int, review: Review | AdvisorError) -> None:
        super().__init__()
        self.revision = revision
        self.review = review


class QuoteScreen(Screen[None]):
    """review: of the latest text that was checked. content: of an opened file, until the text is changed."""

    ACTIONS: ClassVar[tuple[Action, ...]] = QUOTE
    BINDINGS: ClassVar[list[BindingType]] = list(bindings(QUOTE))

    def __init__(self, app: "AdvisorApp") -> None:
        super().__init__()
        self.guided = app.guided
        self.today = app.today
        self.review: Review | None = None
        self.revision = 0
        self.with_answers = False
        self.file: tuple[str, bytes] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="verdict", markup=False)
        yield Input(placeholder="file to open, then enter", id="quote-file")
        with TabbedContent(id="quote-panes"):
            with TabPane("Text", id="quote-text-pane"):
                yield TextArea(id="quote-text", soft_wrap=True, tab_behavior="focus")
            with TabPane("Reading", id="reading-pane"):
                yield DataTable(id="reading-table", cursor_type="row", zebra_stripes=True)
                with VerticalScroll(classes="detail"):
                    yield Static(id="reading-detail", markup=False)
            with TabPane("Findings", id="findings-pane"):
                yield DataTable(id="finding-table", cursor_type="row")
                with VerticalScroll(classes="detail"):
                    yield Static(id="finding-detail", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#quote-file").display = False
        self.query_one("#reading-table", DataTable).add_columns("", "place", "as written", "read as")
        self.query_one("#finding-table", DataTable).add_columns("", "finding", "says")
        self._say("Paste the quote as it was received, then ctrl+r; or ctrl+o opens a file.")
        self.query_one("#quote-text").focus()

    # The check

    @work(thread=True, exclusive=True, group="quote", exit_on_error=False)
    def _check(self, revision: int, content: bytes, name: str) -> None:
        from advisor.plan.quote_check import check_quote
        from advisor.plan.quote_facts import recogniser_for
        from advisor.quote.reading import read_quote

        worker = get_current_worker()
        library = self.guided.library
        with self.guided.planning:
            if worker.is_cancelled:
                return
            result: Review | AdvisorError
            try:
                read = read_quote(content, recogniser_for(library), where=name)
                interview = self.guided.interview
                workload = answers_document(interview.questions, interview.answers) if self.with_answers else None
                result = check_quote(read, library, workload=workload, today=self.today)
            except AdvisorError as error:
                result = error
        if not worker.is_cancelled:
            self.post_message(Reviewed(revision, result))

    @on(Reviewed)
    def _reviewed(self, message: Reviewed) -> None:
        if message.revision != self.revision:
            return
        if isinstance(message.review, AdvisorError):
            self._say(refusal_text(message.review), "bold red")
            return
        self.review = message.review
        title, _, closing = review_page(message.review)
        self._say(f"{title}\n{closing}", "bold")
        self._show(message.review)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault of the program leaves the text where it is."""
        if event.state is WorkerState.ERROR:
            self._say(f"The check failed: {type(event.worker.error).__name__}: {event.worker.error}", "bold red")

    # What is drawn

    def _say(self, text: str, style: str = "") -> None:
        self.query_one("#verdict", Static).update(Text(text, style))

    def _show(self, review: Review) -> None:
        reading = self.query_one("#reading-table", DataTable)
        reading.clear()
        for row, line in enumerate(review.reading.lines):
            sign, style = _SURE[_doubt(line)]
            reading.add_row(Text(sign, style), Text(line.where), Text(line.text), Text(_read_as(line), style), key=f"line {row}")
        for row, unread in enumerate(review.reading.not_understood):
            cells = (Text("✖", "bold red"), Text(unread.where), Text(unread.text), Text("not understood", "bold red"))
            reading.add_row(*cells, key=f"unread {row}")
        findings = self.query_one("#finding-table", DataTable)
        findings.clear()
        for row, finding in enumerate(review.findings):
            style = _STYLES[finding.severity]
            mark = Text(SEVERITY_MARK[finding.severity], style)
            findings.add_row(mark, Text(finding.code, style), Text(finding.message), key=str(row))
        if not review.findings:
            self.query_one("#finding-detail", Static).update("Nothing was found that speaks against it.")
        self.query_one("#quote-panes", TabbedContent).active = "findings-pane"

    @on(DataTable.RowHighlighted, "#reading-table")
    def _line_detail(self, event: DataTable.RowHighlighted) -> None:
        if self.review is None or event.row_key.value is None:
            return
        kind, _, row = event.row_key.value.partition(" ")
        detail = self.query_one("#reading-detail", Static)
        if kind == "unread":
            unread = self.review.reading.not_understood[int(row)]
            detail.update(Text(f"{unread.text}\n{unread.why}"))
        else:
            detail.update(_line(self.review.reading.lines[int(row)]))

    @on(DataTable.RowHighlighted, "#finding-table")
    def _finding_detail(self, event: DataTable.RowHighlighted) -> None:
        if self.review is not None and event.row_key.value is not None:
            self.query_one("#finding-detail", Static).update(_finding(self.review.findings[int(event.row_key.value)]))

    @on(TabbedContent.TabActivated)
    def _focus(self, event: TabbedContent.TabActivated) -> None:
        for widget in (*event.pane.query(DataTable), *event.pane.query(TextArea)):
            widget.focus()
            return

    @on(TextArea.Changed, "#quote-text")
    def _changed(self, event: TextArea.Changed) -> None:
        if self.file is not None and event.text_area.text != _as_text(self.file[1]):
            self.file = None

    @on(Input.Submitted, "#quote-file")
    def _named(self, event: Input.Submitted) -> None:
        from advisor.quote.reading import quote_content

        event.stop()
        try:
            path = Path(event.value.strip()).expanduser()
            content = quote_content(path)
        except (AdvisorError, RuntimeError) as error:
            self._say(refusal_text(error) if isinstance(error, AdvisorError) else str(error), "bold red")
            return
        self.query_one("#quote-file").display = False
        self.query_one("#quote-text", TextArea).load_text(_as_text(content))
        self.file = (path.name, content)
        self.action_check()

    # What keys call

    def action_close(self) -> None:
        """Put the file name away, else return to the questions."""
        file = self.query_one("#quote-file")
        if file.display:
            file.display = False
            self.query_one("#quote-text").focus()
        else:
            self.app.pop_screen()

    def action_check(self) -> None:
        """Read and check the text; a newer check takes the place of an older one."""
        text = self.query_one("#quote-text", TextArea).text
        name, content = self.file or ("the text", text.encode())
        if not content.strip():
            self._say("There is nothing to read yet: paste the quote, or open a file with ctrl+o.", "bold red")
            return
        self.revision += 1
        self._say("reading …")
        self._check(self.revision, content, name)

    def action_open_file(self) -> None:
        """Ask for a file."""
        file = self.query_one("#quote-file", Input)
        file.display = True
        file.focus()

    def action_with_workload(self) -> None:
        """Check against the answers, or without them."""
        interview = self.guided.interview
        if missing(interview.questions, interview.answers):
            self.notify("The questions are not answered yet (f2).", markup=False)
            return
        self.with_answers = not self.with_answers
        self.notify("Checked against the answers." if self.with_answers else "Checked on its own.", markup=False)
        if self.review is not None:
            self.action_check()

    def action_show_help(self) -> None:
        """List the keys."""
        from advisor_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(QUOTE))


def _as_text(content: bytes) -> str:
    """A file as the text area shows it: what is no text, such as a workbook, is only named."""
    return content.decode("utf-8", errors="replace") if b"\0" not in content else "(no text: ctrl+r reads the file itself)"


def _doubt(line: QuoteLine) -> Sureness:
    order = list(Sureness)
    worst = max((line.sure, *(part.sure for part in line.parts)), key=order.index)
    return Sureness.guessed if line.doubts else worst


def _read_as(line: QuoteLine) -> str:
    return "; ".join(f"{number(line.quantity * part.count, 6)} × {part_text(part)}" for part in line.parts) or "no part"


def _line(line: QuoteLine) -> Text:
    text = Text(line.text, style="bold")
    for part in line.parts:
        text.append(f"\n{number(line.quantity * part.count, 6)} × {part_text(part)}  ({part.sure})", style="not bold")
    if line.amount is not None:
        text.append(f"\nprice {line.amount:,.2f} {line.currency or ''}", style="not bold")
    for doubt in line.doubts:
        text.append(f"\n? {doubt}", style="bold red")
    return text


def _finding(finding: Finding) -> Text:
    text = Text(f"{finding.code}  {finding.message}\n", style="bold")
    text.append(f"{finding.advice}\n\nWhy: {finding.because}\n", style="not bold")
    text.append(f"Rule {finding.rule}; source: {'; '.join(finding.sources)}", style="not bold dim")
    return text
