"""The application: every route file, one library, and errors told as problems."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

import advisor
from advisor.api import routes
from advisor.api.description import ABOUT, TAGS, complete
from advisor.api.errors import add_error_handlers
from advisor.api.gate import Gate
from advisor.api.running import Running
from advisor.api.settings import Settings
from advisor.library import Library, open_library
from advisor.plan.rules import engine_for
from advisor.sizing.formula import all_formulas


def create_app(library: Library | None = None, settings: Settings | None = None) -> FastAPI:
    """The application on a library, by default the one of this machine, under settings, by default with no keys asked for.

    Raises what `open_library` raises, and InputError where the settings cannot be followed. What the first plan would have to
    load is loaded here, so that requests that arrive together find it whole.
    """
    settings = settings or Settings()
    opened = library or open_library(settings.knowledge)
    all_formulas()
    engine_for(opened)
    app = _Application(opened, Running(settings))
    add_error_handlers(app)
    for module in _route_files():
        app.include_router(module.router)
    return app


class _Application(FastAPI):
    """FastAPI with a complete OpenAPI document; a path with a slash too many is refused rather than sent elsewhere."""

    def __init__(self, library: Library, running: Running) -> None:
        super().__init__(
            title="Advisor for AI infrastructure",
            version=advisor.__version__,
            description=ABOUT,
            openapi_tags=TAGS,
            redirect_slashes=False,
            docs_url=None,
            redoc_url=None,
            lifespan=_closing,
        )
        self.state.library = library
        self.state.running = running

    def build_middleware_stack(self) -> ASGIApp:
        """The routes behind the gate."""
        library: Library = self.state.library
        running: Running = self.state.running
        made_with = f"{advisor.__version__} {library.knowledge_id} {library.rules_id}"
        gate = Gate(super().build_middleware_stack(), running, made_with)
        if not running.settings.cors_origins:
            return gate
        return CORSMiddleware(
            gate,
            allow_origins=running.settings.cors_origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "X-API-Key", "Content-Type", "Idempotency-Key", "If-None-Match", "X-Request-Id"],
            expose_headers=["ETag", "Location", "Plan-Id", "Retry-After", "X-Request-Id"],
        )

    @cached_property
    def _described(self) -> dict[str, Any]:
        shown = [module.examples for module in _route_files() if hasattr(module, "examples")]
        return complete(super().openapi(), self.state.library, shown)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        return self._described


@asynccontextmanager
async def _closing(app: FastAPI) -> AsyncIterator[None]:
    yield
    app.state.running.close()


def _route_files() -> list[ModuleType]:
    return [import_module(f"{routes.__name__}.{found.name}") for found in iter_modules(routes.__path__)]
