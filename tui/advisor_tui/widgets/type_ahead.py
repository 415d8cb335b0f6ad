"""A list in which typing goes to the entry that begins so, and a field that completes known names."""

from collections.abc import Callable, Iterable

from textual.events import Key
from textual.suggester import Suggester
from textual.widgets import OptionList


class TypeAheadList(OptionList):
    """Letters go to the next entry that begins with what was typed; those that begin none are left to the screen's keys."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.typed = ""

    def on_key(self, event: Key) -> None:
        """Take a letter that leads somewhere."""
        if event.character is None or not event.is_printable or event.character.isspace():
            self.typed = ""
            return
        letter = event.character.lower()
        for typed in (self.typed + letter, letter):
            place = self._place(typed)
            if place is not None:
                self.typed, self.highlighted = typed, place
                event.stop()
                event.prevent_default()
                return
        self.typed = ""

    def _place(self, typed: str) -> int | None:
        start = (self.highlighted or 0) + (len(typed) == 1)
        places = [*range(start, self.option_count), *range(min(start, self.option_count))]
        return next((at for at in places if str(self.get_option_at_index(at).prompt).strip().lower().startswith(typed)), None)


class NameSuggester(Suggester):
    """Completes the last of several names, separated by commas, from names that are read when the first is asked for."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._read = names
        self._names: tuple[str, ...] | None = None

    async def get_suggestion(self, value: str) -> str | None:
        """The value with its last name completed; the shortest that begins so."""
        before, comma, last = value.rpartition(",")
        wanted = last.lstrip()
        if len(wanted) < 2:
            return None
        if self._names is None:
            self._names = tuple(sorted(self._read(), key=lambda name: (len(name), name)))
        found = next((name for name in self._names if name.lower().startswith(wanted.lower())), None)
        if found is None:
            return None
        return f"{before}{comma}{last[: len(last) - len(wanted)]}{wanted}{found[len(wanted) :]}"
