"""Values as rules compare them: numbers, words and flags, checked before the engine, which compares anything with anything."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from advisor.conditions import Condition
from advisor.errors import InputError, KnowledgeError
from advisor.facts import FactDeclaration, FactValue
from advisor.reasoning.rule import AnyOf, Rule

Kind = Literal["number", "word", "flag"]
_WORDS: dict[Kind, str] = {"number": "a number", "word": "a word", "flag": "true or false"}


def kinds_of_facts(rules: Iterable[Rule], declarations: Mapping[str, FactDeclaration]) -> dict[str, Kind]:
    """The kind of each fact, as declared, and of undeclared facts as the rules compare them with constants.

    Raises KnowledgeError where a rule disagrees with the declaration or with another rule.
    """
    found: dict[str, tuple[Kind, str]] = {
        name: (_kind_declared(declared), "its declaration") for name, declared in declarations.items()
    }
    for rule in rules:
        for each in rule.when:
            for condition in each.any if isinstance(each, AnyOf) else (each,):
                for value in _constants(condition):
                    kind, earlier = found.setdefault(condition.fact, (kind_of(value), rule.id))
                    if kind != kind_of(value):
                        raise KnowledgeError(
                            f"{condition.fact} is {_WORDS[kind_of(value)]} here and {_WORDS[kind]} in {earlier}", where=rule.id
                        )
    return {name: kind for name, (kind, _) in found.items()}


def checked(facts: Mapping[str, Any], kinds: Mapping[str, Kind]) -> dict[str, FactValue]:
    """The facts as plain floats, words and flags. Raises InputError for a value of another kind than its fact's."""
    values: dict[str, FactValue] = {}
    for name, given in facts.items():
        value = _plain(name, given)
        expected = kinds.get(name)
        if expected is not None and kind_of(value) != expected:
            shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
            raise InputError(f"{shown} is given; expected {_WORDS[expected]}", where=name)
        values[name] = value
    return values


def kind_of(value: FactValue) -> Kind:
    """Whether a value is a number, a word or a flag."""
    return "flag" if isinstance(value, bool) else "word" if isinstance(value, str) else "number"


def _constants(condition: Condition) -> tuple[FactValue, ...]:
    if condition.operator == "is" or condition.other is not None or condition.value is None:
        return ()
    return condition.value if isinstance(condition.value, tuple) else (condition.value,)


def _kind_declared(declared: FactDeclaration) -> Kind:
    return "number" if declared.kind == "quantity" else "flag" if declared.kind == "flag" else "word"


def _plain(name: str, given: Any) -> FactValue:
    if isinstance(given, str):
        return str(given)
    # NumPy's scalars know how to become Python's.
    value = given.item() if hasattr(given, "item") else given
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        if math.isnan(value):
            raise InputError("it is not a number", where=name, hint="leave out a fact that is not known")
        # A negative zero becomes zero, because the engine joins equal numbers by their bits.
        return float(value) + 0.0
    raise InputError(f"{value!r} is neither a number, a word, true nor false", where=name)
