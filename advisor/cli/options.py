"""Options and arguments that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

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
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        output.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
    except OSError as error:
        raise DocumentError(f"it cannot be written: {error.strerror}", where=str(output)) from None
