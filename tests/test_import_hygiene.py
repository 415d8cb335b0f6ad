"""The core starts quickly because heavy libraries are reached from one place each, and only when they are needed."""

import subprocess
import sys

import pytest

HEAVY = ("textual", "fastapi", "uvicorn", "durable", "sqlite_utils", "huggingface_hub", "pandas", "torch", "rich")


@pytest.mark.parametrize(
    "module",
    ["advisor", "advisor.library", "advisor.plan.making", "advisor.sizing.size", "advisor.evidence.memory", "advisor.cli.main"],
)
def test_nothing_heavy_is_imported(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ""
