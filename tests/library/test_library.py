"""Looking things up, laying a person's folder over what ships, and a cache that may break, age or be built twice at once."""

import gc
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.catalogue.price import Price
from advisor.catalogue.source import Source
from advisor.errors import AmbiguousNameError, InputError, KnowledgeError, UnknownNameError
from advisor.library import Library, open_library
from advisor.library.database import Database
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
    assert caught.value.nearest[0] == "llama-3.1-70b"


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("lama-3.1-80b", "llama-3.1-8b"),
        ("metallama/Lama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("gpt-oss-21b", "gpt-oss-20b"),
        ("rerankr", "bge-reranker-v2-m3"),
    ],
)
def test_the_nearest_are_ids_of_different_entries(library: Library, name: str, first: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        library.find(Model, name)
    nearest = caught.value.nearest
    assert nearest[0] == first
    assert len(set(nearest)) == len(nearest)
    assert set(nearest) <= set(library.ids(Model))


@pytest.mark.parametrize("name", ["some/unknown-model-7b", "reasoning modell", "embeding", "7b modell"])
def test_the_name_of_a_task_or_a_size_is_near_to_nothing(library: Library, name: str) -> None:
    meant = {"qwq-32b", "mistral-7b-v0.3", "bge-m3"}
    with pytest.raises(UnknownNameError) as caught:
        library.find(Model, name)
    assert not meant & set(caught.value.nearest)


def test_a_name_cut_short_is_near_to_what_it_begins(library: Library) -> None:
    with pytest.raises(UnknownNameError) as caught:
        library.find(Accelerator, "h10")
    assert caught.value.nearest == ("h100-sxm", "h100-pcie", "h100-nvl")


def test_closed_weights_are_said_to_be_closed(library: Library) -> None:
    with pytest.raises(UnknownNameError, match="cannot be sized"):
        library.find(Model, "gpt-4o")


def test_search_finds_by_words(library: Library) -> None:
    found = [model.id for model in library.search(Model, "qwen 32b")]
    assert "qwen2.5-32b" in found
    assert "qwen3-32b" in found


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("h100", "coreweave/8x H100-80GB-SXM/US"),
        ("H100 SXM5 80GB", "aws/p5.48xlarge/us-east-1"),
        ("aws t4 us-east-1", "aws/g4dn.12xlarge/us-east-1"),
        ("g4dn.12xlarge", "aws/g4dn.12xlarge/us-east-1"),
        ("HL-205", "aws/dl1.24xlarge/us-east-1"),
    ],
)
def test_prices_are_found_by_accelerator_provider_instance_and_region(library: Library, text: str, id: str) -> None:
    found = [price.id for price in library.search(Price, text, limit=1000)]
    assert id in found
    assert len(found) < len(library.ids(Price))


@pytest.mark.parametrize("text", ["kwon", "kwon-2023", "pagedattention", "efficient memory management"])
def test_sources_are_found_by_author_id_and_title(library: Library, text: str) -> None:
    assert "kwon-2023-pagedattention" in [source.id for source in library.search(Source, text)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kwonn", '"kwon"'),
        ("zzzzzz", '"zzzzzz"'),
        ("kwon megatron", "leave one out"),
        ("kwonn eficient", '"kwon efficient"'),
    ],
)
def test_words_that_nothing_holds(library: Library, text: str, says: str) -> None:
    assert not library.search(Source, text)
    error = library.nothing_found(Source, text)
    assert error.message == f'no source is found by "{text}"'
    assert error.hint is not None
    assert says in error.hint


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
        "  memory: 80": "memory: 80 has no unit",
        "  memori: 80 GB": 'unknown key "memori"',
        "  memory: 80 Gb": "eight times as much",
    }.items():
        file.write_text(MINE.replace("  memory: 80 GB", wrong))
        with pytest.raises(KnowledgeError) as caught:
            open_library(folder)
        assert message in str(caught.value)
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
    with closing(sqlite3.connect(next(tmp_path.glob("library-*.sqlite")))) as database:
        assert database.execute("pragma quick_check").fetchone() == ("ok",)


def test_a_cache_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("ADVISOR_CACHE", str(blocked))
    assert open_library().get(Accelerator, "h100-sxm").vendor == "NVIDIA"


def test_a_cache_folder_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "50 % of it? #1"))
    for _ in range(2):
        assert open_library().get(Accelerator, "h100-sxm").vendor == "NVIDIA"
    assert len(list(tmp_path.glob("*/library-*.sqlite"))) == 1


@pytest.fixture(params=["file", "memory"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: Library) -> Library:
    """A library of which nothing was read, in the cache's file or, where none can be written, in memory."""
    if request.param == "memory":
        (tmp_path / "file").write_text("not a folder")
        monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "file"))
    return open_library()


def test_threads_that_read_at_once_get_the_same_entries(fresh: Library, library: Library) -> None:
    together = Barrier(8)

    def read(number: int) -> tuple[object, ...]:
        together.wait()
        found: list[Callable[[], object]] = [
            lambda: fresh.all(Model),
            lambda: fresh.find(Accelerator, "H100 SXM5 80GB"),
            lambda: tuple(price.id for price in fresh.search(Price, "h100", limit=1000)),
            lambda: tuple(fresh.get(Source, id) for id in fresh.ids(Source)),
        ]
        order = [(number + step) % len(found) for step in range(len(found))]
        return tuple(result for _, result in sorted((place, found[place]()) for place in order))

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(read, range(8)))
    assert all(result == results[0] for result in results)
    assert results[0][0] == library.all(Model)
    # One record of each entry, whichever thread read it first.
    assert all(ours is theirs for ours, theirs in zip(fresh.all(Model), fresh.all(Model), strict=True))


def test_no_connection_stays_open(fresh: Library) -> None:
    with fresh:
        assert fresh.knowledge_id
    fresh.close()
    with pytest.raises(sqlite3.ProgrammingError):
        fresh.database.rows("select 1")


def test_a_library_that_is_forgotten_closes_its_cache(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "any.sqlite")
    holder: Database | None = Database(connection)
    assert holder is not None
    assert holder.row("select 1") == (1,)
    holder = None
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("select 1")


def test_processes_that_start_at_once_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path))
    code = "from advisor.library import open_library; print(open_library().knowledge_id)"
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [process.communicate(timeout=120)[0].strip() for process in running]
    assert len(set(printed)) == 1
    assert len(printed[0]) == 8
    assert len(list(tmp_path.glob("*.sqlite"))) == 1
    assert cache_folder() == tmp_path
