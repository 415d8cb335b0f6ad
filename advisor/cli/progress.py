"""A bar on standard error for what takes longer than people like to wait for without one."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress(label: str, *, show: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Draws a bar while the block runs, told by what is done and all; nothing where it is not to be shown or nobody looks."""
    if not show or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1000, label=label, file=sys.stderr) as bar:
        before = 0

        def told(done: int, everything: int) -> None:
            nonlocal before
            now = min(1000, 1000 * done // max(everything, 1))
            bar.update(now - before)
            before = now

        yield told
