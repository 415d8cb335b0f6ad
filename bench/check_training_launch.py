"""Launch settings of training runs put to the parsers and schemas of the tools they are for, without an accelerator.

    make check-training-launch
    python bench/check_training_launch.py [--write]      # in an environment with bench/training-tools*.txt

Many layouts are written for every tool that can say them, and each file and command is read as its tool reads it. Flags and keys
that a tool knows are compared with tests/plan/data/training_fields/TOOL-VERSION.txt (--write writes them there). Megatron-LM is
not in a registry: its list is kept by hand, and the commands are checked against that.
"""

import argparse
import contextlib
import importlib
import io
import json
import math
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from training_tool_fields import compare_fields, listed

from advisor.library import open_library
from advisor.plan.plan import Configuration, LaunchSettings
from advisor.plan.training_launch import training_launch
from advisor.plan.training_records import TrainingLayout

LAYOUTS = 1000
METHODS = (
    "full", "lora", "qlora", "freeze", "dpo", "orpo", "kto", "ppo", "grpo", "rloo", "reward-model", *("pretraining",) * 4,
)  # fmt: skip
OPTIMIZERS = ("adamw", "adamw-8bit", "paged-adamw", "paged-adamw-8bit", "adafactor", "sgd", "lion", "muon")


def cases() -> Iterator[tuple[TrainingLayout, Configuration, str]]:
    """Layouts of every kind, the same ones at each run."""
    choose = random.Random(1)
    for _ in range(LAYOUTS):
        method = choose.choice(METHODS)
        adapter = {"lora": choose.choice(["lora", "dora"]), "qlora": "qlora"}.get(
            method, "none" if method in ("full", "freeze", "pretraining") else choose.choice(["none", "lora"])
        )
        library = choose.choice(["none", "fsdp", "fsdp", "deepspeed", "megatron"])
        stage = {"none": 0, "fsdp": choose.choice([2, 3]), "megatron": choose.choice([0, 1, 2, 3])}.get(
            library, choose.choice([1, 2, 3])
        )
        spread = library == "megatron" or choose.random() < 0.2
        tensor, context = (choose.choice([1, 2, 8]), choose.choice([1, 1, 2])) if spread else (1, 1)
        stages = choose.choice([1, 2, 4]) if library == "megatron" else 1
        data = choose.choice([2, 8, 16]) if stage else choose.choice([1, 4])
        micro, passes = choose.choice([1, 2, 8]), choose.choice([4, 8])
        offload = choose.choice(["none", "none", "cpu", "nvme"])
        layout = TrainingLayout(
            stack=choose.choice(
                ["megatron", "fsdp", "transformers", "deepspeed", "trl", "axolotl", "llama-factory", "torchtitan"]
            ),
            method=method,
            adapter=adapter,
            optimizer=choose.choice(OPTIMIZERS) if choose.random() < 0.5 else "adamw",
            precision=choose.choice(["bf16", "bf16", "fp16", "fp8"]),
            weight_format=choose.choice(["nf4", "nf4-double-quant"]) if adapter == "qlora" else choose.choice(["bf16", "fp16"]),
            tensor_parallel=tensor,
            pipeline_parallel=stages,
            virtual_stages=choose.choice([1, 2]) if stages > 1 else 1,
            context_parallel=context,
            expert_parallel=choose.choice([1, 2]) if library == "megatron" else 1,
            data_parallel=data,
            zero_stage=stage,
            sharding_library=library if stage else "none",
            sharded_over=data * context // (2 if choose.random() < 0.1 and stage else 1),
            micro_batch=micro,
            gradient_accumulation=passes,
            global_batch=micro * passes * data,
            sequence_length=choose.choice([2048, 8192]),
            recomputation=choose.choice(["none", "selective", "full", "full"]),
            attention_kernel=choose.choice(["flash", "flash", "sdpa", "eager"]),
            loss_kernel=choose.choice(["plain", "fused"]),
            optimizer_offload=offload,
            parameter_offload=choose.choice(["none", offload]) if stage == 3 else "none",
            lora_rank=16 if adapter != "none" else None,
            lora_targets=choose.choice(["all-linear", "attention", "query-value"]) if adapter != "none" else None,
        )
        yield layout, configuration(tensor * stages * context * data), choose.choice(["llama-3.1-8b", "qwen3-30b-a3b", "./own"])


def configuration(accelerators: int) -> Configuration:
    """A configuration of this size on servers of eight."""
    return Configuration(
        role="recommended",
        accelerator="h100-sxm",
        accelerator_name="NVIDIA H100 SXM5 80GB",
        accelerators=accelerators,
        accelerators_per_node=8,
        replicas=1,
        tensor_parallel=1,
        pipeline_parallel=1,
        precision="bf16",
        kv_precision="bf16",
        engine="",
        engine_version="",
        estimates={},
    )


class Refusal(Exception):
    """What a tool said against its settings."""


def file_of(settings: LaunchSettings, name: str) -> Any:
    return yaml.safe_load(settings.files[name])


def torchrun(settings: LaunchSettings) -> None:
    """The launcher's part of a command, up to the tool's program."""
    from torch.distributed.run import get_args_parser

    get_args_parser().parse_args(list(settings.commands[0].arguments[1:]))


def trl(settings: LaunchSettings) -> None:
    """The script's own parser reads the file, unknown keys refused; with DeepSpeed its trainer's settings are compared too."""
    arguments = settings.commands[0].arguments
    script = importlib.import_module(next(each for each in arguments if each.startswith("trl.scripts.")))
    parser = script.make_parser()
    training = parser.parse_args_and_config(["--config", "trl.yaml"], fail_with_unknown_args=True)[1]
    written = file_of(settings, "trl.yaml")
    if "deepspeed" in written:
        deepspeed_agrees(training)
    plugin = getattr(training, "fsdp_plugin_args", None)
    if "fsdp" in written and (plugin or {}).get("reshard_after_forward") != written["fsdp_config"]["reshard_after_forward"]:
        raise Refusal(f"FSDP was understood as {plugin}")


def deepspeed_agrees(training: Any) -> None:
    """What the trainer fills in or compares with the file when it starts."""
    config = training.hf_deepspeed_config
    if config is None:
        raise Refusal("the file of DeepSpeed was not read")
    config.mismatches.clear()
    config.fill_match("train_micro_batch_size_per_gpu", training.per_device_train_batch_size, "micro batch")
    config.fill_match("gradient_accumulation_steps", training.gradient_accumulation_steps, "accumulation")
    config.fill_match("gradient_clipping", training.max_grad_norm, "clipping")
    if config.mismatches:
        raise Refusal("; ".join(config.mismatches))


def as_with_accelerators() -> None:
    """Answer tools' questions about this machine as one with accelerators would; stand in for packages that need some."""
    import types

    import accelerate.utils.launch
    import transformers.training_args

    transformers.training_args.is_torch_bf16_gpu_available = lambda: True
    for module in (accelerate.utils.launch, importlib.import_module("accelerate.commands.launch")):
        for name in ("is_fp8_available", "is_transformer_engine_available"):
            if hasattr(module, name):
                setattr(module, name, lambda: True)
    sys.modules["ring_flash_attn"] = types.ModuleType("ring_flash_attn")


class Ranks:
    """As many data-parallel ranks as a run has."""

    def __init__(self, count: int) -> None:
        self.count = count

    def get_data_parallel_world_size(self) -> int:
        return self.count


def deepspeed(settings: LaunchSettings, ranks: int) -> None:
    """DeepSpeed's own schema of the file, with the batches of all ranks."""
    from deepspeed import comm
    from deepspeed.runtime.config import DeepSpeedConfig

    was, comm.get_rank = comm.get_rank, lambda: 0
    try:
        DeepSpeedConfig(json.loads(settings.files["deepspeed.json"]), mpu=Ranks(ranks))
    finally:
        comm.get_rank = was


def accelerate(settings: LaunchSettings) -> None:
    """The launcher's parser, its check of both together, and the variables that it hands to the processes."""
    from accelerate.commands import launch
    from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env

    Path("TRAINING_SCRIPT").touch()
    parsed = launch.launch_command_parser().parse_args(list(settings.commands[0].arguments[2:]))
    parsed, defaults, _ = launch._validate_launch_command(parsed)
    # Each key of these mappings has to be an argument of its own.
    for group in ("fsdp_config", "deepspeed_config", "parallelism_config"):
        unknown = [key for key in getattr(defaults, group) or {} if not hasattr(parsed, key)]
        if unknown:
            raise Refusal(f"{group}: {', '.join(unknown)}")
    if parsed.use_deepspeed:
        parsed.deepspeed_fields_from_accelerate_config = ",".join(defaults.deepspeed_config)
        prepare_deepspeed_cmd_env(parsed)
        return
    given = prepare_multi_gpu_env(parsed)
    if given.get("FSDP_VERSION") != "2" or given.get("ACCELERATE_USE_FSDP") != "true":
        raise Refusal("FSDP 2 is not on")
    if parsed.use_parallelism_config:
        sizes = [int(given[f"PARALLELISM_CONFIG_{each}_SIZE"]) for each in ("DP_REPLICATE", "DP_SHARD", "TP", "CP")]
        if math.prod(sizes) != parsed.num_processes:
            raise Refusal(f"{sizes} are not {parsed.num_processes} processes")


def axolotl(settings: LaunchSettings) -> None:
    """Axolotl's own validation, as on a server of H100s, then that it kept every key."""
    from axolotl.integrations.base import PluginManager
    from axolotl.utils.config import prepare_plugins, validate_config
    from axolotl.utils.dict import DictDefault

    written = file_of(settings, "axolotl.yaml")
    capabilities = {"bf16": True, "fp8": True, "tf32": True, "n_gpu": 8, "n_node": 1, "compute_capability": "sm_90"}
    PluginManager._instance = None
    given = DictDefault(written)
    prepare_plugins(given)
    kept = validate_config(given, capabilities=capabilities, env_capabilities={"torch_version": "2.13.0"})
    lost = [key for key in written if key not in kept]
    if lost:
        raise Refusal(f"dropped {', '.join(lost)}")


def llama_factory(settings: LaunchSettings) -> None:
    """LLaMA-Factory's argument classes, unknown keys refused, and its checks of the model's."""
    os.environ["DISABLE_VERSION_CHECK"] = "1"
    from llamafactory.hparams import parser
    from transformers import HfArgumentParser

    # A mapping is taken without a look at its types; the same as arguments is not.
    written = file_of(settings, "llama-factory.yaml")
    words = [word for key, value in written.items() for word in (f"--{key}", str(value))]
    parsed = parser._parse_args(HfArgumentParser(parser._TRAIN_ARGS), words)
    model, data, training, finetuning, _ = parsed
    parser._verify_model_args(model, data, finetuning)
    parser._check_extra_dependencies(model, finetuning, training)
    if data.neat_packing and finetuning.stage != "sft":
        raise Refusal("neat packing is for supervised fine-tuning")
    if training.deepspeed:
        deepspeed_agrees(training)


def torchtitan(settings: LaunchSettings) -> None:
    """torchtitan's own parser, with one of its models in the place of the words for them."""
    from torchtitan.config import ConfigManager

    arguments = settings.commands[0].arguments
    words = {"MODULE": "llama3", "CONFIG": "llama3_8b"}
    given = [words.get(each, each) for each in arguments[arguments.index("torchtitan.train") + 1 :]]
    ConfigManager().parse_args(given)


def megatron_lm(settings: LaunchSettings) -> None:
    """Every flag stands in the list, with a value where it takes one."""
    known = {line.split(" ")[0]: line for line in listed("megatron-lm") if line.startswith("--")}
    arguments = settings.commands[0].arguments
    for flag, following in zip(
        arguments[(start := arguments.index("pretrain_gpt.py")) + 1 :], [*arguments[start + 2 :], "--"], strict=True
    ):
        if flag.startswith("--") and (flag not in known or ("VALUE" in known[flag]) is following.startswith("--")):
            raise Refusal(f"{flag} {following}")


CHECKS: dict[str, Callable[[LaunchSettings], None]] = {
    "trl": trl,
    "accelerate": accelerate,
    "axolotl": axolotl,
    "llama-factory": llama_factory,
    "torchtitan": torchtitan,
    "megatron-lm": megatron_lm,
}


def checked(settings: LaunchSettings, tool: str, ranks: int) -> str | None:
    """What the tool says against these settings; None where it takes them."""
    for name, body in settings.files.items():
        Path(name).write_text(body, encoding="utf-8")
    from transformers import TrainingArguments

    TrainingArguments.world_size = property(lambda _: ranks)
    heard = io.StringIO()
    try:
        with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
            if settings.commands[0].arguments[0] == "torchrun":
                torchrun(settings)
            if "deepspeed.json" in settings.files:
                deepspeed(settings, ranks)
            CHECKS[tool](settings)
    except (Exception, SystemExit) as error:
        last = heard.getvalue().strip().splitlines()[-1:] if isinstance(error, SystemExit) else [str(error)]
        return re.sub(
            r"\[type=.*?\]|(?<=Error: )\d+ validation error.*\n", "", f"{type(error).__name__}: {' '.join(last)}"
        ).splitlines()[0]
    return None


def main(given: Sequence[str] | None = None) -> int:
    """Compare or write the lists, then parse; 1 where something does not agree."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--write", action="store_true", help="write the lists instead of comparing them")
    arguments.add_argument("--only", help="one tool")
    parsed = arguments.parse_args(given)
    as_with_accelerators()
    wrong = compare_fields(parsed.write)
    library = open_library()
    passed: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for layout, wanted, model in cases():
            for settings in training_launch(layout, wanted, model, library):
                tool = next(each for each in CHECKS if settings.engine.startswith(each))
                if parsed.only and tool != parsed.only:
                    continue
                missed = [note for note in settings.notes if "cannot be told the layout's" in note]
                partly = any("kernel" not in note for note in missed)
                said = None if partly else checked(settings, tool, layout.data_parallel * layout.context_parallel)
                passed[settings.engine] += said is None and not partly
                if said is not None:
                    refused[f"{settings.engine}: {said}"] += 1
    for engine, count in sorted(passed.items()):
        sys.stdout.write(f"{engine}: {count} layouts parsed\n")
    for said, count in refused.most_common():
        sys.stdout.write(f"REFUSED {count} x {said}\n")
    return int(bool(wrong or refused))


if __name__ == "__main__":
    sys.exit(main())
