"""``isfc up``: both systems, and nothing left of them."""

import os
import pty
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType

import pytest

from isfc.cli.live.processes import say_ready
from isfc.cli.main import run
from isfc.live.run_directory import running_groups
from tests.isfc.cli.conftest import Refusal
from tests.isfc.layout.test_loss_table import FILE, TABLE
from tests.isfc_process import isfc as ended
from tests.live.processes import Isfc, isfc
from tests.refusals import NO_ROOM
from tests.waiting import wait_for

AT_ONCE = 10
TRAFFIC = "--workload HS --pairs 5".split()


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A run directory of our own, which must be empty again in the end."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    yield tmp_path / "isfc"
    left = list((tmp_path / "isfc").glob("*"))
    assert not left, left


def children(up: Isfc) -> list[int]:
    found = Path(f"/proc/{up.process.pid}/task/{up.process.pid}/children").read_text()
    return [int(pid) for pid in found.split()]


def process_of(up: Isfc, name: str) -> int:
    """The process of one of its systems."""
    lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in children(up)}
    return next(pid for pid, words in lines.items() if name.encode() in words)


def wait_up(up: Isfc, count: int = 2) -> None:
    """Wait until both ends are up; a command run twice has said so twice, of four ends."""
    wait_for(lambda: up.err.count(" is up: ") == count // 2, "both ends of the link")


@contextmanager
def measuring(folder: Path, *words: str) -> Iterator[Isfc]:
    """A pair with traffic, which ends by itself and well."""
    with isfc(folder, "up", "published-4", *TRAFFIC, *words) as up:
        assert up.exit_code() == 0, up.err
        yield up


@pytest.mark.slow
def test_both_systems_measure_with_the_keys_of_isfc_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with measuring(tmp_path, "--seconds", "0.5", "--json") as up:
        record = up.record()
    assert [result["node"] for result in record["results"]] == ["CLIENT", "SERVER"]
    assert run("run published-4 --workload HS --pairs 5 --seconds 0.01 --json".split()) == 0
    virtual = capsys.readouterr().out.splitlines()
    keys = [line.split('"')[1] for line in virtual if line.startswith('  "')]
    for result in record["results"]:
        assert [*result] == keys
        assert result["mb_per_s"] > 0


@pytest.mark.slow
def test_at_the_models_pace_it_says_how_late_it_was(tmp_path: Path) -> None:
    pace = "--pace modelled --dilation 50 --seconds 0.02 --warmup 0.01".split()
    with measuring(tmp_path, *pace, "--plain") as up:
        assert up.out.count("% of the time was lateness") == 2
        assert "0.02 s of model time, each taking 50 s" in up.out
    late = "--pace modelled --dilation 1 --strict --seconds 0.05 --warmup 0".split()
    with isfc(tmp_path, "up", "published-4", *TRAFFIC, *late) as up:
        assert up.exit_code() == 1
        assert "isfc: --strict: " in up.err
        assert "expected a larger --dilation" in up.err


SELDOM = pytest.mark.exhaustive
NO_LINK = "SERVER was told to end, and no link is left without it"
ENDS = [
    ("both", signal.SIGTERM, "", 0, ""),
    pytest.param("both", signal.SIGINT, "", 0, "", marks=SELDOM),
    pytest.param("both", signal.SIGHUP, "", 0, "", marks=SELDOM),
    ("both", signal.SIGINT, "--seconds 60", 130, ""),  # before it has measured
    ("SERVER", signal.SIGKILL, "", 1, "was ended by signal 9"),
    pytest.param("SERVER", signal.SIGTERM, "", 1, NO_LINK, marks=SELDOM),
]


@pytest.mark.slow
@pytest.mark.parametrize(("victim", "number", "words", "code", "said"), ENDS)
def test_a_signal_to_it_or_a_node_ends_both_and_leaves_nothing(
    tmp_path: Path, victim: str, number: signal.Signals, words: str, code: int, said: str
) -> None:
    with isfc(tmp_path, "up", "published-4", *TRAFFIC, *words.split(), "--plain") as up:
        wait_up(up)
        nodes = children(up)
        assert len(nodes) == 2
        os.kill(up.process.pid if victim == "both" else process_of(up, victim), number)
        assert up.exit_code() == code, up.err
        assert said in up.err
        assert code == 1 or "warning" not in up.err
        assert not [pid for pid in nodes if Path(f"/proc/{pid}").exists()]


@pytest.mark.slow
def test_killed_it_takes_both_nodes_with_it(tmp_path: Path, runtime: Path) -> None:
    with isfc(tmp_path, "up", "published-4", *TRAFFIC) as up:
        wait_up(up)
        nodes = children(up)
        up.signal(signal.SIGKILL)
        up.exit_code()
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in nodes), "the nodes' end")
    # what the killed one could not remove, the next one does
    assert len(list(runtime.glob("up-*"))) == 1
    with isfc(tmp_path, "up", "published-4", *TRAFFIC) as up:
        wait_up(up, 4)
        assert len(list(runtime.glob("up-*"))) == 1
        assert up.end() == 0


@pytest.mark.exhaustive
def test_of_a_cluster_survivors_go_on_and_the_killed_one_comes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with isfc(tmp_path, "up", "two-cecs") as up:
        wait_up(up, 12)
        os.kill(children(up)[1], signal.SIGKILL)
        wait_for(
            lambda: "BETA was ended by signal 9: the others go on" in up.err, "that it is said"
        )
        assert run(["cp", "ALPHA", "QUERY ISFC"]) == 0
        assert "Link to DELTA: Up, 8 of 8" in capsys.readouterr().out
        assert run(["cp", "ALPHA", "VARY OFFLINE CHPID 40"]) == 0  # an operator's, which stays
        assert run(["cp", "GAMMA", "DEACTIVE ISLINK 6100"]) == 0
        assert run(["up", "two-cecs", "--only", "beta"]) == 0
        assert "BETA is up again." in capsys.readouterr().out
        assert run(["cp", "BETA", "QUERY ISFC"]) == 0
        counts = re.findall(r"(\d) of 8", capsys.readouterr().out)
        assert counts == ["6", "8", "7"]
        assert run(["up", "two-cecs", "--only", "BETA"]) == 2
        assert "--only BETA: runs already" in capsys.readouterr().err
        os.kill(children(up)[0], signal.SIGTERM)
        wait_for(lambda: "ALPHA was told to end: the others go on" in up.err, "that it is said")
        assert up.end() == 1


KILLS = 20
EACH = ("ALPHA", "BETA", "DELTA", "GAMMA")


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.timeout(600)  # twenty starts of a process, each of which may be slow
def test_twenty_kills_leave_the_links_of_survivors_up_and_all_they_carry_exact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def links(name: str) -> dict[str, str]:
        assert run(["cp", name, "QUERY ISFC"]) == 0
        return dict(re.findall(r"Link to (\w+): (\w+, \d of \d)", capsys.readouterr().out))

    def killed_so_often(number: int) -> bool:
        return up.err.count("was ended by signal 9: the others go on") == number

    random = Random("kills")
    traffic = "--workload HS --pairs 1 --verify".split()
    with isfc(tmp_path, "up", "two-cecs", *traffic) as up:
        wait_up(up, 12)
        for number in range(1, KILLS + 1):
            victim = random.choice(EACH)
            os.kill(process_of(up, victim), signal.SIGKILL)
            wait_for(partial(killed_so_often, number), f"kill {number} is said")
            survivors = {*EACH} - {victim}
            for name in survivors:
                found = links(name)
                assert {found[other] for other in survivors - {name}} == {"Up, 8 of 8"}
            assert run(["up", "two-cecs", "--only", victim]) == 0
        assert {state for name in EACH for state in links(name).values()} == {"Up, 8 of 8"}
        assert up.end() == 0
    verified = re.findall(r"--verify: (\w+): (\d+) messages, all as they were sent\n", up.err)
    assert sorted(name for name, _ in verified) == [*EACH]


@pytest.mark.exhaustive
@pytest.mark.slow
def test_each_piece_that_a_live_cluster_loses_takes_what_the_table_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cecs.toml"
    file.write_text(FILE)

    def asked(*words: str) -> tuple[int, ...]:
        assert run(["up", str(file), *words]) == 0
        page = capsys.readouterr().out
        return tuple(int(count) for count in re.findall(r"^\S+ +(\d) of 8$", page, re.MULTILINE))

    def again(place: int) -> None:
        name = EACH[place]
        process = process_of(up, name)
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: f"{name} was ended by signal 9" in up.err, "that it is said")
        assert run(["up", str(file), "--only", name]) == 0

    with isfc(tmp_path, "up", str(file)) as up:
        wait_up(up, 12)
        before: tuple[str, ...] = ()
        for piece, left in TABLE.values():
            assert asked("--lose", piece, *before) == left, piece
            before = ("--restore", piece)
        assert asked("--lose", "director:1", *before) == TABLE["director 1"][1]
        again(0)
        again(1)  # both have restarted since it was lost
        assert asked("--lose", "alpha:42") == (0, 2, 2, 2, 2, 4)
        assert asked("--restore", "director:1") == TABLE["the channel ALPHA 42 = BETA 42"][1]
        assert asked("--restore", "ALPHA:42") == (8,) * 6
        assert up.end() == 0


@pytest.mark.slow
def test_what_each_node_was_given_can_be_replayed(tmp_path: Path) -> None:
    journals = tmp_path / "journals"
    with measuring(tmp_path, "--seconds", "0.2", "--warmup", "0.1", "--journal", str(journals)):
        pass
    for name in ("CLIENT", "SERVER"):
        assert run(["journal", "replay", str(journals / f"{name}.journal")]) == 0


@pytest.mark.exhaustive
@pytest.mark.slow
def test_an_output_that_takes_no_more_ends_it_with_a_word() -> None:
    with Path("/dev/full").open("wb") as full:
        done = ended("up", "published-4", *TRAFFIC, "--plain", stdout=full)
    assert done.returncode == 1
    assert done.stderr.endswith(f"isfc: standard output: {NO_ROOM}\n")


@pytest.mark.slow
def test_a_closed_terminal_ends_both_in_good_order() -> None:
    pid, terminal = pty.fork()
    if not pid:
        words = (sys.executable, "-m", "isfc", "up", "published-4", *TRAFFIC)
        os.execv(sys.executable, words)
    shown = bytearray()

    def is_shown() -> bool:
        if select.select([terminal], [], [], 0.1)[0]:
            shown.extend(os.read(terminal, 65_536))
        return b"Logical link" in shown

    ended: list[tuple[int, int]] = []

    def has_ended() -> bool:
        ended.append(os.waitpid(pid, os.WNOHANG))
        return ended[-1][0] == pid

    try:
        wait_for(is_shown, "the view")
        os.close(terminal)
        wait_for(has_ended, "the end of both")
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    assert os.waitstatus_to_exitcode(ended[-1][1]) == 0


def test_one_of_several_inter_switch_links_is_not_lost_live(
    tmp_path: Path, refusal: Refusal
) -> None:
    file = tmp_path / "cecs.toml"
    file.write_text(FILE.replace("isl = { gbps", "isl = { count = 2, gbps"))
    said = refusal("up", str(file), "--lose", "isl:wide")
    assert "live systems know no rate of inter-switch links; expected path:wide" in said


@pytest.mark.slow
def test_a_clean_stop_of_a_busy_link_warns_of_nothing(tmp_path: Path) -> None:
    busy = "--workload HL --pairs 20 --seconds 0.3 --warmup 0".split()
    with isfc(tmp_path, "up", "atlanta-boston", *busy, "--json") as up:
        assert up.exit_code() == 0
        assert up.err == "isfc: the link ATLANTA - BOSTON is up: 8 CTCs\n"


@pytest.mark.slow
def test_detached_pair_is_found_at_once_and_ended(
    tmp_path: Path, runtime: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with isfc(tmp_path, "up", "query-islink", "--detach") as up:
        assert up.exit_code() == 0, up.err
        assert up.out.startswith("1STI - 2NDI is up; 'isfc up query-islink --end' ends it.")
    try:
        assert run(["cp", "2ndi", "QUERY ISLINK 33C1"]) == 0
        assert "State:       Up" in capsys.readouterr().out
        assert run(["up", "query-islink", "--detach"]) == 2
        assert "--detach: 1STI or 2NDI runs already" in capsys.readouterr().err
        assert run(["up", "two-cecs", "--end"]) == 2
        assert "--end: expected one 'isfc up' of this layout" in capsys.readouterr().err
    finally:
        assert run(["up", "query-islink", "--end"]) == 0
    assert capsys.readouterr().out == ""
    (runtime / "1STI-2NDI.log").unlink()


@pytest.mark.exhaustive
@pytest.mark.slow
def test_of_pairs_of_the_same_names_that_are_detached_together_one_is_there(
    tmp_path: Path, runtime: Path
) -> None:
    folders = [tmp_path / str(number) for number in range(AT_ONCE)]
    try:
        with ExitStack() as stack:
            for folder in folders:
                folder.mkdir()
            words = ("up", "query-islink", "--detach")
            environment = {"XDG_RUNTIME_DIR": str(tmp_path)}
            pairs = [
                stack.enter_context(isfc(folder, *words, environment=environment))
                for folder in folders
            ]
            codes = sorted(pair.exit_code() for pair in pairs)
            assert codes == [0] + [2] * (AT_ONCE - 1), [pair.err for pair in pairs]
            (pair,) = running_groups()
            assert pair.names == ("1STI", "2NDI")
    finally:
        assert run(["up", "query-islink", "--end"]) == 0
    (runtime / "1STI-2NDI.log").unlink()


@pytest.mark.slow
def test_detached_pair_that_cannot_start_says_why(tmp_path: Path, runtime: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with isfc(tmp_path, "up", "query-islink", "--detach", "--journal", str(file)) as up:
        assert up.exit_code() == 2
        assert up.err == f"isfc: --journal {file}: is a file; expected a directory\n"
    (runtime / "1STI-2NDI.log").unlink()


def test_who_waits_is_told() -> None:
    ours, theirs = os.pipe()
    say_ready(theirs)
    with os.fdopen(ours, "rb") as pipe:
        assert pipe.read() == b"up"


def test_pair_ends_if_who_started_it_was_killed_meanwhile() -> None:
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    ours, theirs = os.pipe()
    os.close(ours)
    before = signal.signal(signal.SIGTERM, note)
    try:
        say_ready(theirs)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert came == [signal.SIGTERM]
