"""Reading a workload document: a file, its text, or the data of an API call. Bad input gets one clear error."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from advisor.errors import AdvisorError, DocumentError
from advisor.units import parse
from advisor.workload.budget import currency_code
from advisor.workload.document import Document
from advisor.workload.problems import SMALLEST, document_error
from advisor.workload.quantities import LONGEST_QUANTITY
from advisor.workload.refusal import show_given
from advisor.workload.tree import DEEPEST, MOST_IN_ONE, MOST_VALUES, Tree

LARGEST = 1_000_000
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)


def read_document(source: Path | str | bytes, *, where: str | None = None) -> Document:
    """A document from a file (a Path) or from its text, in YAML or JSON.

    where: how errors name the file; the path itself, or "document" for text. Raises DocumentError for whatever cannot be read.
    """
    if isinstance(source, Path):
        where = where or str(source)
        source = _content(source, where)
    where = where or "document"
    tree = Tree(_text(source, where), where)
    return _validated(tree.plain(), where, tree)


def to_document(given: object) -> Document:
    """A document from data, as an API receives it; errors name the place in the data. Raises DocumentError."""
    _check_size(given)
    return _validated(given, None, None)


def _validated(given: object, where: str | None, tree: Tree | None) -> Document:
    if given is None or given == {}:
        raise DocumentError("the document is empty", where=where, hint=f"write at least {SMALLEST}")
    if not isinstance(given, Mapping):
        raise DocumentError(
            f"{show_given(given)} stands where the keys of a document are expected",
            where=where,
            hint=f"write at least {SMALLEST}",
        )
    try:
        return Document.model_validate(given, context={"exchange_rates": _exchange_rates(given)})
    except ValidationError as error:
        raise document_error(error, given, where=where, line=tree.line if tree else None) from None


def _exchange_rates(given: Mapping[Any, Any]) -> dict[str, float]:
    """Dollars per unit of each currency the document gives a rate for, read first since other amounts depend on them."""
    budget = given.get("budget")
    stated = budget.get("exchange_rates") if isinstance(budget, Mapping) else None
    rates: dict[str, float] = {}
    for currency, amount in stated.items() if isinstance(stated, Mapping) else ():
        try:
            rates[currency_code(currency)] = parse(amount[:LONGEST_QUANTITY] if isinstance(amount, str) else "", "USD")
        except (AdvisorError, PydanticCustomError):
            continue  # the field's own reader refuses it and says why
    return rates


def _content(path: Path, where: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        raise DocumentError(
            "there is no such file", where=where, hint="check the name, or write - to read standard input"
        ) from None
    except IsADirectoryError:
        raise DocumentError("this is a folder", where=where, hint="name a file in it") from None
    except PermissionError:
        raise DocumentError("the file may not be read", where=where, hint="check its permissions") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DocumentError(f"the file cannot be read: {reason}", where=where) from None


def _text(content: str | bytes, where: str) -> str:
    if len(content) > LARGEST:
        raise DocumentError(
            f"it is larger than {LARGEST // 1_000_000} MB", where=where, hint="a workload document holds a few pages of text"
        )
    if isinstance(content, str):
        text = content.removeprefix("\ufeff")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            raise DocumentError(
                "it holds half of a character", where=f"{where}, line {line}", hint="save it as plain UTF-8 text"
            ) from None
        return text
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DocumentError("it is not UTF-8 text", where=f"{where}, line {line}", hint="save it as plain UTF-8 text") from None
    if "\0" in text:
        raise DocumentError("it is not text", where=where, hint="write the document in YAML or JSON, saved as plain UTF-8 text")
    return text


def _check_size(given: object) -> None:
    """Refuses data that is too large, too deep or has keys that are no text, without descending into it by recursion."""
    waiting: list[tuple[object, int]] = [(given, 0)]
    seen = 0
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST:
            raise DocumentError(f"it is nested more than {DEEPEST} levels deep", hint="no key goes deeper than 8")
        if seen + len(waiting) > MOST_VALUES:
            raise DocumentError(f"it has more than {MOST_VALUES:,} values", hint="split it into several documents")
        if isinstance(value, Mapping | list | tuple) and len(value) > MOST_IN_ONE:
            raise DocumentError(
                f"a list or mapping holds {len(value):,} values; at most {MOST_IN_ONE:,} are taken",
                hint="split it into several documents",
            )
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise DocumentError(f"{show_given(key)} stands where a key is expected", hint="keys are text")
            waiting.extend((inner, depth + 1) for inner in value.values())
        elif isinstance(value, list | tuple):
            waiting.extend((inner, depth + 1) for inner in value)
