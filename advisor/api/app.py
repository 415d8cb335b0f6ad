"""The application: every route file, one library, and errors told as problems."""

from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from fastapi import FastAPI

import advisor
from advisor.api import routes
from advisor.api.description import ABOUT, TAGS, complete
from advisor.api.errors import add_error_handlers
from advisor.library import Library, open_library
from advisor.plan.rules import engine_for
from advisor.sizing.formula import all_formulas


def create_app(library: Library | None = None) -> FastAPI:
    """The application on a library, by default the one of this machine.

    Raises what `open_library` raises. What the first plan would have to load is loaded here, so that requests that arrive
    together find it whole.
    """
    opened = library or open_library()
    all_formulas()
    engine_for(opened)
    app = _Application(opened)
    add_error_handlers(app)
    for module in _route_files():
        app.include_router(module.router)
    return app


class _Application(FastAPI):
    """FastAPI with a complete OpenAPI document; a path with a slash too many is refused rather than sent elsewhere."""

    def __init__(self, library: Library) -> None:
        super().__init__(
            title="Advisor for AI infrastructure",
            version=advisor.__version__,
            description=ABOUT,
            openapi_tags=TAGS,
            redirect_slashes=False,
            docs_url=None,
            redoc_url=None,
        )
        self.state.library = library

    @cached_property
    def _described(self) -> dict[str, Any]:
        shown = [module.examples for module in _route_files() if hasattr(module, "examples")]
        return complete(super().openapi(), self.state.library, shown)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        return self._described


def _route_files() -> list[ModuleType]:
    return [import_module(f"{routes.__name__}.{found.name}") for found in iter_modules(routes.__path__)]
