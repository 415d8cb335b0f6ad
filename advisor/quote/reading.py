"""read_quote: the one door from the bytes a buyer received to a quote."""

from pathlib import Path

from advisor.errors import DocumentError
from advisor.quote.quote import Quote
from advisor.quote.recognising import Recogniser
from advisor.quote.sniffing import Sniffed, sniff
from advisor.quote.structured import read_structured

LARGEST = 5_000_000


def read_quote(source: Path | bytes, recogniser: Recogniser, *, where: str | None = None) -> Quote:
    """The quote of a file, or of its bytes, in whatever form it has.

    Raises DocumentError for what cannot be read: a file that is not there, too large, of no text, or without a line.
    """
    place = where or (source.name if isinstance(source, Path) else "the quote")
    content = quote_content(source) if isinstance(source, Path) else source
    if len(content) > LARGEST:
        raise _too_large(place)
    sniffed = sniff(content, place)
    quote = _read(sniffed, place, recogniser)
    if not quote.lines:
        raise DocumentError(
            "no line of a quote was found in it",
            where=place,
            hint="a line needs a description, and a quantity or a price; advisor check reads YAML, JSON, CSV, XLSX and text",
        )
    return quote


def _read(sniffed: Sniffed, place: str, recogniser: Recogniser) -> Quote:
    if sniffed.form in ("yaml", "json"):
        return read_structured(sniffed.text, place, sniffed.form, recogniser)
    if sniffed.form == "workbook":
        from advisor.quote.workbook import read_workbook

        return read_workbook(sniffed.content, place, recogniser)
    if sniffed.form == "table":
        from advisor.quote.table import read_table

        return read_table(sniffed.text, sniffed.delimiter or ",", place, recogniser)
    from advisor.quote.text import read_text

    return read_text(sniffed.text, place, recogniser)


def quote_content(path: Path) -> bytes:
    """The bytes of a quote's file. Raises DocumentError for one that is not there or too large, before anything is read of it."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise DocumentError(f"it cannot be opened: {error.strerror}", where=path.name) from None
    except ValueError:
        raise DocumentError("its name holds characters that no file's name has", where="the quote") from None
    if len(content) > LARGEST:
        raise _too_large(path.name)
    return content


def _too_large(place: str) -> DocumentError:
    return DocumentError(
        f"it is larger than {LARGEST // 1_000_000} MB", where=place, hint="keep the lines of the quote alone, or save them as CSV"
    )
