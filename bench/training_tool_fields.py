"""Flags and keys that training tools know, read from their own parsers and schemas, and kept as lists for the tests."""

import dataclasses
import inspect
import os
import re
import sys
import typing
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from check_launch import flag_lines

FIELDS = Path(__file__).resolve().parents[1] / "tests" / "plan" / "data" / "training_fields"
PACKAGES = {"torchrun": "torch", "llama-factory": "llamafactory"}


def listed(tool: str) -> list[str]:
    return next(FIELDS.glob(f"{tool}-*.txt")).read_text(encoding="utf-8").splitlines()


def choices_of(annotation: Any) -> list[str]:
    """The words that a field of this type can be; none where it can be others too."""
    if typing.get_origin(annotation) is typing.Literal:
        return [str(each) for each in typing.get_args(annotation)]
    parts = [each for each in typing.get_args(annotation) if each is not type(None)]
    return choices_of(parts[0]) if len(parts) == 1 and typing.get_origin(annotation) is not list else []


def key_line(name: str, annotation: Any = None) -> str:
    choices = choices_of(annotation)
    return f"KEY {name} VALUE" + (" {" + ",".join(sorted(choices)) + "}" if choices else "")


def dataclass_keys(kinds: Iterable[Any], prefix: str = "") -> Iterator[str]:
    for kind in kinds:
        hints = typing.get_type_hints(kind)
        yield from (key_line(prefix + field.name, hints[field.name]) for field in dataclasses.fields(kind) if field.init)


def model_keys(kind: Any, prefix: str = "") -> Iterator[str]:
    """Keys of a pydantic model, and of models and mappings in it."""
    for name, field in kind.model_fields.items():
        yield key_line(prefix + (field.alias or name), field.annotation)
        for part in (field.annotation, *typing.get_args(field.annotation)):
            if inspect.isclass(part) and hasattr(part, "model_fields") and not prefix.startswith(f"{name}."):
                yield from model_keys(part, f"{prefix}{name}.")


def read_keys(source: Any, name: str) -> Iterator[str]:
    """Keys that a piece of code looks up in a mapping of this name."""
    found = re.findall(rf'{name}(?:\.get\(|\[)"(\w+)"', inspect.getsource(source))
    yield from (key_line(f"{name}.{each}") for each in found)


def fields_of(tool: str) -> list[str]:
    """A line for each flag or key that a tool reads, as its own code declares it."""
    lines: Iterable[str]
    if tool == "torchrun":
        from torch.distributed.run import get_args_parser

        lines = flag_lines(get_args_parser())
    elif tool == "trl":
        from transformers import TrainingArguments
        from trl import DPOConfig, GRPOConfig, KTOConfig, ModelConfig, RewardConfig, RLOOConfig, ScriptArguments, SFTConfig

        kinds = (ScriptArguments, ModelConfig, SFTConfig, DPOConfig, KTOConfig, GRPOConfig, RLOOConfig, RewardConfig)
        lines = ["--config VALUE", *dataclass_keys(kinds), *read_keys(TrainingArguments._process_fsdp_args, "fsdp_config")]
        lines += [key_line("fsdp_config.cpu_offload")]
    elif tool == "deepspeed":
        from deepspeed.runtime import constants, precision_config
        from deepspeed.runtime.zero.config import DeepSpeedZeroConfig

        names = ("TRAIN_BATCH_SIZE", "TRAIN_MICRO_BATCH_SIZE_PER_GPU", "GRADIENT_ACCUMULATION_STEPS", "GRADIENT_CLIPPING")
        top = [getattr(constants, each) for each in names]
        lines = [*map(key_line, top), *model_keys(DeepSpeedZeroConfig, "zero_optimization.")]
        lines += model_keys(precision_config.DeepSpeedBF16Config, "bf16.")
        lines += model_keys(precision_config.DeepSpeedFP16Config, "fp16.")
    elif tool == "accelerate":
        from accelerate.commands.config.config_args import ClusterConfig
        from accelerate.commands.launch import launch_command_parser

        lines = [*dataclass_keys([ClusterConfig]), *flag_lines(launch_command_parser())]
        groups = {"fsdp_": "fsdp_config", "parallelism_config_": "parallelism_config"}
        flags = [each[2:] for line in lines if line.startswith("--") for each in line.split(" ") if each.startswith("--")]
        lines += [key_line(f"{group}.{flag}") for flag in flags for start, group in groups.items() if flag.startswith(start)]
        lines += [key_line(f"deepspeed_config.{flag}") for flag in flags if re.match(r"deepspeed|zero|offload", flag)]
    elif tool == "axolotl":
        from axolotl.integrations.liger.args import LigerArgs
        from axolotl.utils.schemas.config import AxolotlInputConfig
        from transformers import BitsAndBytesConfig

        lines = [*model_keys(AxolotlInputConfig), *model_keys(LigerArgs), "KEY plugins VALUE"]
        known = inspect.signature(BitsAndBytesConfig.__init__).parameters
        lines += [key_line(f"bnb_config_kwargs.{name}") for name in known if name.startswith("bnb_")]
    elif tool == "llama-factory":
        os.environ["DISABLE_VERSION_CHECK"] = "1"
        from llamafactory.hparams.parser import _TRAIN_ARGS

        lines = dataclass_keys(_TRAIN_ARGS)
    else:
        from torchtitan.config.configs import ParallelismConfig, TrainingConfig

        lines = ["--dump-folder VALUE", "--module VALUE", "--config VALUE"]
        lines += [f"activation-checkpoint:{each}" for each in ("full", "none", "selective")]
        for section, kind in (("training", TrainingConfig), ("parallelism", ParallelismConfig)):
            for line, field in zip(dataclass_keys([kind]), dataclasses.fields(kind), strict=True):
                words = line.removeprefix("KEY ").replace(field.name, f"--{section}.{field.name}".replace("_", "-"), 1)
                lines.append(words.replace(" VALUE", "") if field.type is bool or field.type == "bool" else words)
    return sorted(set(lines))


def compare_fields(write: bool) -> int:
    """Compare or write the lists; how many do not agree."""
    different = 0
    FIELDS.mkdir(parents=True, exist_ok=True)
    for tool in ("torchrun", "trl", "deepspeed", "accelerate", "axolotl", "llama-factory", "torchtitan"):
        installed = version(PACKAGES.get(tool, tool)).split("+")[0]
        path = FIELDS / f"{tool}-{installed}.txt"
        lines = fields_of(tool)
        if write:
            path.write_text(
                "\n".join([f"# {tool} {installed}: read from its own parser or schema", *lines]) + "\n", encoding="utf-8"
            )
        known = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []
        for line in sorted(set(lines) ^ set(known)):
            sys.stdout.write(f"{'not in' if line in lines else 'only in'} {path.name}: {line}\n")
        different += set(lines) != set(known)
        sys.stdout.write(f"{tool} {installed}: {len(lines)} flags and keys\n")
    return different
