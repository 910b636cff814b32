"""The ``isfc`` command: its subcommands, and how every one of them ends.

A subcommand is a function in a module of its own, registered below. It imports what it needs
inside, so that ``isfc --help`` stays quick; it raises `ConfigurationError` for bad input and
``typer.Exit(ExitCode.FAILED)`` for a failed check; it hands its result to `isfc.cli.render.output`.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from ctc.errors import CtcError
from isfc.cli.commands.compare import compare
from isfc.cli.commands.cp import cp
from isfc.cli.commands.journal import app as journal_app
from isfc.cli.commands.node import node
from isfc.cli.commands.plan import plan
from isfc.cli.commands.replay import replay
from isfc.cli.commands.run import run_layout
from isfc.cli.commands.up import up
from isfc.cli.exits import ExitCode
from isfc.errors import ConfigurationError, IsfcError

app = typer.Typer(
    name="isfc",
    help="z/VM's ISFC logical links over FICON CTCs: plan, run and measure them.",
    epilog="Begin with 'isfc plan published-12'. 'isfc COMMAND --help' says more of a command.",
    rich_markup_mode=None,  # plain help, which needs no rich to be loaded
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
app.command()(plan)
app.command("run")(run_layout)
app.command()(replay)
app.command()(compare)
app.command()(node)
app.command()(cp)
app.command()(up)
app.add_typer(journal_app, name="journal")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, that of the process if none is given; return its exit code.

    Ctrl-C becomes `ExitCode.INTERRUPTED`, by typer's doing.
    """
    try:
        code = app(arguments, prog_name="isfc", standalone_mode=False)
    except (ConfigurationError, CtcError) as error:
        return _end(ExitCode.BAD_INPUT, str(error))
    except typer.TyperException as error:
        return _end(ExitCode.BAD_INPUT, _usage(error))
    except (IsfcError, OSError) as error:  # a link that failed, a full disk
        return _end(ExitCode.FAILED, _what_failed(error))
    return code or ExitCode.GOOD


def _end(code: ExitCode, message: str) -> ExitCode:
    from isfc.cli.render.output import discard_output, show_error

    show_error(message)
    if code is ExitCode.FAILED:
        discard_output()
    return code


def _what_failed(error: Exception) -> str:
    """What went wrong and where, without the number that the system has for it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _usage(error: typer.TyperException) -> str:
    """What is wrong with the command line, and where to read more."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "isfc"
    return f"{error.format_message()}\nTry '{command} --help'."


def _show_version(wanted: bool) -> None:
    if wanted:
        from isfc import __version__
        from isfc.cli.render.output import show

        show(f"isfc {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Take the options that stand before a command; without one, show the help."""
    if context.invoked_subcommand is None:
        from isfc.cli.render.output import show

        show(context.get_help())
        raise typer.Exit(ExitCode.BAD_INPUT)
