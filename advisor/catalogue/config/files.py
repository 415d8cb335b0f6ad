"""From a file or folder to a parsed configuration: what people bring instead of a config.json is named, not guessed at."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, cast

from advisor.errors import ModelConfigError

CONFIG_NAME: Final = "config.json"
QUANTIZATION_NAME: Final = "hf_quant_config.json"
# Real files take 1 to 40 kB (a per-layer architecture search result is the longest seen); weights saved as .json are far larger.
LARGEST_FILE: Final = 10 * 1000 * 1000
DEEPEST_NESTING: Final = 64

_WHAT_TO_BRING = "give the path of the model's config.json, or of the folder that holds it"
_CORRECT = "correct that place, or download the published file again"
_ACCESS_WORDS = ("access to model", "restricted", "authenticated", "log in", "gated", "401", "403", "unauthorized")
_CACHE_FOLDER = re.compile(r"^models--(?P<owner>[^/]+?)--(?P<name>.+)$")


def read_files(path: Path) -> tuple[Path, dict[str, object], dict[str, object] | None]:
    """The config's path, its contents, and those of the hf_quant_config.json beside it, if there is one.

    The second file is looked for only where the first goes by its own name, since a renamed copy may stand anywhere.
    Raises ModelConfigError for anything that is not such a file.
    """
    file = path / CONFIG_NAME if path.is_dir() else path
    if path.is_dir() and not file.is_file():
        raise ModelConfigError(f"the folder holds no {CONFIG_NAME}{_found_in(path)}", where=str(path), hint=_WHAT_TO_BRING)
    config = read_object(file)
    beside = file.with_name(QUANTIZATION_NAME)
    quantization = read_object(beside) if file.name == CONFIG_NAME and beside.is_file() else None
    return file, config, quantization


def _found_in(folder: Path) -> str:
    """What a folder without a config.json holds instead, where that tells what it is."""
    for pattern, meaning in (
        ("adapter_config.json", "an adapter"),
        ("model_index.json", "a diffusion pipeline"),
        ("*.gguf", "GGUF weights"),
    ):
        if next(folder.glob(pattern), None) is not None:
            return f", but that of {meaning}" if pattern.endswith(".json") else f", but {meaning}"
    return ""


def read_object(file: Path) -> dict[str, object]:
    """The JSON object in a file. Raises ModelConfigError with line and column where it is not JSON."""
    where = str(file)
    if not file.exists():
        raise ModelConfigError("there is no such file", where=where, hint=_WHAT_TO_BRING)
    if not file.is_file():
        raise ModelConfigError("it is not a regular file", where=where, hint=_WHAT_TO_BRING)
    try:
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise ModelConfigError(
                f"the file has {size:,} bytes; a {CONFIG_NAME} has a few thousand, and more than {LARGEST_FILE:,} are not read",
                where=where,
                hint=_WHAT_TO_BRING,
            )
        raw = file.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelConfigError(f"the file cannot be read: {reason}", where=where, hint=_WHAT_TO_BRING) from error
    return parse_object(_decoded(raw, where), where)


def parse_object(text: str, where: str) -> dict[str, object]:
    """The JSON object that a text is. Raises ModelConfigError with line and column where it is not."""
    if not text.strip():
        raise ModelConfigError("the file is empty; expected a JSON object", where=where, hint=_WHAT_TO_BRING)
    try:
        parsed = json.loads(text, object_pairs_hook=_without_contradictions(where))
    except json.JSONDecodeError as error:
        raise _not_json(text, error, where) from None
    except (RecursionError, ValueError) as error:
        # Beside what is no JSON, Python refuses whole numbers of thousands of digits.
        problem = "is nested too deeply" if isinstance(error, RecursionError) else "cannot be read as JSON: a number is too long"
        raise ModelConfigError(f"the file {problem}", where=where, hint=_WHAT_TO_BRING) from None
    if not isinstance(parsed, dict):
        kind = {list: "a list", str: "a text", bool: "true or false"}.get(type(parsed), "a single value")
        raise ModelConfigError(f"the file holds {kind}; expected a JSON object with keys", where=where, hint=_WHAT_TO_BRING)
    check_depth(parsed, where)
    return cast(dict[str, object], parsed)


def check_depth(config: Mapping[str, object], where: str) -> None:
    """Raise where a configuration is nested deeper than any real one. Walks without recursion, so any depth is safe."""
    level: list[object] = [config]
    for _ in range(DEEPEST_NESTING):
        deeper: list[object] = []
        for value in level:
            if isinstance(value, Mapping):
                deeper.extend(inner for inner in value.values() if isinstance(inner, Mapping | list | tuple))
            elif isinstance(value, list | tuple):
                deeper.extend(inner for inner in value if isinstance(inner, Mapping | list | tuple))
        if not deeper:
            return
        level = deeper
    raise ModelConfigError(f"it is nested more than {DEEPEST_NESTING} levels deep; no real configuration is", where=where)


def name_of(file: Path) -> str:
    """The model's name as its place tells it: repository copies write "/" as "__", the hub's cache as "--"."""
    if file.name != CONFIG_NAME:
        return file.stem.replace("__", "/", 1)
    folder = file.resolve().parent
    for place in (folder, *folder.parents):
        if cached := _CACHE_FOLDER.match(place.name):
            return f"{cached['owner']}/{cached['name']}"
    return folder.name.replace("__", "/", 1) or "model"


def id_of(name: str) -> str:
    """A name as an id: the last part, lower-case, with dashes."""
    last = name.rstrip("/").rsplit("/", 1)[-1]
    return re.sub(r"[^a-z0-9.]+", "-", last.lower()).strip("-.") or "model"


def _decoded(raw: bytes, where: str) -> str:
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        raise ModelConfigError(_binary(raw), where=where, hint=_WHAT_TO_BRING) from None
    if "\x00" in text:
        raise ModelConfigError(_binary(raw), where=where, hint=_WHAT_TO_BRING)
    return text


def _binary(raw: bytes) -> str:
    kind = next((name for start, name in _SIGNATURES.items() if raw.startswith(start)), "binary data")
    return f"the file is {kind}, not text; expected a JSON object"


_SIGNATURES = {
    b"GGUF": "a GGUF weight file",
    b"PK\x03\x04": "a zip archive or PyTorch weight file",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF": "a PDF document",
    b"\x89PNG": "an image",
}


def _without_contradictions(where: str) -> Callable[[list[tuple[str, object]]], dict[str, object]]:
    def build(pairs: list[tuple[str, object]]) -> dict[str, object]:
        built: dict[str, object] = {}
        for key, value in pairs:
            if key in built and built[key] != value:
                raise ModelConfigError(
                    f"the key {key} stands twice with different values",
                    where=where,
                    hint="keep the one that is meant and delete the other",
                )
            built[key] = value
        return built

    return build


def _not_json(text: str, error: json.JSONDecodeError, where: str) -> ModelConfigError:
    """What the text is instead, where that can be told; else the line and column where it stops being JSON."""
    start = text.lstrip()[:2000].lower()
    if start.startswith("version https://git-lfs"):
        return ModelConfigError("the file is a Git LFS pointer, not the file itself", where=where, hint="run: git lfs pull")
    if start[:1] not in ("{", "[") and any(word in start for word in _ACCESS_WORDS):
        return ModelConfigError(
            "the file is not JSON; it looks like an access message from the hub, saved in place of the file",
            where=where,
            hint="accept the model's terms and log in there, then download config.json again",
        )
    if start.startswith("<"):
        return ModelConfigError(
            "the file is a web page, not JSON", where=where, hint="download the raw config.json, not the page that shows it"
        )
    position, reason = _reason(text, error)
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    return ModelConfigError(f"not JSON: {reason}", where=f"{where}, line {line}, column {column}", hint=_CORRECT)


def _reason(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    """Where the text stops being JSON, and why; the same for every Python, whose versions word and place it differently."""
    comma = _LAST_COMMA.match(text, error.pos) or _LAST_COMMA.match(text, max(0, text.rfind(",", 0, error.pos)))
    if comma is not None and comma.end() > error.pos:
        return comma.start(), f'a comma before "{comma["bracket"]}"'
    rest = text[error.pos :].lstrip()
    if rest.startswith(("//", "/*", "#")):
        return error.pos, "a comment; JSON has none"
    if not rest:
        return error.pos, "the text ends too early; the file may have been cut off"
    return error.pos, next((reason for told, reason in _REASONS.items() if error.msg.startswith(told)), "it cannot be read on")


_LAST_COMMA = re.compile(r",\s*(?P<bracket>[}\]])")
_REASONS = {
    "Expecting ',' delimiter": "a comma is missing, or a bracket",
    "Expecting ':' delimiter": "a colon is missing after the key",
    "Expecting property name": "a key in double quotes is expected",
    "Expecting value": "a value is expected",
    "Unterminated string": "a quotation mark is not closed",
    "Invalid control character": "a text holds a line break or another control character",
    "Invalid \\": "a backslash stands before what it cannot stand before",
    "Extra data": "more follows after the object",
}
