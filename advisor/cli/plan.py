"""`advisor plan`: a workload document to a plan."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal

import click

from advisor.cli.documents import load_document, load_estate
from advisor.cli.exits import Exit
from advisor.cli.options import emit, hub_option, json_option, knowledge_option, output_option, text_width


@click.command()
@click.argument("file")
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option("--html", "as_html", is_flag=True, help="Print one web page that needs nothing else, with charts and equations.")
@click.option("--pdf", type=click.Path(path_type=Path), help="Also write that page to FILE as a PDF (optional part pdf).")
@click.option("--csv", "csv_folder", type=click.Path(path_type=Path), help="Also write every table to FOLDER as CSV.")
@click.option("--xlsx", type=click.Path(path_type=Path), help="Also write every table to FILE as a workbook.")
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
    "--previous",
    type=click.Path(path_type=Path),
    help="A plan of several workloads kept with --json; as much of it as can be is kept.",
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
    as_html: bool,
    pdf: Path | None,
    csv_folder: Path | None,
    xlsx: Path | None,
    notes: bool,
    limits: bool,
    today: datetime | None,
    simulate: Literal["poisson", "bursty", "trace"] | None,
    second_opinion: bool,
    previous: Path | None,
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
    before = load_estate(previous) if previous is not None else None
    several = len(document.workloads) > 1
    library = open_library(knowledge)
    with (
        _uncollected(several),
        progress("planning", show=several) as planned,
        progress("simulating", show=simulate is not None) as told,
    ):
        made = make_plan(
            document,
            library,
            today=today.date() if today else None,
            access=Access(hub=hub),
            further=Further(simulate=simulate, second_opinion=second_opinion, progress=told, planning=planned, previous=before),
        )
    if kept_name is not None:
        from advisor.cli.keeping import keep_plan

        keep_plan(kept_name, document, made)
    if csv_folder is not None or xlsx is not None:
        from advisor.report.tables import write_csv, write_workbook

        if csv_folder is not None:
            write_csv(made, library, csv_folder)
        if xlsx is not None:
            write_workbook(made, library, xlsx)
    page = ""
    if as_html or pdf is not None:
        from advisor.report.html import plan_html

        page = plan_html(made, library)
        if pdf is not None:
            from advisor.report.pdf import write_pdf

            write_pdf(page, pdf)
    if as_json:
        text = made.model_dump_json(indent=2, exclude_none=True)
    elif as_html:
        text = page
    elif as_markdown:
        from advisor.report.markdown import plan_markdown

        text = plan_markdown(made, notes=True)
    else:
        from advisor.report.text import plan_text

        colour = output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        text = plan_text(made, width=text_width(), notes=notes, facts=limits, colour=colour)
    emit(text, output)
    context.exit(Exit.done if made.meets_limits else Exit.nothing_fits)


@contextmanager
def _uncollected(several: bool) -> Iterator[None]:
    """Nothing that hundreds of plans hold is garbage while they are made, and looking for it takes a quarter of the time."""
    if several:
        gc.disable()
    try:
        yield
    finally:
        gc.enable()
