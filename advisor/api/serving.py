"""Running the service: settings settled, one process or several, and a log that holds no words of the callers."""

import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from platformdirs import user_data_path
from uvicorn.supervisors import Multiprocess

from advisor.api.app import create_app
from advisor.api.keeping import Keeping
from advisor.api.settings import Settings, read_settings

_LOG: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "%(asctime)s %(levelname)s %(message)s"},
        "bare": {"format": "%(message)s"},
    },
    "handlers": {
        "plain": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stderr"},
        "bare": {"class": "logging.StreamHandler", "formatter": "bare", "stream": "ext://sys.stderr"},
    },
    "loggers": {
        "uvicorn": {"handlers": ["plain"], "level": "INFO", "propagate": False},
        "advisor.api.access": {"handlers": ["bare"], "level": "INFO", "propagate": False},
    },
}


def default_database() -> Path:
    """Where keys, audit and kept plans stand unless a setting says otherwise."""
    return user_data_path("advisor") / "api.sqlite"


def settled(*, workers: int | None, without_keys: bool, knowledge: Path | None, local: bool) -> Settings:
    """The settings to run with: whether keys are asked for follows from there being any. Raises InputError."""
    read = read_settings(workers=workers, knowledge=knowledge)
    settings = read.model_copy(update={"database": read.database or default_database()})
    if without_keys:
        required = False
    else:
        required = settings.keys_required or settings.token_issuer is not None or _has_keys(settings)
    hosts = settings.hosts
    if local and not required and not hosts:
        # A page in a browser can have its own name resolve to this machine, and would then read what it may not.
        hosts = ("localhost", "127.0.0.1", "[::1]")
    return settings.model_copy(update={"keys_required": required, "hosts": hosts})


def application() -> FastAPI:
    """The application under the settings of the environment: what a worker starts."""
    return create_app(settings=read_settings())


def run(settings: Settings, listener: socket.socket, *, started: Callable[[], None]) -> None:
    """Answer on a listening socket until interrupted; requests under way are then answered first."""
    os.environ.update(settings.as_environment())
    # From here on, connections wait for the first worker rather than being refused.
    listener.listen(2048)
    options: dict[str, Any] = {
        "log_config": _LOG,
        "access_log": False,
        "server_header": False,
        "limit_concurrency": settings.connections,
        "timeout_graceful_shutdown": settings.shutdown_seconds,
        "workers": settings.workers,
    }
    if settings.workers == 1:
        app = create_app(settings=settings)
        started()
        uvicorn.Server(uvicorn.Config(app, **options)).run(sockets=[listener])
        return
    with tempfile.TemporaryDirectory(prefix="advisor-figures-") as figures:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = figures
        config = uvicorn.Config("advisor.api.serving:application", factory=True, **options)
        started()
        Multiprocess(config, sockets=[listener]).run()


def _has_keys(settings: Settings) -> bool:
    if settings.database is None or not settings.database.exists():
        return False
    keeping = Keeping(settings.database)
    try:
        return bool(keeping.keys())
    finally:
        keeping.close()
