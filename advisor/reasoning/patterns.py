"""Rules written as the engine's patterns: plain dictionaries, one pattern a fact, within what the engine can hold.

A fact goes in as {name, value, known: true}, and a fact that is asked for and absent as {name, known: false}. Every pattern
but that of an absence requires `known: true`, because joining a fact that has no value is an error to the engine.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from advisor.conditions import Condition
from advisor.errors import KnowledgeError
from advisor.reasoning.rule import MOST_FACTS, AnyOf, Rule

Pattern = dict[str, Any]

MOST_ALTERNATIVES = 64

# Limits of one ruleset, kept well below what was seen to end the process or never to return: 256 rules on one pattern, 509
# names, and 64 conditions on one fact that hold at once.
RULES_A_SET = 240
NAMES_A_SET = 400
CONDITIONS_A_FACT = 55

_OPERATORS = {"<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte", "!=": "$neq"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way in which a rule can fire: conditions that must all hold, as patterns.

    facts: the names they read. needs: those of them that must have a value.
    """

    rule: Rule
    facts: tuple[str, ...]
    needs: frozenset[str]
    patterns: tuple[Pattern, ...]
    conditions: Mapping[str, frozenset[str]]


def alternatives(rule: Rule) -> tuple[Alternative, ...]:
    """A rule with its `any` groups multiplied out, since the engine fires a group once for every member that holds.

    Raises KnowledgeError where the engine could not hold it, or would compare what cannot be compared.
    """
    groups = [line.any if isinstance(line, AnyOf) else (line,) for line in rule.when]
    count = 1
    for group in groups:
        count *= len(group)
    if count > MOST_ALTERNATIVES:
        raise KnowledgeError(
            f"its `any` groups make {count} combinations; at most {MOST_ALTERNATIVES} are possible",
            where=rule.id,
            hint="make several rules of it",
        )
    return tuple(_alternative(rule, chosen) for chosen in product(*groups))


def _alternative(rule: Rule, conditions: tuple[Condition, ...]) -> Alternative:
    names = tuple(dict.fromkeys(name for each in conditions for name in each.facts))
    if len(names) > MOST_FACTS:
        raise KnowledgeError(
            f"it reads {len(names)} facts at once; at most {MOST_FACTS} are possible",
            where=rule.id,
            hint="make a formula of what belongs together, or two rules",
        )
    known: dict[str, bool] = {}
    alone: dict[str, list[Pattern]] = {name: [] for name in names}
    joined: dict[str, list[Pattern]] = {name: [] for name in names}
    read: dict[str, set[str]] = {name: set() for name in names}
    for each in conditions:
        _add(each, rule, names, known, alone, joined)
        for name in each.facts:
            read[name].update(
                (each.text, *(str(value) for value in each.value)) if isinstance(each.value, tuple) else (each.text,)
            )
    # Constants stand before joins, so that the engine filters before it joins.
    patterns = tuple(
        {_alias(names, name): {"$and": [{"name": name}, {"known": known.get(name, True)}, *alone[name], *joined[name]]}}
        for name in names
    )
    needs = frozenset(name for name in names if known.get(name, True))
    return Alternative(rule, names, needs, patterns, {name: frozenset(texts) for name, texts in read.items()})


def _add(
    each: Condition,
    rule: Rule,
    names: tuple[str, ...],
    known: dict[str, bool],
    alone: dict[str, list[Pattern]],
    joined: dict[str, list[Pattern]],
) -> None:
    if each.operator == "is":
        required = each.value == "known"
    else:
        required = True
    for name in each.facts:
        if known.setdefault(name, required) != required:
            raise KnowledgeError(f"{name} is to be absent and to have a value at once, so it never fires", where=rule.id)
    if each.operator == "is":
        return
    if each.other is not None:
        if each.other == each.fact:
            raise KnowledgeError(f'"{each.text}" compares a fact with itself', where=rule.id)
        earlier, later = sorted((each.fact, each.other), key=names.index)
        operator = each.operator if later == each.fact else _MIRRORED[each.operator]
        joined[later].append(_compared(operator, {_alias(names, earlier): "value"}))
    elif isinstance(each.value, tuple):
        if len(each.value) > CONDITIONS_A_FACT:
            raise KnowledgeError(
                f"{each.fact} has {len(each.value)} choices in one line; at most {CONDITIONS_A_FACT} are possible", where=rule.id
            )
        choices = [{"value": value} for value in dict.fromkeys(each.value)]
        alone[each.fact].append(choices[0] if len(choices) == 1 else {"$or": choices})
    else:
        if isinstance(each.value, bool | str) and each.operator not in ("==", "!="):
            raise KnowledgeError(f'"{each.text}": words and flags are compared with == and != only', where=rule.id)
        alone[each.fact].append(_compared(each.operator, each.value))


def _compared(operator: str, right: Any) -> Pattern:
    return {"value": right} if operator == "==" else {_OPERATORS[operator]: {"value": right}}


def _alias(names: tuple[str, ...], name: str) -> str:
    return f"f{names.index(name)}"


def sets_of(found: Iterable[Alternative]) -> Iterator[tuple[Alternative, ...]]:
    """The alternatives in as few rulesets as the engine's limits allow, in their order."""
    chosen: list[Alternative] = []
    read: dict[str, set[str]] = {}
    for each in found:
        merged = {name: read.get(name, set()) | texts for name, texts in each.conditions.items()}
        full = (
            len(chosen) == RULES_A_SET
            or len(read.keys() | merged.keys()) > NAMES_A_SET
            or any(len(texts) > CONDITIONS_A_FACT for texts in merged.values())
        )
        if chosen and full:
            yield tuple(chosen)
            chosen, read = [], {}
            merged = {name: set(texts) for name, texts in each.conditions.items()}
        chosen.append(each)
        read |= merged
    if chosen:
        yield tuple(chosen)
