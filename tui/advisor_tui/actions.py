"""What a person can do, screen by screen: the lists from which keys, footer, command palette and help are made."""

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


@dataclass(frozen=True)
class Place:
    """A screen to go to, from any other. screen: `module:Class`, imported when it is first opened; it is called with the app."""

    name: str
    key: str
    label: str
    help: str
    screen: str

    @property
    def action(self) -> str:
        """The action of the application that opens it."""
        return f"open_place('{self.name}')"


# The questions come first; a further screen is one more row here.
QUESTIONS = Place("questions", "f2", "Questions", "Go to the questions.", "advisor_tui.screens.guided:GuidedScreen")
PLACES: tuple[Place, ...] = (
    QUESTIONS,
    Place(
        "plan",
        "f3",
        "Plan",
        "Read the plan: figures, charts, alternatives, advice, assumptions.",
        "advisor_tui.screens.plan:PlanScreen",
    ),
    Place(
        "what_if",
        "f4",
        "What if",
        "Change a fact with the arrow keys and watch the figures move.",
        "advisor_tui.screens.what_if:WhatIfScreen",
    ),
    Place("quote", "f5", "Quote", "Check a vendor's quote.", "advisor_tui.screens.quote:QuoteScreen"),
    Place(
        "catalogue",
        "f6",
        "Catalogue",
        "Look up models, accelerators, prices, rules and more.",
        "advisor_tui.screens.catalogue:CatalogueScreen",
    ),
)

EVERYWHERE: tuple[Action, ...] = (
    Action("next_theme", "f7", "Colours", "Go on to the next colours: dark, light, high contrast.", footer=False),
)

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

HELP = Action("show_help", "f1", "Help", "List every key.", footer=False)

PLAN: tuple[Action, ...] = (
    Action("close", "escape", "Questions", "Return to the questions.", letter="b", footer=False),
    Action("next_pane", "ctrl+n", "Next page", "Go on: figures, charts, alternatives, advice, assumptions.", letter="n"),
    Action("sort", "ctrl+o", "Sort", "Sort the table by its next column.", letter="o"),
    Action("next_workload", "ctrl+w", "Next workload", "Show the next workload of the plan.", letter="w", footer=False),
    Action("save_page", "ctrl+s", "Report", "Save the plan as a web page to print or send.", letter="s"),
    HELP,
)

WHAT_IF: tuple[Action, ...] = (
    Action(
        "close",
        "escape",
        "Questions",
        "Return to the questions; nothing tried here is kept unless it was taken over.",
        footer=False,
    ),
    Action("less", "left", "Less", "Make the fact smaller by a step."),
    Action("more", "right", "More", "Make the fact larger by a step."),
    Action("sweep", "ctrl+r", "Sweep", "Plan a range of values of this fact and draw the curve.", letter="p"),
    Action("reset", "backspace", "Reset", "Return to the answers."),
    Action("adopt", "ctrl+t", "Take over", "Make what was tried the answers.", letter="t"),
    HELP,
)

QUOTE: tuple[Action, ...] = (
    Action("close", "escape", "Questions", "Return to the questions.", footer=False),
    Action("check", "ctrl+r", "Check", "Read the text and say what is wrong with the quote."),
    Action("open_file", "ctrl+o", "Open", "Open a file: mail text, CSV, XLSX, YAML, JSON."),
    Action("with_workload", "ctrl+w", "With my answers", "Check against the workload of the questions, or without it."),
    HELP,
)

CATALOGUE: tuple[Action, ...] = (
    Action("close", "escape", "Questions", "Return to the questions.", footer=False),
    Action("next_kind", "ctrl+n", "Next kind", "Show the next kind of entry."),
    Action("previous_kind", "ctrl+b", "Kind before", "Show the kind of entry before.", footer=False),
    HELP,
)


def bindings(actions: Iterable[Action]) -> Iterator[BindingType]:
    """The keys of actions. The first comes before what a field would do with it; letters give way to typing."""
    for action in actions:
        yield Binding(action.key, action.name, action.label, show=action.footer, priority=True, tooltip=action.help)
        if action.letter:
            yield Binding(action.letter, action.name, action.label, show=False)


def place_bindings(places: Iterable[Place]) -> Iterator[BindingType]:
    """The keys that lead from screen to screen."""
    for place in places:
        yield Binding(place.key, place.action, place.label, priority=True, tooltip=place.help)
