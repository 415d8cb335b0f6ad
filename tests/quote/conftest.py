"""What tests of reading share: the recogniser of the shipped library."""

import pytest

from advisor.library import Library
from advisor.plan.quote_facts import recogniser_for
from advisor.quote.recognising import Recogniser


@pytest.fixture(scope="session")
def recogniser(library: Library) -> Recogniser:
    """The recogniser with the shipped names and words."""
    return recogniser_for(library)
