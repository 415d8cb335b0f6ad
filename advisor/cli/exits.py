"""Exit codes of the commands."""

from enum import IntEnum


class Exit(IntEnum):
    """0 done; 1 nothing meets the limits (a plan) or an error was found (a check); 2 bad input; 70 the advisor itself failed."""

    done = 0
    nothing_fits = 1
    bad_input = 2
    failed = 70
