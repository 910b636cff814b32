"""Every command takes every layout: the shipped ones, and those that decks are imported as."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.layout.catalogue import given_collection, shipped_layouts
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.write import format_collection
from scenarios.figures import changed
from scenarios.figures.changed import after_losses
from scenarios.search import report_runs
from tests.decks import DECKS
from tests.lengthy import few_in_every_run
from tests.shipped import ONE_LINK

pytestmark = pytest.mark.at_length


IMPORTED = {
    "one-cec": (["one-cec"], "EAST,WEST", "EAST:20=A0,EAST:21=A1,EAST:22=A2"),
    "cross-css": (["cross-css"], "ALPHA,BETA", ""),
    "two-by-eight": (["two-by-eight-a", "two-by-eight-b"], "ATLANTA,BOSTON", ""),
    "mistakes": (["mistakes"], "CHICAGO,DENVER", ""),
    "cec-a-b": (
        ["cec-a", "cec-b"],
        "ATLANTA,BOSTON",
        "ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2",
    ),
    "three-systems": (["three-systems"], "VMA,VMB,VMC", "VMA:50=01"),
}
SHARED = ("one-cec", "three-systems")
"""Partitions of these share channels, and so a deck."""
LAYOUTS = [*shipped_layouts(), *IMPORTED]
KINDS = ("published-1", "one-cec", "two-cecs")
"""One CTC, several on shared channels, several links: what every run of the tests has of all."""
TO_RUN = [
    pytest.param(name, marks=() if name in KINDS else pytest.mark.exhaustive) for name in LAYOUTS
]
SHORT = "--seconds 0.02 --warmup 0.01"
OF_ALL = [
    "check --fail-on never LAYOUT",
    "show LAYOUT",
    "show LAYOUT -o FOLDER/drawn.svg --force",
    "plan LAYOUT --rule",
    "plan LAYOUT --rule --json",
    "plan LAYOUT --lose --rule",
    "export LAYOUT --as toml",
    "export LAYOUT --as activate",
]
OF_ONE = [
    f"run LAYOUT --pairs 2 --workload HS {SHORT}",
    f"run LAYOUT --pairs 2 --workload HS {SHORT} --trace FOLDER/trace.json --force",
    "relocate LAYOUT --memory 8M --change-rate 1M",
    "collide LAYOUT --offer-out 5 --offer-in 5 --steps 1 --seconds .05",
    "optimise LAYOUT --ctcs 2 --runs 2 --seeds 1 --seconds 0.02",
]
UP = "up LAYOUT --workload HS --pairs 1 --seconds 0.1 --warmup 0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the imported layouts; what a report runs is short."""
    path = tmp_path_factory.mktemp("layouts")
    for name, (decks, partitions, ports) in IMPORTED.items():
        words = [*(str(DECKS / f"{deck}.iocp") for deck in decks), "--partitions", partitions]
        words += ["--ports", ports] if ports else []
        assert run(["import", "iocp", *words, "-o", str(path / f"{name}.toml")]) == ExitCode.GOOD
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_runs, "PAIRS", (1,))
        patch.setattr(changed, "after_losses", lambda *lost: after_losses(*lost[:2]))
        yield path


def place(layout: str, folder: Path) -> str:
    return str(folder / f"{layout}.toml") if layout in IMPORTED else layout


def run_on(layout: str, folder: Path, line: str) -> int:
    given = {"LAYOUT": place(layout, folder)}
    return run([given.get(word, word).replace("FOLDER", str(folder)) for word in line.split()])


def check_of_all(layout: str, folder: Path, line: str, heard: str) -> None:
    """Every link is shown, and one alone where it is named."""
    links = given_collection(place(layout, folder)).links
    if not line.startswith(("export", "check")) and " -o " not in line:
        for link in links:
            assert all(node in heard for node in link.nodes)
    if "--json" in line:
        record = json.loads(heard)
        assert [each["nodes"] for each in record.get("links", [record])] == [
            {"first": first, "second": second} for first, second in (link.nodes for link in links)
        ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_link_is_shown(layout: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in OF_ALL:
        assert run_on(layout, folder, line) == ExitCode.GOOD, line
        check_of_all(layout, folder, line, capsys.readouterr().out)


@pytest.mark.slow
@pytest.mark.parametrize("layout", TO_RUN)
def test_every_link_is_run(layout: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_on(layout, folder, "plan LAYOUT") == ExitCode.GOOD
    check_of_all(layout, folder, "plan LAYOUT", capsys.readouterr().out)


@pytest.mark.exhaustive
@pytest.mark.parametrize("layout", LAYOUTS)
def test_losses_of_every_link_are_run_and_it_is_reported(
    layout: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_on(layout, folder, "plan LAYOUT --lose") == ExitCode.GOOD
    check_of_all(layout, folder, "plan LAYOUT --lose", capsys.readouterr().out)
    assert run_on(layout, folder, "report LAYOUT -o FOLDER/report.html --force") == ExitCode.GOOD


def check_of_one(layout: str, folder: Path, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of one link it is run; of several, the one that is named. Only ``up`` runs them all."""
    links = given_collection(place(layout, folder)).links
    if len(links) > 1:
        if line != UP:
            assert run_on(layout, folder, line) == ExitCode.BAD_INPUT
            told = " ".join(capsys.readouterr().err.split())
            names = ", ".join("-".join(link.nodes) for link in links)
            assert f"{len(links)} links; expected --link with one of {names}" in told
        line += f" --link {'-'.join(links[-1].nodes)}"
    assert run_on(layout, folder, line) == ExitCode.GOOD


@pytest.mark.slow
@pytest.mark.parametrize("line", OF_ONE)
@pytest.mark.parametrize("layout", TO_RUN)
def test_one_link_is_run_by_every_command(
    layout: str, line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_of_one(layout, folder, line, capsys)


@pytest.mark.parametrize("layout", few_in_every_run(sorted(LAYOUTS, key="two-cecs".__ne__)))
def test_one_link_is_run_live(
    layout: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_of_one(layout, folder, UP, capsys)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_statements_that_are_exported_choose_every_device(layout: str, folder: Path) -> None:
    statements, kept = str(folder / f"{layout}.config"), folder / f"{layout}-kept.toml"
    assert run_on(layout, folder, f"export LAYOUT --as activate -o {statements}") == 0
    assert run_on(layout, folder, f"import config {statements} --layout LAYOUT -o {kept}") == 0
    assert given_collection(str(kept)).links == given_collection(place(layout, folder)).links


@pytest.mark.parametrize("layout", [*ONE_LINK, *(name for name in IMPORTED if name not in SHARED)])
def test_decks_that_are_exported_are_imported_as_the_same_layout(layout: str, folder: Path) -> None:
    long = lengthened(given_collection(place(layout, folder)))
    file, decks, back = (
        folder / f"{layout}{end}" for end in ("-long.toml", "-decks", "-back.toml")
    )
    file.write_text(format_collection(long))
    decks.mkdir()
    ports = [
        f"{node}:{chpid:02X}={number:02X}"
        for number, (node, chpid) in enumerate(
            dict.fromkeys(
                (node, fibre.chpids[end])
                for link in long.links
                for fibre in link.fibres
                for end, node in enumerate(link.nodes)
            )
        )
    ]
    told = ["--ports", ",".join(ports)] if len(long.links) > 1 else []
    assert run(["export", str(file), "--as", "iocp", "-o", str(decks), *told]) == ExitCode.GOOD
    names = sorted(map(str, decks.iterdir()))
    words = [*names, "--partitions", ",".join(long.systems), "-o", str(back)]
    assert run(["import", "iocp", *words]) == ExitCode.GOOD
    assert in_order(given_collection(str(back))) == in_order(long)


@pytest.mark.parametrize("layout", [*SHARED, "two-cecs"])
def test_decks_of_cecs_are_imported_as_the_same_cluster(layout: str, folder: Path) -> None:
    # each system had a deck of its own, and those of two-cecs were refused
    whole = given_collection(place(layout, folder))
    decks, back = folder / f"{layout}-shared", folder / f"{layout}-shared.toml"
    decks.mkdir()
    assert run(["export", place(layout, folder), "--as", "iocp", "-o", str(decks)]) == ExitCode.GOOD
    names = sorted(map(str, decks.iterdir()))
    assert len(names) == max(1, len(whole.cecs))
    words = [*names, "--partitions", ",".join(whole.systems), "-o", str(back)]
    assert run(["import", "iocp", *words]) == ExitCode.GOOD
    found = given_collection(str(back))
    assert in_order(numbered(found)) == in_order(numbered(whole))
    assert {cec.name: set(cec.systems) for cec in found.cecs} == {
        cec.name: set(cec.systems) for cec in whole.cecs
    }
    assert set(map(frozenset, found.shared_channels)) == set(map(frozenset, whole.shared_channels))


def numbered(collection: Collection) -> Collection:
    """The same with directors by their numbers in IOCP, and channels by their least end."""
    links = []
    for link in collection.links:
        fibres = {
            fibre: structs.replace(
                fibre,
                directors=tuple(name.rjust(2, "0") for name in fibre.directors),
                channels=tuple(min(name.split("=")) for name in fibre.channels),
            )
            for fibre in link.fibres
        }
        ctcs = tuple(structs.replace(ctc, fibre=fibres[ctc.fibre]) for ctc in link.ctcs)
        links.append(replace(link, fibres=tuple(fibres.values()), ctcs=ctcs))
    return replace(collection, links=tuple(links))


def lengthened(collection: Collection) -> Collection:
    """The same with fibres of different lengths."""
    links = []
    for link in collection.links:
        fibres = {fibre: structs.replace(fibre, km=1.5 * n) for n, fibre in enumerate(link.fibres)}
        ctcs = tuple(structs.replace(ctc, fibre=fibres[ctc.fibre]) for ctc in link.ctcs)
        links.append(Layout(link.nodes, tuple(fibres.values()), ctcs))
    return replace(collection, links=tuple(links))


def in_order(collection: Collection) -> list[Layout]:
    """Links with their fibres and CTCs in one order: theirs in a file means nothing."""
    return [
        Layout(link.nodes, tuple(sorted(link.fibres, key=lambda f: f.chpids)), link.device_list())
        for link in sorted(collection.links, key=lambda link: link.nodes)
    ]


def test_up_runs_every_link_of_three_systems(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_on("three-systems", folder, UP) == ExitCode.GOOD
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("VMA", "VMB", "VMC"))


def test_a_sweep_runs_all_links_or_those_it_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = '[grid]\nlayout = ["three-systems.toml"]\nworkload = ["HS"]\npairs = [1]\n'
    spec = folder / "sweep.toml"
    spec.write_text(f"seconds = 0.02\nwarmup = 0.01\n{grid}")
    assert run(["sweep", str(spec), "--csv"]) == ExitCode.GOOD
    assert capsys.readouterr().out.count("three-systems.toml") == 3
    spec.write_text(f'seconds = 0.02\nwarmup = 0.01\n{grid}link = ["VMA-VMB", "VMC-VMB"]\n')
    assert run(["sweep", str(spec), "--csv"]) == ExitCode.GOOD
    assert capsys.readouterr().out.count("three-systems.toml") == 2
