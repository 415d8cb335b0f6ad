"""Reading a table of measured cases: CSV rows as text, with errors that name the file, the line and the column."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from advisor.errors import DocumentError

Row = Mapping[str, str]
_LARGEST = 200_000_000


def read_table(path: Path, columns: Sequence[str]) -> tuple[Row, ...]:
    """All rows of a CSV file that has these columns. Raises DocumentError for anything else."""
    if path.is_dir():
        raise DocumentError("it is a folder; expected a CSV file", where=str(path))
    if not path.is_file():
        raise DocumentError("there is no such file", where=str(path))
    if path.stat().st_size > _LARGEST:
        raise DocumentError(f"it has {path.stat().st_size:,} bytes; at most {_LARGEST:,} are read", where=str(path))
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [column for column in columns if column not in (reader.fieldnames or ())]
            if missing:
                raise DocumentError(
                    f'the column "{missing[0]}" is missing', where=str(path), hint=f"expected columns: {', '.join(columns)}"
                )
            rows = []
            for row in reader:
                if None in row or None in row.values():
                    raise DocumentError(
                        "the row has more or fewer cells than the heading", where=f"{path}, line {reader.line_num}"
                    )
                rows.append(row)
    except UnicodeDecodeError:
        raise DocumentError("it is not UTF-8 text", where=str(path), hint="save it as CSV in UTF-8") from None
    except csv.Error as error:
        raise DocumentError(f"it is not readable CSV: {error}", where=str(path)) from None
    return tuple(rows)


def number_in(row: Row, column: str) -> float | None:
    """The number a cell begins with ("0.9 (default)" is 0.9), None for a blank one or one without a number."""
    text = row.get(column, "").strip().split(" ")[0].rstrip("%")
    try:
        return float(text.replace(",", "")) if text else None
    except ValueError:
        return None
