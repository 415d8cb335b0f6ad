"""The OpenAPI document: what FastAPI gathers from the routes, with the document's schema and an example of every answer."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from advisor.api.errors import Problem, declared
from advisor.api.scopes import SCOPES, scope_of
from advisor.api.settings import PREFIX, Settings
from advisor.library import Library
from advisor.workload.writing import document_schema

Examples = Callable[[Library], dict[str, Any]]

ABOUT = """Plans AI infrastructure: a workload document goes in, a plan comes out, and every number can be opened.

Quantities in answers are floats in base units (byte, second, watt, USD, token); in documents they are text with a unit
(`80 GB`, `2 s`). A refused request is answered with a problem (RFC 9457), which says what was given, what was expected, where,
and what to do.
"""
TAGS = [
    {"name": "plans", "description": "Plans and their numbers."},
    {"name": "checks", "description": "Quotes and what is wrong with them."},
    {"name": "knowledge", "description": "What plans are made from: catalogue, prices, questions, rules, constants, sources."},
    {"name": "formulas", "description": "Equations, with their units and sources."},
    {"name": "schemas", "description": "JSON schemas of documents and answers."},
    {"name": "problems", "description": "What error answers mean."},
    {"name": "service", "description": "The service itself."},
]

_SECURITY = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key of this service (`advisor keys create`), or a token of the identity provider it accepts. Scopes: "
        + "; ".join(f"`{name}`: {meaning}" for name, meaning in SCOPES.items())
        + ".",
    },
    "keyHeader": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same key in a header of its own."},
}


def complete(gathered: dict[str, Any], library: Library, examples: Iterable[Examples]) -> dict[str, Any]:
    """The OpenAPI document with what FastAPI cannot gather put in."""
    schemas = gathered.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(_document_schemas())
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema()
    shown = {name: example for each in examples for name, example in each(library).items()}
    gathered["components"]["securitySchemes"] = _SECURITY
    for method, path, operation in _operations(gathered):
        _secure(operation, scope_of(method.upper(), path))
        # FastAPI declares its own error for any parameter; every refusal here is a problem, and text in a path is never refused.
        if "HTTPValidationError" in str(operation["responses"].get("422")):
            del operation["responses"]["422"]
        for status, response in operation["responses"].items():
            content = response.get("content", {}).get("application/json")
            if status.startswith("2") and content is not None and operation["operationId"] in shown:
                content["example"] = shown[operation["operationId"]]
    return gathered


def _secure(operation: dict[str, Any], scope: str | None) -> None:
    if scope is None:
        operation["security"] = []
        return
    operation["security"] = [{"key": [scope]}, {"keyHeader": [scope]}, {}]
    operation["description"] += f"\n\nWhere keys are asked for, it needs the scope `{scope}`."
    slugs = ["not-authenticated", "not-allowed", "wrong-host", "too-many-requests"]
    slugs += ["busy", "took-too-long"] if scope in ("plan", "keep") else []
    for status, response in declared(*slugs).items():
        operation["responses"].setdefault(str(status), response)
    if scope == "knowledge":
        operation["responses"]["304"] = {"description": "Unchanged since the answer whose ETag is in If-None-Match."}


def _operations(described: Mapping[str, Any]) -> Iterable[tuple[str, str, dict[str, Any]]]:
    return ((method, path, each) for path, methods in described["paths"].items() for method, each in methods.items())


def operations(described: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Every operation of an OpenAPI document."""
    return (operation for _, _, operation in _operations(described))


def _document_schemas() -> dict[str, Any]:
    """The document's schema as components; its parts carry its name, since knowledge and plans have parts of the same names."""
    body = _moved(document_schema())
    parts = body.pop("$defs", {})
    body.pop("$schema", None)
    return {"Document": body, **{f"Document.{name}": part for name, part in parts.items()}}


def _moved(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/Document.") if key == "$ref" else _moved(value)
            for key, value in part.items()
        }
    return [_moved(each) for each in part] if isinstance(part, list) else part


def settings_table() -> str:
    """The settings as the table of docs/api.md."""
    rows = ["| Setting | Default | Meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        shown = _shown(field.default)
        rows.append(f"| `{PREFIX}{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(rows)


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, int | float):
        return f"{default:,}"
    return f"`{default}`" if default else ""
