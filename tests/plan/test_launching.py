"""The command of a configuration: what it says, what it leaves to the engine, in every version, quoted for a shell."""

import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.catalogue.engine import Engine, version_key
from advisor.catalogue.launch import Launch, Setting
from advisor.facts import Fact, FactValue, Label, answered, assumed
from advisor.library import Library
from advisor.plan.launching import launch_command
from advisor.plan.plan import Configuration, LaunchSettings
from advisor.plan.quantity import Quantity

FLAGS = Path(__file__).parent / "data" / "flags"
MODEL = "meta-llama/Llama-3.1-70B-Instruct"
SIZED: dict[str, FactValue] = {
    "memory_fraction": 0.92,
    "max_num_seqs": 1024.0,
    "max_num_batched_tokens": 8192.0,
    "max_model_len": 4500.0,
    "native_precision": "bf16",
}
TWO_SERVERS: dict[str, Any] = {"accelerators": 32, "replicas": 2, "tensor_parallel": 8, "pipeline_parallel": 2}


def configuration(engine: str, version: str, **changes: Any) -> Configuration:
    """The assistant example's: 4 × H100, 50 requests at once."""
    given: dict[str, Any] = {
        "role": "recommended",
        "accelerator": "h100-sxm",
        "accelerator_name": "NVIDIA H100 SXM5 80GB",
        "accelerators": 4,
        "replicas": 1,
        "tensor_parallel": 4,
        "pipeline_parallel": 1,
        "precision": "bf16",
        "kv_precision": "bf16",
        "engine": engine,
        "engine_version": version,
        "accelerators_per_node": 8,
        "estimates": {"running_requests": Quantity(value=50, unit="request", label=Label.estimated)},
    }
    return Configuration.model_validate({**given, **changes})


def facts(**changes: FactValue) -> dict[str, Fact]:
    return {name: assumed(name, value, because="the engine's default") for name, value in {**SIZED, **changes}.items()}


def started(
    library: Library,
    engine: str,
    version: str,
    given: dict[str, Fact] | None = None,
    model: str = MODEL,
    **changes: Any,
) -> LaunchSettings:
    settings = launch_command(configuration(engine, version, **changes), facts() if given is None else given, model, library)
    assert settings is not None
    return settings


GOLDEN = [
    (
        "vllm",
        "0.33.0",
        f"vllm serve {MODEL} --tensor-parallel-size 4 --dtype bfloat16 --kv-cache-dtype auto --gpu-memory-utilization 0.92 "
        "--max-model-len 4500 --max-num-seqs 1024 --max-num-batched-tokens 8192",
    ),
    (
        "sglang",
        "0.5",
        f"python3 -m sglang.launch_server --model-path {MODEL} --tp-size 4 --dtype bfloat16 --kv-cache-dtype auto "
        "--mem-fraction-static 0.92 --context-length 4500 --max-running-requests 1024 --chunked-prefill-size 8192",
    ),
    (
        "tensorrt-llm",
        "1.1",
        f"trtllm-serve {MODEL} --tp_size 4 --kv_cache_free_gpu_memory_fraction 0.92 --max_seq_len 4500 --max_batch_size 1024 "
        "--max_num_tokens 8192",
    ),
    (
        "lmdeploy",
        "0.10",
        f"lmdeploy serve api_server {MODEL} --tp 4 --dtype bfloat16 --quant-policy 0 --cache-max-entry-count 0.92 "
        "--session-len 4500 --max-batch-size 1024 --max-prefill-token-num 8192",
    ),
]


@pytest.mark.parametrize(("engine", "version", "line"), GOLDEN, ids=[engine for engine, _, _ in GOLDEN])
def test_the_command_says_what_the_estimate_assumed(library: Library, engine: str, version: str, line: str) -> None:
    settings = started(library, engine, version)
    assert [(command.on, command.line) for command in settings.commands] == [("the server", line)]
    assert (settings.environment, settings.files, settings.notes) == ({}, {}, ())


def test_llama_cpp_lays_out_the_slots_that_the_load_needs(library: Library) -> None:
    layered: dict[str, Any] = {
        "tensor_parallel": 1,
        "pipeline_parallel": 4,
        "precision": "gguf-q4-k-m",
        "kv_precision": "gguf-q8-0",
    }
    given = facts(max_num_batched_tokens=512.0, max_num_seqs=64.0, micro_batch_tokens=512.0)
    settings = started(library, "llama.cpp", "b7000", given, "unsloth/Llama-3.3-70B-Instruct-GGUF", **layered)
    assert [command.line for command in settings.commands] == [
        "llama-server --hf-repo unsloth/Llama-3.3-70B-Instruct-GGUF:Q4_K_M --n-gpu-layers 999 --flash-attn on --split-mode layer "
        "--ctx-size 225000 --parallel 50 --batch-size 512 --ubatch-size 512 --cache-type-k q8_0 --cache-type-v q8_0"
    ]
    assert settings.notes == ()
    asked = {**given, "max_num_seqs": answered("max_num_seqs", 8.0, "request")}
    arguments = started(library, "llama.cpp", "b7000", asked, "llama.gguf", **layered).commands[0].arguments
    assert arguments[1:3] == ("--model", "llama.gguf")
    assert option(arguments, "--parallel") == "8"
    assert option(arguments, "--ctx-size") == "36000"


def test_ollama_takes_variables_and_a_modelfile(library: Library) -> None:
    settings = started(
        library,
        "ollama",
        "0.13",
        model="unsloth/Llama-3.3-70B-Instruct-GGUF",
        pipeline_parallel=4,
        tensor_parallel=1,
        precision="gguf-q4-k-m",
    )
    assert settings.commands[0].line == (
        "OLLAMA_NUM_PARALLEL=50 OLLAMA_CONTEXT_LENGTH=4500 OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=f16 "
        "OLLAMA_SCHED_SPREAD=1 ollama serve"
    )
    assert settings.files == {
        "Modelfile": ("FROM hf.co/unsloth/Llama-3.3-70B-Instruct-GGUF:Q4_K_M\nPARAMETER num_ctx 4500\nPARAMETER num_batch 8192\n")
    }


def test_a_replica_over_two_servers_has_a_command_for_each(library: Library) -> None:
    vllm = started(library, "vllm", "0.33.0", **TWO_SERVERS)
    assert [command.on for command in vllm.commands] == [
        "server 1 of 2 of each of the 2 replicas",
        "server 2 of 2 of each of the 2 replicas",
    ]
    ends = [command.line.partition("--nnodes")[2] for command in vllm.commands]
    assert ends == [
        " 2 --node-rank 0 --master-addr HEAD_ADDRESS",
        " 2 --node-rank 1 --master-addr HEAD_ADDRESS --headless",
    ]
    assert "router" in vllm.notes[0]
    assert "HEAD_ADDRESS" in vllm.notes[1]
    sglang = started(library, "sglang", "0.5", **TWO_SERVERS)
    assert sglang.commands[1].line.endswith("--nnodes 2 --node-rank 1 --dist-init-addr HEAD_ADDRESS:20000")
    trtllm = started(library, "tensorrt-llm", "1.1", **TWO_SERVERS)
    assert [command.on for command in trtllm.commands] == ["the first server of each of the 2 replicas"]
    assert any("MPI" in note for note in trtllm.notes)


def test_data_parallel_attention_is_counted_as_each_engine_counts_it(library: Library) -> None:
    spread: dict[str, Any] = {"accelerators": 8, "tensor_parallel": 2, "pipeline_parallel": 1}
    vllm = started(library, "vllm", "0.33.0", **spread).commands[0].arguments
    assert (option(vllm, "--tensor-parallel-size"), option(vllm, "--data-parallel-size")) == ("2", "4")
    assert option(vllm, "--max-num-seqs") == "1024"
    for version, flags in (("0.5", ("--dp-size", "--enable-dp-attention")), ("0.5.23", ("--attn-dp-size",))):
        sglang = started(library, "sglang", version, **spread).commands[0].arguments
        assert (option(sglang, "--tp-size"), option(sglang, flags[0])) == ("8", "4")
        assert set(flags) <= set(sglang)
        assert (option(sglang, "--max-running-requests"), option(sglang, "--chunked-prefill-size")) == ("4096", "32768")
    trtllm = started(library, "tensorrt-llm", "1.1", **spread)
    assert yaml.safe_load(trtllm.files["trtllm-serve.yaml"]) == {"enable_attention_dp": True}
    assert option(trtllm.commands[0].arguments, "--tp_size") == "8"


def test_data_parallel_ranks_over_two_servers(library: Library) -> None:
    spread = started(library, "vllm", "0.33.0", accelerators=16, tensor_parallel=2, pipeline_parallel=1)
    local = "--data-parallel-size-local 4"
    assert [command.line.partition(local)[2] for command in spread.commands] == [
        " --data-parallel-address HEAD_ADDRESS",
        " --data-parallel-start-rank 4 --data-parallel-address HEAD_ADDRESS --headless",
    ]


VERSIONS = [
    ("vllm", "0.5.4", {}, "python3 -m vllm.entrypoints.openai.api_server --model"),
    ("vllm", "0.6.6", {}, "vllm serve"),
    ("vllm", "0.21", {"prefix_caching": False}, "--no-enable-prefix-caching"),
    ("vllm", "0.33.0", {"prefix_caching": False}, "--disable-prefix-caching"),
    ("vllm", "0.6.6", {"chunked_prefill": True}, "--enable-chunked-prefill true"),
    ("vllm", "0.33.0", {"eager": 1.0}, "--enforce-eager"),
    ("sglang", "0.5.2", {"eager": True}, "--disable-cuda-graph"),
    ("sglang", "0.5.23", {"eager": True}, "--cuda-graph-backend-decode disabled --cuda-graph-backend-prefill disabled"),
    ("sglang", "0.4.0", {"prefix_caching": False}, "--disable-radix-cache"),
    ("llama.cpp", "b6000", {}, "--flash-attn --split-mode row"),
    ("llama.cpp", "b7000", {}, "--flash-attn on --split-mode row"),
    ("llama.cpp", "b11312", {}, "--flash-attn on --split-mode tensor"),
    ("lmdeploy", "0.18.0", {"block_tokens": 64.0}, "--cache-block-seq-len 64"),
]


@pytest.mark.parametrize(("engine", "version", "given", "said"), VERSIONS, ids=[f"{e}-{v}-{s}" for e, v, _, s in VERSIONS])
def test_flags_follow_the_version(library: Library, engine: str, version: str, given: dict[str, FactValue], said: str) -> None:
    line = started(library, engine, version, facts(**given)).commands[0].line
    assert f" {said} " in f" {line} "


FORMATS = [
    ("vllm", "0.33.0", "fp8-e4m3-per-tensor", ("--quantization", "fp8")),
    ("vllm", "0.33.0", "fp8-e4m3-per-channel", ("--quantization", "fp8_per_channel")),
    ("vllm", "0.21", "nf4", ("--quantization", "bitsandbytes")),
    ("sglang", "0.5", "fp8-e4m3-per-tensor", ("--quantization", "fp8")),
    ("vllm", "0.33.0", "fp16", ("--dtype", "float16")),
]


@pytest.mark.parametrize(("engine", "version", "form", "said"), FORMATS)
def test_another_weight_format_is_made_while_loading(
    library: Library, engine: str, version: str, form: str, said: tuple[str, str]
) -> None:
    settings = started(library, engine, version, precision=form)
    assert option(settings.commands[0].arguments, said[0]) == said[1]
    assert settings.notes == ()


def test_a_format_that_the_engine_does_not_make_needs_a_checkpoint(library: Library) -> None:
    settings = started(library, "vllm", "0.33.0", precision="awq-int4-g128")
    assert "--quantization" not in settings.commands[0].arguments
    assert [note.startswith("Name a checkpoint in ") and MODEL in note for note in settings.notes] == [True]
    released = started(library, "vllm", "0.33.0", facts(native_precision="awq-int4-g128"), precision="awq-int4-g128")
    assert released.notes == ()
    assert not {"--dtype", "--quantization"} & set(released.commands[0].arguments)


def test_what_an_engine_cannot_be_told_is_noted(library: Library) -> None:
    cache = started(library, "sglang", "0.5", kv_precision="gguf-q4-0")
    assert ["cache format = gguf-q4-0" in note for note in cache.notes] == [True]
    stages = started(library, "lmdeploy", "0.10", tensor_parallel=2, pipeline_parallel=2)
    assert ["pipeline parallelism = 2" in note for note in stages.notes] == [True]
    # An assumed block is the engine's own; one that a person asked for is missed.
    assert started(library, "tensorrt-llm", "0.18.2", facts(block_tokens=64.0)).notes == ()
    asked = {**facts(), "block_tokens": answered("block_tokens", 64.0, "token")}
    assert "tokens in a cache block = 64" in started(library, "tensorrt-llm", "0.18.2", asked).notes[0]
    unsized = started(library, "llama.cpp", "b7000", tensor_parallel=1, precision="fp8-e4m3-per-tensor", accelerators=1)
    assert [note for note in unsized.notes if "GGUF files, which do not hold" in note]


def test_nothing_is_said_that_the_plan_does_not_know(library: Library) -> None:
    settings = started(library, "vllm", "0.33.0", {}, tensor_parallel=1, accelerators=1, precision="awq-int4-g128")
    assert settings.commands[0].arguments == ("vllm", "serve", MODEL, "--kv-cache-dtype", "auto")
    for name in SIZED.keys() - {"native_precision"}:
        without = {each: fact for each, fact in facts().items() if each != name}
        ours = next(setting for setting in library.get(Launch, "vllm").said("0.33.0") if setting.fact == name)
        assert ours.flag not in started(library, "vllm", "0.33.0", without).commands[0].arguments


def test_an_engine_without_launch_settings_has_none(library: Library) -> None:
    assert launch_command(configuration("another engine", "1"), facts(), MODEL, library) is None


NASTY = ['/models/it\'s $HOME "big"; rm -rf `pwd`.gguf', "/a b/c\nd/*.gguf", "--help me.gguf", "./$(echo no)&.gguf"]


@pytest.mark.parametrize("model", NASTY)
@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "llama.cpp", "lmdeploy"])
def test_a_shell_reads_every_word_as_it_is(library: Library, engine: str, model: str) -> None:
    command = started(library, engine, library.get(Engine, engine).current, model=model).commands[0]
    assert shlex.split(command.line) == list(command.arguments)
    program, _, rest = command.line.partition(" ")
    assert program == command.arguments[0]
    read = subprocess.run(["sh", "-c", f"printf '%s\\0' {rest}"], capture_output=True, text=True, check=True).stdout
    assert read.split("\0")[:-1] == list(command.arguments[1:])
    assert any(argument.endswith(model) for argument in command.arguments)


@pytest.mark.parametrize("model", NASTY)
def test_the_script_writes_its_files(library: Library, tmp_path: Path, model: str) -> None:
    settings = started(library, "ollama", "0.13", model=model)
    script = settings.text.replace("ollama serve", "true")
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True, capture_output=True)
    assert [path.name for path in tmp_path.iterdir()] == ["Modelfile"]
    assert (tmp_path / "Modelfile").read_text() == settings.files["Modelfile"]


def test_the_file_of_tensorrt_llm_is_yaml(library: Library) -> None:
    given = facts(eager=True, prefix_caching=False, block_tokens=64.0)
    settings = started(library, "tensorrt-llm", "1.1", given, kv_precision="fp8-e4m3-per-tensor")
    assert yaml.safe_load(settings.files["trtllm-serve.yaml"]) == {
        "cuda_graph_config": None,
        "kv_cache_config": {"dtype": "fp8", "enable_block_reuse": False, "tokens_per_block": 64},
    }
    assert settings.commands[0].arguments[-2:] == ("--extra_llm_api_options", "trtllm-serve.yaml")


def test_settings_are_records_that_read_back(library: Library) -> None:
    settings = started(library, "vllm", "0.33.0", **TWO_SERVERS)
    assert LaunchSettings.model_validate_json(settings.model_dump_json()) == settings


def test_launch_settings_are_of_engines(library: Library) -> None:
    served = {"vllm", "sglang", "tensorrt-llm", "llama.cpp", "ollama", "lmdeploy"}
    assert served <= set(library.ids(Launch)) <= set(library.ids(Engine))


@dataclass(frozen=True)
class Documented:
    """One line of a list of flags: its spellings, whether it takes a value, and which, where it says so."""

    spellings: frozenset[str]
    takes_value: bool
    choices: frozenset[str]


def documented(path: Path) -> Iterator[Documented]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        words = line.split(" ")
        choices = frozenset(words[-1][1:-1].split(",")) if words[-1].startswith("{") else frozenset[str]()
        names = frozenset(word for word in words if word not in ("KEY", "VARIABLE", "VALUE") and not word.startswith("{"))
        yield Documented(names, "VALUE" in words, choices)


def lists() -> Iterator[tuple[str, str]]:
    for path in sorted(FLAGS.glob("*.txt")):
        engine, _, version = path.stem.rpartition("-")
        yield engine, version


@pytest.mark.parametrize(("engine", "version"), tuple(lists()))
def test_every_setting_is_documented_for_its_version(library: Library, engine: str, version: str) -> None:
    path = FLAGS / f"{engine}-{version}.txt"
    assert path.read_text(encoding="utf-8").startswith("# ")
    launch = library.get(Launch, engine)
    known = {spelling: line for line in documented(path) for spelling in line.spellings}
    for setting in launch.said(version):
        line = known.get(setting.spelled)
        assert line is not None, f"{engine} {version} has no {setting.spelled}"
        assert line.takes_value is not setting.switch, f"{engine} {version}, {setting.spelled}"
        assert not line.choices or words_of(setting) <= line.choices, f"{engine} {version}, {setting.spelled}"
    program = launch.program(version)
    said_in_file = any(setting.key for setting in launch.said(version))
    flags = {program.model, program.path, launch.file.flag if launch.file and said_in_file else None} - {None}
    assert {flag for flag in flags if flag not in known} == set()


def words_of(setting: Setting) -> set[str]:
    """The words that a setting can say, where they are words and no numbers."""
    said = set(setting.values.values()) or ({setting.value} if setting.value else set())
    return {word for word in said if "{" not in word}


def test_every_engine_is_checked_against_a_list_at_or_above_its_current_version(library: Library) -> None:
    newest = {engine: max((each for name, each in lists() if name == engine), key=version_key) for engine, _ in lists()}
    for engine in library.ids(Launch):
        assert version_key(newest[engine]) >= version_key(library.get(Engine, engine).current), engine


def option(arguments: tuple[str, ...], flag: str) -> str:
    """What stands after a flag."""
    return arguments[arguments.index(flag) + 1]
