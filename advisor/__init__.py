"""Planning AI infrastructure by rules and formulas: every number with its equation, its inputs and its sources."""

__version__ = "0.1.0"
