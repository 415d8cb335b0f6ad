"""The tables of a plan as files: a folder of CSV files, or one workbook with a sheet each."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from advisor.errors import DocumentError
from advisor.library import Library
from advisor.plan.plan import Plan
from advisor.report.appendix import equation_sections, source_section
from advisor.report.sections import Layout, Section, Table, sections

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
# A spreadsheet takes a cell that begins so for a formula, and runs it.
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")
_LONGEST_SHEET_NAME = 31
_LONGEST_FILE_NAME = 60


def named_tables(plan: Plan, library: Library) -> Iterator[tuple[str, Table]]:
    """Every table of the plan with a name of its own, made from the headings above it."""
    sources = source_section(plan, library)
    found: Iterable[Section] = (
        *sections(plan, Layout(notes=True, facts=True)),
        *equation_sections(plan),
        *([sources] if sources else ()),
    )
    taken: dict[str, int] = {}
    above = ""
    for section in found:
        above = section.heading.split(" · ")[0] if section.level == 2 else above
        name = _slug(
            f"{above} {section.heading}" if section.level > 2 and len(plan.workloads) > 1 else section.heading.split(" · ")[0]
        )
        for part in section.parts:
            if isinstance(part, Table):
                taken[name] = taken.get(name, 0) + 1
                yield (name if taken[name] == 1 else f"{name}-{taken[name]}"), part


def write_csv(plan: Plan, library: Library, folder: Path) -> tuple[Path, ...]:
    """Write each table as a CSV file into a folder, which is made where it is missing. Raises DocumentError where that fails."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in named_tables(plan, library):
            path = folder / f"{name}.csv"
            with path.open("w", encoding="utf-8-sig", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(_harmless(cell) for cell in table.headings)
                writer.writerows([_harmless(cell) for cell in row] for row in table.rows)
            written.append(path)
    except OSError as error:
        raise DocumentError(f"the tables cannot be written: {error.strerror}", where=str(folder)) from None
    return tuple(written)


def write_workbook(plan: Plan, library: Library, path: Path) -> None:
    """Write each table as a sheet of one XLSX file, every cell as text. Raises DocumentError where that fails."""
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import XlsxFileError

    try:
        with Workbook(path, {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}) as book:
            bold, wrapped = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
            taken: set[str] = set()
            for name, table in named_tables(plan, library):
                sheet = book.add_worksheet(_sheet_name(name, taken))
                sheet.freeze_panes(1, 1)
                sheet.set_column(0, 0, 34)
                sheet.set_column(1, max(1, len(table.headings) - 1), 30)
                for column, heading in enumerate(table.headings):
                    sheet.write_string(0, column, heading, bold)
                for row, cells in enumerate(table.rows, 1):
                    for column, cell in enumerate(cells):
                        sheet.write_string(row, column, cell[:32_000], wrapped)
    except (OSError, XlsxFileError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DocumentError(f"the workbook cannot be written: {reason}", where=str(path)) from None


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA_BEGINS) else cell


def _slug(text: str) -> str:
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:_LONGEST_FILE_NAME].strip("-") or "table"


def _sheet_name(name: str, taken: set[str]) -> str:
    short = name[:_LONGEST_SHEET_NAME]
    number = 2
    while short in taken:
        ending = f"-{number}"
        short, number = name[: _LONGEST_SHEET_NAME - len(ending)] + ending, number + 1
    taken.add(short)
    return short
