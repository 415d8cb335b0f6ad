"""Everything that validation finds wrong with a document, told as one error: the first problem, and how many more there are."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from pydantic import ValidationError

from advisor.catalogue.record import Record
from advisor.errors import DocumentError
from advisor.workload.document import Document
from advisor.workload.refusal import Path, shorten, show_given, show_path
from advisor.workload.words import did_you_mean

# A document with more problems than this is no document: looking through all of them would only take time.
MOST_LOOKED_AT = 1000
# Keys that people bring from engines and other tools, and what they are called here.
_OTHER_NAMES = {
    "dtype": "precision",
    "quantization": "precision",
    "kv_cache_dtype": "kv_precision",
    "tp": "tensor_parallel",
    "pp": "pipeline_parallel",
    "users": "people",
    "concurrency": "concurrent_requests",
    "rps": "requests_per_second",
    "qps": "requests_per_second",
    "isl": "input_tokens",
    "osl": "output_tokens",
    "ttft": "ttft_mean",
    "tpot": "tpot_mean",
    "itl": "tpot_mean",
    "latency": "latency_mean",
    "gpus": "accelerators",
    "zero": "sharding",
    "n_ctx": "context",
    "type": "kind",
    "sla": "targets",
    "slo": "targets",
}
SMALLEST = "workloads: [{kind: realtime-inference, model: llama-3.1-8b}]"


def document_error(
    error: ValidationError, given: object, *, where: str | None, line: Callable[[Path], int | None] | None
) -> DocumentError:
    """The first problem in the order of the text. Unknown keys go before the rest, since a missing key is often a misspelt one.

    where: the file, or None when the document came as data; line: finds the line of a path.
    """
    problems: list[tuple[bool, int, Path, Any]] = []
    for each in error.errors(include_url=False)[:MOST_LOOKED_AT]:
        path = _path_in(given, each)
        problems.append((each["type"] != "extra_forbidden", (line(path) if line else None) or 0, path, each))
    _, number, path, first = min(problems, key=lambda problem: problem[:2])
    misspelt = {path[:-1] for later, _, path, _ in problems if not later}
    doubled = sum(each["type"] == "missing" and path[:-1] in misspelt for _, _, path, each in problems)
    message, hint = _told(first, path)
    return refuse(message, path, hint=_with_more(hint, error.error_count() - doubled - 1), where=where, line=number or None)


def refuse(message: str, path: Path, *, hint: str | None, where: str | None, line: int | None) -> DocumentError:
    """The error with its place: file, line and path, as far as they are known."""
    place = [where, f"line {line}" if line else None, show_path(path) or None]
    return DocumentError(message, where=", ".join(part for part in place if part) or None, hint=hint)


def _told(problem: Any, path: Path) -> tuple[str, str | None]:
    kind, given = problem["type"], problem["input"]
    words = [part for part in path if isinstance(part, str)]
    key = shorten(words[-1]) if words else "the document"
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if kind == "missing" or (given is None and kind != "refused") or (kind == "refused" and given is None and _required(path)):
        said = "is missing" if kind == "missing" else "has no value" if path[-1:] == (key,) else "has an empty item"
        return f'"{key}" {said}', _how_to_write(path)
    if kind == "refused":
        return problem["ctx"]["problem"], problem["ctx"]["hint"]
    if kind in ("model_type", "model_attributes_type", "dict_type", "mapping_type"):
        keys = _keys(path)
        some = f"; its keys are {', '.join(keys[:6])}{', …' if len(keys) > 6 else ''}" if keys else ""
        return f"{show_given(given)} stands where keys and values are expected", f"write {key}: {{key: value}}{some}"
    if kind in ("tuple_type", "list_type"):
        return f"{show_given(given)} stands where a list is expected", f"write {key}: [ … ], or a dash before each item"
    return f"{show_given(given)} cannot be used here", _how_to_write(path)


def _unknown_key(path: Path) -> tuple[str, str | None]:
    key = str(path[-1])
    known = _keys(path[:-1])
    message = f'unknown key "{shorten(key)}"'
    word = key.split(":")[0].split(" ")[0]
    if word != key and word in known:
        return message, f"a colon and a space belong after {word}, as in `{word}: value`"
    other = _OTHER_NAMES.get(key.lower().replace("-", "_"))
    if other in known:
        return f'{message}; did you mean "{other}"?', None
    homes = [place for place, keys in _all_keys() if key in keys or other in keys]
    if homes:
        name = key if key in dict(_all_keys())[homes[0]] else other
        return message, f'"{name}" belongs under {homes[0]}' if homes[0] else f'"{name}" belongs at the top of the document'
    guess = did_you_mean(key, known)
    return f"{message}{guess}", None if guess else f"known here: {', '.join(known)}"


def _path_in(given: object, problem: Any) -> Path:
    """The place as the person wrote it: without the parts that only the records have (short forms, kinds of a choice)."""
    path: list[str | int] = []
    loc: tuple[str | int, ...] = problem["loc"]
    loc += problem.get("ctx", {}).get("field", ())
    here = given
    for position, part in enumerate(loc):
        last = position == len(loc) - 1
        if isinstance(here, Mapping) and (part in here or (last and problem["type"] == "missing")):
            path.append(part)
            here = here.get(part)
        elif isinstance(here, list | tuple) and isinstance(part, int) and part < len(here):
            path.append(part)
            here = here[part]
    return tuple(path)


def _records(path: Path) -> list[type[Record]]:
    """The records whose keys may stand at `path`."""
    here: list[type[Record]] = [Document]
    for part in path:
        if isinstance(part, int):
            continue
        declared = [record.model_fields[part].annotation for record in here if part in record.model_fields]
        # A key that no record declares is a key of the person's own, as under prices: its value is of the same record.
        if declared:
            here = [found for annotation in declared for found in _records_in(annotation)]
    return here


def _records_in(annotation: Any) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield annotation
    for argument in get_args(annotation):
        yield from _records_in(argument)


def _keys(path: Path) -> tuple[str, ...]:
    return tuple(name for record in _records(path) for name in record.model_fields)


def _all_keys() -> list[tuple[str, tuple[str, ...]]]:
    """Places where keys may stand, with their keys; the outer ones first."""
    places: list[tuple[str, tuple[str, ...]]] = []
    waiting: list[tuple[str, type[Record]]] = [("", Document)]
    while waiting:
        place, record = waiting.pop(0)
        places.append((place, tuple(record.model_fields)))
        for name, field in record.model_fields.items():
            waiting.extend((f"{place}.{name}" if place else name, inner) for inner in _records_in(field.annotation))
    return places


def _required(path: Path) -> bool:
    return any(
        record.model_fields[str(path[-1])].is_required()
        for record in _records(path[:-1])
        if path and str(path[-1]) in record.model_fields
    )


def _how_to_write(path: Path) -> str | None:
    """What the field's declaration says of how it is written."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    if not path:
        return f"write at least {SMALLEST}"
    for record in _records(path[:-1]):
        field = record.model_fields.get(str(path[-1]))
        if field is not None and field.description:
            return f"write {field.description}"
    return None


def _with_more(hint: str | None, more: int) -> str | None:
    if not more:
        return hint
    others = "one more problem was found" if more == 1 else f"{more:,} more problems were found"
    return f"{hint} ({others})" if hint else others
