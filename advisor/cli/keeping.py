"""`advisor list|show|resume|fork|rename|export|import|delete|refresh`: what a person keeps."""

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from advisor.cli.options import emit, hub_option, json_option, knowledge_option, output_option, remark, text_width
from advisor.errors import DocumentError, InputError
from advisor.store import KeptKind, Version, open_store

if TYPE_CHECKING:
    from advisor.plan.plan import Plan
    from advisor.workload.document import Document


@click.command("list")
@click.option("--kind", type=click.Choice(get_args(KeptKind)), help="Only these.")
@click.option("--tag", help="Only what has this tag.")
@json_option
@output_option
def list_kept(kind: KeptKind | None, tag: str | None, as_json: bool, output: Path | None) -> None:
    """List what is kept, the latest first.

    \b
    Example: advisor list --kind plan
    """
    with open_store() as store:
        found = store.listed(kind=kind, tag=tag)
    if as_json:
        emit(json.dumps([each.model_dump(mode="json") for each in found], indent=2, ensure_ascii=False), output)
        return
    width = max((len(each.name) for each in found), default=0)
    lines = (
        f"{each.kind:<12}  {each.name:<{width}}  version {each.versions}, {each.at[:16].replace('T', ' ')} UTC"
        + (f"  [{', '.join(each.tags)}]" if each.tags else "")
        for each in found
    )
    emit("\n".join(lines) or "Nothing is kept.", output)


@click.command("show")
@click.argument("name")
@click.option("--version", "number", type=click.IntRange(1), help="An earlier version instead of the newest.")
@json_option
@output_option
def show_kept(name: str, number: int | None, as_json: bool, output: Path | None) -> None:
    """Show what is kept as NAME: a plan as its report, the rest as it was kept.

    \b
    Example: advisor show "staff assistant" --version 1
    """
    with open_store() as store:
        kept = store.get(name)
    version = _version(kept.versions, number, name)
    if as_json or kept.kind != "plan":
        emit(version.body, output)
        return
    from advisor.plan.saved import read_saved_plan
    from advisor.report.text import plan_text

    emit(plan_text(read_saved_plan(version.body.encode(), name), width=text_width()), output)


@click.command("resume")
@click.argument("name")
@click.option("--version", "number", type=click.IntRange(1), help="An earlier version instead of the newest.")
@json_option
@output_option
def resume_kept(name: str, number: int | None, as_json: bool, output: Path | None) -> None:
    """Write the document that NAME was made of, to go on with; of an interview or a conversation, its state.

    \b
    Example: advisor resume "staff assistant" -o assistant.yaml
    """
    with open_store() as store:
        kept = store.get(name)
    version = _version(kept.versions, number, name)
    text = version.body if version.source is None else version.source
    _tell({"kind": kept.kind, "name": kept.name, "version": version.number, "text": text}, text, as_json, output)


@click.command("fork")
@click.argument("name")
@click.argument("to")
@json_option
def fork_kept(name: str, to: str, as_json: bool) -> None:
    """Keep the newest version of NAME as TO too.

    \b
    Example: advisor fork "staff assistant" "with a smaller model"
    """
    with open_store() as store:
        store.fork(name, to)
    _tell({"names": [to]}, f'"{name}" is kept as "{to}" too', as_json)


@click.command("rename")
@click.argument("name")
@click.argument("to")
@json_option
def rename_kept(name: str, to: str, as_json: bool) -> None:
    """Keep NAME as TO from now on.

    \b
    Example: advisor rename draft "staff assistant"
    """
    with open_store() as store:
        store.rename(name, to)
    _tell({"names": [to]}, f'"{name}" is now kept as "{to}"', as_json)


@click.command("export")
@click.argument("names", nargs=-1)
@click.option("--json", is_flag=True, expose_value=False, help="Print JSON, as it does in any case.")
@output_option
def export_kept(names: tuple[str, ...], output: Path | None) -> None:
    """Write NAMES, or all that is kept, with every version as one file.

    \b
    Example: advisor export "staff assistant" -o shared.json
    """
    with open_store() as store:
        text = store.export(names)
    emit(text, output)


@click.command("import")
@click.argument("file")
@json_option
def import_kept(file: str, as_json: bool) -> None:
    """Keep what FILE holds ("-" reads standard input); a name that is taken gets a number behind it.

    \b
    Example: advisor import shared.json
    """
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise DocumentError(f"it cannot be read: {getattr(error, 'strerror', error)}", where=file) from None
    with open_store() as store:
        names = store.bring_in(content, "standard input" if file == "-" else file)
    _tell({"names": names}, "\n".join(f'kept as "{name}"' for name in names), as_json)


@click.command("delete")
@click.argument("names", nargs=-1, required=True)
@json_option
def delete_kept(names: tuple[str, ...], as_json: bool) -> None:
    """Delete NAMES with every version; it cannot be undone.

    \b
    Example: advisor delete draft
    """
    with open_store() as store:
        for name in names:
            store.delete(name)
    _tell({"deleted": names}, "\n".join(f'"{name}" is deleted' for name in names), as_json)


@click.command("refresh")
@click.argument("name", metavar="PLAN")
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="The day prices are reckoned from; the calendar's otherwise.")
@click.option("--facts", is_flag=True, help="Also every value of the catalogue and the layout that differs.")
@click.option("--keep", is_flag=True, help="Keep the new plan as a further version.")
@json_option
@hub_option
@knowledge_option
@output_option
def refresh_kept(
    name: str,
    today: datetime | None,
    facts: bool,
    keep: bool,
    as_json: bool,
    hub: bool,
    knowledge: Path | None,
    output: Path | None,
) -> None:
    """Make the kept PLAN again with what is known now, and show what that changes, and why.

    A is the plan as it was kept, B the new one. Exit code 0: compared, whatever differs; 2: bad input.

    \b
    Example: advisor refresh "staff assistant" --keep
    """
    from advisor.library import open_library
    from advisor.plan.comparing import compare
    from advisor.plan.making import make_plan
    from advisor.plan.models import Access
    from advisor.plan.saved import read_saved_plan
    from advisor.workload.reading import read_document

    with open_store() as store:
        kept = store.get(name)
    if kept.kind != "plan" or kept.latest.source is None:
        raise InputError(
            f'"{kept.name}" is not a plan that was kept with its document', hint="keep one: advisor plan FILE --keep"
        )
    document = read_document(kept.latest.source.encode(), where=kept.name)
    old = read_saved_plan(kept.latest.body.encode(), kept.name)
    new = make_plan(document, open_library(knowledge), today=today.date() if today else None, access=Access(hub=hub))
    compared = compare(old, new)
    if as_json:
        text = compared.model_dump_json(indent=2, exclude_none=True)
    else:
        from advisor.report.text import comparison_text

        text = comparison_text(compared, width=text_width(), facts=facts)
    emit(text, output)
    if keep:
        keep_plan(kept.name, document, new)


def keep_plan(name: str, document: "Document", plan: "Plan") -> None:
    """Keep a plan with its document; where ADVISOR_KEEP is off, say on standard error that it was not."""
    from advisor.store import keeps
    from advisor.workload.writing import document_to_yaml

    if not keeps():
        remark("advisor: the plan is not kept, since ADVISOR_KEEP is off")
        return
    with open_store() as store:
        number = store.keep(
            "plan",
            name,
            plan.model_dump_json(exclude_none=True),
            source=document_to_yaml(document),
            made_with=plan.made_with.model_dump(),
        )
    remark(f'kept as "{name.strip()}", version {number}')


def _tell(result: dict[str, object], text: str, as_json: bool, output: Path | None = None) -> None:
    emit(json.dumps(result, indent=2, ensure_ascii=False) if as_json else text, output)


def _version(versions: tuple[Version, ...], number: int | None, name: str) -> Version:
    if number is None:
        return versions[-1]
    found = next((each for each in versions if each.number == number), None)
    if found is None:
        raise InputError(f'"{name}" has versions 1 to {versions[-1].number}, and no {number}')
    return found
