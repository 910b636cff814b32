"""A site's way: deck, layout, a better one, the change made on a live pair, and the way back."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from tests.decks import DECKS
from tests.isfc.cli.change.ends import active, up
from tests.lengthy import few_in_every_run
from tests.live.processes import isfc
from tests.waiting import wait_for


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run directory of this test only."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def good(*words: str) -> None:
    assert run([*words]) == ExitCode.GOOD, words


def orders(script: Path) -> Iterator[tuple[str, str]]:
    """The commands of a script in their order, each with its system."""
    for line in script.read_text().splitlines():
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
        for system, command in orders(folder / "change.cp"):
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

    def count(node: str) -> int:
        capsys.readouterr()
        good("cp", node, "QUERY ISLINK", "--json")
        return len({*up(json.loads(capsys.readouterr().out)["lines"])})

    with isfc(tmp_path, "up", "three.toml", "--detach") as started:
        assert started.exit_code() == 0, started.err
    try:
        least = 16
        for system, command in orders(tmp_path / "change.cp"):
            good("cp", system, command)
            if command.startswith("DEACTIVE"):
                least = min(least, count("VMA"))
                assert count("VMC") == 16
        assert least == 8, "no CTC of the link stays, and eight of the other"
        wait_for(lambda: count("VMA") == count("VMB") == 16, "all CTCs again")
    finally:
        good("up", "three.toml", "--end")
