"""A rule: a mistake or a consequence, named and declared in one file, with the conditions under which it holds.

    rules/parallelism/PAR-002-tensor-parallel-across-nodes.yaml

A `design` rule runs before sizing and sets facts that further rules and formulas read; a `check` rule judges a sized
configuration and gives advice.
"""

import re
from collections.abc import Iterable
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from advisor.catalogue.record import Citation, Record
from advisor.conditions import Condition, read_condition
from advisor.facts import FactDeclaration, FactValue

Severity = Literal["error", "warning", "note"]
Phase = Literal["design", "check"]
Subject = Literal["node", "line", "tier", "workload", "quote"]

# A rule with more facts than this does not fit the engine; it is two rules, or a formula.
MOST_FACTS = 16

_FACT_NAME = re.compile(r"^[a-z][a-z0-9_]*$")


class AnyOf(Record):
    """Alternatives, of which one must hold."""

    any: tuple[Annotated[Condition, BeforeValidator(read_condition)], ...] = Field(min_length=2)

    @property
    def facts(self) -> tuple[str, ...]:
        """The names its alternatives read."""
        return tuple(dict.fromkeys(name for each in self.any for name in each.facts))


def _read_line(given: Any) -> Any:
    if isinstance(given, dict) and "any" in given:
        return AnyOf.model_validate(given)
    return read_condition(given)


Line = Annotated[Condition | AnyOf, BeforeValidator(_read_line)]
Example = dict[str, FactValue]


class Examples(Record):
    """Facts with which the rule fires, and with which it must not; quantities may carry their unit ("80 GB")."""

    fires: tuple[Example, ...] = Field(min_length=1)
    silent: tuple[Example, ...] = Field(min_length=1)


class Rule(Record):
    """One rule. Its title names the mistake, its advice the cure, `because` the reason, and `sources` where that is shown.

    id: for life, a family's letters and a number. family: the folder it stands in. code: the finding it reports, where several
    rules of different severity report the same one. cause: shared by rules that see one thing from several sides, of which only
    the worst is told in full. subject (written `for`): what it runs once for each of; none is the configuration as a whole.
    when: every line must hold. sets: facts that a design rule gives (words, flags, plain numbers); an answer of the person's
    wins over them. advice: {fact} is put in with its unit; only facts that `when` compares or requires to be known can be
    named. guidance: ids of the statements of the planning guides that it carries.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    id: str = Field(pattern=r"^[A-Z]{2,5}-\d{3}$")
    title: str = Field(min_length=3)
    family: str = ""
    code: str | None = Field(default=None, pattern=r"^[A-Z][A-Z_]+$")
    cause: str | None = Field(default=None, pattern=r"^[a-z][a-z-]+$")
    severity: Severity = "note"
    phase: Phase
    subject: Subject | None = Field(default=None, alias="for")
    when: tuple[Line, ...] = Field(min_length=1)
    sets: dict[str, FactValue] = Field(default_factory=dict)
    advice: str | None = None
    because: str = Field(min_length=3)
    sources: tuple[Citation, ...] = Field(min_length=1)
    guidance: tuple[str, ...] = ()
    examples: Examples

    @property
    def facts(self) -> tuple[str, ...]:
        """The names its conditions read, in order."""
        return tuple(dict.fromkeys(name for line in self.when for name in line.facts))

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names its advice puts in."""
        return placeholders(self.advice or "")

    @model_validator(mode="after")
    def _whole(self) -> "Rule":
        if self.phase == "check" and (not self.advice or self.sets):
            raise ValueError("a check rule gives advice and sets no fact")
        if self.phase == "design" and not self.sets:
            raise ValueError("a design rule sets at least one fact")
        for name in self.sets:
            if not _FACT_NAME.match(name):
                raise ValueError(f'"{name}" is not the name of a fact: small letters, digits and underscores')
        # The name of a fact that may be absent would leave a hole in the text.
        unsure = [name for name in self.placeholders if name not in _surely_known(self.when)]
        if unsure:
            raise ValueError(
                f"advice names {{{unsure[0]}}}, which `when` neither compares nor requires: add `{unsure[0]} is known`"
            )
        return self


def placeholders(text: str) -> tuple[str, ...]:
    """The fact names in braces in a text. Raises ValueError where braces hold something else."""
    try:
        found = [(name, form, conversion) for _, name, form, conversion in Formatter().parse(text) if name is not None]
    except ValueError as error:
        raise ValueError(f"the advice cannot be read: {error}; write {{{{ and }}}} for plain braces") from None
    for name, form, conversion in found:
        if not _FACT_NAME.match(name) or form or conversion:
            raise ValueError(f"the advice holds {{{name}}}, which is not the name of a fact")
    return tuple(dict.fromkeys(name for name, _, _ in found))


def _surely_known(when: Iterable[Condition | AnyOf]) -> frozenset[str]:
    """Facts that have a value whenever the conditions hold."""
    known: set[str] = set()
    for line in when:
        alternatives = line.any if isinstance(line, AnyOf) else (line,)
        known |= set.intersection(
            *(set() if each.operator == "is" and each.value == "unknown" else set(each.facts) for each in alternatives)
        )
    return frozenset(known)


def declared_by_rules(rules: Iterable[Rule]) -> dict[str, FactDeclaration]:
    """The facts that design rules set, with the kind of the values they set; the words of several rules are the choices."""
    found: dict[str, FactDeclaration] = {}
    for rule in rules:
        for name, value in rule.sets.items():
            earlier = found.get(name)
            if isinstance(value, bool):
                found[name] = FactDeclaration(name=name, kind="flag")
            elif isinstance(value, str):
                choices = (*(earlier.choices if earlier else ()), value)
                found[name] = FactDeclaration(name=name, kind="choice", choices=tuple(dict.fromkeys(choices)))
            else:
                found[name] = FactDeclaration(name=name, kind="quantity", unit="1")
    return found
