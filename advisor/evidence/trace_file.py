"""The text of a trace file: rows of cells with their lines, which columns mean what, and what a cell says."""

import csv
import gzip
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from advisor.errors import DocumentError

MOST_REQUESTS = 5_000_000
_LARGEST_FILE = 500_000_000
_LONGEST_LINE = 1_000_000
_MOST_TOKENS = 1e8
# Usual spellings, compared without case, spaces and punctuation; the first that a file has is taken.
_ARRIVAL = (
    "arrival", "arrivals", "arrivaltime", "arrivedat", "timestamp", "requesttime", "requestedat", "sendtime", "starttime",
    "createdat", "datetime", "time", "start", "ts",
)  # fmt: skip
_INPUT = (
    "inputtokens", "inputlength", "inputlen", "prompttokens", "promptlength", "promptlen", "contexttokens", "requesttokens",
    "numprefilltokens", "prefilltokens", "tokensin", "isl", "input", "prompt",
)  # fmt: skip
_OUTPUT = (
    "outputtokens", "outputlength", "outputlen", "completiontokens", "completionlength", "generatedtokens", "generationtokens",
    "responsetokens", "responselength", "numdecodetokens", "decodetokens", "tokensout", "osl", "output", "completion",
)  # fmt: skip
_SECONDS = {
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "millis": 1e-3, "milliseconds": 1e-3,
    "us": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "nanoseconds": 1e-9,
}  # fmt: skip
# Numbers too large for seconds are times since 1970 in a smaller unit: 10^11 s would be the year 5138.
_EPOCHS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3))
# Mooncake's form lists the blocks of a prompt, and counts time in milliseconds.
_BLOCKS = "hashids"
_EXPECTED = "arrival (or timestamp), input_tokens, output_tokens"


def read_rows(path: Path, place: str) -> Iterator[tuple[int, list[str]]]:
    """Lines and cells, the heading first. Raises DocumentError for what is no such file."""
    if path.is_dir():
        raise DocumentError("it is a folder; expected a file of requests", where=place)
    if not path.is_file():
        raise DocumentError("there is no such file", where=place)
    if path.stat().st_size > _LARGEST_FILE:
        raise DocumentError(f"it has {path.stat().st_size:,} bytes; at most {_LARGEST_FILE:,} are read", where=place)
    with path.open("rb") as raw:
        zipped = raw.read(2) == b"\x1f\x8b"
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig", newline="")
            if zipped
            else path.open(encoding="utf-8-sig", newline="") as file
        ):
            yield from _rows(file, place)
    except UnicodeDecodeError:
        raise DocumentError("it is not UTF-8 text", where=place, hint="save it as CSV in UTF-8") from None
    except (gzip.BadGzipFile, EOFError, OSError) as error:
        raise DocumentError(f"it cannot be read: {error}", where=place) from None
    except csv.Error as error:
        raise DocumentError(f"it is not readable CSV: {error}", where=place) from None


def _rows(file: IO[str], place: str) -> Iterator[tuple[int, list[str]]]:
    lines = _lines(file, place)
    first = next(lines, None)
    if first is None:
        return
    if first[1].lstrip().startswith(("{", "[")):
        yield from _objects(first, lines, place)
        return
    separator = max(",;\t", key=first[1].count)
    yield first[0], next(csv.reader([first[1]], delimiter=separator))
    for count, (line, text) in enumerate(lines):
        if count >= MOST_REQUESTS:
            raise DocumentError(f"it has more than {MOST_REQUESTS:,} requests", where=place, hint="take a part of it")
        yield line, next(csv.reader([text], delimiter=separator))


def _lines(file: IO[str], place: str) -> Iterator[tuple[int, str]]:
    """Lines that are not blank; read with a bound, so that no file can fill the memory."""
    number = 0
    while text := file.readline(_LONGEST_LINE + 1):
        number += 1
        if len(text) > _LONGEST_LINE:
            raise DocumentError(f"it has more than {_LONGEST_LINE:,} characters", where=f"{place}, line {number}")
        if text.strip():
            yield number, text.rstrip("\r\n")


def _objects(first: tuple[int, str], lines: Iterator[tuple[int, str]], place: str) -> Iterator[tuple[int, list[str]]]:
    keys: list[str] = []
    count = 0
    for line, text in _with(first, lines):
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise DocumentError("it is not a JSON object; expected one for each request", where=f"{place}, line {line}")
        if not keys:
            keys = [str(key) for key in body]
            yield line, keys
        count += 1
        if count > MOST_REQUESTS:
            raise DocumentError(f"it has more than {MOST_REQUESTS:,} requests", where=place, hint="take a part of it")
        yield line, ["" if (value := body.get(key)) is None or isinstance(value, bool) else str(value) for key in keys]


def _with(first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from lines


@dataclass
class Columns:
    """Where the three figures stand in a row, and what times are in.

    seconds: of one unit of time; none until the first value tells it. calendar: the first time, where times are dates.
    """

    width: int
    arrival: int
    input: int
    output: int
    names: tuple[str, str, str]
    seconds: float | None = None
    calendar: datetime | None = field(default=None)
    started: bool = False

    def read(self, row: Sequence[str], where: str) -> tuple[float, float, float]:
        """Arrival in seconds, from the first row's date where times are dates; tokens in and out."""
        if len(row) != self.width:
            raise DocumentError(f"the row has {len(row)} cells; the heading has {self.width}", where=where)
        return (
            self._time(row[self.arrival].strip(), where),
            _tokens(row[self.input], self.names[1], where),
            _tokens(row[self.output], self.names[2], where),
        )

    def _time(self, text: str, where: str) -> float:
        value = _number(text)
        if not self.started:
            self.started = True
            if value is None:
                self.calendar = _date(text)
            elif self.seconds is None:
                self.seconds = next((unit for least, unit in _EPOCHS if value >= least), 1.0)
        if self.calendar is not None:
            moment = _date(text) if value is None else None
            if moment is None or (moment.tzinfo is None) != (self.calendar.tzinfo is None):
                raise DocumentError(
                    f'{self.names[0]}: "{_short(text)}" is not a time like those before it',
                    where=where,
                    hint="write all times alike, with a zone or without",
                )
            return (moment - self.calendar).total_seconds()
        if value is None or not math.isfinite(value) or self.seconds is None:
            raise DocumentError(
                f'{self.names[0]}: "{_short(text)}" is not a time',
                where=where,
                hint="write seconds, or times as 2026-11-30 09:15:00",
            )
        return value * self.seconds


def columns_of(heading: Sequence[str], place: str) -> Columns:
    """Which column holds what. Raises DocumentError for one that is missing."""
    plain = [_plain(name) for name in heading]
    timed = [_timed(name) for name in heading]
    arrival = _first([name for name, _ in timed], _ARRIVAL)
    tokens_in, tokens_out = _first(plain, _INPUT), _first(plain, _OUTPUT)
    missing = [
        what
        for what, column in (("arrival", arrival), ("input_tokens", tokens_in), ("output_tokens", tokens_out))
        if column is None
    ]
    if arrival is None or tokens_in is None or tokens_out is None:
        shown = ", ".join(_short(name) for name in heading[:12])
        raise DocumentError(
            f"no column tells {' or '.join(missing)}; the heading is {shown}", where=place, hint=f"expected columns: {_EXPECTED}"
        )
    unit = timed[arrival][1] or (1e-3 if _BLOCKS in plain else None)
    names = (heading[arrival].strip(), heading[tokens_in].strip(), heading[tokens_out].strip())
    return Columns(len(heading), arrival, tokens_in, tokens_out, names, unit)


def _first(names: Sequence[str], spellings: Sequence[str]) -> int | None:
    return next((names.index(spelling) for spelling in spellings if spelling in names), None)


def _plain(heading: str) -> str:
    return re.sub(r"[^a-z0-9]", "", heading.casefold())


def _timed(heading: str) -> tuple[str, float | None]:
    """A heading without the unit it ends with, and the seconds of that unit."""
    words = re.findall(r"[a-z0-9]+", heading.casefold())
    if len(words) > 1 and words[-1] in _SECONDS:
        return "".join(words[:-1]), _SECONDS[words[-1]]
    return "".join(words), None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _tokens(text: str, name: str, where: str) -> float:
    value = _number(text)
    if value is None or not 0 <= value <= _MOST_TOKENS:
        raise DocumentError(
            f'{name}: "{_short(text)}" is not a number of tokens', where=where, hint="write a whole number such as 1200"
        )
    return value


def _short(text: Any) -> str:
    return text if len(text) <= 40 else f"{text[:37]}…"
