"""The open question: what is asked, the field or list that takes the answer, what is taken, and why it is asked."""

from collections.abc import Mapping, Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Key
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.errors import AdvisorError, AmbiguousNameError, UnknownNameError
from advisor.plan.answers import required
from advisor.questionnaire.question import Question
from advisor.units import describe
from advisor_tui.messages import Answered
from advisor_tui.ranges import written_range
from advisor_tui.widgets.answer_field import AnswerField
from advisor_tui.widgets.type_ahead import NameSuggester, TypeAheadList

_FLAG = ("yes", "no")
_DONE = "That was the last question."
_DONE_HELP = "Pick an answer below to change it, press ctrl+e to see how a figure was made, or ctrl+s to save the answers."


class QuestionPanel(VerticalScroll, can_focus=False):
    """Shows one question and posts Answered with the words of the answer. suggesters: complete names typed, by fact."""

    def __init__(self, suggesters: Mapping[str, NameSuggester] | None = None) -> None:
        super().__init__()
        self.suggesters = suggesters or {}
        self.question: Question | None = None
        self._prefilled = ""

    def compose(self) -> ComposeResult:
        yield Static(id="ask", markup=False)
        yield AnswerField(id="answer")
        yield Static(id="problem", markup=False)
        yield TypeAheadList(id="choices")
        yield Static(id="unsure", markup=False)
        yield Static(id="accepted", markup=False)
        yield Static(id="why", markup=False)

    @property
    def untouched(self) -> bool:
        """Whether nothing was typed since the question was shown."""
        return self.query_one("#answer", Input).value == self._prefilled

    def show(self, question: Question | None, progress: tuple[int, int], text: str = "") -> None:
        """Show a question, with the words it was answered in before; none says that all are settled."""
        self.question = question
        self._prefilled = text
        number, total = progress
        self.border_title = f"Question {number} of about {total}" if question else "All questions settled"
        field = self.query_one("#answer", Input)
        words = self._words(question)
        field.display = question is not None and not words
        field.placeholder = _placeholder(question) if question else ""
        field.suggester = self.suggesters.get(question.fact) if question else None
        field.value = text
        field.cursor_position = len(text)
        self._offer(words, chosen=text)
        self._say("#ask", question.ask if question else _DONE)
        self._say("#problem", "")
        self._say("#unsure", _unsure(question) if question else "")
        self._say("#accepted", _accepted(question) if question else "")
        self._say("#why", _why(question) if question else _DONE_HELP)
        self.scroll_home(animate=False)
        self.focus_answer()

    def refuse(self, error: AdvisorError) -> None:
        """Show why an answer cannot be used, beside it; names that come close are offered to pick from."""
        self._say("#accepted", "")  # the message tells it already
        names = self._names(error)
        hint = "pick one of these, or write another:" if names else error.hint
        self._say("#problem", "\n".join(part for part in (error.message, hint) if part))
        if names:
            self._offer(names)

    def focus_answer(self) -> None:
        """Put the cursor where the answer goes."""
        for name in ("#answer", "#choices"):
            widget = self.query_one(name)
            if widget.display:
                widget.focus(scroll_visible=False)
                return

    def on_key(self, event: Key) -> None:
        """The arrow leads from the field to the names offered below it, and back."""
        field, choices = self.query_one("#answer", Input), self.query_one("#choices", OptionList)
        if not (field.display and choices.display):
            return
        if event.key == "down" and field.has_focus:
            choices.focus()
        elif event.key == "up" and choices.has_focus and choices.highlighted == 0:
            field.focus()
        else:
            return
        event.stop()
        event.prevent_default()  # or the list would take the key too, once it has the focus

    @on(Input.Submitted, "#answer")
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(Answered(event.value))

    @on(OptionList.OptionSelected, "#choices")
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option.id is not None:
            self.post_message(Answered(event.option.id))

    def _words(self, question: Question | None) -> tuple[str, ...]:
        if question is None:
            return ()
        return _FLAG if question.kind == "flag" else question.choices

    def _names(self, error: AdvisorError) -> tuple[str, ...]:
        """Names to pick from in place of the one given; none where the answer is a list of names."""
        if self.question is None or self.question.kind != "text" or self.question.many:
            return ()
        if isinstance(error, AmbiguousNameError):
            return error.meanings
        return error.nearest if isinstance(error, UnknownNameError) else ()

    def _offer(self, words: Sequence[str], chosen: str = "") -> None:
        choices = self.query_one("#choices", OptionList)
        choices.clear_options()
        choices.add_options(Option(Text(word), id=word) for word in dict.fromkeys(words))
        choices.display = bool(words)
        if words:
            choices.highlighted = list(words).index(chosen) if chosen in words else 0

    def _say(self, name: str, text: str) -> None:
        line = self.query_one(name, Static)
        line.update(Text(text))
        line.display = bool(text)


def _placeholder(question: Question) -> str:
    if question.unsure is not None:
        return f"enter alone takes {question.declaration.show(question.unsure.use)}"
    return "type an answer, then enter" if required(question) else "enter alone leaves it open"


def _unsure(question: Question) -> str:
    if question.unsure is not None:
        return f"Don't know (ctrl+d): {question.declaration.show(question.unsure.use)}, {question.unsure.because}"
    return "" if required(question) else "Don't know (ctrl+d): left open"


def _accepted(question: Question) -> str:
    if question.kind != "quantity":
        return "Several words: separate them by commas." if question.many else ""
    text = f"Takes {describe(question.unit)}"
    if question.between is not None:
        low, high = (question.declaration.show(end) for end in question.between)
        text += f": {written_range(low, high)}"
    return f"{text}."


def _why(question: Question) -> str:
    return f"Why: {question.help}" if question.help else ""
