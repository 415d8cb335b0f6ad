"""`advisor explain`: how a number of a plan was made."""

import json
from pathlib import Path

import click

from advisor.cli.documents import load_document
from advisor.cli.options import emit, hub_option, json_option, knowledge_option, output_option


@click.command()
@click.argument("file")
@click.argument("quantity")
@click.option("--workload", "name", help="Which workload, where the document has several.")
@json_option
@hub_option
@knowledge_option
@output_option
def explain(
    file: str, quantity: str, name: str | None, as_json: bool, hub: bool, knowledge: Path | None, output: Path | None
) -> None:
    """Print how QUANTITY of the plan of FILE was made: equation, numbers put in, inputs, sources.

    \b
    Example: advisor explain examples/assistant.yaml "KV cache"
    """
    from advisor.library import open_library
    from advisor.plan.explaining import quantity_named, tree, workload_named
    from advisor.plan.making import make_plan
    from advisor.plan.models import Access

    made = make_plan(load_document(file), open_library(knowledge), access=Access(hub=hub))
    workload = workload_named(made, name)
    wanted = quantity_named(workload, quantity)
    if as_json:
        steps = {step_name: step.model_dump(mode="json", exclude_none=True) for _, step_name, step, _ in tree(workload, wanted)}
        emit(json.dumps({"quantity": wanted, "workload": workload.name, "steps": steps}, indent=2, ensure_ascii=False), output)
        return
    from advisor.report.text import tree_text

    emit(tree_text(workload, wanted), output)
