"""`advisor schema`: what documents may hold, and what plans do."""

import json

import click

from advisor.cli.options import json_option


@click.command()
@click.argument("what", type=click.Choice(["plan", "document", "validation"]), default="plan")
@json_option
def schema(what: str, as_json: bool) -> None:
    """Print the JSON schema of a plan (default), of a workload document, or of a validation.

    \b
    Example: advisor schema document > workload.schema.json
    """
    if what == "plan":
        from advisor.plan.plan import plan_schema

        body = plan_schema()
    elif what == "document":
        from advisor.workload.writing import document_schema

        body = document_schema()
    else:
        from advisor.evidence.scores import Validation

        body = Validation.model_json_schema()
    click.echo(json.dumps(body, indent=2, ensure_ascii=False))
