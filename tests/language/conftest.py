"""One reader with the shipped words and names for all tests of reading text."""

import pytest

from advisor.interview.known_names import reader_of
from advisor.language.reader import Reader
from advisor.library import Library


@pytest.fixture(scope="session")
def reader(library: Library) -> Reader:
    """The reader of the shipped library."""
    return reader_of(library)
