"""The rule engine of this process: rules compiled once per library, since a durable host starts threads for good."""

from advisor.library import Library
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.rule import Rule

_ENGINES: dict[str, RuleEngine] = {}


def engine_for(library: Library) -> RuleEngine:
    """The engine with a library's rules; made when first asked for."""
    if library.content not in _ENGINES:
        _ENGINES[library.content] = RuleEngine(library.all(Rule))
    return _ENGINES[library.content]
