"""The windows over the guided screen: how a figure was made, and saving."""

from pathlib import Path
from typing import Any

import pytest
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList

from advisor.errors import DocumentError
from advisor.workload.reading import read_document, to_document
from advisor_tui.screens.explain import ExplainScreen
from advisor_tui.screens.save import SaveScreen, write_whole

CHAT = ("realtime-inference", "llama-3.1-70b")
DOCUMENT = {"workloads": [{"kind": "realtime-inference", "model": "llama-3.1-70b"}]}


async def test_a_figure_is_explained_down_to_its_sources(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT)
        await terminal.press("ctrl+e")
        window = terminal.app.screen
        assert isinstance(window, ExplainScreen)
        assert window.quantity == "weights"
        assert terminal.text("#steps").startswith("weights  131.4 GiB")
        await terminal.press("down")
        assert window.quantity == "kv_cache"
        shown = terminal.text("#steps")
        assert shown.startswith("KV cache at this load")
        assert "kv_cache_per_request * concurrent_requests" in shown
        assert "source: " in shown
        await terminal.press("pagedown")
        assert window.query_one("#tree", VerticalScroll).scroll_y > 0
        await terminal.press("pageup", "down")
        assert window.query_one("#tree", VerticalScroll).scroll_y == 0
        await terminal.press("escape")
        assert terminal.app.screen is terminal.screen


async def test_the_explanation_fits_a_small_terminal(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await terminal.given(*CHAT)
        await terminal.press("ctrl+e")
        await terminal.pilot.resize_terminal(80, 24)
        await terminal.settle()
        tree = terminal.app.screen.query_one("#tree", VerticalScroll)
        assert tree.size.height >= 8
        assert max(map(len, terminal.text("#steps").splitlines())) <= tree.scrollable_content_region.width
        assert terminal.app.screen.query_one("#quantities", OptionList).has_focus


async def test_answers_are_saved_as_a_document(opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened() as terminal:
        await terminal.given(*CHAT, "?", "50")
        await terminal.press("ctrl+s")
        assert isinstance(terminal.app.screen, SaveScreen)
        await terminal.press("enter")
        saved = tmp_path / "workload.yaml"
        assert read_document(saved) == to_document(
            {"workloads": [{**DOCUMENT["workloads"][0], "traffic": {"concurrent_requests": 50}}]}
        )
        assert [path.name for path in tmp_path.iterdir()] == ["workload.yaml"]
        assert terminal.app.screen is terminal.screen
        await terminal.pilot.press("ctrl+q")
        assert not terminal.app.is_running


async def test_a_file_is_replaced_only_when_asked_twice(opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("mine")
    second.write_text("mine too")
    async with opened() as terminal:
        await terminal.given(*CHAT)
        await terminal.press("ctrl+s")
        field = terminal.app.screen.query_one("#file", Input)
        for name, problem in (("first.yaml", "There is such a file"), ("second.yaml", "There is such a file"), (".", "a folder")):
            field.value = name
            await terminal.press("enter")
            assert problem in terminal.text("#file-problem")
        assert (first.read_text(), second.read_text()) == ("mine", "mine too")
        field.value = "first.yaml"
        await terminal.press("enter", "enter")
        assert read_document(first) == to_document(DOCUMENT)
        assert second.read_text() == "mine too"


@pytest.mark.parametrize("name", ["missing/x.yaml", "nul\0.yaml", "~nobody-of-that-name/x.yaml"])
async def test_what_cannot_be_written_is_told_and_nothing_is_lost(opened: Any, tmp_path: Path, name: str) -> None:
    async with opened() as terminal:
        await terminal.given(*CHAT)
        await terminal.press("ctrl+s")
        field = terminal.app.screen.query_one("#file", Input)
        field.value = name if name.startswith("~") else str(tmp_path / name)
        await terminal.press("enter")
        assert terminal.text("#file-problem")
        await terminal.press("escape", "ctrl+q")
        assert terminal.app.is_running, "the answers are still unsaved"


def test_nothing_is_left_of_a_failed_write(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(DocumentError, match="cannot be written"):
        write_whole("text", tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
