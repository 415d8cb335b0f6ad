"""`advisor compare`: two plans side by side."""

import os
import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.cli.documents import load_plan_or_document
from advisor.cli.options import emit, hub_option, json_option, knowledge_option, output_option, text_width
from advisor.errors import DocumentError

if TYPE_CHECKING:
    from advisor.plan.plan import Plan


@click.command()
@click.argument("file_a", metavar="A")
@click.argument("file_b", metavar="B")
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option("--facts", is_flag=True, help="Also every value of the catalogue and the layout that differs.")
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="The day prices are reckoned from, if a document names none.")
@hub_option
@knowledge_option
@output_option
def compare(
    file_a: str,
    file_b: str,
    as_json: bool,
    as_markdown: bool,
    facts: bool,
    today: datetime | None,
    hub: bool,
    knowledge: Path | None,
    output: Path | None,
) -> None:
    """Set the plans of A and B side by side: what differs, how sure that is, and what brought it about.

    A and B are workload documents, or plans kept with `advisor plan FILE --json -o PLAN`; one of them may be "-". A kept plan
    beside its document shows what newer knowledge or prices change. Exit code 0: compared; 2: bad input.

    \b
    Example: advisor compare examples/assistant.yaml examples/assistant-8b.yaml
    """
    from advisor.plan.comparing import compare as compare_plans

    if file_a == file_b == "-":
        raise DocumentError("both plans cannot come from standard input", hint="name a file for one of them")
    day = today.date() if today else None
    compared = compare_plans(*(_plan(file, day, hub=hub, knowledge=knowledge) for file in (file_a, file_b)))
    if as_json:
        text = compared.model_dump_json(indent=2, exclude_none=True)
    elif as_markdown:
        from advisor.report.markdown import comparison_markdown

        text = comparison_markdown(compared)
    else:
        from advisor.report.text import comparison_text

        colour = output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        text = comparison_text(compared, width=text_width(), facts=facts, colour=colour)
    emit(text, output)


def _plan(file: str, today: date | None, *, hub: bool, knowledge: Path | None) -> "Plan":
    """The plan that a file holds, or that its document makes."""
    from advisor.plan.plan import Plan

    given = load_plan_or_document(file)
    if isinstance(given, Plan):
        return given
    from advisor.library import open_library
    from advisor.plan.making import make_plan
    from advisor.plan.models import Access

    return make_plan(given, open_library(knowledge), today=today, access=Access(hub=hub))
