"""Reading the workload document, or the kept plan, that a command is given: a file, or standard input for "-"."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.workload.document import Document

if TYPE_CHECKING:
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
