"""`advisor serve`: the REST API."""

import copy
import ipaddress
import socket
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from advisor.cli.options import knowledge_option
from advisor.errors import InputError, MissingExtraError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--allow-any-host", is_flag=True, help="Listen on an address that other machines reach; there are no keys yet.")
@knowledge_option
def serve(host: str, port: int, allow_any_host: bool, knowledge: Path | None) -> None:
    """Serve plans and knowledge over HTTP, with an OpenAPI page at /docs, until interrupted.

    \b
    Example: advisor serve --port 8080
    """
    if not allow_any_host and not _is_loopback(host):
        raise InputError(
            f'"{host}" can be reached from other machines, and the API has no keys yet',
            where="--host",
            hint="keep 127.0.0.1, or add --allow-any-host where something in front of it checks who calls",
        )
    try:
        import_module("fastapi")
        import uvicorn
        from uvicorn.config import LOGGING_CONFIG
    except ModuleNotFoundError:
        raise MissingExtraError("advisor serve", "api") from None
    from advisor.api.app import create_app
    from advisor.library import open_library

    app = create_app(open_library(knowledge))
    with _listening(host, port) as listener:
        address, chosen = listener.getsockname()[:2]
        click.echo(f"advisor: http://{f'[{address}]' if ':' in address else address}:{chosen}/docs", err=True)
        uvicorn.Server(uvicorn.Config(app, log_config=_logging(LOGGING_CONFIG))).run(sockets=[listener])


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens; taken here, so that a port in use is one clear message."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
        # The protocol is named, since asyncio turns off Nagle's delay of 40 ms an answer only on sockets that say they are TCP.
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
        return listener
    except OSError as error:
        raise InputError(
            f"it cannot listen on port {port} of {host}: {error.strerror or error}",
            where="--port",
            hint="name another with --port",
        ) from None


def _logging(default: dict[str, Any]) -> dict[str, Any]:
    """uvicorn's own logging, with requests on standard error too: standard output is for results."""
    configured = copy.deepcopy(default)
    configured["handlers"]["access"]["stream"] = "ext://sys.stderr"
    return configured
