"""The catalogue and the rules: kinds, words and entries."""

from typing import Any

from textual.widgets import Input, OptionList, Static

from advisor.reasoning.rule import Rule
from advisor_tui.screens.catalogue import KINDS, CatalogueScreen


def on(terminal: Any) -> CatalogueScreen:
    screen = terminal.app.screen
    assert isinstance(screen, CatalogueScreen)
    return screen


def entry(terminal: Any) -> str:
    return str(on(terminal).query_one("#entry", Static).visual)


async def test_every_kind_lists_its_entries_and_shows_one(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.press("f6")
        for kind in KINDS:
            assert on(terminal).kind == kind
            assert on(terminal).found
            assert on(terminal).query_one("#entries", OptionList).option_count == len(on(terminal).found)
            assert entry(terminal)
            await terminal.press("ctrl+n")
        assert on(terminal).kind == KINDS[0]
        await terminal.press("ctrl+b")
        assert on(terminal).kind == "rules"
        assert len(on(terminal).found) == len(terminal.app.library.all(Rule))


async def test_words_narrow_the_list_as_they_are_typed(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.press("f6", *"h200")
        assert len(on(terminal).found) < 50
        await terminal.press("ctrl+n")
        assert "h200-sxm" in [getattr(each, "id", "") for each in on(terminal).found]
        await terminal.press("down")
        assert on(terminal).query_one("#entries").has_focus
        await terminal.press("up")
        assert on(terminal).query_one("#words").has_focus
        assert "H200" in entry(terminal)


async def test_words_that_nothing_holds_are_told(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.press("f6")
        on(terminal).query_one("#words", Input).value = "zzzz [bold]"
        await terminal.settle()
        assert on(terminal).found == ()
        assert entry(terminal) == "Nothing holds these words."
        await terminal.press("escape")
        assert terminal.app.screen is terminal.screen


async def test_a_rule_is_shown_with_its_sources(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.press("f6", "ctrl+b", *"AVL-001")
        assert [getattr(each, "id", "") for each in on(terminal).found][:1] == ["AVL-001"]
        assert "because" in entry(terminal)
        assert "source" in entry(terminal)
