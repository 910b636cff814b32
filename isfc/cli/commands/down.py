"""``isfc down``: end a pair that ``isfc up`` runs, from another terminal."""

import os
import signal
import time
from typing import Annotated

import typer

from isfc.cli.commands.cp import complete_node
from isfc.cli.options.run_directory import RunDirOption
from isfc.errors import ConfigurationError
from isfc.live.run_directory import RunningPair, running_pairs

END_S = 15.0
"""How long a pair may take to end, in seconds: it kills its nodes after ten."""

LOOK_S = 0.05

NodeArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[NODE]",
        help="One of its two systems; may be left out where only one pair runs.",
        show_default=False,
        autocompletion=complete_node,
    ),
]


def down(node: NodeArgument = None, *, run_dir: RunDirOption = None) -> None:
    """End both systems that 'isfc up' runs.

    Returns when they have ended. A system that 'isfc node' runs ends with Ctrl-C, where it was
    started.
    """
    pairs = running_pairs(run_dir)
    found = [pair for pair in pairs if node is None or node.upper() in pair.names]
    if not found:
        running = "; ".join(map(_named, pairs)) or "none"
        wanted = "" if node is None else f"{node[:40]}: "
        raise ConfigurationError(f"{wanted}no such pair runs; running are {running}")
    if len(found) > 1:
        listed = "; ".join(f"{_named(pair)} in {pair.directory}" for pair in found)
        raise ConfigurationError(
            f"{len(found)} pairs run: say which with NODE or --run-dir: {listed}"
        )
    _end(found[0])


def _named(pair: RunningPair) -> str:
    return " - ".join(pair.names) or "a pair that is beginning"


def _end(pair: RunningPair) -> None:
    """Tell its process to end, and wait until that has tidied up."""
    os.kill(pair.pid, signal.SIGTERM)
    end_s = time.monotonic() + END_S
    while pair.directory.exists():
        if time.monotonic() > end_s:
            raise OSError(f"process {pair.pid} did not end within {END_S:g} s")
        time.sleep(LOOK_S)
