"""Looking things up, laying a person's folder over what ships, and a cache that may break, age or be built twice at once."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.errors import AmbiguousNameError, InputError, KnowledgeError, UnknownNameError
from advisor.library import Library, open_library
from advisor.library.folders import cache_folder

MINE = """
h100-sxm:
  name: Our H100
  vendor: NVIDIA
  kind: gpu
  status: shipping
  architecture: Hopper
  memory: 80 GB
  compute: {bf16: 500 TFLOP/s}
  power: 500 W
  frameworks: [vllm]
  sources: [vllm-startup-logs]
"""


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("h100-sxm", "h100-sxm"),
        ("H100 SXM5 80GB", "h100-sxm"),
        ("nvidia_h100_sxm", "h100-sxm"),
        ("RTX 4090", "rtx-4090"),
        ("MI300X", "mi300x"),
    ],
)
def test_accelerators_by_usual_spelling(library: Library, name: str, id: str) -> None:
    assert library.find(Accelerator, name).id == id


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("llama-3.1-70b", "llama-3.1-70b"),
        ("meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b"),
        ("Llama 3.1 70B", "llama-3.1-70b"),
        ("deepseek-v3", "deepseek-v3"),
        ("openai/gpt-oss-20b", "gpt-oss-20b"),
    ],
)
def test_models_by_id_hub_name_and_usual_spelling(library: Library, name: str, id: str) -> None:
    assert library.find(Model, name).id == id


def test_an_ambiguous_name_lists_its_meanings(library: Library) -> None:
    with pytest.raises(AmbiguousNameError) as caught:
        library.find(Accelerator, "H100", where="workloads[0].accelerators.only")
    assert caught.value.meanings == ("h100-sxm", "h100-pcie", "h100-nvl")
    assert caught.value.where == "workloads[0].accelerators.only"
    with pytest.raises(AmbiguousNameError) as caught:
        library.find(Model, "llama 70b")
    assert "llama-3.1-70b" in caught.value.meanings


def test_an_unknown_name_lists_the_nearest(library: Library) -> None:
    with pytest.raises(UnknownNameError) as caught:
        library.find(Model, "llama-3.1-71b")
    assert any("llama-3.1-70b" in name.casefold().replace(" ", "-") for name in caught.value.nearest)


def test_closed_weights_are_said_to_be_closed(library: Library) -> None:
    with pytest.raises(UnknownNameError, match="cannot be sized"):
        library.find(Model, "gpt-4o")


def test_search_finds_by_words(library: Library) -> None:
    found = [model.id for model in library.search(Model, "qwen 32b")]
    assert "qwen2.5-32b" in found
    assert "qwen3-32b" in found


def test_a_persons_folder_replaces_and_adds_and_the_library_names_it(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "accelerators").mkdir(parents=True)
    (folder / "accelerators" / "ours.yaml").write_text(
        MINE + MINE.replace("h100-sxm:", "our-card:").replace("Our H100", "Our card")
    )
    library = open_library(folder)
    assert library.get(Accelerator, "h100-sxm").name == "Our H100"
    assert library.get(Accelerator, "our-card").power == 500
    assert [text.split(" by ")[0] for text in library.overridden] == [
        "accelerators/h100-sxm (replaced",
        "accelerators/our-card (added",
    ]
    assert library.knowledge_id != open_library().knowledge_id


def test_a_wrong_entry_names_file_and_key(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "accelerators").mkdir(parents=True)
    file = folder / "accelerators" / "ours.yaml"
    for wrong, message in {
        "  memory: 80": "memory: 80.0 has no unit",
        "  memori: 80 GB": 'unknown key "memori"',
        "  memory: 80 Gb": "eight times as much",
    }.items():
        file.write_text(MINE.replace("  memory: 80 GB", wrong))
        with pytest.raises(KnowledgeError) as caught:
            open_library(folder)
        assert message.split(":")[-1].strip().replace("80.0", "80") in str(caught.value).replace("80.0", "80")
        assert "ours.yaml, h100-sxm" in str(caught.value)
    file.write_text(MINE.replace("[vllm-startup-logs]", "[vllm-startup-log]"))
    with pytest.raises(KnowledgeError, match='unknown source "vllm-startup-log"'):
        open_library(folder)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        open_library(tmp_path / "absent")


def test_the_environment_names_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "accelerators").mkdir()
    (tmp_path / "accelerators" / "ours.yaml").write_text(MINE)
    monkeypatch.setenv("ADVISOR_KNOWLEDGE", str(tmp_path))
    assert open_library().get(Accelerator, "h100-sxm").name == "Our H100"


@pytest.mark.parametrize("damage", [b"", b"not a database at all", None])
def test_a_broken_cache_is_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None) -> None:
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path))
    open_library()
    cache = next(tmp_path.glob("library-*.sqlite"))
    whole = cache.read_bytes()
    cache.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert open_library().get(Accelerator, "h100-sxm").vendor == "NVIDIA"
    assert sqlite3.connect(next(tmp_path.glob("library-*.sqlite"))).execute("pragma quick_check").fetchone() == ("ok",)


def test_a_cache_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("ADVISOR_CACHE", str(blocked))
    assert open_library().get(Accelerator, "h100-sxm").vendor == "NVIDIA"


def test_processes_that_start_at_once_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path))
    code = "from advisor.library import open_library; print(open_library().knowledge_id)"
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [process.communicate(timeout=120)[0].strip() for process in running]
    assert len(set(printed)) == 1
    assert len(printed[0]) == 8
    assert len(list(tmp_path.glob("*.sqlite"))) == 1
    assert cache_folder() == tmp_path
