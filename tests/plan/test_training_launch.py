"""The layout of a training run as settings of tools: what each says, which tools can, and that every word is one they know."""

import json
import shlex
import subprocess
from math import prod
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.training_tool import ToolSetting, TrainingTool
from advisor.library import Library
from advisor.plan.plan import Configuration, LaunchSettings
from advisor.plan.training_launch import training_launch
from advisor.plan.training_records import TrainingLayout

FIELDS = Path(__file__).parent / "data" / "training_fields"
MODEL = "meta-llama/Llama-3.1-8B-Instruct"
FULL: dict[str, Any] = {
    "stack": "fsdp",
    "method": "full",
    "optimizer": "adamw",
    "precision": "bf16",
    "data_parallel": 16,
    "zero_stage": 3,
    "sharding_library": "fsdp",
    "sharded_over": 16,
    "micro_batch": 2,
    "gradient_accumulation": 4,
    "global_batch": 128,
    "sequence_length": 4096,
    "recomputation": "full",
}
QLORA: dict[str, Any] = {
    "stack": "transformers",
    "method": "qlora",
    "adapter": "qlora",
    "weight_format": "nf4-double-quant",
    "optimizer": "paged-adamw-8bit",
    "precision": "bf16",
    "micro_batch": 2,
    "gradient_accumulation": 8,
    "global_batch": 16,
    "sequence_length": 2048,
    "recomputation": "full",
    "lora_rank": 32,
    "lora_targets": "all-linear",
}
PRETRAINING: dict[str, Any] = {
    "stack": "megatron",
    "method": "pretraining",
    "optimizer": "adamw",
    "precision": "bf16",
    "tensor_parallel": 8,
    "pipeline_parallel": 4,
    "virtual_stages": 5,
    "data_parallel": 16,
    "zero_stage": 1,
    "sharding_library": "megatron",
    "sharded_over": 16,
    "micro_batch": 1,
    "gradient_accumulation": 64,
    "global_batch": 1024,
    "sequence_length": 8192,
    "recomputation": "selective",
    "loss_kernel": "fused",
}


def configuration(accelerators: int, per_node: int = 8) -> Configuration:
    return Configuration(
        role="recommended",
        accelerator="h100-sxm",
        accelerator_name="NVIDIA H100 SXM5 80GB",
        accelerators=accelerators,
        accelerators_per_node=per_node,
        replicas=1,
        tensor_parallel=1,
        pipeline_parallel=1,
        precision="bf16",
        kv_precision="bf16",
        engine="",
        engine_version="",
        estimates={},
    )


def launched(library: Library, given: dict[str, Any], model: str = MODEL, **changes: Any) -> dict[str, LaunchSettings]:
    """The settings by tool, in their order."""
    layout = TrainingLayout.model_validate({**given, **changes})
    ranks = layout.tensor_parallel * layout.pipeline_parallel * layout.context_parallel * layout.data_parallel
    return {each.engine: each for each in training_launch(layout, configuration(ranks), model, library)}


def read(settings: LaunchSettings, name: str) -> Any:
    return yaml.safe_load(settings.files[name])


def option(settings: LaunchSettings, flag: str) -> str:
    arguments = settings.commands[0].arguments
    return arguments[arguments.index(flag) + 1]


def test_full_fine_tuning_is_said_for_fsdp_and_deepspeed_alike(library: Library) -> None:
    settings = launched(library, FULL)
    assert list(settings)[:2] == ["trl-fsdp", "trl-deepspeed"]
    assert {"accelerate-fsdp", "accelerate-deepspeed", "axolotl-fsdp", "axolotl-deepspeed", "llama-factory"} <= set(settings)
    fsdp = settings["trl-fsdp"]
    assert [(command.on, command.line) for command in fsdp.commands] == [
        (
            "each of the 2 servers",
            "torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint HEAD_ADDRESS:29500 --rdzv-id advised "
            "-m trl.scripts.sft --config trl.yaml",
        )
    ]
    assert read(fsdp, "trl.yaml") == {
        "model_name_or_path": MODEL,
        "dataset_name": "DATASET",
        "output_dir": "OUTPUT_FOLDER",
        "per_device_train_batch_size": 2,
        "gradient_accumulation_steps": 4,
        "max_length": 4096,
        "packing": True,
        "dtype": "float32",
        "bf16": True,
        "optim": "adamw_torch_fused",
        "gradient_checkpointing": False,
        "attn_implementation": "flash_attention_2",
        "use_liger_kernel": False,
        "fsdp": True,
        "fsdp_config": {
            "version": 2,
            "reshard_after_forward": True,
            "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "cpu_ram_efficient_loading": True,
            "activation_checkpointing": True,
        },
    }
    assert any("HEAD_ADDRESS" in note for note in fsdp.notes)
    assert any("DATASET" in note and "OUTPUT_FOLDER" in note for note in fsdp.notes)
    deepspeed = settings["trl-deepspeed"]
    assert read(deepspeed, "trl.yaml")["deepspeed"] == "deepspeed.json"
    assert read(deepspeed, "trl.yaml")["gradient_checkpointing"] is True
    assert json.loads(deepspeed.files["deepspeed.json"]) == {
        "train_micro_batch_size_per_gpu": 2,
        "gradient_accumulation_steps": 4,
        "train_batch_size": 128,
        "gradient_clipping": 1.0,
        "bf16": {"enabled": True},
        "zero_optimization": {
            "stage": 3,
            "overlap_comm": True,
            "contiguous_gradients": True,
            "stage3_gather_16bit_weights_on_model_save": True,
        },
    }


def test_accelerate_is_told_servers_processes_and_sharding(library: Library) -> None:
    settings = launched(library, FULL)["accelerate-fsdp"]
    assert settings.commands[0].line == "accelerate launch --config_file accelerate.yaml TRAINING_SCRIPT"
    written = read(settings, "accelerate.yaml")
    assert (written["num_machines"], written["num_processes"], written["main_process_port"]) == (2, 16, 29500)
    assert (written["distributed_type"], written["fsdp_config"]["fsdp_reshard_after_forward"]) == ("FSDP", True)
    assert "parallelism_config" not in written
    assert "2 sequences of 4096 tokens" in settings.notes[0]


def test_states_sharded_in_groups_are_a_mesh_of_ranks(library: Library) -> None:
    settings = launched(library, FULL, sharded_over=8)
    assert read(settings["accelerate-fsdp"], "accelerate.yaml")["parallelism_config"] == {
        "parallelism_config_dp_replicate_size": 2,
        "parallelism_config_dp_shard_size": 8,
    }
    axolotl = read(settings["axolotl-fsdp"], "axolotl.yaml")
    assert (axolotl["dp_replicate_size"], axolotl["dp_shard_size"]) == (2, 8)
    assert "shard" in " ".join(settings["trl-fsdp"].notes)


def test_qlora_on_one_accelerator(library: Library) -> None:
    settings = launched(library, QLORA)
    assert list(settings) == ["trl", "axolotl", "llama-factory"]
    assert settings["trl"].commands[0].line == "torchrun --standalone --nproc-per-node 1 -m trl.scripts.sft --config trl.yaml"
    trl = read(settings["trl"], "trl.yaml")
    assert (trl["load_in_4bit"], trl["use_bnb_nested_quant"], trl["optim"]) == (True, True, "paged_adamw_8bit")
    assert (trl["lora_r"], trl["lora_target_modules"], trl["dtype"]) == (32, ["all-linear"], "bfloat16")
    axolotl = read(settings["axolotl"], "axolotl.yaml")
    assert (axolotl["adapter"], axolotl["lora_r"], axolotl["lora_target_linear"]) == ("qlora", 32, True)
    assert "bnb_config_kwargs" not in axolotl
    factory = read(settings["llama-factory"], "llama-factory.yaml")
    assert (factory["quantization_bit"], factory["lora_target"], factory["cutoff_len"]) == (4, "all", 2048)
    plain = read(launched(library, QLORA, weight_format="nf4")["axolotl"], "axolotl.yaml")
    assert plain["bnb_config_kwargs"] == {"bnb_4bit_use_double_quant": False}


@pytest.mark.parametrize(
    ("method", "program"),
    [
        ("dpo", "trl.scripts.dpo"),
        ("grpo", "trl.scripts.grpo"),
        ("kto", "trl.scripts.kto"),
        ("reward-model", "trl.scripts.reward"),
    ],
)
def test_preference_methods_have_their_own_programs(library: Library, method: str, program: str) -> None:
    settings = launched(library, FULL, stack="trl", method=method)["trl-fsdp"]
    assert option(settings, "-m") == program
    length = "max_completion_length" if method == "grpo" else "max_length"
    assert read(settings, "trl.yaml")[length] == 4096


def test_megatron_arguments_of_a_large_run(library: Library) -> None:
    settings = launched(library, PRETRAINING, "llama-3.1-70b")
    megatron = settings["megatron-lm"]
    assert next(iter(settings)) == "megatron-lm"
    assert megatron.environment == {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}
    assert megatron.commands[0].on == "each of the 64 servers"
    said = {
        "--nnodes": "64",
        "--tensor-model-parallel-size": "8",
        "--pipeline-model-parallel-size": "4",
        "--num-virtual-stages-per-pipeline-rank": "5",
        "--global-batch-size": "1024",
        "--recompute-granularity": "selective",
        "--num-layers": "80",
        "--ffn-hidden-size": "28672",
        "--num-query-groups": "8",
    }
    assert {flag: option(megatron, flag) for flag in said} == said
    arguments = megatron.commands[0].arguments
    assert {"--sequence-parallel", "--use-distributed-optimizer", "--bf16"} <= set(arguments)
    assert {"--context-parallel-size", "--use-megatron-fsdp", "--account-for-loss-in-pipeline-split"} & set(arguments) == set()
    assert any("--lr" in note for note in megatron.notes)


def test_stages_that_count_the_vocabulary_tables_say_so(library: Library) -> None:
    arguments = launched(library, PRETRAINING, "llama-3.1-405b", virtual_stages=8)["megatron-lm"].commands[0].arguments
    assert {"--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"} <= set(arguments)


def test_a_model_that_is_not_known_leaves_its_shape_to_the_person(library: Library) -> None:
    megatron = launched(library, PRETRAINING, "./own")["megatron-lm"]
    assert "--num-layers" not in megatron.commands[0].arguments
    assert any("--num-layers" in note for note in megatron.notes)


def test_torchtitan_pretrains_with_fsdp(library: Library) -> None:
    given = {
        **FULL,
        "stack": "torchtitan",
        "method": "pretraining",
        "tensor_parallel": 2,
        "context_parallel": 2,
        "sharded_over": 32,
    }
    settings = launched(library, given, loss_kernel="chunked")
    titan = settings["torchtitan"]
    assert next(iter(settings)) == "torchtitan"
    assert option(titan, "--parallelism.data-parallel-shard-degree") == "16"
    assert option(titan, "--parallelism.fsdp-reshard-after-forward") == "always"
    assert titan.commands[0].arguments[-1] == "activation-checkpoint:full"
    assert not any("cannot be told" in note for note in titan.notes)


def test_only_the_stacks_own_tool_comes_with_what_it_cannot_say(library: Library) -> None:
    settings = launched(library, FULL, tensor_parallel=2)
    assert "axolotl-fsdp" not in settings
    assert list(settings).index("accelerate-fsdp") < list(settings).index("trl-fsdp")
    assert [note for note in settings["trl-fsdp"].notes if "tensor parallelism = 2" in note]
    assert not [note for note in settings["accelerate-fsdp"].notes if "cannot be told" in note]
    kernel = launched(library, FULL, attention_kernel="another")["trl-fsdp"]
    assert [note for note in kernel.notes if "attention kernel = another" in note]


def test_the_stack_of_a_layout_decides_what_comes_first(library: Library) -> None:
    for stack in ("axolotl", "llama-factory", "accelerate", "trl", "torchtitan"):
        assert next(iter(launched(library, FULL, stack=stack))).startswith(stack)
    assert next(iter(launched(library, FULL, stack="deepspeed", sharding_library="deepspeed"))) == "trl-deepspeed"


def test_a_method_that_no_tool_starts_has_no_settings(library: Library) -> None:
    assert launched(library, QLORA, method="another") == {}


NASTY = ["on", "1e3", "null", "[a, b]", "{value}", "a: b # c", 'it\'s $HOME; `x` "y"', "-- help", " é中|> ", "*&!%@"]


@pytest.mark.parametrize("model", NASTY)
def test_a_models_name_is_read_as_it_is(library: Library, model: str) -> None:
    named = f"./{model}" if model.startswith("-") else model
    for settings in launched(library, QLORA, model).values():
        tree = read(settings, next(iter(settings.files)))
        assert tree.get("model_name_or_path", tree.get("base_model")) == named
    megatron = launched(library, PRETRAINING, model)["megatron-lm"]
    assert tuple(shlex.split(megatron.commands[0].line))[1:] == megatron.commands[0].arguments
    assert option(megatron, "--tokenizer-model") == named


def test_the_script_writes_the_files_as_they_are(library: Library, tmp_path: Path) -> None:
    for engine, settings in launched(library, FULL, "/a b/it's").items():
        folder = tmp_path / engine
        folder.mkdir()
        script = settings.text.replace("\ntorchrun", "\ntrue").replace("\naccelerate", "\ntrue")
        subprocess.run(["sh", "-c", script], cwd=folder, check=True, capture_output=True)
        assert {path.name: path.read_text() for path in folder.iterdir()} == settings.files


SIZES = st.sampled_from([1, 2, 4])


@st.composite
def layouts(draw: st.DrawFn) -> TrainingLayout:
    """Layouts that a search could find, of every stack."""
    stage = draw(st.sampled_from([0, 1, 2, 3]))
    data, context = draw(st.sampled_from([2, 4, 16])), draw(SIZES)
    micro, passes = draw(SIZES), draw(st.sampled_from([1, 8]))
    adapter = draw(st.sampled_from(["none", "lora", "dora", "qlora"]))
    return TrainingLayout(
        stack=draw(st.sampled_from(["megatron", "fsdp", "transformers", "deepspeed", "axolotl", "torchtitan"])),
        method=draw(st.sampled_from(["full", "pretraining", "dpo", "grpo", "kto", "orpo", "ppo", "reward-model"])),
        adapter=adapter,
        optimizer=draw(st.sampled_from(["adamw", "adamw-8bit", "muon", "sgd", "another"])),
        precision=draw(st.sampled_from(["bf16", "fp16", "fp8", "mxfp8"])),
        weight_format="nf4" if adapter == "qlora" else None,
        tensor_parallel=draw(SIZES),
        pipeline_parallel=draw(SIZES),
        context_parallel=context,
        expert_parallel=draw(st.sampled_from([1, 2])),
        data_parallel=data,
        zero_stage=stage,
        sharding_library=draw(st.sampled_from(["fsdp", "deepspeed", "megatron"])) if stage else "none",
        sharded_over=data * context if stage else 1,
        micro_batch=micro,
        gradient_accumulation=passes,
        global_batch=micro * passes * data,
        sequence_length=draw(st.sampled_from([2048, 131072])),
        recomputation=draw(st.sampled_from(["none", "selective", "full"])),
        loss_kernel=draw(st.sampled_from(["plain", "fused", "chunked"])),
        optimizer_offload=draw(st.sampled_from(["none", "cpu", "nvme"])),
        lora_rank=8 if adapter != "none" else None,
        lora_targets="all-linear" if adapter != "none" else None,
    )


@given(layout=layouts())
def test_what_is_written_is_the_layout(library: Library, layout: TrainingLayout) -> None:
    ranks = prod((layout.tensor_parallel, layout.pipeline_parallel, layout.context_parallel, layout.data_parallel))
    settings = training_launch(layout, configuration(ranks), "llama-3.1-8b", library)
    for each in settings:
        assert LaunchSettings.model_validate_json(each.model_dump_json()) == each
        assert len(each.commands) == 1
        if each.commands[0].arguments[0] == "torchrun":
            nodes = int(option(each, "--nnodes")) if "--nnodes" in each.commands[0].arguments else 1
            assert nodes * int(option(each, "--nproc-per-node")) == ranks
        whole = not any("cannot be told the layout's" in note for note in each.notes)
        if "deepspeed.json" in each.files and whole:
            batches = json.loads(each.files["deepspeed.json"])
            micro, passes = batches["train_micro_batch_size_per_gpu"], batches["gradient_accumulation_steps"]
            assert batches["train_batch_size"] == micro * passes * ranks
        mesh = read(each, "accelerate.yaml").get("parallelism_config") if "accelerate.yaml" in each.files else None
        if mesh and whole:
            assert prod(mesh.values()) == ranks


def known(tool: str) -> dict[str, str]:
    """The flags and keys of a tool's list, each with its line."""
    lines = next(FIELDS.glob(f"{tool}-*.txt")).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    kinds = ("KEY", "VARIABLE", "VALUE")
    return {word: line for line in lines[1:] for word in line.split(" ") if word not in kinds and not word.startswith("{")}


def words_of(setting: ToolSetting) -> set[str]:
    """The words that a setting can say, where they are words and no lists or numbers."""
    said = set(setting.values.values()) or ({setting.value} if setting.value else set())
    return {word for word in said if "{" not in word and "[" not in word}


def test_every_setting_is_one_its_tool_knows(library: Library) -> None:
    for tool in library.all(TrainingTool):
        fields = known(tool.id)
        for setting in tool.settings:
            line = fields.get(setting.spelled)
            assert line is not None, f"{tool.id} has no {setting.spelled}"
            assert (" VALUE" in line) is not setting.switch, f"{tool.id}, {setting.spelled}"
            choices = set(line.rpartition(" {")[2].removesuffix("}").split(",")) if line.endswith("}") else set()
            assert not choices or words_of(setting) <= choices, f"{tool.id}, {setting.spelled}"
        assert {file.flag for file in tool.files if file.flag} <= set(fields), tool.id


def test_lists_are_of_the_versions_that_tools_say(library: Library) -> None:
    for tool in library.all(TrainingTool):
        version = next(FIELDS.glob(f"{tool.id}-*.txt")).stem.removeprefix(f"{tool.id}-")
        assert f"{version}.".startswith(f"{tool.version}."), tool.id


def test_tools_name_tools_that_are_there(library: Library) -> None:
    ids = set(library.ids(TrainingTool))
    for tool in library.all(TrainingTool):
        assert {tool.launcher, *tool.parts} - {None} <= ids
        assert tool.launcher is None or library.get(TrainingTool, tool.launcher).command
