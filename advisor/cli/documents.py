"""Reading the workload document, or the kept plan, that a command is given: a file, or standard input for "-"."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.errors import DocumentError
from advisor.workload.document import Document

if TYPE_CHECKING:
    from advisor.plan.estate_records import EstateReport
    from advisor.plan.plan import Plan


def load_document(file: str) -> Document:
    """The document of a path, or of standard input. Raises DocumentError."""
    from advisor.workload.reading import read_document

    if file == "-":
        return read_document(sys.stdin.buffer.read(), where="standard input")
    return read_document(Path(file))


def load_plan_or_document(file: str) -> "Plan | Document":
    """A plan kept as JSON, or else the document of a path or of standard input. Raises DocumentError."""
    from advisor.plan.saved import LARGEST, is_saved_plan, read_saved_plan
    from advisor.workload.reading import read_document

    where = "standard input" if file == "-" else file
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except (OSError, ValueError):
        return load_document(file)  # which says what is the matter with it
    return read_saved_plan(content, where) if is_saved_plan(content) else read_document(content, where=where)


def load_estate(path: Path) -> "EstateReport":
    """The estate of a kept plan. Raises DocumentError where there is none."""
    from advisor.plan.saved import read_saved_estate

    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DocumentError(f"the plan before cannot be read: {reason}", where=str(path)) from None
    return read_saved_estate(content, str(path))
