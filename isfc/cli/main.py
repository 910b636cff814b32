"""The ``isfc`` command: its subcommands, and how every one of them ends.

`COMMANDS` names every subcommand. Each is made from the function of a capability, or is a function
in a module of its own, or a group of such; its modules are loaded when it is used: so
``isfc --help`` stays quick, and a module imports what it needs at its top. A subcommand raises
`ConfigurationError` for bad input and ``typer.Exit(ExitCode.FAILED)`` for a failed check, and hands
its result to `isfc.cli.output`.
"""

import gc
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ctc.address import CtcError
from isfc.cli.output.streams import (
    COMPLETING,
    ExitCode,
    discard_output,
    interrupts_raise,
    pipe_may_break,
    show,
    show_error,
    show_lines,
)
from isfc.errors import ConfigurationError, IsfcError
from isfc.errors.in_words import reason_of
from isfc.errors.loading import check_posix, named


class Subcommand(NamedTuple):
    """Where a subcommand is, in `isfc.cli`, and the first line of its docstring, for the list.

    A member of a group is listed when it is loaded, and needs none.
    """

    path: str
    """Of a function, or of a `typer.Typer` that holds a group of them; in `isfc.answers` it is the
    function of a capability, of which the command is made."""
    summary: str = ""
    code: str = ""
    """The function that makes the exit code of its answer, or says what fails in it."""
    own: tuple[str, ...] = ()
    """And the names of its `OwnFile`s in `isfc.cli`, such as ``options.own_file.RUNS``."""

    @property
    def is_capability(self) -> bool:
        """Whether its command is made of a function of `isfc.answers`."""
        return self.path.startswith("answers.")

    @property
    def needs_posix(self) -> bool:
        """Whether it takes Unix sockets and POSIX signals, which Windows has not."""
        return self.path.startswith(("live.", "studio."))


class Subgroup(NamedTuple):
    """A group of subcommands, and the line for the list of all."""

    summary: str
    members: Mapping[str, Subcommand]
    needs_posix: bool = False


COMMANDS: Final[Mapping[str, Subcommand | Subgroup]] = {
    "plan": Subcommand(
        "plan.plan", "Show who writes on which CTC, what it carries, what to change."
    ),
    "import": Subcommand(
        "import_.app", "Make a layout from IOCP decks, console logs or configurations."
    ),
    "new": Subcommand("new.new", "Write a commented layout of a few options or answers."),
    "size": Subcommand(
        "answers.size.size",
        "Say how many chpids and CTCs a link needs, with one piece gone.",
        code="size_code",
        own=("options.own_file.SIZED",),
    ),
    "export": Subcommand(
        "export.export", "Write the statements that the systems of a layout need."
    ),
    "change": Subcommand("change.change", "Say step by step how one layout becomes another."),
    "check": Subcommand("check.check", "Check layouts by IBM's advice, to gate a change."),
    "show": Subcommand(
        "show.show_layout", "Draw a layout: systems, chpids, fibres, who writes on what."
    ),
    "report": Subcommand(
        "report.report", "Write one page: of a layout, or the decision that files come to."
    ),
    "studio": Subcommand(
        "studio.command.studio", "Edit a layout on a local page that judges each change."
    ),
    "run": Subcommand("run.command.run", "Run a workload and measure it as z/VM would."),
    "relocate": Subcommand(
        "moves.relocate", "Show how long live guest relocations take over the link."
    ),
    "evacuate": Subcommand(
        "moves.evacuate", "Show how long it takes to move every guest off systems."
    ),
    "collide": Subcommand(
        "answers.collide.collide", "Show how often writes collide, by rule and by offered load."
    ),
    "replay": Subcommand(
        "answers.replay.replay",
        "Replay IBM's published measurements and show ours beside them.",
        code="replay_failure",
    ),
    "compare": Subcommand(
        "answers.compare.compare_files",
        "Lay results or layouts side by side and show the differences.",
    ),
    "measured": Subgroup(
        "Hold the model against your own figures, and fit it to them.",
        {
            "read": Subcommand("answers.measured_read.read", own=("options.own_file.MEASURED",)),
            "compare": Subcommand(
                "answers.measured_compare.compare", code="measured_compare_failure"
            ),
            "fit": Subcommand("answers.measured_fit.fit", own=("options.own_file.SITE",)),
        },
    ),
    "loads": Subcommand("moves.loads", "Show a link's load by the time of day, and what is left."),
    "node": Subcommand(
        "live.node.node", "Run one system of a layout live, joined to its partners."
    ),
    "cp": Subcommand("live.cp.cp", "Give CP commands, such as QUERY ISLINK, to a running node."),
    "up": Subcommand("live.up.up", "Run the systems of a layout live, and watch their links work."),
    "ctce": Subcommand("live.ctce.ctce", "Join real Hercules by CTCs, and trace their commands."),
    "io": Subgroup(
        "Plan, run and size the I/O that is beside a link.",
        {
            "plan": Subcommand("answers.io_plan.io_plan"),
            "run": Subcommand("answers.io_run.io_run"),
            "beside": Subcommand("answers.io_beside.io_beside"),
            "size": Subcommand("answers.io_size.io_size", own=("options.own_file.PROPOSAL",)),
            "chart": Subcommand("answers.io_chart.io_chart"),
        },
    ),
    "optimise": Subcommand(
        "answers.optimise.optimise",
        "Search for the best CTCs on a layout's chpids.",
        own=("options.own_file.ADVISED",),
    ),
    "sweep": Subcommand(
        "answers.sweep.sweep",
        "Run every combination of a grid, a line for each.",
        own=("options.own_file.RUNS",),
    ),
    "journal": Subgroup(
        "Look into a journal, or replay it.",
        {
            "show": Subcommand("journal.show"),
            "replay": Subcommand("answers.journal.journal_replay", code="replay_code"),
        },
    ),
}
"""By the name that a user gives."""

PANELS: Final = {
    "Layout": "new import export",
    "Judge": "plan run check show report studio",
    "Improve": "size optimise compare sweep change",
    "Move": "relocate evacuate loads",
    "Prove": "measured replay collide",
    "Live": "up node cp journal ctce",
    "Disks": "io",
}
"""The commands of each job, in the order of ``isfc --help``."""

GONE: Final = {
    "isfc run --timeline": "--trace FILE, a trace of every I/O that Perfetto draws",
    "isfc schema": "'isfc new --schema'",
    "isfc number": "'isfc check' for the scheme, 'isfc export --scheme' for new numbers",
    "isfc measured loads": "'isfc loads'",
    "isfc optimise --of-links": "--objective, of several links sum, worst-link or worst-loss",
    "isfc io run --ctcs": "'isfc io beside LAYOUT WORKLOAD'",
    "isfc io run --report": "the page, and --csv --table NAME, which have RMF's views",
    "isfc down": "'isfc up LAYOUT --end'",
    "isfc relocate --sweep": "--best for guests together, 'isfc sweep' for channels",
    "isfc evacuate --sweep": "--best, which tells all that it tried",
    "isfc relocate --at-once": "--together N, with as many as there are, or 16",
    "isfc relocate --shorter": "what the page says: what limits it, and what would let a guest go",
}
"""What does now what a command or an option did that is gone."""


class Subcommands(TyperGroup):
    """The subcommands, each loaded when it is used; to be listed, its summary is enough."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, listed in COMMANDS.items():
            self.add_command(TyperCommand(name, help=listed.summary))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A panel for each job; typer has panels only with rich, which takes long to load."""
        width = max(map(len, COMMANDS))
        for panel, names in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl(
                    [(name.ljust(width), COMMANDS[name].summary) for name in names.split()]
                )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does; an error of stdout, to which help may go, names it."""
        with pipe_may_break():
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The subcommand that ``args`` begins with, loaded; typer's error if there is none."""
        for words in (" ".join(args[:1]), " ".join(args[:2])):
            if instead := GONE.get(f"isfc {words}"):
                raise ConfigurationError(f"{words} is gone: use {instead}")
        name, found, rest = super().resolve_command(ctx, args)
        if found and COMMANDS[args[0]].needs_posix and not {"-h", "--help"} & set(args):
            check_posix(f"'isfc {args[0]}'")
        loaded = found and load_command(args[0])
        if not gc.isenabled():  # what is loaded by now stays
            gc.freeze()
            gc.enable()
        interrupts_raise()
        return name, loaded, rest


def load_command(name: str) -> Any:
    """The subcommand of that name as typer has it, a command or a group."""
    where = COMMANDS[name]
    if isinstance(where, Subcommand):
        return _as_typer_has(name, _load(where))
    group = typer.Typer(help=where.summary, add_completion=False, rich_markup_mode=None)
    for member, each in where.members.items():
        group.command(member)(_load(each))
    return _as_typer_has(name, group)


def _load(where: Subcommand) -> Any:
    """The function of a subcommand, which is made where it is of a capability."""
    if where.is_capability:
        command_of = import_module("isfc.cli.capability").command_of
        module = where.path.rpartition(".")[0]
        code = _named(f"{module}.{where.code}", "isfc") if where.code else None
        return command_of(_named(where.path, "isfc"), code, [*map(_named, where.own)])
    return _named(where.path)


def _named(path: str, package: str = "isfc.cli") -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(f"{package}.{module}"), name)


def _as_typer_has(name: str, found: Any) -> Any:
    """A function, or a group, as a command of that name."""
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(add_completion=False, rich_markup_mode=None)
        found.command(name)(function)
    loaded = get_command(found)
    loaded.name = name
    _name_stdout(loaded)
    return loaded


def _name_stdout(command: Any) -> None:
    """Let errors of the help that typer prints name stdout, of a command and what is below it."""
    parse = command.parse_args

    def parse_args(context: Any, args: list[str]) -> Any:
        with pipe_may_break():
            return parse(context, args)

    command.parse_args = parse_args
    for below in getattr(command, "commands", {}).values():
        _name_stdout(below)


app = typer.Typer(
    name="isfc",
    cls=Subcommands,
    help="z/VM's ISFC logical links over FICON CTCs: plan, run and measure them.",
    epilog="Begin with 'isfc plan published-12'. 'isfc COMMAND --help' says more of a command.",
    rich_markup_mode=None,  # plain help, which needs no rich to be loaded
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, that of the process if none is given; return its exit code.

    Ctrl-C becomes `ExitCode.INTERRUPTED`, by typer's doing.
    """
    try:
        with pipe_may_break() if COMPLETING in os.environ else nullcontext():
            code = app(arguments, prog_name="isfc", standalone_mode=False)
    except (ConfigurationError, CtcError) as error:
        return _end(ExitCode.BAD_INPUT, str(error))
    except typer.TyperException as error:
        return _end(ExitCode.BAD_INPUT, _usage(error))
    except (IsfcError, OSError) as error:  # a link that failed, a full disk
        return _end(ExitCode.FAILED, _what_failed(error))
    except MemoryError:
        return _end(ExitCode.FAILED, "there is not enough memory")
    return code or ExitCode.GOOD


def _end(code: ExitCode, message: str) -> ExitCode:
    show_error(message)
    if code is ExitCode.FAILED:
        discard_output()
    return code


def _what_failed(error: Exception) -> str:
    """What went wrong and where, without the number that the system has for it."""
    if isinstance(error, OSError) and error.strerror:
        reason = reason_of(error)
        return f"{error.filename}: {reason}" if error.filename else reason
    return str(error)


def _usage(error: typer.TyperException) -> str:
    """What is wrong with the command line, and where to read more."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "isfc"
    option = getattr(error, "option_name", "")
    if instead := GONE.get(f"{command} {option}"):
        return f"{option} is gone: use {instead}"
    return f"{error.format_message().expandtabs(2)}\nTry '{command} --help'."


def _show_version(wanted: bool) -> None:
    if wanted:
        show_lines([f"isfc {named('isfc.__version__')}"])
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
        show(context.get_help())
        raise typer.Exit(ExitCode.BAD_INPUT)
