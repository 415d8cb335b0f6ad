"""The command `advisor`: one file a command group, each loaded when it is called."""

import os
import sys
from importlib import import_module

import click

from advisor.cli.exits import Exit
from advisor.errors import AdvisorError

# Looking for pydantic plugins reads the metadata of every installed distribution; the commands use none.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

# Command -> the module that holds it and one line of help, so that --help imports none of them.
_COMMANDS: dict[str, tuple[str, str]] = {
    "plan": ("advisor.cli.plan", "A workload document to a plan."),
    "explain": ("advisor.cli.explain", "How a number of a plan was made."),
    "catalog": ("advisor.cli.catalog", "Look up models, accelerators, servers, prices and the rest."),
    "schema": ("advisor.cli.schema", "The JSON schema of workload documents and of plans."),
    "validate": ("advisor.cli.validate", "Estimates against measured cases: error, bias, coverage, worst rows."),
    "rules": ("advisor.cli.rules", "The rules, or one with its examples and sources."),
    "serve": ("advisor.cli.serve", "The REST API and its OpenAPI page."),
}


class _Commands(click.Group):
    """Loads a command's module only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = _COMMANDS.get(cmd_name)
        if found is None:
            return None
        command = getattr(import_module(found[0]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from advisor.catalogue.names import nearest

            close = nearest(args[0], _COMMANDS)
            hint = f' Did you mean "{close[0]}"?' if close else ""
            raise click.UsageError(f'There is no command "{args[0]}".{hint}', ctx)
        return super().resolve_command(ctx, args)

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
        click.echo(f"advisor: {error}", err=True)
        sys.exit(Exit.bad_input)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(Exit.bad_input)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(Exit.done)
    except Exception as error:
        if os.environ.get("ADVISOR_DEBUG"):
            raise
        click.echo(f"advisor: this should not have happened: {type(error).__name__}: {error}", err=True)
        click.echo("  set ADVISOR_DEBUG=1 to see where, and report it with the document that caused it", err=True)
        sys.exit(Exit.failed)
    sys.exit(code if isinstance(code, int) else Exit.done)
