"""Checking a quote in the terminal: text, file, reading and findings."""

from pathlib import Path
from typing import Any

from textual.widgets import DataTable, Input, Static, TabbedContent, TextArea

from advisor_tui.screens.quote import QuoteScreen, Reviewed

QUOTE = """Our offer:
8 x NVIDIA RTX 4090 24GB   1,899.00   15,192.00
16 x 64GB DDR5 RDIMM  310.00
1 x Frobnicator 9000 with dual Xeon Gold 6430
We want to run Llama 70B in fp16.
"""


def on(terminal: Any) -> QuoteScreen:
    screen = terminal.app.screen
    assert isinstance(screen, QuoteScreen)
    return screen


def rows(terminal: Any, name: str) -> list[list[str]]:
    table = on(terminal).query_one(f"#{name}", DataTable)
    return [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]


def says(terminal: Any, name: str) -> str:
    return str(on(terminal).query_one(name, Static).visual)


async def checked(terminal: Any, text: str = QUOTE) -> None:
    await terminal.press("f5")
    on(terminal).query_one(TextArea).load_text(text)
    await terminal.press("ctrl+r")


async def test_nothing_pasted_is_told(opened: Any) -> None:
    async with opened() as terminal:
        await terminal.press("f5", "ctrl+r")
        assert "There is nothing to read yet" in says(terminal, "#verdict")
        assert on(terminal).query_one(TextArea).has_focus
        await terminal.pilot.press(*"quote q")
        assert on(terminal).query_one(TextArea).text == "quote q"
        assert terminal.app.is_running


async def test_a_pasted_quote_is_read_and_judged(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await checked(terminal)
        review = on(terminal).review
        assert review is not None
        assert "verdict" in says(terminal, "#verdict")
        assert on(terminal).query_one("#quote-panes", TabbedContent).active == "findings-pane"
        assert [row[1] for row in rows(terminal, "finding-table")] == [each.code for each in review.findings]
        order = ["error", "warning", "note"]
        severities = [order.index(each.severity) for each in review.findings]
        assert severities == sorted(severities)
        assert review.findings[0].because in says(terminal, "#finding-detail")


async def test_the_reading_stands_beside_the_text_with_doubts_marked(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await checked(terminal)
        review = on(terminal).review
        assert review is not None
        read = rows(terminal, "reading-table")
        lines = review.reading.lines
        assert [row[2] for row in read[: len(lines)]] == [line.text for line in lines]
        assert "rtx-4090" in read[0][3]
        assert read[0][0] == ""
        doubtful = next(row for row in read if "Frobnicator" in row[2])
        assert doubtful[0] in ("?", "✖")
        assert any(row[3] == "not understood" for row in read) is bool(review.reading.not_understood)


async def test_a_file_is_opened_and_a_missing_one_told(opened: Any, tmp_path: Path) -> None:
    (tmp_path / "quote.csv").write_text("what,quantity,unit_price\nNVIDIA H100 SXM 80GB,8,30000\n")
    async with opened((120, 40)) as terminal:
        await terminal.press("f5", "ctrl+o")
        field = on(terminal).query_one("#quote-file", Input)
        assert field.has_focus
        field.value = str(tmp_path / "missing.csv")
        await terminal.press("enter")
        assert "missing.csv" in says(terminal, "#verdict") or "no such" in says(terminal, "#verdict").lower()
        field.value = str(tmp_path / "quote.csv")
        await terminal.press("enter")
        review = on(terminal).review
        assert review is not None
        assert [part.id for line in review.reading.lines for part in line.parts] == ["h100-sxm"]
        assert "H100" in on(terminal).query_one(TextArea).text
        await terminal.press("ctrl+o", "escape")
        assert not field.display
        await terminal.press("escape")
        assert terminal.app.screen is terminal.screen


async def test_it_is_checked_against_the_answers_when_asked_for(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await checked(terminal)
        await terminal.press("ctrl+w")
        assert not on(terminal).with_answers
        await terminal.press("f2")
        await terminal.given("realtime-inference", "llama-3.1-405b", "?", "50")
        await checked(terminal)
        alone = on(terminal).review
        await terminal.press("ctrl+w")
        assert on(terminal).with_answers
        assert on(terminal).review != alone


async def test_the_review_of_an_older_text_is_not_shown(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await checked(terminal)
        older = on(terminal).review
        await terminal.press("ctrl+r")
        latest = on(terminal).review
        assert older is not None
        on(terminal).post_message(Reviewed(on(terminal).revision - 1, older))
        await terminal.settle()
        assert on(terminal).review is latest


async def test_what_stands_in_a_quote_is_no_markup(opened: Any) -> None:
    async with opened((120, 40)) as terminal:
        await checked(terminal, "8 x NVIDIA H100 [bold red]SXM[/] [@click=app.quit]x 80GB 30,000.00\n")
        assert "[bold red]" in rows(terminal, "reading-table")[0][2]
