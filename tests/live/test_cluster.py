"""Three systems, a process each: whoever is killed, nothing is lost without a word."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.isfc_process import start
from tests.live.cluster_member import NAMES
from tests.waiting import PATIENCE_S, wait_for

ECHOES: Final = 50
"""So many on each link show that it works."""

Tallies = dict[str, dict[str, list[int]]]


def begin(name: str, folder: Path) -> subprocess.Popen[bytes]:
    (folder / f"{name}.json").unlink(missing_ok=True)
    return start(name, str(folder), module="tests.live.cluster_member")


def look(folder: Path) -> Tallies:
    """What each system has noted; nothing of one that has just begun."""
    paths = [folder / f"{name}.json" for name in NAMES]
    return {path.stem: json.loads(path.read_text()) for path in paths if path.exists()}


def noted(folder: Path, condition: Callable[[Tallies], bool], what: str) -> Tallies:
    """What all have noted, once that is so."""
    tallies: Tallies = {}

    def holds() -> bool:
        tallies.clear()
        tallies.update(look(folder))
        return condition(tallies)

    wait_for(holds, what)
    return tallies


def all_talk(since: Tallies) -> Callable[[Tallies], bool]:
    """Whether each system has had so many echoes of each other one more than before."""

    def holds(now: Tallies) -> bool:
        return all(
            now.get(name, {}).get(partner, [0])[0]
            >= since.get(name, {}).get(partner, [0])[0] + ECHOES
            for name in NAMES
            for partner in NAMES
            if partner != name
        )

    return holds


def both_talk(first: str, second: str, since: Tallies) -> Callable[[Tallies], bool]:
    """Whether two systems have had so many echoes of each other more than before."""
    ways = ((first, second), (second, first))
    return lambda now: all(now[a][b][0] >= since[a][b][0] + ECHOES for a, b in ways)


@pytest.mark.slow
def test_whoever_of_three_is_killed_the_others_go_on_and_nothing_is_lost_unsaid(
    tmp_path: Path,
) -> None:
    processes = {name: begin(name, tmp_path) for name in NAMES}
    try:
        noted(tmp_path, all_talk({}), "all three talk to each other")
        for victim in NAMES:
            first, second = (name for name in NAMES if name != victim)
            processes[victim].send_signal(signal.SIGKILL)
            processes[victim].wait(PATIENCE_S)
            before = look(tmp_path)
            after = noted(
                tmp_path,
                both_talk(first, second, before),
                f"{first} and {second} go on without {victim}",
            )
            severed = [after[first][second][1], after[second][first][1]]
            assert severed == [before[first][second][1], before[second][first][1]]
            processes[victim] = begin(victim, tmp_path)
            told = [before[name][victim][1] for name in (first, second)]
            now = noted(tmp_path, all_talk({**after, victim: {}}), f"{victim} is back")
            for name, count in zip((first, second), told, strict=True):
                assert now[name][victim][1] > count, f"{name} was not told"
        for process in processes.values():
            process.send_signal(signal.SIGTERM)
        assert [process.wait(PATIENCE_S) for process in processes.values()] == [0, 0, 0]
    finally:
        for process in processes.values():
            process.kill()
            process.wait(PATIENCE_S)
