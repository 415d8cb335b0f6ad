"""How a training tool is told a run's layout: its command, its configuration files, and the flag or key of each fact."""

from typing import Literal, Self

from pydantic import Field, model_validator

from advisor.catalogue.engine import Version
from advisor.catalogue.launch import LaunchNote, Setting, When
from advisor.catalogue.record import Entry, Record


class TrainingProgram(Record):
    """The words that start a tool for layouts on which every condition of `when` holds. last: words after all flags."""

    command: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    when: When = ()


class TrainingFile(Record):
    """A file that settings with a key stand in. flag: what names it to the command; blank: its name alone is said."""

    name: str
    form: Literal["yaml", "json"]
    flag: str | None = None


class ToolSetting(Setting):
    """How one fact of a layout is said. file: the file of its key, where the tool has several; else the first."""

    file: str | None = None


class TrainingTool(Entry):
    """The launch settings of one training tool in one version.

    rank: among tools that say a layout alike the lower one comes first. own: conditions on a layout for which these are its
    stack's own settings. when: conditions on a layout for which anything is said. launcher: the tool whose `command` and flags
    come before the program. parts: tools whose settings are written beside. programs: the first whose conditions hold counts;
    a tool without any is only a part or a launcher.
    shards_with: sharding libraries it can be run with, the usual one first. silent: facts of a layout that follow from others
    or that it does not have to be told. by_default: what a fact is where nothing is said.
    """

    name: str
    version: Version
    rank: int = 0
    own: When = ()
    when: When = ()
    command: tuple[str, ...] = ()
    launcher: str | None = None
    parts: tuple[str, ...] = ()
    programs: tuple[TrainingProgram, ...] = ()
    shards_with: tuple[str, ...] = ()
    files: tuple[TrainingFile, ...] = ()
    settings: tuple[ToolSetting, ...] = Field(min_length=1)
    silent: tuple[str, ...] = ()
    by_default: dict[str, str] = Field(default_factory=dict)
    notes_at_start: tuple[LaunchNote, ...] = ()

    @model_validator(mode="after")
    def _files_for_keys(self) -> Self:
        names = {file.name for file in self.files}
        for setting in self.settings:
            if setting.key and not names:
                raise ValueError("a setting with a key needs a file")
            if setting.file is not None and setting.file not in names:
                raise ValueError(f'"{setting.file}" is not among the files: {", ".join(sorted(names))}')
        return self

    def file_of(self, setting: ToolSetting) -> str:
        """The name of the file that a setting's key stands in."""
        return setting.file or self.files[0].name
