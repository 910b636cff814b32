"""``isfc up --only NODE``: ask the ``isfc up`` that runs to start one of its systems again."""

import time
from collections.abc import Sequence
from typing import Final

from isfc.cli.live.processes import LinkNodes, look_at
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.link.state import LinkState
from isfc.live.run_directory import (
    again_path,
    control_path,
    running_groups,
    running_nodes,
)

COME_S: Final = 60.0
"""How long its links may take to come up, in seconds (chosen)."""

LOOK_S: Final = 0.1


def start_again(name: NodeName, links: Sequence[LinkNodes]) -> None:
    """Return when the links of a system to those that run are up again.

    Raises `ConfigurationError` where no ``isfc up`` of these systems runs, or the system does.
    """
    names = {node for link in links for node in link}
    groups = [
        group for group in running_groups() if name in group.names and {*group.names} <= names
    ]
    if len(groups) != 1:
        found = f"{len(groups)} of them run" if groups else "none of them runs"
        raise ConfigurationError(f"--only {name}: expected one 'isfc up' of this layout; {found}")
    folder = groups[0].directory
    running = {
        NodeName(node)
        for node, paths in running_nodes().items()
        if control_path(folder, node) in paths
    }
    if name in running:
        raise ConfigurationError(f"--only {name}: runs already; expected one that was killed")
    again_path(folder, name).touch()
    wanted = {one if other == name else other for one, other in links if name in (one, other)}
    wanted &= running
    end_s = time.monotonic() + COME_S
    while time.monotonic() < end_s:
        ends = look_at(control_path(folder, name))
        up = {end.node.partner for end in ends if end.node.state is LinkState.UP}
        if wanted <= up:
            return
        time.sleep(LOOK_S)
    raise OSError(f"{name} has not come up within {COME_S:g} s")
