"""`advisor check`: a vendor's quote to findings and a verdict."""

import os
import sys
from datetime import datetime
from pathlib import Path

import click

from advisor.cli.exits import Exit
from advisor.cli.options import emit, json_option, knowledge_option, output_option, text_width


@click.command()
@click.argument("quote")
@click.option("--workload", help="A workload document that says what shall run on it.")
@click.option("--show-reading", is_flag=True, help="Also every line as it was read, and what was not understood.")
@click.option(
    "--save-reading", type=click.Path(path_type=Path), help="Write the reading to FILE as YAML, to correct and check again."
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option("--sarif", "as_sarif", is_flag=True, help="Print SARIF 2.1.0, as code hosts and editors read findings.")
@click.option("--html", "as_html", is_flag=True, help="Print one web page that needs nothing else.")
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="The day that time is reckoned from.")
@json_option
@knowledge_option
@output_option
@click.pass_context
def check(
    context: click.Context,
    quote: str,
    workload: str | None,
    show_reading: bool,
    save_reading: Path | None,
    as_markdown: bool,
    as_sarif: bool,
    as_html: bool,
    today: datetime | None,
    as_json: bool,
    knowledge: Path | None,
    output: Path | None,
) -> None:
    """Read QUOTE as it was received (YAML, JSON, CSV, XLSX, mail text; "-" reads standard input) and say what is wrong with it.

    Exit code 0: no error was found; 1: at least one; 2: bad input.

    \b
    Example: advisor check quote.csv --workload examples/assistant.yaml
    """
    from advisor.cli.documents import load_document
    from advisor.library import open_library
    from advisor.plan.quote_check import check_quote
    from advisor.plan.quote_facts import recogniser_for
    from advisor.quote.reading import LARGEST, quote_content, read_quote

    document = load_document(workload) if workload else None
    content = sys.stdin.buffer.read(LARGEST + 1) if quote == "-" else quote_content(Path(quote))
    library = open_library(knowledge)
    read = read_quote(content, recogniser_for(library), where="standard input" if quote == "-" else Path(quote).name)
    review = check_quote(read, library, workload=document, today=today.date() if today else None)
    if save_reading is not None:
        from advisor.quote.saving import reading_yaml

        emit(reading_yaml(read), save_reading)
    if as_json:
        text = review.model_dump_json(indent=2, exclude_none=True)
    elif as_sarif:
        from advisor.report.sarif import review_sarif

        text = review_sarif(review, "quote" if quote == "-" else quote)
    elif as_html:
        from advisor.report.html import review_html

        text = review_html(review)
    elif as_markdown:
        from advisor.report.review import review_markdown

        text = review_markdown(review, reading=show_reading)
    else:
        from advisor.report.review import review_text

        colour = output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        text = review_text(review, width=text_width(), reading=show_reading, colour=colour)
    emit(text, output)
    context.exit(Exit.nothing_fits if review.verdict == "do-not-buy" else Exit.done)
