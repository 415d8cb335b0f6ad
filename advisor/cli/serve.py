"""`advisor serve`: the REST API."""

import ipaddress
import socket
from importlib import import_module
from pathlib import Path

import click

from advisor.cli.options import knowledge_option
from advisor.errors import InputError, MissingExtraError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that answer; 1 by default.")
@click.option("--without-keys", is_flag=True, help="Ask for no keys, even where other machines reach the address.")
@knowledge_option
def serve(host: str, port: int, workers: int | None, without_keys: bool, knowledge: Path | None) -> None:
    """Serve plans and knowledge over HTTP, with an OpenAPI page at /docs, until interrupted.

    Keys are asked for as soon as one was made (advisor keys create) or an identity provider is set; an address that other
    machines reach is refused without. Settings beside these are variables ADVISOR_API_..., or a file that
    ADVISOR_API_SETTINGS names.

    \b
    Example: advisor serve --port 8080
    """
    try:
        import_module("fastapi")
        import_module("prometheus_client")
        import_module("uvicorn")
    except ModuleNotFoundError:
        raise MissingExtraError("advisor serve", "api") from None
    from advisor.api.serving import run, settled

    local = _is_loopback(host)
    settings = settled(workers=workers, without_keys=without_keys, knowledge=knowledge, local=local)
    if not (local or settings.keys_required or without_keys):
        raise InputError(
            f'"{host}" can be reached from other machines, and there are no keys yet',
            where="--host",
            hint="make one with: advisor keys create; or keep 127.0.0.1; or add --without-keys where something in front of it "
            "checks who calls",
        )
    with _listening(host, port) as listener:
        address, chosen = listener.getsockname()[:2]
        where = f"http://{f'[{address}]' if ':' in address else address}:{chosen}/docs"
        run(settings, listener, started=lambda: click.echo(f"advisor: {where}", err=True))


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
