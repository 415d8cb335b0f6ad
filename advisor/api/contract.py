"""The contract with portals: the OpenAPI document without examples, and what would break those built on it."""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

_SENT_BY_CALLERS = ("Document",)


def contract(described: Mapping[str, Any]) -> dict[str, Any]:
    """An OpenAPI document without its examples, which follow the knowledge and promise nothing."""
    found: dict[str, Any] = _without_examples(described)
    return found


def breaking(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What a caller of the one document would find gone, changed or asked for in addition in the other."""
    for path, methods in before["paths"].items():
        now = after["paths"].get(path)
        if now is None:
            yield f"{path}: it is gone"
            continue
        for method, operation in methods.items():
            place = f"{method.upper()} {path}"
            if method not in now:
                yield f"{place}: it is gone"
            else:
                yield from (f"{place}: {said}" for said in _operation(operation, now[method]))
    schemas = after["components"]["schemas"]
    for name, schema in before["components"]["schemas"].items():
        if name not in schemas:
            yield f"schema {name}: it is gone"
        else:
            yield from (f"schema {name}: {said}" for said in _schema(name, schema, schemas[name]))


def _operation(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    known = {(each["in"], each["name"]): each for each in before.get("parameters", ())}
    given = {(each["in"], each["name"]): each for each in after.get("parameters", ())}
    for place, name in known.keys() - given.keys():
        yield f"parameter {name} of the {place} is gone"
    for key, parameter in given.items():
        if parameter.get("required") and not known.get(key, {}).get("required"):
            yield f"parameter {key[1]} is needed"
    for status in before["responses"].keys() - after["responses"].keys():
        yield f"answer {status} is gone"
    for media_type in before.get("requestBody", {}).get("content", {}).keys() - after.get("requestBody", {}).get("content", {}):
        yield f"bodies of {media_type} are gone"
    if before.get("operationId") != after.get("operationId"):
        yield f"operationId is {after.get('operationId')}, was {before.get('operationId')}"


def _schema(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    known, given = before.get("properties", {}), after.get("properties", {})
    for field in known.keys() - given.keys():
        yield f"{field} is gone"
    for field in known.keys() & given.keys():
        old, new = known[field].get("type"), given[field].get("type")
        if old is not None and new is not None and old != new:
            yield f"{field} is {new}, was {old}"
    if name.partition(".")[0] in _SENT_BY_CALLERS:
        for field in set(after.get("required", ())) - set(before.get("required", ())):
            yield f"{field} is needed"
    else:
        for field in (set(before.get("required", ())) - set(after.get("required", ()))) & given.keys():
            yield f"{field} may be absent"


def _without_examples(part: Any, *, names: bool = False) -> Any:
    """names: whether the keys are names of fields, which may be called example."""
    if isinstance(part, Mapping):
        return {
            key: _without_examples(value, names=key in ("properties", "schemas", "paths", "responses") and not names)
            for key, value in part.items()
            if names or key not in ("example", "examples")
        }
    return [_without_examples(each) for each in part] if isinstance(part, list) else part


def main() -> None:
    """Write the contract of this checkout to standard output."""
    from advisor.api.app import create_app

    json.dump(contract(create_app().openapi()), sys.stdout, indent=1, ensure_ascii=False, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
