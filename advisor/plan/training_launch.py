"""Launch settings of a training run: the layout as the commands and files of the tools that can carry it out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.catalogue.launch import When
from advisor.catalogue.training_tool import ToolSetting, TrainingFile, TrainingProgram, TrainingTool
from advisor.library import Library
from advisor.plan.launch_values import HEAD_ADDRESS, Values, shown
from advisor.plan.launching import said, shell_command
from advisor.plan.plan import Configuration, LaunchSettings
from advisor.plan.training_records import TrainingLayout
from advisor.plan.training_values import file_bodies, in_force, training_values, unsaid, unsaid_kernels

# What shards states where every rank holds all of them.
_UNSHARDED: Final = "none"


@dataclass(frozen=True)
class _Way:
    """One tool on one layout: its program, its launcher and parts, the facts that it is told, and what it cannot say."""

    tool: TrainingTool
    program: TrainingProgram
    launcher: TrainingTool | None
    parts: tuple[TrainingTool, ...]
    values: Values
    own: bool
    missed: tuple[str, ...]

    @property
    def tools(self) -> tuple[TrainingTool, ...]:
        """Everything whose settings are written, in the order of the command."""
        every = (*((self.launcher,) if self.launcher else ()), self.tool, *self.parts)
        return tuple(tool for tool in every if _holds(tool.when, self.values))

    @property
    def settings(self) -> tuple[ToolSetting, ...]:
        """All settings in force."""
        return tuple(setting for tool in self.tools for setting in in_force(tool.settings, self.values))


def training_launch(
    layout: TrainingLayout, configuration: Configuration, model_name: str, library: Library
) -> tuple[LaunchSettings, ...]:
    """How a layout is started: by its stack's own tool first, then by every other tool that can say all of it.

    configuration: its accelerators and accelerators_per_node are used. model_name: its name on the hub, or a path. A tool that
    cannot say a part of the layout comes only where it is the stack's own, after those that can, and its notes name the part.
    Empty where no tool of the catalogue starts this method.
    """
    values = training_values(layout, configuration, model_name, library)
    tools = {tool.id: tool for tool in library.all(TrainingTool)}
    ways = [way for tool in tools.values() for way in _ways(tool, values, tools)]
    ways.sort(key=lambda way: (len(way.missed), not way.own, way.tool.rank))
    return tuple(_settings(way) for way in ways)


def _ways(tool: TrainingTool, values: Values, tools: dict[str, TrainingTool]) -> Iterator[_Way]:
    """A tool with each sharding library it can take, the layout's own first; a library that cannot say the layout is left out."""
    own = bool(tool.own) and _holds(tool.own, values)
    for place, library in enumerate(_sharding_libraries(tool, values)):
        there = {**values, "sharding_library": library}
        program = next((each for each in tool.programs if _holds(each.when, there)), None)
        if program is None or not _holds(tool.when, there):
            continue
        launcher = tools[tool.launcher] if tool.launcher else None
        way = _Way(tool, program, launcher, tuple(tools[part] for part in tool.parts), there, own, ())
        missed = unsaid(tool, way.settings, there)
        if not missed or (own and place == 0):
            yield _Way(tool, program, launcher, way.parts, there, own, missed)


def _holds(conditions: When, values: Values) -> bool:
    return all(condition.holds(values) for condition in conditions)


def _sharding_libraries(tool: TrainingTool, values: Values) -> Sequence[str]:
    """What a tool shards states with: first what the layout says, where the tool has it."""
    stated = str(values["sharding_library"])
    if values["zero_stage"] == 0 or not tool.shards_with:
        return (_UNSHARDED if values["zero_stage"] == 0 else stated,)
    return sorted(tool.shards_with, key=lambda each: each != stated)


def _settings(way: _Way) -> LaunchSettings:
    tool, values = way.tool, way.values
    files: list[TrainingFile] = [file for each in way.tools for file in each.files]
    by_file = {
        file.name: [setting for setting in in_force(each.settings, values) if setting.key and each.file_of(setting) == file.name]
        for each in way.tools
        for file in each.files
    }
    bodies = file_bodies(files, by_file, values)
    arguments: list[str] = []
    if way.launcher is not None:
        arguments += [*way.launcher.command, *_flags(way.launcher.settings, values)]
    arguments += [*way.program.command, *_flags(tool.settings, values), *_named(tool.files, bodies), *way.program.last]
    environment = dict(said((setting for setting in way.settings if setting.variable), values))
    nodes = int(values["node_count"]) if not isinstance(values["node_count"], str) else 1
    on = "the server" if nodes == 1 else f"each of the {nodes} servers"
    sharded = len(tool.shards_with) > 1 and values["zero_stage"] != 0
    return LaunchSettings(
        engine=f"{tool.id}-{values['sharding_library']}" if sharded else tool.id,
        version=tool.version,
        commands=(shell_command(on, arguments, environment),),
        environment={name: text or "" for name, text in environment.items()},
        files=bodies,
        notes=tuple(_notes(way)),
    )


def _flags(settings: Iterable[ToolSetting], values: Values) -> Iterator[str]:
    for flag, text in said((setting for setting in settings if setting.flag), values):
        yield flag
        if text is not None:
            yield text


def _named(files: Iterable[TrainingFile], bodies: dict[str, str]) -> Iterator[str]:
    """How a command names its files; one that another file names is not among a tool's own."""
    for file in files:
        if file.name in bodies:
            yield from (file.flag, file.name) if file.flag else (file.name,)


def _notes(way: _Way) -> Iterator[str]:
    values = way.values
    words = {name: shown(value) for name, value in values.items()}
    for tool in way.tools:
        for note in tool.notes_at_start:
            if _holds(note.when, values):
                yield note.text.format_map(words)
    if "head_address" in values:
        yield f"Put the address of the first server in place of {HEAD_ADDRESS}."
    named = f"{way.tool.name} {way.tool.version}"
    for what in (*way.missed, *unsaid_kernels(way.tool, way.settings, values)):
        yield f"{named} cannot be told the layout's {what}; the estimate holds only where it behaves so."
