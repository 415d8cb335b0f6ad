"""How quickly the terminal answers: from start to the first question, and from a key to the updated plan.

    python bench/bench_tui.py

The first is measured from the start of a process to the first question on a real pseudo-terminal; the second over a scripted
interview, from the press of enter to the message that shows the plan. Exit code 1 where a limit is missed.
"""

import asyncio
import os
import pty
import select
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STARTS = 5
START_LIMIT, MEDIAN_LIMIT, P95_LIMIT = 0.7, 0.050, 0.120
FIRST = ("realtime-inference", "llama-3.1-70b")
# Answers one after another, and then changes of answers, as somebody tries them.
SAID = ("2000", "20 %", "6", "4k", "500", "2 s", "50 ms", "99.9 %", "bf16", "vllm", "h100 sxm, h200 sxm", "16")
CHANGED = (("people", "3000"), ("input_tokens", "2k"), ("token_target", "40 ms"), ("people", "1500"), ("output_tokens", "800"))


def started() -> float:
    """Seconds from the start of the process to the first question."""
    terminal, inside = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tui")))}
    command = [sys.executable, "-c", "from advisor.cli.main import main; main()"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside, env=environment, start_new_session=True)
    os.close(inside)
    seen = b""
    try:
        while b"What is it to do?" not in seen:
            if not select.select([terminal], [], [], 30)[0]:
                raise SystemExit("no question appeared within 30 seconds")
            seen += os.read(terminal, 65536)
        return time.perf_counter() - begin
    finally:
        process.kill()
        process.wait()
        with suppress(OSError):
            os.close(terminal)


async def answered() -> list[float]:
    """Seconds from each answer to the plan that shows it."""
    from advisor.library import open_library
    from advisor_tui.app import AdvisorApp
    from advisor_tui.messages import Answered

    app = AdvisorApp(open_library(), today=date(2026, 11, 30))
    taken = []
    async with app.run_test(size=(120, 40)) as pilot:

        async def plan_of(text: str) -> float:
            shown = asyncio.Event()
            guided = app.guided
            guided.plan_changed.subscribe(guided, lambda _: shown.set())
            begin = time.perf_counter()
            guided.post_message(Answered(text))
            await asyncio.wait_for(shown.wait(), 30)
            guided.plan_changed.unsubscribe(guided)
            return time.perf_counter() - begin

        app.guided.post_message(Answered(FIRST[0]))
        await pilot.pause()
        await plan_of(FIRST[1])  # the first plan reads what every plan needs
        for text in SAID:
            taken.append(await plan_of(text))
            await pilot.pause()
        for fact, text in CHANGED:
            app.guided.interview = app.guided.interview.at(fact)
            taken.append(await plan_of(text))
            await pilot.pause()
    return taken


def main() -> int:
    started()  # the first start compiles the knowledge
    start = min(started() for _ in range(STARTS))
    taken = sorted(asyncio.run(answered()))
    median, p95 = statistics.median(taken), taken[min(len(taken) - 1, int(0.95 * len(taken)))]
    rows = (
        ("start to first question", start, START_LIMIT),
        ("answer to plan, median", median, MEDIAN_LIMIT),
        ("P95", p95, P95_LIMIT),
    )
    missed = False
    for name, value, limit in rows:
        missed |= value > limit
        sys.stdout.write(
            f"{name:26}{1000 * value:7.0f} ms   limit {1000 * limit:4.0f} ms{'   MISSED' if value > limit else ''}\n"
        )
    return int(missed)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tui")]
    sys.exit(main())
