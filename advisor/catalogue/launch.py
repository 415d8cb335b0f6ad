"""How an engine is told, at its start, what an estimate assumed: its command, and the flag, variable or key of each fact."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from advisor.catalogue.engine import Version, version_key
from advisor.catalogue.record import Entry, Record
from advisor.conditions import Condition, read_condition

When = tuple[Annotated[Condition, BeforeValidator(read_condition)], ...]


class Span(Record):
    """Something that holds for the versions from `since` on and before `until`."""

    since: Version | None = None
    until: Version | None = None

    def covers(self, version: str) -> bool:
        """Whether it holds for this version."""
        key = version_key(version)
        return (self.since is None or version_key(self.since) <= key) and (self.until is None or key < version_key(self.until))


class Program(Span):
    """The words that start the server. model: the flag before the model; without one it stands right after the command.

    path: the flag before a file on disk, where that is another one. prefix: what stands before a name of the hub. tagged: a name
    is followed by a colon and the weight format, spelled as in `tags` or else as file names do (gguf-q4-k-m is Q4_K_M).
    in_file: the model is named by this line of the configuration file instead.
    """

    command: tuple[str, ...] = Field(min_length=1)
    model: str | None = None
    path: str | None = None
    prefix: str = ""
    tagged: bool = False
    tags: dict[str, str] = Field(default_factory=dict)
    in_file: str | None = None


class Setting(Span):
    """How one fact is said: by a flag, an environment variable, or a key of the configuration file.

    fact: whose value is said; without one the setting is said at every start, because the formulas count on it.
    times: facts it is multiplied with, where the engine counts them together. switch: the flag takes no value.
    value: what is said in place of the fact's value; {value} in it stands for that. values: how values are spelled; one that is
    not among them cannot be said. default: the spelling that the engine takes by itself, which is left out.
    when: conditions on facts, all of which must hold.
    """

    fact: str | None = None
    flag: str | None = None
    variable: str | None = None
    key: str | None = None
    times: tuple[str, ...] = ()
    switch: bool = False
    value: str | None = None
    values: dict[str, str] = Field(default_factory=dict)
    default: str | None = None
    when: When = ()

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if sum(place is not None for place in (self.flag, self.variable, self.key)) != 1:
            raise ValueError("a setting has one of flag, variable and key")
        if self.switch and (self.flag is None or self.value is not None or self.values):
            raise ValueError("a switch is a flag without a value")
        if self.fact is None and self.value is None and not self.switch:
            raise ValueError("a setting without a fact needs a value")
        return self

    @property
    def spelled(self) -> str:
        """The flag, variable or key as it is written."""
        return self.flag or self.variable or self.key or ""


class LaunchNote(Span):
    """Something to know when starting it. text: {fact} in it stands for a fact's value. when: as in a setting."""

    text: str
    when: When = ()


class ConfigurationFile(Record):
    """The file that holds the settings with a key. flag: what names it to the command; none where another program reads it."""

    name: str
    form: Literal["yaml", "modelfile"]
    flag: str | None = None


class Launch(Entry):
    """The launch settings of one engine; its id is the engine's.

    programs: of those that cover a version the last counts. silent: facts that its memory does not follow, so that nothing has
    to be said. lays_out_cache: it reserves the cache of every slot at its start, so that slots are those the load needs.
    """

    programs: tuple[Program, ...] = Field(min_length=1)
    settings: tuple[Setting, ...]
    notes_at_start: tuple[LaunchNote, ...] = ()
    file: ConfigurationFile | None = None
    silent: tuple[str, ...] = ()
    lays_out_cache: bool = False

    @model_validator(mode="after")
    def _file_for_keys(self) -> Self:
        if self.file is None and any(setting.key for setting in self.settings):
            raise ValueError("a setting with a key needs a file")
        return self

    def program(self, version: str) -> Program:
        """What starts this version."""
        return next((each for each in reversed(self.programs) if each.covers(version)), self.programs[-1])

    def said(self, version: str) -> tuple[Setting, ...]:
        """The settings that this version knows."""
        return tuple(setting for setting in self.settings if setting.covers(version))
