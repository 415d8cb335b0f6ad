"""`advisor rules`: the rules, or one with its examples and sources."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.cli.options import emit, json_option, knowledge_option, output_option
from advisor.errors import InputError
from advisor.reasoning.rule import Rule
from advisor.report.entries import rule_card

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
    emit(rule_card(found[0]), output)


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
