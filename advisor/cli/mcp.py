"""`advisor mcp`: tools for agents on standard input and output."""

from importlib import import_module
from pathlib import Path

import click

from advisor.cli.options import knowledge_option
from advisor.errors import MissingExtraError


@click.command()
@knowledge_option
def mcp(knowledge: Path | None) -> None:
    """Offer plans, checks, explanations and look-ups as tools over the Model Context Protocol, on standard input and output.

    \b
    Example: advisor mcp
    """
    try:
        import_module("mcp.server.mcpserver")
    except ModuleNotFoundError:
        raise MissingExtraError("advisor mcp", "mcp") from None
    from advisor.library import open_library
    from advisor.mcp.server import create_server

    create_server(open_library(knowledge)).run()
