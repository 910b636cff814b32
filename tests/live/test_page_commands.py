"""The commands within the text of two pages: each runs, with the names that it stands for.

What stands in console blocks is run by ``tests/test_readme.py``.
"""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from isfc.cli.main import run
from isfc.live.run_directory import running_groups, running_nodes
from tests.installed import need
from tests.isfc.cli.live.test_forward import DATA, DIGEST
from tests.live.cluster_member import LAYOUT as CLUSTER
from tests.live.forwarded import Digest, answers, free_port, say, service
from tests.live.processes import Isfc, isfc
from tests.waiting import wait_for
from tools.pages.console import PROJECT

PAGES: Final = ("live", "cluster")
TEXT: Final = "\n".join((PROJECT / "docs" / f"{page}.md").read_text("utf-8") for page in PAGES)
FOUR: Final = "two-cecs"
EACH: Final = ("ALPHA", "BETA", "DELTA", "GAMMA")
CHPIDS: Final = ("40", "41")

ALONE: Final = {
    "isfc show two-cecs": "show two-cecs",
    "isfc check two-cecs": "check two-cecs",
    "isfc plan two-cecs --lose": "plan two-cecs --lose --rule",
    "isfc run FILE": "run two-cecs --traffic ALPHA-BETA:HS:1 --seconds 0.01 --warmup 0",
    "isfc evacuate FILE cec:EAST": "evacuate two-cecs cec:EAST --guests {guests} --quiet",
    "isfc plan --without": "plan two-cecs --without director:1 --rule",
}
LIVE: Final = (
    "isfc up LAYOUT --detach",
    "isfc up LAYOUT --end",
    "isfc up FILE",
    "isfc up FILE --only VMB1",
    "isfc up FILE --lose director:1",
    "isfc cp NODE",
)


def test_each_command_of_these_pages_is_run_here() -> None:
    shown = {" ".join(words.split()) for words in re.findall(r"`(isfc [a-z]+ [^`]+)`", TEXT)}
    assert shown == {*ALONE, *LIVE}


@pytest.mark.at_length
@pytest.mark.parametrize("shown", ALONE)
def test_a_command_that_looks_at_a_layout_answers(tmp_path: Path, shown: str) -> None:
    guests = tmp_path / "guests.csv"
    guests.write_text("name,memory,change_rate,from\nLINUX1,256M,20M,ALPHA\nLINUX2,128M,5M,BETA\n")
    warns = int("check" in shown)  # two warnings, which the page of exit codes has as 1
    assert run(ALONE[shown].format(guests=guests).split()) == warns


def indented(first: str) -> list[str]:
    """The lines of the indented block that begins so, each whole."""
    block = re.search(rf"(?m)^    {re.escape(first)}.*\n(?:    .*\n)*", TEXT)
    assert block is not None, first
    return [" ".join(line.split()) for line in block[0].replace("\\\n", " ").splitlines()]


def certificates(folder: Path, *names: str, ca: bool = True) -> None:
    """Make those of the page, for other names too; ``ca`` makes the CA again."""
    made, request, signed = indented("openssl req -x509")
    for name in names:
        for line in (*[made] * (ca and name == names[0]), request, signed):
            words = line.replace("ATLANTA", name).replace("atlanta", name.lower()).split()
            done = subprocess.run(words, cwd=folder, capture_output=True, timeout=60, check=False)
            assert done.returncode == 0, done.stderr


def counts(name: str, capsys: pytest.CaptureFixture[str], run_dir: Path | None = None) -> list[str]:
    """How many CTCs of each of its links, which has eight, a system has up."""
    capsys.readouterr()
    where = [] if run_dir is None else ["--run-dir", str(run_dir)]
    assert run(["cp", name, "QUERY ISFC", *where]) == 0
    return re.findall(r"(\d) of 8", capsys.readouterr().out)


@pytest.mark.at_length
@pytest.mark.slow
def test_two_machines_meet_as_the_page_says_and_renew_all_certificates_under_traffic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need("openssl", "openssl")
    certificates(tmp_path, "ATLANTA", "BOSTON")
    port = free_port()
    with ExitStack() as stack:
        nodes: list[Isfc] = []
        for line in indented("atlanta$"):
            found = re.fullmatch(r"\w+\$ isfc node (\w+) link.toml (--\w+) \S+:7700 (.*)", line)
            assert found is not None, line
            name, door = found.group(1, 2)
            files = re.sub(r"(\w+\.\w+)", rf"{tmp_path}/\1", found[3])
            words = f"node {name} atlanta-boston {door} localhost:{port} {files} --verify"
            words += f" --workload HS --pairs 4 --run-dir {tmp_path}"
            nodes.append(stack.enter_context(isfc(tmp_path, *words.split())))
        wait_for(lambda: all("link-up" in node.err for node in nodes), "the link")
        for ca in (False, True):  # the same CA, and then another
            certificates(tmp_path, "ATLANTA", "BOSTON", ca=ca)
            for how in ("OFFLINE", "ONLINE"):
                for chpid in CHPIDS:
                    words = f"VARY {how} CHPID {chpid}"
                    assert run(["cp", "ATLANTA", words, "--run-dir", str(tmp_path)]) == 0
            wait_for(lambda: counts("ATLANTA", capsys, tmp_path) == ["8"], "every CTC")
        for node in nodes:
            assert node.end() == 0, node.err
            assert "messages, all as they were sent" in node.err
            assert "severed" not in node.err


@pytest.mark.at_length
@pytest.mark.slow
def test_three_machines_meet_as_the_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need("openssl", "openssl")
    ports = {name: str(free_port()) for name in ("ALPHA", "BETA")}
    certificates(tmp_path, "ALPHA", "BETA", "GAMMA")
    with ExitStack() as stack:
        for line in indented("isfc node ALPHA"):
            _, _, name, _, *words = line.removesuffix("...").split()
            place = f"{tmp_path}/{name.lower()}"
            text = " ".join(words).replace("0.0.0.0:7700", f"127.0.0.1:{ports.get(name)}")
            for other, port in ports.items():
                text = text.replace(f"{other.lower()}:7700", f"127.0.0.1:{port}")
            text += f" --cert {place}.pem --key {place}.key --ca {tmp_path}/ca.pem"
            words = ["node", name, CLUSTER, *text.split(), "--run-dir", str(tmp_path)]
            stack.enter_context(isfc(tmp_path, *words))
        for name in ("ALPHA", "BETA", "GAMMA"):
            control = tmp_path / f"{name}.control"
            wait_for(control.exists, f"{name}'s control")
            wait_for(partial(all_up, name, capsys, tmp_path), name)


def all_up(name: str, capsys: pytest.CaptureFixture[str], run_dir: Path) -> bool:
    """Whether both links of a system of three have all their CTCs."""
    return counts(name, capsys, run_dir) == ["8", "8"]


def is_gone(name: str) -> bool:
    """Whether a system runs no more."""
    return name not in running_nodes()


def process_of(name: str) -> int:
    """The process of a system of the only `isfc up` that runs."""
    (group,) = running_groups()
    found = Path(f"/proc/{group.pid}/task/{group.pid}/children").read_text().split()
    words = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in found}
    return next(pid for pid, each in words.items() if name.encode() in each)


@contextmanager
def forwarding_four(folder: Path) -> Iterator[dict[int, tuple[str, str]]]:
    """Four systems that are left running, with forwards both ways over all six links."""
    with service(Digest) as there:
        ports = {free_port(): way for way in permutations(EACH, 2)}
        words = [f"{a}:{port}={b}:127.0.0.1:{there}" for port, (a, b) in ports.items()]
        forwards = [word for each in words for word in ("--forward", each)]
        with isfc(folder, "up", FOUR, "--detach", "--verify", *forwards) as up:
            assert up.exit_code() == 0, up.err
        try:
            wait_for(lambda: all(map(answers, ports)), "every port")
            yield ports
        finally:
            assert run(["up", FOUR, "--end"]) == 0


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, pytest.param(100, marks=pytest.mark.exhaustive)])
@pytest.mark.timeout(1_200)
def test_four_systems_forward_over_all_six_links_through_losses_and_kills(
    tmp_path: Path,
    kills: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with forwarding_four(tmp_path) as ports:
        for number in range(kills):
            assert {say(port, DATA) for port in ports} == {DIGEST}
            assert run(["up", FOUR, "--lose", "director:1"]) == 0
            assert {say(port, DATA) for port in ports} == {DIGEST}
            victim = EACH[number % len(EACH)]
            os.kill(process_of(victim), signal.SIGKILL)
            others = [port for port, way in ports.items() if victim not in way]
            assert {say(port, DATA) for port in others} == {DIGEST}
            wait_for(partial(is_gone, victim), f"{victim}'s end")
            assert run(["up", FOUR, "--only", victim]) == 0
            assert counts(victim, capsys) == ["4", "4", "4"]
            assert run(["up", FOUR, "--restore", "director:1"]) == 0
            wait_for(lambda: all(map(answers, ports)), "every port again")
        assert {say(port, DATA) for port in ports} == {DIGEST}
        assert run(["cp", "ALPHA", "QUERY ISLINK"]) == 0
    for asked in ("--detach", "--end"):
        with isfc(tmp_path, "up", FOUR, "--link", "ALPHA-BETA", asked) as up:
            assert up.exit_code() == 0, up.err
