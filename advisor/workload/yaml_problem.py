"""What the YAML parser stumbles over, told in words that say what to do about it."""

from typing import Any

from advisor.errors import DocumentError
from advisor.workload.refusal import shorten

# Part of the parser's message or of its context, what it means, and what to do; the first that fits counts.
_PROBLEMS = (
    (
        "mapping values are not allowed",
        "a colon stands where none can",
        "indent the line like its neighbours, or put text in quotes",
    ),
    ("nesting depth", "it is nested too deep", "no key goes deeper than 8"),
    ("while scanning a simple key", "a key has no colon after it", "write `key: value`, with a space after the colon"),
    ("quoted scalar", "a quoted text does not end", "close it with the quote it begins with"),
    ("while parsing a flow", "a bracket is not closed, or a comma is missing", "check the { } and [ ] on this line and above"),
    ("while parsing a block mapping", "the line fits neither as a key nor as a value", "indent keys of one mapping alike"),
    ("while parsing a block collection", "the line is no item of the list", "indent the dashes of one list alike"),
    ("cannot start any token", "a value begins with a character that YAML keeps for itself", "put the text in quotes"),
    ("did not find expected <document start>", "text follows where the document has ended", "indent keys of one mapping alike"),
)


def not_yaml(error: Any, text: str, where: str) -> DocumentError:
    """The parser's error in words that say what to do about it; `where` names the file."""
    mark = error.problem_mark or error.context_mark
    line = mark.line if mark else 0
    lines = text.splitlines()
    written = lines[line] if line < len(lines) else ""
    place = f"{where}, line {line + 1}"
    if "\t" in written[: len(written) - len(written.lstrip())]:
        return DocumentError("the line is indented with a tab", where=place, hint="indent with spaces: YAML takes no tabs")
    problem = error.problem or "the text breaks off"
    for part, said, hint in _PROBLEMS:
        if part in problem or part in (error.context or ""):
            return DocumentError(said, where=place, hint=hint)
    return DocumentError(f"it is not YAML: {shorten(problem)}", where=place, hint="check brackets, quotes and indentation here")
