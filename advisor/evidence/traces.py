"""Request traces: when requests arrived and how long they were, from a file or from the traces that ship with presets.

A file is CSV (comma, semicolon or tab) or one JSON object a line, plain or gzip, with a heading for each of the three figures in
any usual spelling. Publishers differ in the unit of time, so it is read from the heading (timestamp_ms), from what the values
are (calendar times; seconds, milliseconds, micro- or nanoseconds since 1970), or from the publisher's form; else it is seconds.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.names import nearest, normal
from advisor.catalogue.preset import Preset
from advisor.errors import AmbiguousNameError, DocumentError, UnknownNameError
from advisor.evidence.trace_file import Columns, columns_of, read_rows
from advisor.library import Library

FOLDER = Path("measurements", "traces")
SUFFIX = ".csv.gz"
_ENDINGS = (".csv", ".gz", ".jsonl", ".json", ".tsv", ".txt")


@dataclass(frozen=True)
class RequestTrace:
    """Requests in the order they arrived.

    arrivals: seconds from the first request. input_tokens, output_tokens: of each. dropped: rows left out because they have no
    tokens in or none out, as failed requests are recorded.
    """

    name: str
    arrivals: NDArray[np.float64]
    input_tokens: NDArray[np.float64]
    output_tokens: NDArray[np.float64]
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.arrivals)

    @property
    def span(self) -> float:
        """Seconds from the first request to the last."""
        return float(self.arrivals[-1])

    @property
    def requests_per_second(self) -> float:
        """The mean over the span. Raises DocumentError where all requests arrived at once."""
        if self.span <= 0:
            raise DocumentError("all requests arrived at the same moment, which gives no rate", where=self.name)
        return len(self) / self.span

    def peak_to_mean(self, window: float) -> float:
        """Requests in the fullest of consecutive whole windows of so many seconds, over those in the mean one.

        The shorter the window, the larger the ratio: choose the time over which a queue may grow, which the latency target sets.
        Raises DocumentError for a window that the trace is shorter than.
        """
        if not 0 < window <= self.span:
            raise DocumentError(
                f"a window of {window:g} s does not fit a trace of {self.span:,.0f} s",
                where=self.name,
                hint="choose a shorter one",
            )
        windows = int(self.span / window)
        counts = np.histogram(self.arrivals, bins=windows, range=(0, windows * window))[0]
        return float(counts.max() / counts.mean())


def read_trace(given: str | Path, library: Library, *, files: bool = True, where: str | None = None) -> RequestTrace:
    """The trace in a file, or that of a preset or a shipped trace by its name.

    files: whether files of this machine may be read; doors that serve others say no. where: the field that names it.

    Raises DocumentError for a file that is no trace, naming its line, for a preset without one, and for a path where none is
    allowed; UnknownNameError and AmbiguousNameError for names.
    """
    if isinstance(given, Path) or _looks_like_path(given) or (files and Path(given).expanduser().is_file()):
        if not files:
            raise DocumentError("a path cannot be given here", where=where, hint="name a preset, such as chat assistant")
        return read_trace_file(Path(given).expanduser(), where=where)
    shipped = shipped_traces(library)
    wanted = normal(given)
    if wanted in shipped:
        return read_trace_file(shipped[wanted], name=wanted)
    try:
        preset = library.find(Preset, given, where=where)
    except AmbiguousNameError:
        raise
    except UnknownNameError as error:
        close = nearest(given, [*shipped, *error.nearest])
        raise UnknownNameError(f'no trace and no use-case preset is called "{given}"', nearest=close, where=where) from None
    if preset.trace is None or preset.trace not in shipped:
        raise DocumentError(
            f'no requests ship with the preset "{preset.name}"',
            where=where,
            hint=f"traces are {', '.join(shipped)}; or name a file",
        )
    return read_trace_file(shipped[preset.trace], name=preset.trace)


def shipped_traces(library: Library) -> dict[str, Path]:
    """Traces by name, in the folders of the library; a later folder replaces an earlier one's."""
    found: dict[str, Path] = {}
    for folder in library.folders:
        for path in sorted((folder / FOLDER).glob(f"*{SUFFIX}")):
            found[path.name.removesuffix(SUFFIX)] = path
    return found


def read_trace_file(path: Path, *, name: str | None = None, where: str | None = None) -> RequestTrace:
    """The trace in a file. Raises DocumentError naming the file, and the line where one is at fault."""
    place = f"{where}, {path}" if where else str(path)
    rows = read_rows(path, place)
    heading = next(rows, None)
    if heading is None:
        raise DocumentError("it is empty; expected a heading and a row for each request", where=place)
    return _trace(name or path.name, columns_of(heading[1], place), rows, place)


def _trace(name: str, columns: Columns, rows: Iterator[tuple[int, list[str]]], place: str) -> RequestTrace:
    arrivals, inputs, outputs = array("d"), array("d"), array("d")
    dropped = 0
    for line, row in rows:
        arrival, tokens_in, tokens_out = columns.read(row, f"{place}, line {line}")
        if tokens_in == 0 or tokens_out == 0:
            dropped += 1
            continue
        arrivals.append(arrival)
        inputs.append(tokens_in)
        outputs.append(tokens_out)
    if len(arrivals) < 2:
        found = f"{len(arrivals)} request with tokens" if arrivals else "no request with tokens"
        raise DocumentError(f"it holds {found}; expected at least two", where=place)
    times = np.asarray(arrivals, dtype=np.float64)
    order = np.argsort(times, kind="stable")
    figures = (times[order] - times[order[0]], np.asarray(inputs)[order], np.asarray(outputs)[order])
    for figure in figures:
        figure.setflags(write=False)
    return RequestTrace(name, *figures, dropped)


def _looks_like_path(text: str) -> bool:
    return text.casefold().endswith(_ENDINGS) or text.startswith(("./", "../", "/", "~")) or "\\" in text
