"""What widgets and workers tell the screen."""

from textual.message import Message

from advisor.errors import AdvisorError
from advisor.plan.plan import Plan


class Answered(Message):
    """The open question was answered in these words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class AnswerPicked(Message):
    """An answer given earlier was picked to be changed."""

    def __init__(self, fact: str) -> None:
        super().__init__()
        self.fact = fact


class PlanMade(Message):
    """A worker made the plan of the answers that had this revision."""

    def __init__(self, revision: int, plan: Plan) -> None:
        super().__init__()
        self.revision = revision
        self.plan = plan


class PlanRefused(Message):
    """The answers that had this revision cannot be planned."""

    def __init__(self, revision: int, error: AdvisorError) -> None:
        super().__init__()
        self.revision = revision
        self.error = error
