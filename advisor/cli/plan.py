"""`advisor plan`: a workload document to a plan."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Literal

import click

from advisor.cli.documents import load_document
from advisor.cli.exits import Exit
from advisor.cli.options import emit, hub_option, json_option, knowledge_option, output_option, text_width


@click.command()
@click.argument("file")
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option("--notes", is_flag=True, help="Also the notes, with why and sources.")
@click.option("--limits", is_flag=True, help="Also every limit and how many candidates it refused.")
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="The day prices are reckoned from, if the document names none.")
@click.option(
    "--simulate",
    type=click.Choice(["poisson", "bursty", "trace"]),
    help="Also simulate the recommended configuration under such arrivals; trace: those of the document's trace.",
)
@click.option(
    "--second-opinion",
    is_flag=True,
    help="Also another tool's figures; takes seconds and the extra 'peers'.",
)
@click.option(
    "--keep", "kept_name", metavar="NAME", help="Also keep the plan under NAME; a name that is there gets a new version."
)
@hub_option
@knowledge_option
@output_option
@click.pass_context
def plan(
    context: click.Context,
    file: str,
    as_json: bool,
    as_markdown: bool,
    notes: bool,
    limits: bool,
    today: datetime | None,
    simulate: Literal["poisson", "bursty", "trace"] | None,
    second_opinion: bool,
    kept_name: str | None,
    hub: bool,
    knowledge: Path | None,
    output: Path | None,
) -> None:
    """Size the workloads of FILE ("-" reads standard input) and recommend what carries them.

    Exit code 0: a plan; 1: nothing meets the limits; 2: bad input.

    \b
    Example: advisor plan examples/assistant.yaml --notes
    """
    from advisor.cli.progress import progress
    from advisor.library import open_library
    from advisor.plan.further import Further
    from advisor.plan.making import make_plan
    from advisor.plan.models import Access

    document = load_document(file)
    with progress("simulating", show=simulate is not None) as told:
        made = make_plan(
            document,
            open_library(knowledge),
            today=today.date() if today else None,
            access=Access(hub=hub),
            further=Further(simulate=simulate, second_opinion=second_opinion, progress=told),
        )
    if kept_name is not None:
        from advisor.cli.keeping import keep_plan

        keep_plan(kept_name, document, made)
    if as_json:
        text = made.model_dump_json(indent=2, exclude_none=True)
    elif as_markdown:
        from advisor.report.markdown import plan_markdown

        text = plan_markdown(made, notes=True)
    else:
        from advisor.report.text import plan_text

        colour = output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        text = plan_text(made, width=text_width(), notes=notes, facts=limits, colour=colour)
    emit(text, output)
    context.exit(Exit.done if made.meets_limits else Exit.nothing_fits)
