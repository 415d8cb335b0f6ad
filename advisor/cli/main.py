"""The command `advisor`: one file a command group, each loaded when it is called."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import click

from advisor.cli.exits import Exit
from advisor.cli.options import not_written, remark
from advisor.errors import AdvisorError

# Looking for pydantic plugins reads the metadata of every installed distribution; the commands use none.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

# Command -> the module that holds it and one line of help, so that --help imports none of them.
_COMMANDS: dict[str, tuple[str, str]] = {
    "plan": ("advisor.cli.plan", "A workload document to a plan."),
    "check": ("advisor.cli.check", "A vendor's quote to findings and a verdict."),
    "explain": ("advisor.cli.explain", "How a number of a plan was made."),
    "ask": ("advisor.cli.ask", "A question in plain words, or a conversation."),
    "compare": ("advisor.cli.compare", "Two plans side by side: what differs, and why."),
    "catalog": ("advisor.cli.catalog", "Look up models, accelerators, servers, prices and the rest."),
    "schema": ("advisor.cli.schema", "The JSON schema of workload documents and of plans."),
    "validate": ("advisor.cli.validate", "Estimates against measured cases: error, bias, coverage, worst rows."),
    "rules": ("advisor.cli.rules", "The rules, or one with its examples and sources."),
    "list": ("advisor.cli.keeping", "What is kept: plans, interviews, conversations and quotes."),
    "show": ("advisor.cli.keeping", "One that is kept, or an earlier version of it."),
    "resume": ("advisor.cli.keeping", "The document of one that is kept, to go on with."),
    "fork": ("advisor.cli.keeping", "Keep a copy under another name."),
    "rename": ("advisor.cli.keeping", "Give one that is kept another name."),
    "export": ("advisor.cli.keeping", "Write what is kept as one file to share."),
    "import": ("advisor.cli.keeping", "Keep what such a file holds."),
    "delete": ("advisor.cli.keeping", "Delete for real what is kept."),
    "refresh": ("advisor.cli.keeping", "What newer knowledge, prices, rules or code change in a kept plan, and why."),
    "serve": ("advisor.cli.serve", "The REST API and its OpenAPI page."),
    "keys": ("advisor.cli.keys", "Keys of the REST API: make, list, revoke."),
    "mcp": ("advisor.cli.mcp", "Plans, checks and look-ups as tools for agents (MCP)."),
}


# A full disk, a reader that went away, a terminal that is gone: the failures of writing a result.
_WRITING_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EPIPE, errno.EIO, errno.EBADF)


@contextmanager
def _telling_what_is_not_written() -> Iterator[None]:
    """Make an error of a failure to print; click would end without a word, as if nothing met the limits."""
    try:
        yield
    except OSError as error:
        # A failure to open a file names the file; one to write what is printed names none.
        if error.errno in _WRITING_FAILED and error.filename is None:
            raise not_written(error) from None
        raise


class _Commands(click.Group):
    """Loads a command's module only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = _COMMANDS.get(cmd_name)
        if found is None:
            return None
        # Some commands are called like what Python has already.
        module = import_module(found[0])
        command = getattr(module, f"{cmd_name}_kept" if found[0] == "advisor.cli.keeping" else cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from advisor.catalogue.names import nearest

            close = nearest(args[0], _COMMANDS)
            hint = f' Did you mean "{close[0]}"?' if close else ""
            raise click.UsageError(f'There is no command "{args[0]}".{hint}', ctx)
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _telling_what_is_not_written():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _telling_what_is_not_written():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in _COMMANDS.items()])


@click.group(cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ai-infra-advisor", message="advisor %(version)s")
@click.pass_context
def advisor(context: click.Context) -> None:
    """Plan AI infrastructure: size a workload, and see where every number came from.

    Without a command, the guided terminal opens.

    \b
    Example: advisor plan examples/assistant.yaml
    Shell completion: eval "$(_ADVISOR_COMPLETE=bash_source advisor)"
    """
    if context.invoked_subcommand is None:
        from advisor.cli.terminal import open_terminal

        open_terminal()


def main() -> None:
    """Run a command; errors become one message on standard error and an exit code."""
    try:
        code = advisor.main(prog_name="advisor", standalone_mode=False)
    except AdvisorError as error:
        remark(f"advisor: {error}")
        sys.exit(Exit.bad_input)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        sys.exit(Exit.bad_input)
    except Exception as error:
        if os.environ.get("ADVISOR_DEBUG"):
            raise
        remark(f"advisor: this should not have happened: {type(error).__name__}: {error}")
        remark("  set ADVISOR_DEBUG=1 to see where, and report it with the document that caused it")
        sys.exit(Exit.failed)
    sys.exit(code if isinstance(code, int) else Exit.done)
