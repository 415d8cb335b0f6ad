"""Workbooks built by hand, so that each test says what it holds."""

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape


def workbook(rows: Sequence[Sequence[str | float | None]], *, sheet: str | None = None, shared: bool = False) -> bytes:
    """An XLSX file with one sheet of these rows; texts inline or shared. sheet: the sheet's XML in place of rows."""
    texts: list[str] = []
    lines: list[str] = []
    for number, row in enumerate(rows, start=1):
        cells: list[str] = []
        for column, value in enumerate(row):
            place = f"{chr(65 + column)}{number}"
            if value is None:
                continue
            if isinstance(value, str) and value.startswith("="):
                formula, _, result = value[1:].partition(" -> ")
                cells.append(f'<c r="{place}"><f>{escape(formula)}</f><v>{result}</v></c>')
            elif isinstance(value, str) and shared:
                texts.append(value)
                cells.append(f'<c r="{place}" t="s"><v>{len(texts) - 1}</v></c>')
            elif isinstance(value, str):
                cells.append(f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>')
            else:
                cells.append(f'<c r="{place}"><v>{value}</v></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    body = sheet or f"<worksheet><sheetData>{''.join(lines)}</sheetData></worksheet>"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/worksheets/sheet1.xml", body)
        if texts:
            archive.writestr("xl/sharedStrings.xml", f"<sst>{''.join(f'<si><t>{escape(text)}</t></si>' for text in texts)}</sst>")
    return file.getvalue()
