"""The registry of actions: every one can be done, is told, and has keys of its own; colours; typing in lists."""

from importlib import import_module
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from advisor_tui.actions import CATALOGUE, EVERYWHERE, GUIDED, PLACES, PLAN, QUOTE, WHAT_IF, Action
from advisor_tui.screens.help import HelpScreen
from advisor_tui.themes import THEMES, following

SCREENS = {"questions": GUIDED, "plan": PLAN, "what_if": WHAT_IF, "quote": QUOTE, "catalogue": CATALOGUE}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_every_action_of_a_screen_has_its_method_and_its_keys(place: Any) -> None:
    module, _, name = place.screen.partition(":")
    screen = getattr(import_module(module), name)
    actions: tuple[Action, ...] = SCREENS[place.name]
    for action in actions:
        assert callable(getattr(screen, f"action_{action.name}")), action.name
        assert action.help.endswith("."), action.name
    keys = [key for action in (*actions, *EVERYWHERE) for key in (action.key, action.letter) if key]
    keys += [each.key for each in PLACES]
    assert len(keys) == len(set(keys))


async def test_every_place_is_reached_from_every_other(opened: Any) -> None:
    async with opened() as terminal:
        for steps in (1, 2):  # one by one, then over the next
            for place in PLACES[::steps]:
                await terminal.pilot.press(place.key)
                assert type(terminal.app.screen).__name__ == place.screen.partition(":")[2]
                assert len(terminal.app.screen_stack) <= 2


async def test_the_palette_offers_the_actions_of_the_screen_and_every_place(opened: Any) -> None:
    async with opened() as terminal:
        for place in PLACES:
            await terminal.press(place.key)
            titles = [command.title for command in terminal.app.get_system_commands(terminal.app.screen)]
            assert {action.label for action in SCREENS[place.name]} | {each.label for each in PLACES} <= set(titles)


async def test_help_opens_on_every_screen(opened: Any) -> None:
    async with opened() as terminal:
        for place in PLACES:
            await terminal.press(place.key, "f1")
            assert isinstance(terminal.app.screen, HelpScreen)
            assert terminal.app.screen.actions == SCREENS[place.name]
            await terminal.press("escape")


async def test_colours_go_round(opened: Any) -> None:
    async with opened() as terminal:
        seen = [terminal.app.theme]
        for _ in THEMES:
            await terminal.press("f7")
            seen.append(terminal.app.theme)
        assert set(seen) == set(THEMES)
        assert seen[0] == seen[-1]
        assert following("nord") == THEMES[0]


async def test_without_colour_nothing_is_coloured(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened() as terminal:
        assert terminal.app.no_color
        await terminal.given("realtime-inference", "llama-3.1-8b")
        await terminal.press("f3", "ctrl+n")
        assert terminal.app.screen.query_one("#memory-bar").display


async def test_typing_in_a_list_goes_to_the_entry_that_begins_so(opened: Any) -> None:
    async with opened() as terminal:
        choices = terminal.panel.query_one("#choices", OptionList)
        await terminal.pilot.press("f")
        assert choices.highlighted_option is not None
        assert choices.highlighted_option.id == "fine-tuning"
        await terminal.pilot.press(*"agent"[:2])
        assert choices.highlighted_option.id == "agent"
        await terminal.press("r", "a")
        assert choices.highlighted_option.id == "rag"
        await terminal.press("enter")
        assert terminal.screen.interview.answers["kind"] == "rag"


async def test_names_of_the_catalogue_are_completed(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given("rag")
        await terminal.press(*"llama-3.1-4")
        await terminal.press("right")
        assert terminal.panel.query_one("#answer", Input).value == "llama-3.1-405b"
        await terminal.press("enter")
        assert terminal.screen.interview.answers["model"] == "llama-3.1-405b"
