"""Opening the guided terminal: what `advisor` without a command does."""

import sys

from advisor.errors import InputError


def open_terminal() -> None:
    """Open the guided terminal until it is left. Raises InputError where standard input or output is no terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            "the guided questions need a terminal, and standard input or output is none",
            hint="plan a workload document with: advisor plan FILE (advisor --help lists every command)",
        )
    from advisor.library import open_library
    from advisor_tui.app import AdvisorApp

    AdvisorApp(open_library()).run()
