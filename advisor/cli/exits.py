"""Exit codes of the commands."""

from enum import IntEnum


class Exit(IntEnum):
    """0 done, 1 nothing meets the limits (a plan) or an error was found (a check), 2 bad input, 70 a fault of the advisor itself."""

    done = 0
    nothing_fits = 1
    bad_input = 2
    failed = 70
