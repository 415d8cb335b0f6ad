"""A quote given as an XLSX workbook, read from its XML: shown values only, never a formula, a macro, a link or a picture.

A workbook is a zip of XML files, so what it claims to hold is looked at before anything is unpacked, and no more than a fixed
amount ever is. Declarations of entities, the usual way to make XML explode, are refused.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from xml.parsers import expat

from advisor.errors import DocumentError
from advisor.quote.quote import Quote
from advisor.quote.recognising import Recogniser
from advisor.quote.table import MOST_COLUMNS, Row, read_rows

# A quote's workbook is some tens of kilobytes; these leave room for a vendor's template.
MOST_FILES = 500
MOST_UNPACKED = 30_000_000
MOST_RATIO = 200
MOST_CELLS = 60_000
MOST_SHEETS = 10
_LONGEST_CELL = 4_000
_CELL = re.compile(r"^([A-Z]{1,3})(\d{1,7})$")
_SHEET = re.compile(r"^xl/worksheets/sheet(\d+)\.xml$")


def read_workbook(content: bytes, where: str, recogniser: Recogniser) -> Quote:
    """The quote of the first sheet in which a table of lines is found.

    Raises DocumentError for a file that is no workbook, larger than a quote's ever is, or without such a table.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _refuse_bombs(archive, where)
            texts = _shared_texts(archive, where)
            found: DocumentError | None = None
            for name in _sheets(archive):
                rows = _rows(_unpacked(archive, name, where), texts, where)
                if not rows:
                    continue
                try:
                    return read_rows(rows, "workbook", where, recogniser)
                except DocumentError as error:
                    found = found or error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise DocumentError(
            "it begins like a workbook and cannot be unpacked", where=where, hint="open it and save it again as .xlsx, or as CSV"
        ) from error
    raise found or DocumentError(
        "it is no workbook, or one without a filled sheet", where=where, hint="save the quote's sheet as .xlsx or CSV"
    )


def _refuse_bombs(archive: zipfile.ZipFile, where: str) -> None:
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    packed = max(1, sum(entry.compress_size for entry in entries))
    if len(entries) > MOST_FILES or unpacked > MOST_UNPACKED or (unpacked > 1_000_000 and unpacked / packed > MOST_RATIO):
        raise DocumentError(
            f"it unpacks to {len(entries):,} files and {unpacked:,} bytes, more than any quote",
            where=where,
            hint="save the quote's sheet alone, or as CSV",
        )
    if any(entry.flag_bits & 1 for entry in entries):
        raise DocumentError("it is protected by a password", where=where, hint="save it without one")


def _unpacked(archive: zipfile.ZipFile, name: str, where: str) -> bytes:
    with archive.open(name) as file:
        # What the directory claims may be wrong, so no more than the limit is ever taken.
        body = file.read(MOST_UNPACKED + 1)
    if len(body) > MOST_UNPACKED:
        raise DocumentError("a sheet is larger than any quote", where=where, hint="save the quote's lines as CSV")
    return body


def _sheets(archive: zipfile.ZipFile) -> list[str]:
    found = [(int(match[1]), name) for name in archive.namelist() if (match := _SHEET.match(name))]
    return [name for _, name in sorted(found)[:MOST_SHEETS]]


def _shared_texts(archive: zipfile.ZipFile, where: str) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    reader = _Texts()
    _parse(_unpacked(archive, "xl/sharedStrings.xml", where), reader, where)
    return reader.found


def _rows(body: bytes, texts: list[str], where: str) -> list[Row]:
    reader = _Cells(texts, where)
    _parse(body, reader, where)
    return list(reader.rows())


def _parse(body: bytes, reader: "_Texts | _Cells", where: str) -> None:
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise DocumentError("its XML declares entities, which no workbook does", where=where)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        raise DocumentError(f"its XML cannot be read: {error}", where=where, hint="open it and save it again") from None


class _Texts:
    """The texts that cells share."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._inside = False
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "si":
            self._pieces = []
        self._inside = name == "t"

    def end(self, name: str) -> None:
        if name == "si":
            self.found.append("".join(self._pieces)[:_LONGEST_CELL])
        self._inside = False

    def text(self, data: str) -> None:
        if self._inside:
            self._pieces.append(data)


class _Cells:
    """The shown value of each cell. A formula's text stands in `f` and is passed over; its last result stands in `v`."""

    def __init__(self, texts: list[str], where: str) -> None:
        self.values: dict[int, dict[int, str]] = {}
        self._texts = texts
        self._where = where
        self._place: tuple[int, int] | None = None
        self._type = ""
        self._inside = ""
        self._pieces: list[str] = []
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            match = _CELL.match(attributes.get("r", ""))
            self._place = (int(match[2]), _column(match[1])) if match else None
            self._type = attributes.get("t", "n")
            self._pieces = []
        self._inside = name

    def end(self, name: str) -> None:
        self._inside = ""
        if name != "c" or self._place is None:
            return
        self._count += 1
        if self._count > MOST_CELLS:
            raise DocumentError(
                f"a sheet has more than {MOST_CELLS:,} cells", where=self._where, hint="save the quote's lines as CSV"
            )
        row, column = self._place
        if column < MOST_COLUMNS and (value := self._value()):
            self.values.setdefault(row, {})[column] = value

    def text(self, data: str) -> None:
        if self._inside in ("v", "t"):
            self._pieces.append(data)

    def _value(self) -> str:
        written = "".join(self._pieces).strip()[:_LONGEST_CELL]
        if self._type == "s":
            index = int(written) if written.isdigit() else -1
            return self._texts[index].strip() if 0 <= index < len(self._texts) else ""
        if self._type in ("e", "b"):
            return ""
        if self._type == "n" and written:
            # Numbers are stored with a point and all digits; 0.1 + 0.2 must not become a quantity of its own.
            try:
                return f"{float(written):.10g}" if abs(float(written)) < 1e15 else written
            except ValueError:
                return ""
        return written

    def rows(self) -> Iterator[Row]:
        """The rows in order, cells by column."""
        for number in sorted(self.values):
            cells = self.values[number]
            yield Row(tuple(cells.get(column, "") for column in range(max(cells) + 1)), f"row {number}")


def _column(letters: str) -> int:
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - 64
    return index - 1
