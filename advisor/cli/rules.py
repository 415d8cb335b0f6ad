"""`advisor rules`: the rules, or one with its examples and sources."""

import json
from pathlib import Path

import click

from advisor.cli.options import emit, json_option, knowledge_option, output_option
from advisor.reasoning.rule import Rule
from advisor.report.entries import rule_card


@click.command()
@click.argument("rule", required=False)
@json_option
@knowledge_option
@output_option
def rules(rule: str | None, as_json: bool, knowledge: Path | None, output: Path | None) -> None:
    """List the rules, or show RULE with its conditions, advice, examples and sources.

    \b
    Example: advisor rules PAR-002
    """
    from advisor.library import open_library

    library = open_library(knowledge)
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
