"""``isfc down``: end the systems that an ``isfc up`` runs, from another terminal."""

import os
import signal
import time
from typing import Annotated

import typer

from isfc.cli.live.cp import RunDirOption, complete_node
from isfc.errors import ConfigurationError
from isfc.live.run_directory import RunningGroup, running_groups

END_S = 15.0
"""How long they may take to end, in seconds: it kills its nodes after ten."""

LOOK_S = 0.05


def down(
    node: Annotated[
        str | None,
        typer.Argument(
            metavar="[NODE]",
            help="One of its systems; may be left out where only one 'isfc up' runs.",
            autocompletion=complete_node,
        ),
    ] = None,
    *,
    run_dir: RunDirOption = None,
) -> None:
    """End all systems that 'isfc up' runs.

    Returns when they have ended. A system that 'isfc node' runs ends with Ctrl-C, where it was
    started.
    """
    groups = running_groups(run_dir)
    found = [group for group in groups if node is None or node.upper() in group.names]
    if not found:
        running = "; ".join(map(_named, groups)) or "none"
        wanted = "" if node is None else f"{node[:40]}: "
        raise ConfigurationError(f"{wanted}no such 'isfc up' runs; running are {running}")
    if len(found) > 1:
        listed = "; ".join(f"{_named(group)} in {group.directory}" for group in found)
        raise ConfigurationError(
            f"{len(found)} of 'isfc up' run: say which with NODE or --run-dir: {listed}"
        )
    _end(found[0])


def _named(group: RunningGroup) -> str:
    return " - ".join(group.names) or "one that is beginning"


def _end(group: RunningGroup) -> None:
    """Tell its process to end, and wait until that has tidied up."""
    os.kill(group.pid, signal.SIGTERM)
    end_s = time.monotonic() + END_S
    while group.directory.exists():
        if time.monotonic() > end_s:
            raise OSError(f"process {group.pid} did not end within {END_S:g} s")
        time.sleep(LOOK_S)
