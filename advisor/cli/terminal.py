"""Opening the guided terminal: what `advisor` without a command does."""

import sys

from advisor.errors import InputError


def open_terminal() -> None:
    """Open the guided terminal until it is left. Raises InputError where input or output is no terminal."""
    # The screen is drawn on standard error, so that one counts as much as the other two.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise InputError(
            "the guided questions need a terminal, and input or output is none",
            hint="plan a workload document with: advisor plan FILE (advisor --help lists every command)",
        )
    from advisor.library import open_library
    from advisor_tui.app import AdvisorApp

    app = AdvisorApp(open_library())
    app.run()
    if app.return_code:
        sys.exit(app.return_code)
