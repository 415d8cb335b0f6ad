"""The memory of an accelerator as one stacked bar."""

from rich.text import Text
from textual.events import Resize
from textual.widgets import Static

from advisor.report.memory_parts import MemoryPart

# Told apart without colour too: each part has a letter in the bar that its row in the table repeats.
COLOURS = ("blue", "yellow", "green", "magenta", "cyan", "red", "bright_blue", "bright_green")
LETTERS = "abcdefgh"


class MemoryBar(Static):
    """One line as wide as the widget; parts in the order of their table."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.parts: tuple[MemoryPart, ...] = ()

    def show(self, parts: tuple[MemoryPart, ...]) -> None:
        """Draw these parts."""
        self.parts = parts
        self._draw()

    def on_resize(self, event: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        self.update(drawn(self.parts, max(10, self.content_size.width)))


def drawn(parts: tuple[MemoryPart, ...], width: int) -> Text:
    """A bar of exactly `width` cells; a part too small for a cell still gets one."""
    text = Text(no_wrap=True)
    whole = sum(part.bytes for part in parts)
    if not whole:
        return text
    cells = [max(1, round(width * part.bytes / whole)) for part in parts]
    cells[cells.index(max(cells))] += width - sum(cells)
    for number, (part, wide) in enumerate(zip(parts, cells, strict=True)):
        if part.free:
            text.append("·" * wide, style="dim")
        else:
            letter, colour = mark(number)
            text.append(letter.center(wide), style=f"bold black on {colour}")
    return text


def mark(number: int) -> tuple[str, str]:
    """Letter and colour of a part by its place."""
    return LETTERS[number % len(LETTERS)], COLOURS[number % len(COLOURS)]
