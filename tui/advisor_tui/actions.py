"""The actions of the guided screen: one list from which keys, footer, command palette and help are made."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from textual.binding import Binding, BindingType


@dataclass(frozen=True)
class Action:
    """Something a person can do.

    name: the method `action_<name>` of the screen. key: works everywhere, also while typing. letter: works where nothing is
    typed. label: the word in the footer. help: a sentence. footer: whether there is room for it there.
    """

    name: str
    key: str
    label: str
    help: str
    letter: str | None = None
    footer: bool = True


GUIDED: tuple[Action, ...] = (
    Action("back", "escape", "Back", "Go back to the question before this one.", letter="b"),
    Action("not_known", "ctrl+d", "Don't know", "Take what is usual, and have the plan say so.", letter="u"),
    Action("explain", "ctrl+e", "Why", "Show how a figure of the plan was made.", letter="e"),
    Action("simulate", "ctrl+r", "Simulate", "Simulate the recommended configuration under random arrivals.", letter="m"),
    Action("save", "ctrl+s", "Save", "Save the answers as a workload document.", letter="s"),
    Action("show_help", "f1", "Help", "List every key.", letter="question_mark"),
    Action("leave", "ctrl+q", "Quit", "Leave; answers that are not saved are asked about once.", letter="q"),
    Action("plan_down", "pagedown", "Plan down", "Show more of the plan.", footer=False),
    Action("plan_up", "pageup", "Plan up", "Show the plan further up.", footer=False),
)


def bindings(actions: Iterable[Action]) -> Iterator[BindingType]:
    """The keys of actions. The first comes before what a field would do with it; letters give way to typing."""
    for action in actions:
        yield Binding(action.key, action.name, action.label, show=action.footer, priority=True, tooltip=action.help)
        if action.letter:
            yield Binding(action.letter, action.name, action.label, show=False)
