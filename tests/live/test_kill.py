"""Processes that die under traffic, and what is left of them."""

import os
import re
import resource
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import pytest

from isfc.cli.live.loops import LOOP_VARIABLE, LOOPS
from tests.lengthy import few_in_every_run
from tests.live.processes import Isfc, isfc
from tests.waiting import PATIENCE_S, wait_for

TRAFFIC = "--workload HM --pairs 20 --verify --log-format json".split()
NAMES = ("CLIENT", "SERVER")


FEW_FILES: Final = ("/bin/sh", "-c", 'ulimit -S -n 40; exec "$@"', "sh")
"""Starts a process that may have so few file descriptors."""


class TwoNodes:
    """Both nodes of a layout with verified traffic between them; either may be killed.

    ``{name}`` in an option is the node's name.
    """

    def __init__(
        self, stack: ExitStack, folder: Path, *options: str, prefix: Sequence[str] = ()
    ) -> None:
        self._stack = stack
        self._folder = folder
        self._options = options
        self._prefix = prefix
        self.nodes: dict[str, Isfc] = {}
        for name in NAMES:
            self.start(name)

    def start(self, name: str) -> None:
        """Start a node, for the first time or again."""
        door = "--listen" if name == NAMES[0] else "--connect"
        words = ("node", name, "published-4", door, f"unix:{self._folder / 'link'}")
        options = (option.format(name=name) for option in self._options)
        command = isfc(self._folder, *words, *TRAFFIC, *options, prefix=self._prefix)
        self.nodes[name] = self._stack.enter_context(command)

    def kill(self, name: str) -> None:
        """Kill a node as nothing survives."""
        self.nodes[name].signal(signal.SIGKILL)
        self.nodes[name].process.wait(PATIENCE_S)

    def said(self, name: str, event: str) -> int:
        """How often a node, all its lives together, has logged an event."""
        return self.nodes[name].err.count(f'"{event}"')

    def wait_up(self, name: str, count: int) -> None:
        """Wait until a node's link has come up so often."""
        wait_for(lambda: self.said(name, "link-up") >= count, f"{name}: link-up number {count}")


def file_count(node: Isfc) -> int:
    return len(list(Path(f"/proc/{node.process.pid}/fd").iterdir()))


@pytest.mark.slow
@pytest.mark.timeout(600)  # twenty starts of a process, each of which may be slow
@pytest.mark.parametrize("victim", few_in_every_run(NAMES))
@pytest.mark.parametrize("lives", [3, pytest.param(20, marks=pytest.mark.exhaustive)])
def test_a_node_killed_again_and_again_under_traffic_comes_back_each_time(
    tmp_path: Path, victim: str, lives: int
) -> None:
    random = Random(17)
    survivor = NAMES[1 - NAMES.index(victim)]
    with ExitStack() as stack:
        pair = TwoNodes(stack, tmp_path)
        pair.wait_up(survivor, 1)
        files = 0
        for life in range(1, lives + 1):
            time.sleep(random.random() * 0.2)  # somewhere in the traffic
            pair.kill(victim)
            pair.start(victim)
            pair.wait_up(survivor, life + 1)
            if life == 1 + lives // 4:
                time.sleep(0.2)
                files = file_count(pair.nodes[survivor])
        wait_for(lambda: file_count(pair.nodes[survivor]) <= files + 4, "no more files than before")
        assert pair.said(survivor, "severed") == lives
        for name in (victim, survivor):
            assert pair.nodes[name].end() == 0, pair.nodes[name].err[-2000:]
        verified = re.findall(r"--verify: \w+: (\d+) messages, all as", pair.nodes[survivor].err)
        assert int(verified[-1]) > 50 * lives
    assert not (tmp_path / "link").exists()


@pytest.mark.slow
@pytest.mark.parametrize("loop", few_in_every_run(reversed(LOOPS)))
def test_a_partner_that_is_stopped_for_a_while_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    monkeypatch.setenv(LOOP_VARIABLE, loop)
    with ExitStack() as stack:
        pair = TwoNodes(stack, tmp_path)
        for name in NAMES:
            pair.wait_up(name, 1)
        for name in NAMES:
            pair.nodes[name].signal(signal.SIGSTOP)
            time.sleep(0.5)
            pair.nodes[name].signal(signal.SIGCONT)
            time.sleep(0.2)
        for name in reversed(NAMES):
            assert pair.nodes[name].end() == 0, pair.nodes[name].err[-2000:]
            assert "all as they were sent" in pair.nodes[name].err
            assert pair.said(name, "severed") == 0


@pytest.mark.slow
def test_a_full_disk_stops_the_journal_and_not_the_node(tmp_path: Path) -> None:
    with ExitStack() as stack:
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        # what is inherited: no file of theirs may grow beyond 200 kB, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limit[1]))
        try:
            pair = TwoNodes(stack, tmp_path, "--journal", str(tmp_path / "{name}.journal"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        wait_for(lambda: all("journal" in n.err for n in pair.nodes.values()), "the journals' end")
        for name in reversed(NAMES):
            assert pair.nodes[name].process.poll() is None
            assert pair.nodes[name].end() == 0, pair.nodes[name].err[-2000:]
            assert "all as they were sent" in pair.nodes[name].err


@pytest.mark.slow
@pytest.mark.parametrize("loop", few_in_every_run(reversed(LOOPS)))
def test_without_a_file_descriptor_left_the_link_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    monkeypatch.setenv(LOOP_VARIABLE, loop)
    with ExitStack() as stack:
        pair = TwoNodes(stack, tmp_path, prefix=FEW_FILES)
        for name in NAMES:
            pair.wait_up(name, 1)
        crowd = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(80)]
        for stranger in crowd:
            stranger.setblocking(False)
            stranger.connect_ex(os.fspath(tmp_path / "link"))
        time.sleep(1.0)
        for stranger in crowd:
            stranger.close()
        assert pair.said("CLIENT", "severed") == 0
        pair.kill("SERVER")
        pair.start("SERVER")  # nor was the listener harmed
        pair.wait_up("CLIENT", 2)
        for name in reversed(NAMES):
            assert pair.nodes[name].end() == 0, pair.nodes[name].err[-2000:]
            assert "all as they were sent" in pair.nodes[name].err
