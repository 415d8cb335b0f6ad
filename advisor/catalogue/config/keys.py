"""Reading keys of a config.json: many spellings, numbers as text, null for absent, and clear refusals.

Every size is a whole number inside bounds that no real model comes near, so that a slip of the pen is refused rather than
turned into a plan.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from advisor.errors import ModelConfigError

# The largest real values are a vocabulary of 10⁶ and a context of 10⁷; a hundred times that is a slip of the pen.
LARGEST_SIZE: Final = 10**8
LARGEST_CONTEXT: Final = 10**10
MOST_LAYERS: Final = 10_000

_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})


class Keys:
    """One section of a configuration, with the place errors point at and the list that assumptions go to.

    mapping: the section as parsed. where: file, and section if nested. assumed: shared by all sections of one file.
    defaults: what the library's own class of this model type takes for a key that is left out; only nested sections have
    them, since the library writes those without the keys that equal its defaults.
    """

    def __init__(
        self,
        mapping: Mapping[str, object],
        *,
        where: str,
        assumed: list[str],
        defaults: Mapping[str, object] | None = None,
    ) -> None:
        self.mapping = mapping
        self.where = where
        self.assumed = assumed
        self.defaults = defaults or {}

    def has(self, *names: str) -> bool:
        """Whether one of the keys has a value, given or by default; null does not count."""
        return any(self.mapping.get(name, self.defaults.get(name)) is not None for name in names)

    def given(self, *names: str) -> tuple[str, object] | None:
        """The first of the keys that is given, with its value; else the class default, told once among the assumptions."""
        for name in names:
            value = self.mapping.get(name)
            if value is not None:
                return name, value
        if any(name in self.mapping for name in names):
            return None  # null, written out where the default is a value, means that there is none
        for name in names:
            value = self.defaults.get(name)
            if value is not None:
                self._assume_default(name, value)
                return name, value
        return None

    def whole(self, *names: str, least: int = 1, most: int = LARGEST_SIZE) -> int | None:
        """A whole number under the first of these keys that is given; None where all are absent or null."""
        found = self.given(*names)
        return None if found is None else self._whole(*found, least, most)

    def need(self, *names: str, what: str, least: int = 1, most: int = LARGEST_SIZE) -> int:
        """As `whole`, but absence is an error that says what the key is for."""
        value = self.whole(*names, least=least, most=most)
        if value is None:
            others = f" (also read: {', '.join(names[1:])})" if len(names) > 1 else ""
            shown = next((name for name in names if name in self.mapping), "".join(names[:1]))
            empty = " is null" if shown in self.mapping else " is missing"
            raise ModelConfigError(
                f"the key {shown}{empty}; expected {what}, a whole number{others}",
                where=self.where,
                hint="use the config.json that the model's repository publishes, whole and unchanged",
            )
        return value

    def count(self, *names: str, most: int = LARGEST_SIZE) -> int:
        """A count that may be zero and is zero where absent."""
        value = self.whole(*names, least=0, most=most)
        return 0 if value is None else value

    def number(self, *names: str, least: float = 0.0, most: float = 1e9) -> float | None:
        """A number, whole or not."""
        found = self.given(*names)
        if found is None:
            return None
        name, value = found
        number = _number(value)
        if number is None or not least <= number <= most:
            raise self.error(name, f"is {_shown(value)}; expected a number from {least:g} to {most:g}")
        return number

    def flag(self, *names: str) -> bool | None:
        """A flag; true and false may be written as text."""
        found = self.given(*names)
        if found is None:
            return None
        name, value = found
        if isinstance(value, bool):
            return value
        word = str(value).strip().lower()
        if word in _TRUE:
            return True
        if word in _FALSE:
            return False
        raise self.error(name, f"is {_shown(value)}; expected true or false")

    def text(self, *names: str) -> str | None:
        """A text; anything else is taken as absent."""
        for name in names:
            value = self.mapping.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return None

    def section(self, *names: str, defaults: Mapping[str, object] | None = None) -> "Keys | None":
        """A nested object as keys of its own; an empty one counts as given, null as absent."""
        for name in names:
            value = self.mapping.get(name)
            if value is None:
                continue
            if not isinstance(value, Mapping):
                raise self.error(name, f"is {_shown(value)}; expected an object with keys of its own")
            return Keys(value, where=f"{self.where}, {name}", assumed=self.assumed, defaults=defaults)
        return None

    def items(self, *names: str) -> list[object] | None:
        """A list; None where absent, or where it is no list (some keys are a number in one family and a list in another)."""
        for name in names:
            value = self.mapping.get(name, self.defaults.get(name))
            if isinstance(value, list | tuple):
                return list(value)
        return None

    def words(self, *names: str) -> list[str] | None:
        """A list of texts."""
        listed = self.items(*names)
        return None if listed is None else [str(word) for word in listed]

    def wholes(self, *names: str, least: int = 0, most: int = LARGEST_SIZE) -> list[int] | None:
        """A list of whole numbers."""
        listed = self.items(*names)
        if listed is None:
            return None
        name = next((name for name in names if isinstance(self.mapping.get(name), list | tuple)), names[0])
        return [self._whole(f"{name}[{index}]", value, least, most) for index, value in enumerate(listed)]

    def merged(self, *others: Mapping[str, object]) -> "Keys":
        """The same section with the keys of others beneath it: its own win, null not counting."""
        mapping: dict[str, object] = {}
        for other in reversed(others):
            mapping.update({name: value for name, value in other.items() if value is not None})
        mapping.update({name: value for name, value in self.mapping.items() if value is not None})
        return Keys(mapping, where=self.where, assumed=self.assumed, defaults=self.defaults)

    def assume(self, sentence: str) -> None:
        """Note what had to be assumed, each once."""
        if sentence not in self.assumed:
            self.assumed.append(sentence)

    def error(self, key: str, problem: str, *, hint: str | None = None) -> ModelConfigError:
        """An error about one key of this section."""
        return ModelConfigError(f"{key} {problem}", where=self.where, hint=hint)

    def _assume_default(self, name: str, value: object) -> None:
        opening, closing = f"{self.where} leaves out ", ": the defaults of the library's class are taken"
        entry = f"{name} ({_shown(value)})"
        for index, sentence in enumerate(self.assumed):
            if sentence.startswith(opening):
                if entry not in sentence:
                    self.assumed[index] = f"{sentence.removesuffix(closing)}, {entry}{closing}"
                return
        self.assumed.append(f"{opening}{entry}{closing}")

    def _whole(self, name: str, value: object, least: int, most: int) -> int:
        number = _number(value)
        if number is None or not math.isfinite(number) or number != int(number) or not least <= number <= most:
            raise self.error(name, f"is {_shown(value)}; expected a whole number from {least:,} to {most:,}")
        return int(number)


def same_length(keys: Keys, key: str, listed: Iterable[object], layers: int) -> None:
    """Raise unless a list per layer is as long as there are layers."""
    length = sum(1 for _ in listed)
    if length != layers:
        raise keys.error(key, f"lists {length} layers, but the model has {layers}")


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return float(value) if abs(value) < 10**15 else math.inf
    if isinstance(value, float):
        return value
    if isinstance(value, str) and len(value) < 40:
        try:
            return float(value.strip().replace("_", ""))
        except ValueError:
            return None
    return None


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
