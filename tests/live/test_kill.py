"""Processes that die under traffic, and what is left of them."""

import os
import re
import resource
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import pytest

from isfc.cli.live.loops import LOOP_VARIABLE, LOOPS
from tests.lengthy import few_in_every_run
from tests.live.processes import NAMES, Isfc, two_nodes
from tests.waiting import wait_for

TRAFFIC = "--workload HM --pairs 20 --verify --log-format json".split()
FEW_FILES: Final = ("/bin/sh", "-c", 'ulimit -S -n 40; exec "$@"', "sh")
"""Starts a process that may have so few file descriptors."""


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
    with two_nodes(tmp_path, *TRAFFIC) as pair:
        pair.wait_up(survivor)
        files = 0
        for life in range(1, lives + 1):
            time.sleep(random.random() * 0.2)  # somewhere in the traffic
            pair.kill(victim)
            pair.start(victim)
            pair.wait_up(survivor, count=life + 1)
            if life == 1 + lives // 4:
                time.sleep(0.2)
                files = file_count(pair.nodes[survivor])
        wait_for(lambda: file_count(pair.nodes[survivor]) <= files + 4, "no more files than before")
        assert pair.said(survivor, "severed") == lives
        for name in (victim, survivor):
            assert pair.nodes[name].end() == 0, pair.nodes[name].err[-2000:]
        verified = re.findall(r"--verify: \w+: (\d+) messages, all as", pair.nodes[survivor].err)
        assert int(verified[-1]) > 50 * lives
    assert not pair.socket.exists()


@pytest.mark.slow
@pytest.mark.parametrize("loop", few_in_every_run(reversed(LOOPS)))
def test_a_partner_that_is_stopped_for_a_while_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    monkeypatch.setenv(LOOP_VARIABLE, loop)
    with two_nodes(tmp_path, *TRAFFIC) as pair:
        pair.wait_up()
        for node in pair.both:
            node.signal(signal.SIGSTOP)
            time.sleep(0.5)
            node.signal(signal.SIGCONT)
            time.sleep(0.2)
        pair.end(verified=True)
        assert [pair.said(name, "severed") for name in NAMES] == [0, 0]


@pytest.mark.slow
def test_a_full_disk_stops_the_journal_and_not_the_node(tmp_path: Path) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    # what is inherited: no file of theirs may grow beyond 200 kB, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limit[1]))
    try:
        running = two_nodes(tmp_path, *TRAFFIC, "--journal", str(tmp_path / "{name}.journal"))
        pair = running.__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    with ExitStack() as stack:
        stack.push(running)
        wait_for(lambda: all("journal" in node.err for node in pair.both), "the journals' end")
        assert [node.process.poll() for node in pair.both] == [None, None]
        pair.end(verified=True)


@pytest.mark.slow
@pytest.mark.parametrize("loop", few_in_every_run(reversed(LOOPS)))
def test_without_a_file_descriptor_left_the_link_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    monkeypatch.setenv(LOOP_VARIABLE, loop)
    with two_nodes(tmp_path, *TRAFFIC, prefix=FEW_FILES) as pair, ExitStack() as stack:
        pair.wait_up()
        crowd = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(80)]
        for stranger in crowd:
            stranger.setblocking(False)
            stranger.connect_ex(os.fspath(pair.socket))
        time.sleep(1.0)
        for stranger in crowd:
            stranger.close()
        assert pair.said("CLIENT", "severed") == 0
        pair.kill("SERVER")
        pair.start("SERVER")  # nor was the listener harmed
        pair.wait_up("CLIENT", count=2)
        pair.end(verified=True)
