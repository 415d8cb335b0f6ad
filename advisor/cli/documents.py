"""Reading the workload document that a command is given: a file, or standard input for "-"."""

import sys
from pathlib import Path

from advisor.workload.document import Document


def load_document(file: str) -> Document:
    """The document of a path, or of standard input. Raises DocumentError."""
    from advisor.workload.reading import read_document

    if file == "-":
        return read_document(sys.stdin.buffer.read(), where="standard input")
    return read_document(Path(file))
