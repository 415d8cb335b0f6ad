"""What all tests share: one library in a temporary cache, and no look at the user's own folders."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from advisor.library import Library, open_library

ROOT = Path(__file__).resolve().parents[1]

# The same examples on every run, so that a change is judged by itself; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("explore", max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


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
