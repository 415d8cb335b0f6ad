"""How a reader of one value refuses it: what is wrong, and what to write instead. Where it stands is added by `problems`."""

from collections.abc import Mapping, Sequence

from pydantic_core import PydanticCustomError

Path = tuple[str | int, ...]
LONGEST_SHOWN = 60


def refusal(problem: str, *, hint: str | None = None, field: str | tuple[str | int, ...] = ()) -> PydanticCustomError:
    """What a validator raises. `field`: the key inside the record that the problem concerns, or the path to it."""
    return PydanticCustomError(
        "refused", "{problem}", {"problem": problem, "hint": hint, "field": (field,) if isinstance(field, str) else field}
    )


def show_given(given: object) -> str:
    """What was given, in words short enough for one line of a message."""
    if given is None:
        return "nothing"
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int | float):
        return str(given) if isinstance(given, float) or abs(given) < 10**LONGEST_SHOWN else "a number of more than 60 digits"
    if isinstance(given, str):
        return f'"{shorten(given)}"'
    if isinstance(given, Mapping):
        return "a mapping of keys to values"
    if isinstance(given, Sequence | set | frozenset):
        return "a list"
    return f"a {type(given).__name__}"


def shorten(text: str) -> str:
    """At most sixty characters, with anything that would break the line or the terminal written as an escape."""
    cut = text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in cut)


def show_path(path: Path) -> str:
    """`workloads[0].traffic.people`; keys that are no plain words stand in quotes."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        else:
            name = part if part.replace("_", "a").replace("-", "a").isalnum() and len(part) <= 60 else f'"{shorten(part)}"'
            shown += f".{name}" if shown else name
    return shown
