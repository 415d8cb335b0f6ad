"""Which column of a quote a heading names, in any of the languages."""

import re
from collections.abc import Sequence

from advisor.quote.words import QuoteWords


def column_of(heading: str, words: Sequence[QuoteWords]) -> str | None:
    """The column that a heading's words name; the longest match wins, and a heading may hold several languages."""
    best: tuple[int, int, str] | None = None
    for piece in re.split(r"\s*[/|]\s*", heading):
        plain = " " + " ".join(re.sub(r"[^\w#]+", " ", piece.casefold()).split()) + " "
        if not plain.strip():
            continue
        for language in words:
            for column, spellings in language.headings.items():
                for spelling in spellings:
                    said = " " + " ".join(re.sub(r"[^\w#]+", " ", str(spelling).casefold()).split()) + " "
                    if said.strip() and said in plain:
                        # A heading that says nothing else is surer than one with the word somewhere inside it.
                        key = (len(said), said == plain, column)
                        if best is None or key[:2] > best[:2]:
                            best = key
    return best[2] if best else None
