"""Options and arguments that several commands share."""

import errno
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from advisor.errors import DocumentError

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """--json: the result as JSON on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def knowledge_option(command: Command) -> Command:
    """--knowledge: a folder of one's own entries laid over what ships."""
    return click.option(
        "--knowledge", type=click.Path(path_type=Path), help="A folder of your own entries, laid over what ships."
    )(command)


def hub_option(command: Command) -> Command:
    """--hub: look up models the catalogue does not have."""
    return click.option("--hub", is_flag=True, help="Look up models the catalogue lacks on the hub (optional part hub).")(command)


def output_option(command: Command) -> Command:
    """-o: write the result to a file."""
    return click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to FILE instead of standard output.")(
        command
    )


def emit(text: str, output: Path | None) -> None:
    """Print a result, or write it whole to a file. Raises DocumentError where that fails."""
    try:
        if output is None:
            # Python has no standard output where the process was started with it closed.
            if cast(object, sys.stdout) is None:
                raise OSError(errno.EBADF, "it is closed")
            click.echo(text, nl=not text.endswith("\n"))
        else:
            output.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
    except OSError as error:
        raise not_written(error, output) from None


def not_written(error: OSError, output: Path | None = None) -> DocumentError:
    """The error of a result that could not be written; what Python still holds of it is dropped, so that it ends the matter."""
    if output is None and cast(object, sys.stdout) is not None:
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
    reason = "whatever reads it has closed it" if error.errno == errno.EPIPE else error.strerror
    return DocumentError(f"the result cannot be written: {reason}", where=str(output) if output else "standard output")


def text_width() -> int:
    """Columns to draw text in: the terminal's, between 60 and 140."""
    return max(60, min(140, shutil.get_terminal_size((100, 40)).columns))


def remark(text: str) -> None:
    """Say something beside the result; where standard error takes nothing, the result stands without it."""
    with suppress(OSError):
        click.echo(text, err=True)
