"""Launch settings put to an engine's own argument parser, without a GPU and without installing the engine.

    pip download --no-deps --dest FOLDER sglang==0.5.23      # then unpack it
    python bench/check_launch.py sglang 0.5.23 FOLDER [--write]

FOLDER holds the unpacked package (a wheel or a source distribution). Its argument parser runs as it is; whatever else it
imports, of the engine or of packages that are not installed, is stood in for by classes that do nothing. The flags found are
compared with tests/plan/data/flags/ENGINE-VERSION.txt (--write writes them there), and the commands that the knowledge makes for
this version are parsed. The engine's small dependencies (msgspec, regex, psutil) have to be installed where it runs. For
llama.cpp FOLDER is a program with the arguments of llama-server; of it the flags are read.
"""

import argparse
import importlib
import importlib.abc
import importlib.machinery
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.catalogue.launch import Launch, Program
from advisor.facts import answered
from advisor.library import open_library
from advisor.plan.launching import launch_command
from advisor.plan.plan import Configuration

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ROOT / "tests" / "plan" / "data" / "flags"


class Nothing(type):
    """Classes that can be called, subclassed, indexed, compared and joined to other types, and do nothing."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return nothing(name)

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if len(given) == 1 and not named and isinstance(given[0], types.FunctionType):
            return given[0]  # it stood in for a decorator
        return cls if "stands_in" in cls.__dict__ else type.__call__(cls, *given, **named)

    def __instancecheck__(cls, other: object) -> bool:
        return type(other) is Nothing or type.__instancecheck__(cls, other)

    def __getitem__(cls, key: object) -> Any:
        return cls

    def __or__(cls, other: object) -> Any:
        return cls

    __ror__ = __or__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __and__ = __rand__ = __or__

    def __bool__(cls) -> bool:
        return False

    def __lt__(cls, other: object) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __contains__ = __lt__

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __len__(cls) -> int:
        return 0

    def __enter__(cls) -> Any:
        return cls

    def __exit__(cls, *given: object) -> None:
        """Nothing to close."""


def nothing(name: str) -> Any:
    """A new class that does nothing and, as a field's type, takes anything."""

    def schema(cls: type, *given: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()

    return Nothing(name, (), {"stands_in": True, "__get_pydantic_core_schema__": classmethod(schema)})


class StandIn(types.ModuleType):
    """A module of which every name is a class that does nothing."""

    __version__ = "99.0"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, nothing(name))
        return self.__dict__[name]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for the modules of a package but a few, or, last of all, for any other that is not installed."""

    def __init__(self, folder: Path, package: str, real: Sequence[str] | None = None) -> None:
        self.folder, self.package, self.real = folder, package, real

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        if self.real is not None:
            inside = any(
                name == each.removesuffix(".*") or name.startswith(each[:-1]) for each in self.real if each.endswith("*")
            )
            if top != self.package or inside or name in self.real:
                return None
        elif top in (self.package, *sys.stdlib_module_names):
            return None
        elif top in sys.modules and not isinstance(sys.modules[top], StandIn):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = StandIn(spec.name)
        module.__path__ = [str(self.folder / spec.name.replace(".", "/"))]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


@dataclass(frozen=True)
class Recipe:
    """Where an engine's parser is. package: its import name; real: modules that run as they are; build: makes the parser."""

    package: str
    real: tuple[str, ...]
    build: Callable[[], argparse.ArgumentParser]


def vllm() -> argparse.ArgumentParser:
    """`vllm serve`."""
    importlib.import_module("vllm.platforms").current_platform.device_type = "cpu"
    kind = first("vllm.utils.argparse_utils", "vllm.utils").FlexibleArgumentParser
    made: argparse.ArgumentParser = first("vllm.entrypoints.common.cli_args", "vllm.entrypoints.openai.cli_args").make_arg_parser(
        kind()
    )
    return made


def first(*places: str) -> Any:
    """The first of these modules that the package has."""
    for place in places[:-1]:
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError:
            continue
    return importlib.import_module(places[-1])


def sglang() -> argparse.ArgumentParser:
    """`python -m sglang.launch_server`."""
    parser = argparse.ArgumentParser()
    importlib.import_module("sglang.srt.server_args").ServerArgs.add_cli_args(parser)
    return parser


def lmdeploy() -> argparse.ArgumentParser:
    """`lmdeploy serve api_server`."""
    commands = importlib.import_module("lmdeploy.cli.serve").SubCliServe
    commands.add_parser_api_server()
    made: argparse.ArgumentParser = commands.subparsers.choices["api_server"]
    return made


RECIPES = {
    "vllm": Recipe(
        "vllm",
        (
            "vllm.engine.arg_utils",
            "vllm.config.*",
            "vllm.utils",
            "vllm.utils.argparse_utils",
            "vllm.utils.hashing",
            "vllm.model_executor.layers.quantization",
            "vllm.entrypoints.common.cli_args",
            "vllm.entrypoints.openai.cli_args",
        ),
        vllm,
    ),
    "sglang": Recipe(
        "sglang",
        (
            "sglang.srt.server_args",
            "sglang.srt.environ",
            "sglang.srt.arg_groups.*",
            "sglang.srt.parser.reasoning_parser_names",
            "sglang.srt.function_call.parser_names",
        ),
        sglang,
    ),
    "lmdeploy": Recipe("lmdeploy", ("lmdeploy.cli.*", "lmdeploy.messages"), lmdeploy),
}


def engine_parser(engine: str, folder: Path) -> argparse.ArgumentParser:
    """The engine's own parser out of its unpacked package."""
    recipe = RECIPES[engine]
    sys.path.insert(0, str(folder))
    sys.meta_path.insert(0, Finder(folder, recipe.package, recipe.real))
    sys.meta_path.append(Finder(folder, recipe.package))
    return recipe.build()


def flag_lines(parser: argparse.ArgumentParser) -> list[str]:
    """One line a flag: its spellings, then VALUE where it takes one, then what the value can be."""
    lines = []
    for action in parser._actions:
        choices = [each for each in action.choices or () if isinstance(each, str | int)]
        if action.option_strings and "--help" not in action.option_strings:
            lines.append(flag_line(action.option_strings, action.nargs != 0, [str(each) for each in choices]))
    return sorted(lines)


def flag_line(spellings: Sequence[str], takes_value: bool, choices: Sequence[str]) -> str:
    """A line of the kept lists."""
    ordered = sorted(spellings, key=lambda each: (-len(each), each))
    value = ["VALUE"] if takes_value else []
    return " ".join([*ordered, *value, *(["{" + ",".join(sorted(choices)) + "}"] if choices and takes_value else [])])


def program_lines(program: Path) -> list[str]:
    """The same out of what llama-server says for --help: spellings and value stand before column 40, or alone."""
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    lines = []
    for line in said.splitlines():
        if not re.match(r"--?[a-zA-Z]", line):
            continue
        words = re.split(r",?\s+", (line[:40] if line[38:40].endswith(" ") else line).strip())
        spellings = [word for word in words if word.startswith("-")]
        value = [word for word in words if not word.startswith("-")]
        choices = re.split(r"[,|]", value[0][1:-1]) if value and re.fullmatch(r"\{.*\}|\[.*\|.*\]", value[0]) else []
        lines.append(flag_line(spellings, bool(value), choices))
    return sorted(lines)


def launch_commands(engine: str, version: str) -> Iterator[list[str]]:
    """Commands that the knowledge makes for this version: in one server, over several, and with every setting."""
    library = open_library()
    stated = {"memory_fraction": 0.9, "max_num_seqs": 64.0, "max_num_batched_tokens": 4096.0, "max_model_len": 4500.0}
    whole = {
        **stated,
        "block_tokens": 32.0,
        "prefix_caching": False,
        "eager": True,
        "expert_parallel": 8.0,
        "chunked_prefill": True,
    }
    one = Configuration(
        role="recommended",
        accelerator="h100-sxm",
        accelerator_name="NVIDIA H100 SXM5 80GB",
        accelerators=4,
        accelerators_per_node=8,
        replicas=1,
        tensor_parallel=4,
        pipeline_parallel=1,
        precision="bf16",
        kv_precision="bf16",
        engine=engine,
        engine_version=version,
        estimates={},
    )
    staged = {"replicas": 2, "accelerators": 32, "tensor_parallel": 8, "pipeline_parallel": 2}
    spread = {"accelerators": 16, "tensor_parallel": 1, "pipeline_parallel": 1}
    smaller = {"precision": "fp8-e4m3-per-tensor", "kv_precision": "fp8-e4m3-per-tensor"}
    for changes in ({}, staged, spread, {**staged, **smaller}):
        for values in (stated, whole, {**whole, "prefix_caching": True, "eager": False}):
            facts = {name: answered(name, value) for name, value in values.items()}
            facts["native_precision"] = answered("native_precision", "bf16")
            settings = launch_command(one.model_copy(update=changes), facts, "meta-llama/Llama-3.1-70B-Instruct", library)
            assert settings is not None
            yield from (list(command.arguments) for command in settings.commands)


def parse(parser: argparse.ArgumentParser, command: Sequence[str], program: Program) -> None:
    """Have the engine's parser read a command; argparse ends the run where it does not know a word."""
    arguments = list(command[len(program.command) :])
    positional = any(not action.option_strings for action in parser._actions)
    if program.model is None and not positional:
        # The program takes the model before it hands the rest to this parser.
        arguments = arguments[1:]
    parser.parse_args(arguments)


def main() -> int:
    """Compare or write the flags, and parse the commands; 1 where something does not agree."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("engine", choices=[*RECIPES, "llama.cpp"])
    arguments.add_argument("version")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--write", action="store_true", help="write the flags instead of comparing them")
    given = arguments.parse_args()
    program = open_library().get(Launch, given.engine).program(given.version)
    commands = list(launch_commands(given.engine, given.version))
    parser = engine_parser(given.engine, given.folder.resolve()) if given.engine in RECIPES else None
    lines = flag_lines(parser) if parser else program_lines(given.folder)
    path = FLAGS / f"{given.engine}-{given.version}.txt"
    if given.write:
        path.write_text("\n".join([f"# {given.engine} {given.version}: read from its own argument parser", *lines]) + "\n")
    known = path.read_text().splitlines()[1:]
    for line in sorted(set(lines) ^ set(known)):
        sys.stdout.write(f"{'not in' if line in lines else 'only in'} {path.name}: {line}\n")
    parsed = 0
    for command in commands:
        if parser is not None:
            parse(parser, command, program)
            parsed += 1
    sys.stdout.write(f"{len(lines)} flags, {parsed} commands parsed\n")
    return int(set(lines) != set(known))


if __name__ == "__main__":
    sys.exit(main())
