"""A site's way: deck, layout, a better one, the change made on a live pair, and the way back."""

import json
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from tests.decks import DECKS
from tests.isfc.cli.change.ends import active, drawn_files, up
from tests.lengthy import few_in_every_run
from tests.live.forwarded import answers, free_port, service
from tests.live.processes import isfc
from tests.waiting import PATIENCE_S, wait_for


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run directory of this test only."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def good(*words: str) -> None:
    assert run([*words]) == ExitCode.GOOD, words


def orders(script: str) -> Iterator[tuple[str, str]]:
    """The commands of a script in their order, each with its system."""
    for line in script.splitlines():
        if line.startswith("at "):
            system, _, command = line.split(" ", 2)[2].partition(": ")
            yield system, command


def carried_out(
    tmp_path: Path, folder: Path, nodes: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Run a change on a live pair, command by command, by ``isfc cp``."""
    with isfc(tmp_path, "up", str(folder / "change.toml"), "--detach") as started:
        assert started.exit_code() == 0, started.err
    try:
        for system, command in orders((folder / "change.cp").read_text()):
            good("cp", system, command)
        capsys.readouterr()

        def shown() -> list[set[str]]:
            found = []
            for node in nodes:
                good("cp", node, "QUERY ISLINK", "--json")
                found.append(set(up(json.loads(capsys.readouterr().out)["lines"])))
            return found

        wanted = active(folder / "to.toml")
        wait_for(lambda: shown() == wanted, "the CTCs of the other layout")
    finally:
        good("up", str(folder / "change.toml"), "--end")


@pytest.mark.at_length
@pytest.mark.parametrize(
    ("deck", "partitions", "ctcs"),
    few_in_every_run(
        [
            ("cross-css", "ALPHA,BETA", "5"),
            ("crowded", "VMA,VMB", "4"),
            ("mistakes", "CHICAGO,DENVER", "3"),
        ]
    ),
)
def test_and_back(
    deck: str, partitions: str, ctcs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = DECKS / f"{deck}.iocp"
    first, second = partitions.split(",")
    good("import", "iocp", str(source), "--partitions", partitions, "-o", "before.toml")
    search = "--runs 4 --seconds 0.01 --seeds 1 --pairs 2 --jobs 1".split()
    good("optimise", "before.toml", "--ctcs", ctcs, *search, "-o", "after.toml")
    for before, after in (("before.toml", "after.toml"), ("after.toml", "before.toml")):
        folder = tmp_path / after.partition(".")[0]
        folder.mkdir()
        (folder / "to.toml").write_text(Path(after).read_text())
        capsys.readouterr()
        good("change", before, after, "--no-rates", "--try", str(folder), "--json")
        assert json.loads(capsys.readouterr().out)["steps"]
        told = f"run {folder}/change.toml --cp {folder}/change.cp --warmup 0 --seconds 2".split()
        good(*told, "--workload", "HS", "--pairs", "1")
        carried_out(tmp_path, folder, (first, second), capsys)
    good("export", "before.toml", "--as", "iocp", "-o", "back")
    assert Path("back").read_bytes() == source.read_bytes()


@pytest.mark.slow
def test_a_link_of_a_live_cluster_is_reset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan for a stuck link: the two others of the third member keep all their CTCs."""
    deck = ["import", "iocp", str(DECKS / "three-systems.iocp"), "--partitions", "VMA,VMB,VMC"]
    good(*deck, "--ports", "VMA:50=01", "-o", "three.toml")
    reset = ["--reset", "VMA-VMB", "--link", "VMA-VMB", "--try", str(tmp_path)]
    good("change", "three.toml", "three.toml", "--no-rates", *reset)

    count = partial(ctcs_up, capsys)
    with isfc(tmp_path, "up", "three.toml", "--detach") as started:
        assert started.exit_code() == 0, started.err
    try:
        least = 16
        for system, command in orders((tmp_path / "change.cp").read_text()):
            good("cp", system, command)
            if command.startswith("DEACTIVE"):
                least = min(least, count("VMA"))
                assert count("VMC") == 16
        assert least == 8, "no CTC of the link stays, and eight of the other"
        wait_for(lambda: count("VMA") == count("VMB") == 16, "all CTCs again")
    finally:
        good("up", "three.toml", "--end")


def ctcs_up(capsys: pytest.CaptureFixture[str], node: str) -> int:
    """The CTCs of a live system that are up."""
    capsys.readouterr()
    run(["cp", node, "QUERY ISLINK", "--json"])  # which is refused where none is active
    return len({*up(json.loads(capsys.readouterr().out)["lines"])})


def taking(taken: list[int], came_s: list[float]) -> type[socketserver.StreamRequestHandler]:
    """A service that takes the numbers of `send`, and notes when each came."""

    class Taking(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for line in self.rfile:
                came_s.append(time.monotonic())
                taken.append(int(line))

    return Taking


def stands(taken: list[int]) -> bool:
    """Whether nothing comes for a while."""
    before = len(taken)
    time.sleep(0.1)
    return len(taken) == before


def send(port: int, is_over: threading.Event, sent: list[int]) -> None:
    """Send numbers, one after the other, until it is over."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        while not is_over.wait(0.001):
            sent.append(len(sent))
            connection.sendall(b"%d\n" % sent[-1])


@pytest.mark.parametrize(
    ("seed", "reset"),
    few_in_every_run([(5, ("--reset", "A-B")), (3, ()), *((n, ()) for n in (10, *range(20, 25)))]),
)
def test_nothing_is_lost_of_checked_traffic_through_a_drawn_change(
    seed: int, reset: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What comes is what was sent, in order; it stands from a step that says DOWN to the next."""
    before, after = map(str, drawn_files(tmp_path, Random(seed)))
    capsys.readouterr()
    good("change", before, after, "--no-rates", "--try", ".", "--json", *reset)
    steps = json.loads(capsys.readouterr().out)["steps"]
    parts = Path("change.cp").read_text().split("* step ")
    assert len(parts) == len(steps) + 1

    count = partial(ctcs_up, capsys)
    sent, taken, came_s = list[int](), list[int](), list[float]()

    def shows(wanted: tuple[int, int]) -> bool:
        return (count("A"), count("B")) == wanted

    is_over, port = threading.Event(), free_port()
    sender = threading.Thread(target=send, args=(port, is_over, sent), daemon=True)
    with service(taking(taken, came_s)) as there:
        forward = ["--verify", "--forward", f"A:{port}=B:127.0.0.1:{there}"]
        with isfc(tmp_path, "up", "change.toml", "--detach", *forward) as started:
            assert started.exit_code() == 0, started.err
        try:
            for system, command in orders(parts[0]):
                good("cp", system, command)
            wait_for(partial(answers, port), "the port")
            sender.start()
            wait_for(lambda: taken, "the first of the traffic")
            is_down, down_s, out_s = False, 0.0, 0.0
            outages = list[tuple[float, float, float, float]]()
            for step, part in zip(steps, parts[1:], strict=True):
                may_be_down, was_down, begun_s = is_down or step["down"], is_down, time.monotonic()
                for system, command in orders(part.partition("* as it is")[0]):
                    good("cp", system, command)
                    assert may_be_down or min(count("A"), count("B"))
                wait_for(partial(shows, (step["ctcs"],) * 2), "the step's CTCs")
                is_down = step["down"]
                flows = partial(lambda known: len(taken) > known, len(taken))
                wait_for(
                    partial(stands, taken) if is_down else flows, "the traffic to do as is said"
                )
                if was_down:
                    outages.append((down_s, out_s, begun_s, time.monotonic()))
                if is_down:
                    down_s, out_s = begun_s, time.monotonic()
            is_over.set()
            sender.join(PATIENCE_S)
            wait_for(lambda: len(taken) == len(sent), "all that was sent")
            assert taken == sent
            assert len(outages) == sum(step["down"] for step in steps)
            for first_out, out, first_in, flowing in outages:
                again = next(n for n, at in enumerate(came_s) if at > out)
                stood_s = came_s[again] - came_s[again - 1]
                assert first_in - out <= stood_s <= flowing - first_out
        finally:
            is_over.set()
            good("up", "change.toml", "--end")
