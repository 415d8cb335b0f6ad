"""One document, one plan, whichever door it comes through."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from advisor.api.app import create_app
from advisor.api.examples import ASSISTANT
from advisor.library import open_library
from advisor_tui.app import AdvisorApp
from advisor_tui.messages import Answered
from advisor_tui.screens.guided import GuidedScreen

DAY = "2026-11-30"
DOCUMENTS: dict[str, dict[str, Any]] = {
    "assistant": ASSISTANT,
    "little said": {"workloads": [{"kind": "realtime-inference", "model": "llama-3.1-8b"}]},
    "people": {
        "workloads": [
            {
                "kind": "rag",
                "model": "qwen2.5-32b-instruct",
                "traffic": {"people": 2000, "active_share": "10 %", "requests_per_active_person_per_hour": 6},
                "targets": {"ttft_mean": "2 s", "tpot_mean": "40 ms"},
                "precision": "fp8",
            }
        ]
    },
    "two workloads": {
        "workloads": [
            {"name": "chat", "kind": "realtime-inference", "model": "llama-3.1-8b", "input_tokens": 4000},
            {
                "name": "notes",
                "kind": "batch-inference",
                "model": {"parameters": "13B"},
                "output_tokens": {"p50": 200, "p95": 900},
            },
        ]
    },
    "nothing fits": {
        "workloads": [
            {"kind": "agent", "model": "llama-3.1-405b", "accelerators": {"only": ["l4"], "max_count": 2}},
        ]
    },
}


def from_the_command(document: dict[str, Any], folder: Path) -> Any:
    file = folder / "document.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    command = [sys.executable, "-c", "from advisor.cli.main import main; main()", "plan", str(file), "--json", "--today", DAY]
    finished = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)
    assert finished.returncode in (0, 1), finished.stderr
    return json.loads(finished.stdout)


def from_the_api(document: dict[str, Any], folder: Path) -> Any:
    answered = TestClient(create_app(open_library())).post("/v1/plans", params={"today": DAY}, json=document)
    assert answered.status_code == 200, answered.text
    return answered.json()


# A door is a function from a document, and a folder to write in, to the plan's JSON as data. The first is compared with the rest.
# The terminal asks rather than reads, so that it is tried below with answers that say what some of the documents say.
DOORS: dict[str, Callable[[dict[str, Any], Path], Any]] = {
    "command": from_the_command,
    "api": from_the_api,
}

ANSWERS: dict[str, dict[str, str]] = {
    "little said": {"kind": "realtime-inference", "model": "llama-3.1-8b"},
    "people": {
        "kind": "rag",
        "model": "qwen2.5-32b-instruct",
        "people": "2,000",
        "active_share": "10 %",
        "requests_per_active_person_per_hour": "6",
        "first_token_target": "2 s",
        "token_target": "40 ms",
        "precision": "fp8",
    },
    "nothing fits": {"kind": "agent", "model": "llama-3.1-405b", "accelerators_only": "l4", "max_count": "2"},
}


async def from_the_screen(answers: dict[str, str]) -> Any:
    """The plan of the guided terminal after all its questions; those without an answer here are not known."""
    app = AdvisorApp(open_library(), today=date.fromisoformat(DAY))
    async with app.run_test() as pilot:
        screen = app.screen
        assert isinstance(screen, GuidedScreen)
        while (asked := screen.interview.current) is not None:
            screen.post_message(Answered(answers.get(asked, "I don't know")))
            await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen.plan is not None
        return json.loads(screen.plan.model_dump_json(exclude_none=True))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_door_gives_the_same_plan(name: str, tmp_path: Path, own_folders: None) -> None:
    first, *others = (make(DOCUMENTS[name], tmp_path) for make in DOORS.values())
    assert first["workloads"]
    for other in others:
        assert other == first


@pytest.mark.parametrize("name", ANSWERS)
async def test_answers_in_the_terminal_give_the_plan_of_the_document(name: str, tmp_path: Path, own_folders: None) -> None:
    assert await from_the_screen(ANSWERS[name]) == from_the_command(DOCUMENTS[name], tmp_path)
