"""A source: what a figure or a statement rests on."""

from datetime import date
from typing import Literal

from advisor.catalogue.record import Record


class Source(Record):
    """A publication, page, table or package that entries cite by id.

    as_of: the date of its contents, where it carries one; none means undated. trust: high, medium or low, and why.
    """

    id: str
    title: str
    authors: str | None = None
    url: str
    kind: Literal[
        "paper",
        "datasheet",
        "reference-architecture",
        "documentation",
        "measurement",
        "price-list",
        "catalogue",
        "guide",
        "article",
    ]
    as_of: date | None = None
    trust: str | None = None
