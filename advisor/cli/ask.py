"""`advisor ask`: a question in plain words, or a conversation."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from advisor.cli.exits import Exit
from advisor.cli.options import emit, json_option, knowledge_option, output_option, remark

if TYPE_CHECKING:
    from advisor.chat.dialogue import Dialogue
    from advisor.chat.records import Reply

_ENDS = {"", "exit", "quit", "bye"}


@click.command()
@click.argument("text", nargs=-1)
@click.option("--case", type=click.Path(path_type=Path), help="Play a conversation with a right answer, and judge it.")
@json_option
@knowledge_option
@output_option
@click.pass_context
def ask(
    context: click.Context, text: tuple[str, ...], case: Path | None, as_json: bool, knowledge: Path | None, output: Path | None
) -> None:
    """Answer a question in plain words; without TEXT, talk until an empty line ("-" reads the question from standard input).

    Every sentence names the entry it comes from; numbers come from the sizing core. With --case, exit code 0: everything the
    case expects holds; 1: something does not.

    \b
    Example: advisor ask "does llama 3.1 70b in bf16 fit on two H100 80 GB?"
    """
    if case is not None:
        context.exit(_judged(case, knowledge, as_json=as_json, output=output))
    question = sys.stdin.read(20_000) if text == ("-",) else " ".join(text)
    if question.strip():
        emit(_shown(_dialogue(knowledge).say(question), as_json=as_json), output)
        return
    _talk(knowledge, as_json=as_json, output=output)


def _dialogue(knowledge: Path | None) -> "Dialogue":
    from advisor.chat.dialogue import Dialogue
    from advisor.library import open_library

    return Dialogue(open_library(knowledge))


def _talk(knowledge: Path | None, *, as_json: bool, output: Path | None) -> None:
    """Turn by turn from the terminal or a pipe, one line each, until an empty one."""
    interactive = sys.stdin.isatty()
    if interactive:
        remark("Ask in plain words; an empty line ends.")
    said = []
    dialogue: Dialogue | None = None  # made when there is something to answer, so that the first prompt does not wait
    while True:
        if interactive:
            click.echo("> ", nl=False, err=True)
        line = sys.stdin.readline()
        if line.strip().lower() in _ENDS:
            break
        dialogue = dialogue or _dialogue(knowledge)
        shown = _shown(dialogue.say(line.strip()), as_json=as_json, line=True)
        if output is None:
            emit(shown, None)
        said.append(shown)
    if output is not None:
        emit("\n".join(said), output)


def _shown(reply: "Reply", *, as_json: bool, line: bool = False) -> str:
    if as_json:
        return json.dumps(reply.model_dump(mode="json", exclude_none=True), indent=None if line else 2, ensure_ascii=False)
    return reply.text


def _judged(case: Path, knowledge: Path | None, *, as_json: bool, output: Path | None) -> int:
    from advisor.chat.judging import as_data, judge, read_case, summary
    from advisor.library import open_library

    judged = judge(read_case(case), open_library(knowledge))
    if as_json:
        emit(json.dumps(as_data(judged), indent=2, ensure_ascii=False), output)
    else:
        emit(f"{judged.reply.text}\n\n{summary([judged])}", output)
    return Exit.done if judged.passed else Exit.nothing_fits
