"""When a fact may be called absent: only after every rule that could set it has had its turn."""

from collections.abc import Sequence

from advisor.conditions import Condition
from advisor.errors import KnowledgeError
from advisor.reasoning.rule import AnyOf, Rule


def absence_order(rules: Sequence[Rule]) -> tuple[tuple[str, ...], ...]:
    """The facts that rules ask to be unknown, in the order in which their absence may be stated.

    The first group is stated with the given facts, since no rule sets them; each further group when nothing new follows any
    more. Raises KnowledgeError where a rule sets what some rule it depends on takes to be absent.
    """
    settable = {name for rule in rules for name in rule.sets}
    asked = dict.fromkeys(name for rule in rules for name in _asked_absent(rule))
    level = dict.fromkeys(settable, 1)
    changed = True
    while changed:
        changed = False
        for rule in rules:
            absent = set(_asked_absent(rule))
            needed = max((level[name] + (name in absent) for name in rule.facts if name in settable), default=1)
            for name in rule.sets:
                if level[name] < needed:
                    if needed > len(settable) + 1:
                        raise KnowledgeError(
                            f"it sets {name}, and depends on {name} being unknown",
                            where=rule.id,
                            hint="leave out the line: what a person answered wins over what a rule sets",
                        )
                    level[name] = needed
                    changed = True
    groups = max((level[name] for name in asked if name in settable), default=0) + 1
    order: list[list[str]] = [[] for _ in range(groups)]
    for name in asked:
        order[level[name] if name in settable else 0].append(name)
    return tuple(tuple(group) for group in order)


def _asked_absent(rule: Rule) -> list[str]:
    conditions: list[Condition] = []
    for line in rule.when:
        conditions.extend(line.any if isinstance(line, AnyOf) else (line,))
    return [each.fact for each in conditions if each.operator == "is" and each.value == "unknown"]
