"""`advisor rules`: the rules, or one with its examples and sources."""

import json
from pathlib import Path

import click

from advisor.cli.options import emit, json_option, knowledge_option, output_option


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
    from advisor.reasoning.rule import Rule

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
    emit(_card(found[0]), output)


def _card(rule: object) -> str:
    from advisor.reasoning.rule import Rule

    assert isinstance(rule, Rule)
    lines = [f"{rule.id}  {rule.title}", f"severity  {rule.severity}", f"phase     {rule.phase}"]
    body = rule.model_dump(mode="json", exclude_none=True, by_alias=True)
    lines += [f"when      {json.dumps(each, ensure_ascii=False)}" for each in body.get("when", [])]
    if body.get("sets"):
        lines.append(f"sets      {json.dumps(body['sets'], ensure_ascii=False)}")
    lines += [f"advice    {body[key]}" for key in ("advice",) if body.get(key)]
    lines += [f"because   {body[key]}" for key in ("because",) if body.get(key)]
    lines += [f"source    {source}" for source in rule.sources]
    lines += [f"examples  {json.dumps(body.get('examples', {}), ensure_ascii=False)}"]
    return "\n".join(lines)
