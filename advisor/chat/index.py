"""Full-text search over passages (SQLite FTS5, stemmed, ranked by bm25), and whether a question is answered by them at all."""

import math
import re
import sqlite3
from functools import lru_cache
from typing import NamedTuple

from advisor.chat.passages import Passage, passages
from advisor.library import Library
from advisor.library.database import Database

# A match in the title says more than one in the text.
_TITLE_WEIGHT = 3.0
# Below this share of the question's weight found in the best passage, the library has no answer (set before it was tried).
_LEAST_COVERED = 0.5
_MOST_WORDS = 60
_EMPTY = frozenset(
    (
        "a about after all also am an and any are as at be because been before between but by can could did do does "
        "doing each for from get give had has have having how i if in instead into is it its just let like make me mean "
        "means more most much many my need no not of off on one only or other our out over please same should so some "
        "such tell than that the their them then there these they this to too under up us use used using very want was "
        "way we well were what when where which while who why will with would you your "
    ).split()
)


class _Index(NamedTuple):
    database: Database
    passages: tuple[Passage, ...]


def search(library: Library, text: str, count: int = 5) -> tuple[Passage, ...]:
    """The passages that answer a question best, the best first; none where no word of it is in any."""
    index = _index(library.content, _Holder(library))
    return tuple(index.passages[row] for row in _found(index, _words(text), count))


def declines(library: Library, text: str) -> bool:
    """Whether the library has no answer: its best passages hold too little of what is asked, rare words weighing most."""
    index = _index(library.content, _Holder(library))
    words = _words(text)
    rows = set(_found(index, words, 3))
    if not rows:
        return True
    total = covered = 0.0
    for word in words:
        holding = {row[0] for row in index.database.rows("select rowid from found where found match ?", f'"{word}"')}
        weight = math.log(1 + len(index.passages) / (0.5 + len(holding)))
        total += weight
        covered += weight if holding & rows else 0.0
    return covered < _LEAST_COVERED * total


class _Holder:
    """A library as an argument of a cache whose key is the library's content alone."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Holder)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=2)
def _index(content: str, holder: _Holder) -> _Index:
    every = tuple(passages(holder.library))
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("create virtual table found using fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2')")
    rows = ((row, each.title, each.text) for row, each in enumerate(every))
    connection.executemany("insert into found (rowid, title, text) values (?, ?, ?)", rows)
    connection.commit()
    return _Index(Database(connection), every)


def _words(text: str) -> tuple[str, ...]:
    words = (word for word in re.findall(r"\w+", text.casefold()) if word not in _EMPTY)
    return tuple(dict.fromkeys(words))[:_MOST_WORDS]


def _found(index: _Index, words: tuple[str, ...], count: int) -> list[int]:
    if not words:
        return []
    query = " OR ".join(f'"{word}"' for word in words)
    statement = f"select rowid from found where found match ? order by bm25(found, {_TITLE_WEIGHT}, 1.0), rowid limit ?"
    return [row[0] for row in index.database.rows(statement, query, count)]
