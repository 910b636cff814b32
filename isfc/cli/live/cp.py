"""``isfc cp``: CP commands for a running node, one or many."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import Struct, convert

from isfc.cli.options.option import JsonOption, valued
from isfc.cli.output.streams import ExitCode, show_json, show_lines
from isfc.errors import ConfigurationError, RemoteProtocolError
from isfc.live.control import ControlClient
from isfc.live.run_directory import find_control, running_nodes

RunDirOption = Annotated[
    Path | None, valued("DIR", "Where the control sockets of running nodes are.", "--run-dir")
]


def complete_node(incomplete: str) -> list[str]:
    """The running nodes whose names begin so."""
    return [name for name in running_nodes() if name.startswith(incomplete.upper())]


STARTING_S = 3.0
"""How long a node may take to be there, in seconds: ``isfc up`` may have begun just now."""


def cp(
    node: Annotated[
        str,
        typer.Argument(
            metavar="NODE", help="A node that runs on this machine.", autocompletion=complete_node
        ),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND]",
            help="A CP command, such as 'QUERY ISLINK' or HELP; without one, a console.",
        ),
    ] = None,
    *,
    run_dir: RunDirOption = None,
    json: JsonOption = False,
) -> None:
    """Give CP commands, such as QUERY ISLINK, to a running node.

    Without a command it is a console, with history and completion; Ctrl-D ends it. Commands
    may also be piped in, one on a line. Ends with 1 if a command is refused.
    """
    if json and not command:
        raise ConfigurationError("--json: expected a command to answer")
    path = find_control(node, run_dir, STARTING_S)
    try:
        with ControlClient(path) as client:
            good = _serve(client, path.stem, " ".join(command or ()), json=json)
    except RemoteProtocolError as error:
        raise OSError(f"{path.stem}: {error}") from None
    if not good:
        raise typer.Exit(ExitCode.FAILED)


class CpAnswer(Struct, frozen=True):
    """What a node answers to a command."""

    node: str
    """whom it was given to"""
    command: str
    """as it was given"""
    return_code: int
    """0, or the number of CP's first error"""
    lines: list[str]
    """the response"""


def _serve(client: ControlClient, name: str, command: str, *, json: bool) -> bool:
    """Give the command, or those that are typed or piped in; whether all went well."""
    if json:
        response = _ask(client, name, command)
        show_json(response)
        return response.return_code == 0
    if not command and sys.stdin.isatty():
        _open_console(client, name)
        return True
    good = True
    for line in [command] if command else sys.stdin:
        response = _ask(client, name, line.strip())
        show_lines(response.lines)
        good = good and response.return_code == 0
    return good


def _open_console(client: ControlClient, name: str) -> None:
    from isfc.cli.live.console import Console, CpCompleter  # an eighth of the start of a node

    node: dict[str, Any] = client.ask("node")
    completer = CpCompleter(node["rdevs"], node["partners"])
    console = Console(client, name, completer, lambda command: _ask(client, name, command).lines)
    asyncio.run(console.run())


def _ask(client: ControlClient, name: str, command: str) -> CpAnswer:
    return convert({"node": name, "command": command, **client.ask("cp", command)}, CpAnswer)
