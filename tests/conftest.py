"""What all tests share: one library in a temporary cache, and no look at the user's own folders."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.library import Library, open_library

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache and a configuration folder for the whole run, also for the commands that tests start."""
    base = tmp_path_factory.getbasetemp().parent if os.environ.get("PYTEST_XDIST_WORKER") else tmp_path_factory.getbasetemp()
    kept = {name: os.environ.get(name) for name in ("ADVISOR_CACHE", "ADVISOR_CONFIG", "ADVISOR_KNOWLEDGE")}
    os.environ["ADVISOR_CACHE"] = str(base / "advisor-cache")
    os.environ["ADVISOR_CONFIG"] = str(base / "advisor-config")
    os.environ.pop("ADVISOR_KNOWLEDGE", None)
    yield
    for name, value in kept.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture(scope="session")
def library(own_folders: None) -> Library:
    """The shipped library."""
    return open_library()


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT
