"""Words in a workload document: free text, choices, flags and days, read from what YAML or JSON gives."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from advisor.workload.refusal import refusal, show_given

_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Words:
    """Reads one line of text of at most `at_most` characters. A bare number is refused: 0.10 would become 0.1."""

    at_most: int
    example: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "minLength": 1, "maxLength": self.at_most, "examples": [self.example]}

    def read(self, given: Any) -> str:
        """The text without spaces around it."""
        hint = f"write for example {self.example}"
        if isinstance(given, int | float) and not isinstance(given, bool):
            raise refusal(f"{show_given(given)} is a number where text is expected", hint="put it in quotes")
        if not isinstance(given, str):
            raise refusal(f"{show_given(given)} stands where text is expected", hint=hint)
        text = given.strip()
        if not text:
            raise refusal("the text is empty", hint=hint)
        if len(text) > self.at_most:
            raise refusal(f"{show_given(text)} has {len(text):,} characters; at most {self.at_most} are taken here")
        if not text.isprintable():
            raise refusal(
                f"{show_given(text)} holds line breaks or characters that cannot be printed", hint="write one line of text"
            )
        return text


@dataclass(frozen=True, slots=True)
class Choice:
    """Reads one of a few words, whatever their case and with `_` or a space for `-`.

    otherwise: usual words for a choice, as written after lower-casing, with the word they stand for.
    """

    words: tuple[str, ...]
    otherwise: tuple[tuple[str, str], ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}

    def read(self, given: Any) -> str:
        """The word as the field declares it."""
        hint = f"write one of: {', '.join(self.words)}"
        if not isinstance(given, str):
            raise refusal(f"{show_given(given)} stands where a word is expected", hint=hint)
        word = re.sub(r"[\s_]+", "-", given.strip().lower()) if len(given) < 100 else ""
        word = dict(self.otherwise).get(word, word)
        if word in self.words:
            return word
        raise refusal(f"{show_given(given)} is not known here{did_you_mean(word, self.words)}", hint=hint)


class Flag:
    """Reads true or false, also as yes and no or on and off."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": list(_FLAGS)}]}

    def read(self, given: Any) -> bool:
        """The truth value."""
        if isinstance(given, bool):
            return given
        if isinstance(given, str) and given.strip().lower() in _FLAGS:
            return _FLAGS[given.strip().lower()]
        raise refusal(f"{show_given(given)} is neither true nor false", hint="write true or false")


class Day:
    """Reads a day, as 2026-11-30 and in no other order, since 03/04 is two different days."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(date.isoformat, when_used="json")
        return core_schema.no_info_plain_validator_function(self.read, serialization=written)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "format": "date"}

    def read(self, given: Any) -> date:
        """The day; from 2000 to 2100."""
        hint = "write year, month and day as in 2026-11-30"
        if type(given) is date:
            day = given
        elif isinstance(given, str) and _DAY.fullmatch(given.strip()):
            try:
                day = date.fromisoformat(given.strip())
            except ValueError:
                raise refusal(f"{show_given(given)} is not a day of the calendar", hint=hint) from None
        else:
            raise refusal(f"{show_given(given)} is not a day", hint=hint)
        if not 2000 <= day.year <= 2100:
            raise refusal(f"{show_given(given)} is outside the years 2000 to 2100", hint=hint)
        return day


def one_or_many(given: Any) -> Any:
    """A single word where a list of them is expected counts as a list of one; nothing as an empty list."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else given


def none_or_many(given: Any) -> Any:
    """Nothing where a list is expected counts as an empty list."""
    return () if given is None else given


def did_you_mean(word: str, among: tuple[str, ...]) -> str:
    """`; did you mean "x"?`, or nothing when no spelling comes close."""
    if len(word) > 100:
        return ""
    # Only errors need it, and it costs a few milliseconds to import.
    from difflib import get_close_matches

    from advisor.catalogue.names import normal

    spelt = {normal(each): each for each in among}
    close = get_close_matches(normal(word), spelt, n=1, cutoff=0.7)
    return f'; did you mean "{spelt[close[0]]}"?' if close else ""


Name = Annotated[str, Words(200, "chat")]
AcceleratorName = Annotated[str, Words(200, "h100-sxm")]
FormatName = Annotated[str, Words(60, "bf16")]
EngineName = Annotated[str, Words(60, "vllm")]
Version = Annotated[str, Words(60, "0.11.0")]
Place = Annotated[str, Words(200, "Germany")]

Note = Annotated[str, Words(2000, "quote of 2026-11-03")]
