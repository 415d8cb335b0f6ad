"""What does not fit in a declared entry: every problem of it in one message, with what each key means and how others write it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from inspect import cleandoc
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from advisor.catalogue.names import nearest
from advisor.errors import KnowledgeError
from advisor.library.quantities import records_in

# More than these make no clearer message; they are counted.
MOST_TOLD = 5
_LONGEST_SHOWN = 80

Place = tuple[str | int, ...]
# Entries of the same kind as their files write them, by id.
Written = Sequence[tuple[str, Mapping[str, Any]]]


def knowledge_error(
    error: ValidationError, place: str, record: type[BaseModel], given: object, written: Written = ()
) -> KnowledgeError:
    """One error for all that does not fit an entry's record; unknown keys first, since a missing key is often a misspelt one.

    given: the entry as its file writes it. written: entries of its kind that do fit, from which examples are taken.
    """
    told: dict[Place, tuple[str, str | None]] = {}
    meant: set[Place] = set()
    short: set[Place] = set()
    for each in sorted(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden"):
        path = _path_in(given, each)
        # A value that may be of several types is refused once for each of them.
        if path in told or (each["type"] == "missing" and path in meant):
            continue
        if each["type"] == "extra_forbidden":
            close = nearest(str(path[-1]), _keys(record, path[:-1]))
            meant.update((*path[:-1], key) for key in close[:1])
        if each["type"] == "too_short":
            short.add(path)
        told[path] = _told(each, path, record, written)
    # A list is also called too short where items of it are refused.
    problems = [
        said for path, said in told.items() if path not in short or not any(path == each[: len(path)] != each for each in told)
    ]
    if len(problems) == 1:
        return KnowledgeError(problems[0][0], where=place, hint=problems[0][1])
    lines = [f"{message}; {hint}" if hint else message for message, hint in problems[:MOST_TOLD]]
    if len(problems) > MOST_TOLD:
        lines.append(f"and {len(problems) - MOST_TOLD} more")
    return KnowledgeError(f"{len(problems)} keys or values do not fit", where=place, hint="\n  ".join(lines))


def _told(problem: Any, path: Place, record: type[BaseModel], written: Written) -> tuple[str, str | None]:
    """What is wrong at a place, and what to write there."""
    key = _shown(path)
    kind = problem["type"]
    if kind == "extra_forbidden":
        keys = _keys(record, path[:-1])
        close = nearest(str(path[-1]), keys)
        return f'unknown key "{key}"', f'did you mean "{close[0]}"?' if close else f"known here: {', '.join(keys)}"
    if kind == "missing":
        return f'the key "{key}" is missing', _how_to_write(path, record, written)
    message = problem["msg"].removeprefix("Value error, ")
    own, _, hint = message.partition("\n  ")
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", problem["ctx"]["expected"])
        close = nearest(str(problem["input"]), choices)
        return (
            f'{key}: "{problem["input"]}" is none of {", ".join(choices)}',
            f'did you mean "{close[0]}"?' if close else None,
        )
    if kind == "value_error":
        # Readers of quantities name their field and what was given by themselves.
        own = own.removeprefix(f"{path[-1]}: ") if path else own
        return f"{key}: {own}" if key else own, hint or None
    expected = _EXPECTED.get(kind)
    said = expected.format(**problem.get("ctx", {})) if expected else f"{own[:1].lower()}{own[1:]}"
    return f"{key}: {said} (given: {_short(repr(problem['input']))})", _how_to_write(path, record, written)


# What pydantic says in words of Python.
_EXPECTED = {
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "string_type": "expected text",
    "string_too_short": "expected {min_length} letters or more",
    "string_pattern_mismatch": "expected the form {pattern}",
    "date_type": "expected a day such as 2026-11-30",
    "date_parsing": "expected a day such as 2026-11-30",
    "date_from_datetime_parsing": "expected a day such as 2026-11-30",
    "tuple_type": "expected a list",
    "list_type": "expected a list",
    "dict_type": "expected keys with values",
    "model_type": "expected keys with values",
    "too_short": "expected {min_length} or more",
}


def _how_to_write(path: Place, record: type[BaseModel], written: Written) -> str | None:
    """What a key means, and how an entry that fits writes it."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    if not path:
        return None
    owners = [owner for owner in _records(record, path[:-1]) if path[-1] in owner.model_fields]
    meaning = next((said for owner in owners if (said := meaning_of(owner, str(path[-1])))), None)
    choices = ", ".join(str(each) for owner in owners for each in _choices(owner.model_fields[str(path[-1])].annotation))
    example = _example(path, written)
    parts = (meaning, choices and f"one of {choices}", example and f"for example {example}")
    return "; ".join(part for part in parts if part) or None


def _choices(annotation: Any) -> tuple[object, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()


@cache
def meaning_of(record: type[BaseModel], key: str) -> str | None:
    """What a record says of one of its keys: in the field's description, or after the key and a colon in its docstring."""
    field = record.model_fields.get(key)
    if field is not None and field.description:
        return field.description
    text = " ".join(cleandoc(record.__doc__ or "").split())
    found = re.search(rf"(?:^|[.;] )`?{re.escape(key)}`?(?: \([^)]*\))?: (?P<said>.+?)(?=\. |; `|\.$|$)", text)
    return found["said"] if found else None


def _example(path: Place, written: Written) -> str | None:
    for id, entry in written:
        here: Any = entry
        for part in path:
            if isinstance(part, int):
                here = here[0] if isinstance(here, list) and here else None
            else:
                here = here.get(part) if isinstance(here, Mapping) else None
        if here is not None and here != "":
            shown = yaml.safe_dump({path[-1]: here}, default_flow_style=True, allow_unicode=True, width=10_000).strip()[1:-1]
            return f"{_short(shown)} (as {id} has it)"
    return None


def _path_in(given: object, problem: Any) -> Place:
    """The place as the file writes it: without the parts that only the records have (short forms, types of a choice)."""
    path: list[str | int] = []
    here = given
    for position, part in enumerate(problem["loc"]):
        last = position == len(problem["loc"]) - 1
        if isinstance(here, Mapping) and (part in here or (last and problem["type"] == "missing")):
            path.append(part)
            here = here.get(part)
        elif isinstance(here, list | tuple) and isinstance(part, int) and part < len(here):
            path.append(part)
            here = here[part]
    return tuple(path)


def _records(record: type[BaseModel], path: Place) -> Iterator[type[BaseModel]]:
    """The records whose keys may stand at a place."""
    here = [record]
    for part in path:
        declared = [each.model_fields[part].annotation for each in here if isinstance(part, str) and part in each.model_fields]
        # The key of a mapping is the file's own; its value is still one of the same records.
        if declared:
            here = [found for annotation in declared for found in records_in(annotation)]
    yield from here


def _keys(record: type[BaseModel], path: Place) -> tuple[str, ...]:
    return tuple(field.alias or name for each in _records(record, path) for name, field in each.model_fields.items())


def _shown(path: Place) -> str:
    shown = ""
    for part in path:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else str(part)
    return shown


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
