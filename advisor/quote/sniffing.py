"""Which form a quote came in: YAML, JSON, a table with some delimiter, a workbook, or running text."""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from advisor.errors import DocumentError
from advisor.quote.quote import Form

_DELIMITERS = (";", "\t", "|", ",")
_ZIP = b"PK\x03\x04"
_MARKUP = re.compile(r"<\s*(?:!doctype|html|table|body|script|tr|td)\b", re.IGNORECASE)
_TAGS = re.compile(r"<(?:script|style)\b.*?(?:</(?:script|style)\s*>|\Z)|<[^>]{0,2000}>", re.IGNORECASE | re.DOTALL)
_BREAKS = re.compile(r"<\s*(?:br|/tr|/p|/div|/li|/h\d)\b[^>]{0,200}>", re.IGNORECASE)
_CELLS = re.compile(r"<\s*/(?:td|th)\b[^>]{0,200}>", re.IGNORECASE)
_YAML_KEY = re.compile(r"^(?:- )?\s{0,4}[A-Za-z_][\w -]{0,40}:(?:\s|$)", re.MULTILINE)
_SEEN_LINES = 60
# More control characters than this in a thousand are no text.
_MOST_CONTROLS = 20
MOST_LINES = 20_000


@dataclass(frozen=True)
class Sniffed:
    """The form, the text (empty for a workbook), and the delimiter of a table."""

    form: Form
    text: str
    content: bytes
    delimiter: str | None = None


def sniff(content: bytes, where: str) -> Sniffed:
    """The form of a quote's bytes. Raises DocumentError where they are empty or no text."""
    if not content.strip():
        raise DocumentError("it is empty", where=where)
    if content.startswith(_ZIP):
        return Sniffed("workbook", "", content)
    text = _decoded(content, where)
    if text.count("\n") > MOST_LINES:
        raise DocumentError(f"it has more than {MOST_LINES:,} lines", where=where, hint="keep the lines of the quote alone")
    if _MARKUP.search(text[:20_000]):
        text = _plain(text)
    stripped = text.lstrip()
    if stripped[:1] in "{[":
        return Sniffed("json", text, content)
    delimiter = table_delimiter(text)
    if _is_yaml(text) and not delimiter:
        return Sniffed("yaml", text, content)
    if delimiter:
        return Sniffed("table", text, content, delimiter)
    return Sniffed("text", text, content)


def _decoded(content: bytes, where: str) -> str:
    if content[:5] == b"%PDF-":
        raise DocumentError(
            "it is a PDF file", where=where, hint="select the text in it, and check that; tables paste best as they stand"
        )
    if content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise DocumentError("it is an old Excel or Word file", where=where, hint="save it as .xlsx or as CSV")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        controls = sum(1 for character in text if ord(character) < 32 and character not in "\n\r\t\f")
        if controls * 1000 > _MOST_CONTROLS * len(text) or "\0" in text:
            break
        return text.replace("\r\n", "\n").replace("\r", "\n")
    raise DocumentError(
        "it holds no text that can be read",
        where=where,
        hint="advisor check reads YAML, JSON, CSV, XLSX, mail text, and text pasted from a PDF",
    )


def _plain(text: str) -> str:
    """The text of an HTML page, cells by tabs; what is script or style is dropped, and nothing is followed."""
    from html import unescape

    return unescape(_TAGS.sub("", _BREAKS.sub("\n", _CELLS.sub("\t", re.sub(r"\n[ \t]*(?=<)", "", text)))))


def _is_yaml(text: str) -> bool:
    keys = _YAML_KEY.findall(text)
    lines = sum(1 for line in text.splitlines() if line.strip())
    listed = re.search(r"^(?:items|lines|reading|positions|positionen|quote)\s*:\s*(?:$|\[|#)", text, re.MULTILINE) is not None
    return listed or (text.lstrip().startswith("- ") and len(keys) > lines / 3)


def table_delimiter(text: str) -> str | None:
    """The delimiter that splits most lines into the same number of cells; None where no two columns are steady."""
    lines = [line for line in text.splitlines() if line.strip()][:_SEEN_LINES]
    if len(lines) < 2:
        return None
    best: tuple[float, int, str] | None = None
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter)]
        except csv.Error:
            continue
        usual, often = Counter(width for width in widths if width > 1).most_common(1)[0] if any(w > 1 for w in widths) else (1, 0)
        share = often / len(widths)
        # Commas stand in running text too, so a table by commas has to be steady and wide.
        if usual < (4 if delimiter == "," else 3) or share < (0.75 if delimiter == "," else 0.6):
            continue
        key = (share, usual, delimiter)
        if best is None or key[:2] > best[:2]:
            best = key
    return best[2] if best else None
