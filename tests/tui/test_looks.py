"""How the main screens look: drawings kept in `looks`, at three sizes and in two themes.

The plan drawn is a kept one, so that new knowledge changes no drawing. After a wanted change of looks run with
ADVISOR_ACCEPT_LOOKS=1, look at the files, and commit them.
"""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from advisor.plan.plan import Plan
from advisor_tui.messages import PlanMade

HERE = Path(__file__).parent
SCREENS = {
    "plan": ("f3",),
    "charts": ("f3", "ctrl+n"),
    "instead": ("f3", "ctrl+o"),
}
SIZES = ((80, 24), (120, 40), (200, 60))
# Each drawing names its classes after itself.
_OWN_NAME = re.compile(r"terminal-(\d+-)?")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_main_screens_look_as_they_were_accepted(opened: Any, size: tuple[int, int], theme: str) -> None:
    plan = Plan.model_validate_json((HERE / "data" / "plan.json").read_text(encoding="utf-8"))
    changed = []
    async with opened(size) as terminal:
        terminal.app.theme = f"textual-{theme}"
        terminal.app.animation_level = "none"
        terminal.screen.post_message(PlanMade(terminal.screen.revision, plan))
        await terminal.settle()
        for name, keys in SCREENS.items():
            await terminal.press("f2", *keys)
            drawing = _OWN_NAME.sub("terminal-", terminal.app.export_screenshot())
            kept = HERE / "looks" / f"{name}-{size[0]}x{size[1]}-{theme}.svg"
            if os.environ.get("ADVISOR_ACCEPT_LOOKS"):
                kept.parent.mkdir(exist_ok=True)
                kept.write_text(drawing, encoding="utf-8")
            elif kept.read_text(encoding="utf-8") != drawing:
                changed.append(kept.name)
    assert not changed
