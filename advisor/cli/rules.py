"""`advisor rules`: the rules, or one with its examples and sources."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.cli.options import emit, json_option, knowledge_option, output_option
from advisor.conditions import Condition
from advisor.errors import InputError
from advisor.facts import FactValue
from advisor.reasoning.rule import AnyOf, Example, Rule
from advisor.units import number

if TYPE_CHECKING:
    from advisor.library import Library


@click.command()
@click.argument("rule", required=False)
@click.option("--coverage", is_flag=True, help="What carries each statement of the planning guides.")
@json_option
@knowledge_option
@output_option
def rules(rule: str | None, coverage: bool, as_json: bool, knowledge: Path | None, output: Path | None) -> None:
    """List the rules, or show RULE with its conditions, advice, examples and sources.

    \b
    Example: advisor rules PAR-002
             advisor rules --coverage
    """
    from advisor.library import open_library

    library = open_library(knowledge)
    if coverage:
        if rule is not None:
            raise InputError("RULE and --coverage are both given", hint="name a rule, or ask for the coverage of the guides")
        emit(_coverage(library, as_json), output)
        return
    found = library.all(Rule) if rule is None else (library.get(Rule, rule.upper()),)
    if as_json:
        emit(
            json.dumps(
                [each.model_dump(mode="json", exclude_none=True, by_alias=True) for each in found], indent=2, ensure_ascii=False
            ),
            output,
        )
        return
    if rule is None:
        emit("\n".join(f"{each.id:10}{each.severity:9}{each.phase:8}{each.title}" for each in found), output)
        return
    emit(_card(found[0]), output)


def _coverage(library: "Library", as_json: bool) -> str:
    """Each statement with its carriers, and below them what is missing."""
    from advisor.report.guidance_coverage import coverage, lacking

    rows = coverage(library)
    if as_json:
        return json.dumps([{"id": row.id, "carriers": list(row.carriers)} for row in rows], indent=2, ensure_ascii=False)
    lines = []
    for row in rows:
        lines += [f"{row.id}  {row.statement}", f"      {', '.join(row.carriers) or 'nothing'}"]
    missing = list(lacking(library))
    carried = len({row.id for row in rows if row.carriers})
    return "\n".join([*lines, "", f"{carried} of {len(rows)} statements are carried", *missing])


def _card(rule: Rule) -> str:
    """A rule as its file says it, a line each."""
    lines = [f"{rule.id}  {rule.title}", f"severity  {rule.severity}", f"phase     {rule.phase}"]
    if rule.code:
        lines.append(f"code      {rule.code}")
    if rule.cause:
        lines.append(f"cause     {rule.cause}")
    if rule.subject:
        lines.append(f"for       each {rule.subject}")
    lines += _labelled("when", (_condition(each) for each in rule.when))
    lines += _labelled("sets", (f"{name}: {_value(value)}" for name, value in rule.sets.items()))
    lines += [f"advice    {rule.advice}"] if rule.advice else []
    lines.append(f"because   {rule.because}")
    lines += [f"source    {source}" for source in rule.sources]
    lines += _labelled("fires", (_facts(each) for each in rule.examples.fires))
    lines += _labelled("silent", (_facts(each) for each in rule.examples.silent))
    return "\n".join(lines)


def _labelled(label: str, texts: Iterable[str]) -> list[str]:
    return [f"{'' if position else label:10}{text}" for position, text in enumerate(texts)]


def _condition(line: Condition | AnyOf) -> str:
    """A condition as written; every line of `when` must hold, of alternatives one."""
    return line.text if isinstance(line, Condition) else "any of: " + "; ".join(each.text for each in line.any)


def _facts(example: Example) -> str:
    return ", ".join(f"{name}: {_value(value)}" for name, value in example.items()) or "nothing known"


def _value(value: FactValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else number(value, 15)
