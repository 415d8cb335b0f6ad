"""The rule engines of this process: rules compiled once per library."""

from advisor.library import Library
from advisor.questionnaire.question import Question, declared_facts
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.rule import Rule

_ENGINES: dict[str, RuleEngine] = {}


def engine_for(library: Library) -> RuleEngine:
    """The engine with a library's rules on plans and the facts its questions declare; made when first asked for."""
    if library.content not in _ENGINES:
        rules = [rule for rule in library.all(Rule) if rule.subject != "quote"]
        _ENGINES[library.content] = RuleEngine(rules, declared_facts(library.all(Question)))
    return _ENGINES[library.content]
