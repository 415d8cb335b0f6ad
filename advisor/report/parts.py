"""What a report is made of: sections of tables and sentences, which text, Markdown and HTML draw alike."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Rows under headings; the first column is the row's name."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Verbatim(str):
    """A line of a command or a file, which a page shows letter by letter."""


@dataclass(frozen=True)
class Section:
    """A heading with lines and tables in order."""

    heading: str
    parts: tuple[str | Table, ...]
    level: int = 2
