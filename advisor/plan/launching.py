"""Launch settings: the command that starts an engine as a configuration's estimate assumed it, and nothing beside that."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from advisor.catalogue.engine import Engine
from advisor.catalogue.formats import Format
from advisor.catalogue.launch import Launch, Program, Setting
from advisor.facts import Facts
from advisor.library import Library
from advisor.plan.launch_values import HEAD_ADDRESS, Values, can_say, missed, number, shown, spelled, values_of, with_place
from advisor.plan.plan import Configuration, LaunchCommand, LaunchSettings

# Words that mean the same in YAML and in a Modelfile with and without quotes.
_PLAIN: Final = re.compile(r"[\w./:@+~-]+")


def launch_command(configuration: Configuration, facts: Facts, model: str, library: Library) -> LaunchSettings | None:
    """How the engine of a configuration is started with what its estimate assumed; None where the catalogue does not say.

    facts: those of the workload's plan. Of them are used, where known: memory_fraction, max_num_seqs, max_num_batched_tokens,
    max_model_len, native_precision, expert_parallel, block_tokens, micro_batch_tokens, eager, prefix_caching and chunked_prefill.
    model: its name on the hub, or a path. Address and port are left to the engine.
    """
    if not library.has(Launch, configuration.engine):
        return None
    launch = library.get(Launch, configuration.engine)
    version = configuration.engine_version
    program, settings = launch.program(version), launch.said(version)
    values = values_of(configuration, facts, launch)
    node_count = int(number(values, "node_count", 1))
    # Without a setting for it, one command on the first server starts all of them.
    one_each = any(setting.fact == "node_rank" for setting in settings)
    places = [with_place(values, rank) for rank in range(node_count if one_each else 1)] if node_count > 1 else [values]
    environment = dict(said((each for each in settings if each.variable), values))
    keys = dict(said((each for each in settings if each.key), values))
    file = launch.file if keys or program.in_file else None
    commands = []
    for rank, here in enumerate(places):
        arguments = [*program.command, *_model_arguments(program, model, configuration.precision)]
        for flag, text in said((each for each in settings if each.flag), here):
            arguments += [flag] if text is None else [flag, text]
        if file is not None and file.flag is not None:
            arguments += [file.flag, file.name]
        commands.append(shell_command(_where(configuration.replicas, node_count, len(places), rank), arguments, environment))
    files = {}
    if file is not None:
        named = _named(program, model, configuration.precision)
        files[file.name] = _yaml(keys) if file.form == "yaml" else _modelfile(program.in_file or "FROM", named, keys)
    return LaunchSettings(
        engine=launch.id,
        version=version,
        commands=tuple(commands),
        environment={name: text or "" for name, text in environment.items()},
        files=files,
        notes=tuple(_notes(configuration, facts, launch, values, model, library)),
    )


def said(settings: Iterable[Setting], values: Values) -> Iterator[tuple[str, str | None]]:
    """Flags, variables or keys with what they say; a switch says nothing beside itself."""
    for setting in settings:
        text = spelled(setting, values)
        if text is not None:
            yield setting.spelled, None if setting.switch else text


def _model_arguments(program: Program, model: str, precision: str) -> list[str]:
    if program.in_file is not None:
        return []
    if program.path is not None and _is_path(model):
        return [program.path, model]
    named = _named(program, model, precision)
    if program.model is not None:
        return [program.model, named]
    # A word that begins with a dash would be read as an option; a path may begin so.
    return [f"./{named}" if named.startswith("-") else named]


def _named(program: Program, model: str, precision: str) -> str:
    """The model as the engine wants it named."""
    if _is_path(model):
        return model
    tag = _tag(program, precision)
    return f"{program.prefix}{model}:{tag}" if tag else f"{program.prefix}{model}"


def _tag(program: Program, precision: str) -> str | None:
    """What follows the name of a model for a weight format; None where nothing does."""
    if not program.tagged:
        return None
    made = precision.removeprefix("gguf-").replace("-", "_").upper() if precision.startswith("gguf-") else None
    return program.tags.get(precision, made)


def _is_path(model: str) -> bool:
    return model.startswith(("/", ".", "~", "-")) or model.casefold().endswith(".gguf") or model.count("/") != 1


def shell_command(on: str, arguments: list[str], environment: Mapping[str, str | None]) -> LaunchCommand:
    """A command with the variables before it, quoted for a POSIX shell."""
    variables = [f"{name}={shlex.quote(value or '')}" for name, value in environment.items()]
    return LaunchCommand(on=on, arguments=tuple(arguments), line=" ".join([*variables, shlex.join(arguments)]))


def _where(replicas: int, node_count: int, commands: int, rank: int) -> str:
    replica = "the replica" if replicas == 1 else f"each of the {replicas} replicas"
    if node_count == 1:
        return "the server" if replicas == 1 else replica
    return f"the first server of {replica}" if commands == 1 else f"server {rank + 1} of {node_count} of {replica}"


def _notes(
    configuration: Configuration, facts: Facts, launch: Launch, values: Values, model: str, library: Library
) -> Iterator[str]:
    version = configuration.engine_version
    program, settings = launch.program(version), launch.said(version)
    engine = f"{library.get(Engine, launch.id).name} {version}"
    if configuration.replicas > 1:
        each = configuration.accelerators // configuration.replicas
        yield (
            f"Start it once for each of the {configuration.replicas} replicas, on {each} accelerators of its own, and put before "
            "them a router that sends a request to the replica with the fewest running."
        )
    if "node_count" in values and any(setting.fact == "head_address" for setting in settings):
        yield f"Put the address of a replica's first server in place of {HEAD_ADDRESS}."
    for note in launch.notes_at_start:
        if note.covers(version) and all(condition.holds(values) for condition in note.when):
            yield note.text.format_map({name: shown(value) for name, value in values.items()})
    wanted = library.get(Format, configuration.precision).name
    if program.tagged:
        if not _is_path(model) and "gguf" not in model.casefold():
            yield f"Put a repository that holds {model} as GGUF files in its place, unless that one does."
        if _tag(program, configuration.precision) is None:
            yield f"{engine} loads GGUF files, which do not hold {wanted}."
    elif "quantization" in values and not can_say("quantization", settings, values):
        yield f"Name a checkpoint in {wanted}: {engine} does not make it out of {model} while loading."
    for what in missed(launch, settings, values, facts):
        yield f"{engine} cannot be told the estimate's {what}; the estimate holds only where it behaves so."


def _modelfile(word: str, named: str, keys: Mapping[str, str | None]) -> str:
    lines = [f"{word} {_quoted(named)}", *(f"PARAMETER {name} {value}" for name, value in keys.items())]
    return "\n".join(lines) + "\n"


def _yaml(keys: Mapping[str, str | None]) -> str:
    """Keys with dots as nested YAML."""
    lines: list[str] = []
    opened: list[str] = []
    for key, value in sorted(keys.items()):
        *parents, last = key.split(".")
        if parents != opened:
            lines += ["  " * depth + f"{part}:" for depth, part in enumerate(parents)]
            opened = parents
        lines.append("  " * len(parents) + f"{last}: {_quoted(value or '')}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
