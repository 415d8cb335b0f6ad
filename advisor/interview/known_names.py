"""The reader of plain text with the library's words and names, compiled once for each library."""

import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.model import Model
from advisor.catalogue.price import Price
from advisor.catalogue.server import Server
from advisor.language.mentions import Spelling
from advisor.language.reader import Reader
from advisor.language.words import LanguageWords
from advisor.library import Library

_KINDS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("model", Model),
    ("accelerator", Accelerator),
    ("server", Server),
    ("engine", Engine),
    ("format", Format),
)
# An instance type as clouds name them (g4dn.xlarge, a2-highgpu-8g); "8x B200-SXM" is a description.
_INSTANCE = re.compile(r"[A-Za-z]+\d[\w]*[.-][\w.-]*")
_SHORTEST_FAMILY = 4
_readers: WeakKeyDictionary[object, Reader] = WeakKeyDictionary()


def reader_of(library: Library) -> Reader:
    """The reader for a library: made when first asked for (a tenth of a second), then kept as long as the library's database."""
    reader = _readers.get(library.database)
    if reader is None:
        reader = Reader(library.all(LanguageWords), spellings_of(library))
        _readers[library.database] = reader
    return reader


def spellings_of(library: Library) -> Iterator[Spelling]:
    """Every name that a text can hold: models, accelerators, servers, engines, formats and cloud instances."""
    for kind, record in _KINDS:
        for shown, id, note in library.spellings(record):
            yield Spelling(kind, shown, id, note)
    yield from _instances(library)


def _instances(library: Library) -> Iterator[Spelling]:
    parts = {price.instance: price.accelerator for price in library.all(Price) if _INSTANCE.fullmatch(price.instance)}
    families: dict[str, list[str]] = {}
    for name in sorted(parts):
        yield Spelling("instance", name, name, part=parts[name])
        families.setdefault(name.split(".")[0], []).append(name)
    for family, members in families.items():
        if len(family) >= _SHORTEST_FAMILY and family not in parts:
            note = None if len(members) == 1 else "the size is missing"
            yield from (Spelling("instance", family, member, note, parts[member]) for member in members)
