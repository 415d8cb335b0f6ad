"""The store: versions, forks, sharing, deletion for real, older and newer files, full disks and several processes."""

import random
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from advisor.errors import DocumentError, InputError, StoreError, UnknownNameError
from advisor.store import Store, open_store
from advisor.store.migrations import MIGRATIONS

SECRET = "secret-figure-4711"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "own" / "kept.sqlite")


def test_versions_tags_and_names(store: Store) -> None:
    assert store.keep("plan", "chat", "1", tags=("draft",), made_with={"code": "0.1"}) == 1
    assert store.keep("plan", " Chat", "2", source="doc", tags=("final",)) == 2
    kept = store.get("CHAT")
    assert [each.body for each in kept.versions] == ["1", "2"]
    assert (kept.tags, kept.latest.source, kept.versions[0].made_with) == (("draft", "final"), "doc", {"code": "0.1"})
    with pytest.raises(InputError, match="already kept as a plan"):
        store.keep("interview", "chat", "{}")
    with pytest.raises(InputError, match="1 to 200"):
        store.keep("plan", "  ", "{}")
    with pytest.raises(UnknownNameError, match="did you mean"):
        store.get("chatt")
    assert [each.name for each in store.listed(tag="final")] == ["chat"]
    assert store.listed(kind="quote") == ()


def test_fork_and_rename(store: Store) -> None:
    store.keep("interview", "a", "1")
    store.keep("interview", "a", "2")
    store.fork("a", "b")
    store.keep("interview", "b", "3")
    assert [each.body for each in store.get("b").versions] == ["2", "3"]
    assert store.get("b").forked_from == "a"
    store.rename("a", "A")
    with pytest.raises(InputError, match="already kept"):
        store.rename("b", "a")
    with pytest.raises(InputError, match="already kept"):
        store.fork("b", "a")


def test_sharing_as_one_file(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to export"):
        store.export()
    store.keep("quote", "offer", "1", tags=("x",))
    store.keep("quote", "offer", "2")
    text = store.export(("offer",))
    with Store(tmp_path / "other" / "kept.sqlite") as other:
        assert other.bring_in(text, "file") == ("offer",)
        assert other.get("offer") == store.get("offer")
        assert other.bring_in(text, "file") == ("offer (2)",)
        with pytest.raises(DocumentError, match="advisor export"):
            other.bring_in('{"advisor_kept": 2}', "file")


def test_private_and_off(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.keep("plan", "a", "1")
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in store.path.parent.iterdir()} == {0o600}
    monkeypatch.setenv("ADVISOR_KEEP", "off")
    with pytest.raises(InputError, match="nothing is kept"):
        open_store(store.path.parent)
    monkeypatch.setenv("ADVISOR_KEEP", "perhaps")
    with pytest.raises(InputError, match="neither on nor off"):
        open_store(store.path.parent)


def test_deleted_for_real(store: Store) -> None:
    store.keep("plan", "other", "kept")
    store.keep("plan", "a", SECRET * 500)
    assert any(SECRET.encode() in file.read_bytes() for file in store.path.parent.iterdir())
    store.delete("a")
    assert not any(SECRET.encode() in file.read_bytes() for file in store.path.parent.iterdir())
    assert [each.name for each in store.listed()] == ["other"]
    with pytest.raises(UnknownNameError):
        store.delete("a")


def test_an_older_store_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    connection = sqlite3.connect(path)
    for statement in MIGRATIONS[0]:
        connection.execute(statement)
    connection.execute("insert into things (kind, name) values ('plan', 'old')")
    connection.execute("insert into versions (thing, number, body, at) values (1, 1, '{}', '2026-01-01T00:00:00+00:00')")
    connection.execute("pragma user_version = 1")
    connection.commit()
    connection.close()
    with Store(path) as store:
        assert (store.get("old").tags, store.get("old").forked_from) == ((), None)
        assert store.keep("plan", "old", "2", tags=("new",)) == 2


def test_a_newer_store_is_refused_and_left_alone(store: Store) -> None:
    store.keep("plan", "a", "1")
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("pragma user_version = 99")
    connection.close()
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match="a newer release wrote it: its layout is 99"):
        Store(store.path)
    assert store.path.read_bytes() == before


def test_a_full_disk_loses_nothing(store: Store) -> None:
    store.keep("plan", "a", "1")
    pages = store._connection.execute("pragma page_count").fetchone()[0]
    store._connection.execute(f"pragma max_page_count = {pages}")
    with pytest.raises(StoreError, match="the disk is full"):
        store.keep("plan", "b", "x" * 100_000)
    assert [each.name for each in store.listed()] == ["a"]
    assert store.whole()


def test_what_is_no_store_or_no_folder(tmp_path: Path) -> None:
    other = tmp_path / "kept.sqlite"
    other.write_text("no database, but long enough to be looked at " * 100)
    with pytest.raises(StoreError, match="not a store"):
        open_store(tmp_path)
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(other)


def test_what_cannot_be_written(store: Store) -> None:
    store.keep("plan", "a", "1")
    store._connection.execute("pragma query_only = on")
    with pytest.raises(StoreError, match="cannot be written"):
        store.keep("plan", "b", "1")
    assert [each.name for each in store.listed()] == ["a"]


def test_every_acknowledged_write_outlasts_a_kill(tmp_path: Path, root: Path) -> None:
    chance = random.Random(3)
    command = [sys.executable, "-m", "bench.store_writer", str(tmp_path)]
    writers = [
        subprocess.Popen([*command, f"w{index}", "0", "1000"], stdout=subprocess.PIPE, text=True, cwd=root) for index in range(2)
    ]
    time.sleep(1.5)
    told = []
    for writer in writers:
        time.sleep(chance.uniform(0, 0.3))
        writer.kill()
        said = writer.communicate()[0]
        told += said[: said.rfind("\n") + 1].split()
    with open_store(tmp_path) as store:
        assert set(told) <= {each.name for each in store.listed()}
        assert store.whole()
