"""The page of a report as a PDF, through the optional part pdf."""

from importlib import import_module
from pathlib import Path

from advisor.errors import DocumentError, MissingExtraError


def write_pdf(html: str, path: Path) -> None:
    """Write a page as a PDF; nothing is fetched for it.

    Raises MissingExtraError where weasyprint or the text libraries it calls are not installed, and DocumentError where the file
    cannot be written.
    """
    try:
        weasyprint = import_module("weasyprint")
    except ImportError:
        raise MissingExtraError("--pdf", "pdf") from None
    except OSError as error:  # the package is there, the system's library of text layout is not
        missing = MissingExtraError("--pdf", "pdf")
        missing.hint = f"{missing.hint}, and the system's Pango library ({error})"
        raise missing from None
    body = weasyprint.HTML(string=html, url_fetcher=_nothing_fetched).write_pdf()
    try:
        path.write_bytes(body)
    except OSError as error:
        raise DocumentError(f"the PDF cannot be written: {error.strerror}", where=str(path)) from None


def _nothing_fetched(url: str, *_: object, **__: object) -> dict[str, object]:
    raise ValueError(f"a report fetches nothing: {url}")
