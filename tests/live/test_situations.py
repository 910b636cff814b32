"""Situations that held when the link was attacked from outside: they are to hold."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from isfc.live.control import ControlClient
from isfc.live.run_directory import control_path
from tests.live.forwarded import free_port
from tests.live.processes import NAMES, TwoNodes
from tests.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.slow

WORK = ("--workload", "HM", "--pairs", "10", "--seconds", "1000", "--verify")

BREAKS_COUNT = 20
DOWN_S = 0.15
UP_S = 0.4
"""A network that loses all for a while, so often: TCP repeats what is lost."""

LOSSY = pytest.mark.skipif(
    os.geteuid() != 0
    or shutil.which("ip") is None
    or subprocess.run(
        ["unshare", "--net", "true"], capture_output=True, check=False, timeout=60
    ).returncode
    != 0,
    reason="only root can make network namespaces, with iproute2",
)


def ip(*words: str) -> None:
    """Do something to the network."""
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=60)


@contextmanager
def network(name: str) -> Iterator[tuple[str, str]]:
    """A namespace of that name; the device here that leads to it, and this side's address."""
    here, there, mine = f"{name}a", f"{name}b", "10.213.77.1"
    ip("netns", "add", name)
    try:
        ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        ip("addr", "add", f"{mine}/30", "dev", here)
        ip("link", "set", here, "up")
        ip("-n", name, "addr", "add", "10.213.77.2/30", "dev", there)
        ip("-n", name, "link", "set", there, "up")
        yield there, mine
    finally:
        ip("netns", "del", name)


@contextmanager
def pair_under_traffic(
    folder: Path, *words: str, within: tuple[str, ...] = (), **options: Any
) -> Iterator[TwoNodes]:
    """Both systems with a verified workload, up; the second may be ``within`` a namespace."""
    with ExitStack() as stack:
        pair = TwoNodes(stack, folder, (*WORK, "--run-dir", str(folder), *words), **options)
        first = pair.start(NAMES[0])
        wait_for(lambda: "started" in first.err, "the listener")
        pair.start(NAMES[1], prefix=within)
        wait_for(lambda: all("link-up" in node.err for node in pair.both), "the link")
        yield pair
        pair.end(verified=True, codes=(0, 130))
        assert not any("severed" in node.err for node in pair.both)


@LOSSY
def test_a_network_that_loses_packets_loses_no_message(tmp_path: Path) -> None:
    name = f"isfc{os.getpid()}"[:12]
    with network(name) as (there, mine):
        within = ("ip", "netns", "exec", name)
        endpoint = f"{mine}:{free_port()}"
        with pair_under_traffic(tmp_path, "--insecure", within=within, endpoint=endpoint) as pair:
            random = Random(1)
            for _ in range(BREAKS_COUNT):
                time.sleep(UP_S * random.random())
                ip("-n", name, "link", "set", there, "down")
                time.sleep(DOWN_S * random.random())
                ip("-n", name, "link", "set", there, "up")
            before = written(tmp_path)
            wait_for(lambda: written(tmp_path) > before, "traffic after the last loss")
            assert all(node.process.poll() is None for node in pair.both)


def written(folder: Path) -> int:
    """Messages that the first system has written."""
    with ControlClient(control_path(folder, NAMES[0]), PATIENCE_S) as client:
        reply: dict[str, Any] = client.ask("snapshot")
        node = reply["links"][0]["node"]
    assert isinstance(node, dict)
    count = node["write_message_count"]
    assert isinstance(count, int)
    return count


def test_operators_under_load_lose_nothing(tmp_path: Path) -> None:
    complaints: list[str] = []

    def operate(name: str, seed: int) -> None:
        random = Random(seed)
        with ControlClient(control_path(tmp_path, name), PATIENCE_S) as client:
            node = client.ask("node")
            rdevs = node["rdevs"]
            assert isinstance(rdevs, list)
            for _ in range(60):
                rdev = random.choice(rdevs[1:])  # one stays, so that the link does
                commands = (f"DEACTIVE ISLINK {rdev}", "QUERY ISLINK", f"ACTIVATE ISLINK {rdev}")
                answers = [client.ask("cp", command)["lines"] for command in commands]
                complaints.extend(rdev for lines in answers if not lines)

    with pair_under_traffic(tmp_path):
        operators = [Thread(target=operate, args=(NAMES[n % 2], n)) for n in range(4)]
        for operator in operators:
            operator.start()
        for operator in operators:
            operator.join(PATIENCE_S)
            assert not operator.is_alive()
        before = written(tmp_path)
        wait_for(lambda: written(tmp_path) > before, "traffic after the last command")
    assert not complaints
