"""Whether rules fit the facts there are: names, kinds, units and allowed values, before any rule is run."""

from collections.abc import Iterable, Iterator, Mapping

from advisor.conditions import Condition
from advisor.errors import AdvisorError, KnowledgeError
from advisor.facts import FactDeclaration, FactValue, did_you_mean
from advisor.reasoning.rule import MOST_FACTS, AnyOf, Rule
from advisor.units import describe

FactsTable = Mapping[str, FactDeclaration]
_COUNTED = ("1", "token", "request", "person")


def check_rules(rules: Iterable[Rule], facts: FactsTable) -> None:
    """Raise KnowledgeError for the first rule that does not fit the declared facts, naming rule and line."""
    for problem in problems(rules, facts):
        raise problem


def problems(rules: Iterable[Rule], facts: FactsTable) -> Iterator[KnowledgeError]:
    """Everything in which the rules do not fit the declared facts, for whoever writes them."""
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            yield KnowledgeError("two rules have this id", where=rule.id, hint="an id is for life: take the next free number")
        seen.add(rule.id)
        yield from _rule_problems(rule, facts)


def _rule_problems(rule: Rule, facts: FactsTable) -> Iterator[KnowledgeError]:
    if len(rule.facts) > MOST_FACTS:
        yield KnowledgeError(
            f"`when` reads {len(rule.facts)} facts; at most {MOST_FACTS} are possible",
            where=rule.id,
            hint="make a formula of what belongs together, or two rules",
        )
    for index, line in enumerate(rule.when):
        alternatives = line.any if isinstance(line, AnyOf) else (line,)
        for position, each in enumerate(alternatives):
            place = f"when[{index}].any[{position}]" if isinstance(line, AnyOf) else f"when[{index}]"
            if problem := _condition_problem(each, facts):
                yield KnowledgeError(problem, where=f"{rule.id}, {place}")
    for name, value in rule.sets.items():
        problem = _unknown(name, facts) or _value_problem(facts[name], value, unit=None)
        if problem:
            yield KnowledgeError(problem, where=f"{rule.id}, sets.{name}")
    for kind, examples in (("fires", rule.examples.fires), ("silent", rule.examples.silent)):
        for index, example in enumerate(examples):
            try:
                read_example(example, facts)
            except AdvisorError as error:
                yield KnowledgeError(error.message, where=f"{rule.id}, examples.{kind}[{index}].{error.where}", hint=error.hint)


def read_example(example: Mapping[str, FactValue], facts: FactsTable) -> dict[str, FactValue]:
    """The facts of an example in base units. Raises KnowledgeError for an unknown name, InputError for a value that is none."""
    values: dict[str, FactValue] = {}
    for name, given in example.items():
        if problem := _unknown(name, facts):
            raise KnowledgeError(problem, where=name)
        values[name] = facts[name].read(given, where=name)
    return values


def _unknown(name: str, facts: FactsTable) -> str | None:
    return None if name in facts else f'unknown fact "{name}"{did_you_mean(name, facts)}'


def _condition_problem(condition: Condition, facts: FactsTable) -> str | None:
    if problem := _unknown(condition.fact, facts):
        return problem
    declared = facts[condition.fact]
    if condition.operator == "is":
        return None
    if condition.operator in ("<", "<=", ">", ">=") and declared.kind != "quantity":
        return f'"{condition.text}": {condition.fact} is a {declared.kind}, which is compared with == and != only'
    if condition.other is not None:
        return _pair_problem(condition, declared, facts)
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    for value in values:
        assert value is not None
        if problem := _value_problem(declared, value, unit=condition.unit):
            return f'"{condition.text}": {problem}'
    return None


def _pair_problem(condition: Condition, declared: FactDeclaration, facts: FactsTable) -> str | None:
    other = str(condition.other)
    if other not in facts:
        if other in declared.choices or (declared.kind in ("choice", "text") and not declared.choices):
            return f'"{condition.text}": "{other}" is no fact; write it in quotes if it is the word'
        return _unknown(other, facts)
    against = facts[other]
    word = ("choice", "text")
    if declared.kind != against.kind and not (declared.kind in word and against.kind in word):
        return f'"{condition.text}": {condition.fact} is a {declared.kind} and {other} a {against.kind}'
    units = {declared.unit or "1", against.unit or "1"}
    # Counts of tokens, requests and people are compared with plain counts; other units are not.
    if len(units) > 1 and not units <= set(_COUNTED):
        return f'"{condition.text}": {condition.fact} is in {declared.unit} and {other} in {against.unit}'
    return None


def _value_problem(declared: FactDeclaration, value: FactValue, *, unit: str | None) -> str | None:
    """What is wrong with a value as a condition or `sets` writes it; `unit` is the base unit it was written in, if any."""
    shown = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value:g}"
    if declared.kind == "quantity":
        if isinstance(value, bool | str):
            return f"{declared.name} is a quantity, and {shown} is not; expected {describe(declared.unit or '1')}"
        wanted = declared.unit or "1"
        if unit is None and wanted not in _COUNTED:
            return f"{shown} has no unit; expected {describe(wanted)}"
        if unit is not None and unit != wanted and not (unit == "1" and wanted in _COUNTED):
            return f"{declared.name} is {describe(wanted)}, not {describe(unit)}"
        return None
    if declared.kind == "flag":
        return None if isinstance(value, bool) else f"{declared.name} is a flag, and {shown} is neither true nor false"
    if not isinstance(value, str):
        return f"{declared.name} is a {declared.kind}, and {shown} is no word"
    if declared.choices and value not in declared.choices:
        near = did_you_mean(value, declared.choices)
        return f"{shown} is not a choice of {declared.name}{near or _among(declared.choices)}"
    return None


def _among(choices: tuple[str, ...]) -> str:
    return f" ({', '.join(choices)})"
