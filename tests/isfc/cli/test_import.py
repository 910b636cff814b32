"""``isfc import``: from a deck to a layout that ``isfc plan`` takes."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.cli.studio.tasks import Subject
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection, parse_layout
from tests.decks import DECKS, LOGS, mesh_decks
from tests.isfc.foreign import RNID

CEC_A, CEC_B = str(DECKS / "cec-a.iocp"), str(DECKS / "cec-b.iocp")
PORTS: Final = "ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2"
BOTH: Final = ["iocp", CEC_A, CEC_B, "--partitions", "ATLANTA,BOSTON", "--ports", PORTS]
THREE: Final = ["iocp", str(DECKS / "three-systems.iocp"), "--partitions", "VMA,VMB,VMC"]
THREE_TOLD: Final = [*THREE, "--ports", "VMA:50=01"]
ONE_CEC: Final = ["iocp", str(DECKS / "one-cec.iocp"), "--partitions", "EAST,WEST"]

Import = Callable[..., tuple[str, str]]


@pytest.fixture
def imports(capsys: pytest.CaptureFixture[str]) -> Import:
    """Run ``isfc import`` with these words: what it prints, and what it says, with lines joined."""

    def done(*words: str) -> tuple[str, str]:
        capsys.readouterr()
        assert run(["import", *words]) == ExitCode.GOOD
        page, told = capsys.readouterr()
        assert all(len(line) <= 80 for line in told.splitlines() if " " in line.strip())
        return page, told.replace("\n    ", " ")

    return done


def rdevs(layout: Collection) -> list[str]:
    """The device numbers of the first system of the only link."""
    return [f"{ctc.rdevs[0]:04X}" for ctc in layout.link().ctcs]


def test_a_deck_becomes_a_layout(imports: Import, tmp_path: Path) -> None:
    page, told = imports(*BOTH)
    layout = parse_layout(page)
    assert layout.nodes == ("ATLANTA", "BOSTON")
    assert [ctc.rdevs for ctc in layout.ctcs] == [
        (0x4010 + chpid + n, 0x5010 + chpid + n)
        for chpid in (0, 0x100, 0x200, 0x300)
        for n in range(4)
    ]
    assert "assumed: --feature says otherwise" in page
    assert "inferred, since nothing else fits: --ports ATLANTA:53=C3,BOSTON:60=D0," in told

    file = tmp_path / "ab.toml"
    imports(*BOTH, "-o", str(file))
    assert file.read_text("utf-8") == page


def test_devices_that_lead_to_their_own_partition_are_no_fault(
    imports: Import, tmp_path: Path
) -> None:
    assert run(["export", "two-cecs", "--as", "iocp", "-o", str(tmp_path)]) == ExitCode.GOOD
    decks = [str(tmp_path / f"{name}.iocp") for name in ("EAST", "WEST")]
    words = ["iocp", *decks, "--partitions", "ALPHA,BETA,DELTA,GAMMA"]
    page, told = imports(*words)
    _, _, read = " ".join(told.split()).rpartition("Read: ")
    assert "EAST.iocp: 100 lines: 69 of statements, 31 comments; " in read
    assert told.startswith("isfc: note: in no link: 32 devices, the far ends that partitions")
    assert "Not paired" not in told
    again, known = parse_collection(page), given_collection("two-cecs")
    assert [link.nodes for link in again.links] == [link.nodes for link in known.links]
    assert [len(link.ctcs) for link in again.links] == [8] * 6
    links = json.loads(imports(*words, "--json")[0])["links"]
    assert any("as it should" in each["text"] for link in links for each in link["unpaired"])


@pytest.mark.at_length
@pytest.mark.slow
def test_one_partition_of_each_deck_is_judged_as_one_of_two_cecs_among_others(
    imports: Import, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # of two decks with two partitions each it was said that chpids may be one, and to cross them
    texts, ports = mesh_decks(("ZVMA", "ZVMC"), ("ZVMB", "ZVMD"))
    decks = [tmp_path / "ceca.iocp", tmp_path / "cecb.iocp"]
    for deck, text in zip(decks, texts, strict=True):
        deck.write_text(text)
    layout = str(tmp_path / "pair.toml")
    words = ["--partitions", "ZVMA,ZVMB", "--ports", ",".join(ports), "-o", layout]
    imports("iocp", *map(str, decks), *words)
    text = Path(layout).read_text()
    assert "[cec.ceca]" in text
    assert "[cec.cecb]" in text
    others = "By the decks these chpids also carry 40 CTCs of 5 other links"
    for command in ("check", "plan --rule --notes", "plan --json"):
        name, *more = command.split()
        run([name, layout, *more])
        page = " ".join(capsys.readouterr().out.split())
        assert f"{others}." in page
        assert "may be one of a CEC" not in page
        assert "Cross the connections" not in page
        assert ("with those busy" in page) == ("--json" in command)  # by the model alone
    (note,) = (each for each in json.loads(page)["notes"] if each["kind"] == "others")
    assert note["text"].startswith(f"{others}; with those busy it is about ")
    (plan,) = Subject(text).plans().values()
    assert f"{others}." in [each.text for each in plan.advice]


def test_json_names_pairs_and_reasons_beside_an_output_file(
    tmp_path: Path, imports: Import
) -> None:
    layout, _ = imports(*BOTH)
    record = json.loads(imports(*BOTH, "--json", "-o", str(tmp_path / "link.toml"))[0])
    assert (tmp_path / "link.toml").read_text() == layout
    assert json.loads(imports(*BOTH, "--json")[0]) == record
    (link,) = record["links"]
    assert link["nodes"] == ["ATLANTA", "BOSTON"]
    assert link["ctcs"][0] == {"chpids": ["50", "60"], "rdevs": ["4010", "5010"]}
    assert link["inferred"]["BOSTON:60"] == "D0"
    assert link["unpaired"][0] == {
        "node": "ATLANTA",
        "rdev": "4020",
        "place": f"{CEC_A}:33:2",
        "reason": "cuadd-names-another-image",
        "text": f"CUADD 2 names BUTTE of {CEC_B}; BOSTON is 1",
    }


def test_features_and_names_of_systems_are_taken_from_the_command_line(imports: Import) -> None:
    said = ["--feature", "FICON Express4", "--feature", "BOSTON:61=FICON Express16S"]
    layout = parse_layout(imports(*BOTH, *said)[0])
    features = [fibre.profile.feature.removeprefix("FICON Express") for fibre in layout.fibres]
    assert features == ["4", "16S", "4", "4"]
    renamed = imports(*BOTH[:4], "ZEBRA=1:ATLANTA,BOSTON", *BOTH[5:])[0]
    assert parse_layout(renamed).nodes == ("BOSTON", "ZEBRA")


def test_a_console_log_becomes_a_layout(imports: Import) -> None:
    logs = [str(LOGS / "atlanta.txt"), str(LOGS / "boston.txt")]
    page, told = imports("islink", *logs, "--chpids", "BOSTON:50=7000-7001,51=7020-7021")
    one, other = (f"{log}: {len(Path(log).read_text('utf-8').splitlines())} lines" for log in logs)
    assert " ".join(told.split()) == (
        "ATLANTA-BOSTON: State: Down, and counted as if Up: 6021 to BOSTON, 7021 to ATLANTA "
        f"Read: {one}: 27 of commands and answers, 1 of text (line 19); "
        f"{other}: 19 of commands and answers."
    )
    layout = parse_layout(page)
    assert [fibre.chpids for fibre in layout.fibres] == [(0x40, 0x50), (0x41, 0x51)]
    assert [ctc.rdevs for ctc in layout.ctcs][-1] == (0x6021, 0x7021)
    page, told = imports("islink", f"ATLANTA={logs[0]}")
    assert len(parse_layout(page).ctcs) == 3
    assert "ATLANTA-BOSTON: left out: ATLANTA 6021, whose remote link device is not known" in told


def test_several_links_are_one_layout_or_a_folder_of_them(tmp_path: Path, imports: Import) -> None:
    (tmp_path / "log").write_text(
        "".join(
            f"Link device: 6{n}00 Node: {node} Remote link device: 7{n}00\n"
            f"Path 4{n} online to device 6{n}00\n"
            for n, node in enumerate(["BOSTON", "CHICAGO"])
        )
    )
    words = ["islink", f"ATLANTA={tmp_path / 'log'}"]
    first, second = parse_collection(imports(*words)[0]).links
    assert (first.nodes, second.nodes) == (("ATLANTA", "BOSTON"), ("ATLANTA", "CHICAGO"))
    assert [fibre.name for fibre in (*first.fibres, *second.fibres)] == ["1", "2"]
    imports(*words, "-o", str(tmp_path))
    assert parse_layout((tmp_path / "ATLANTA-BOSTON.toml").read_text()) == first
    alone = parse_layout((tmp_path / "ATLANTA-CHICAGO.toml").read_text())
    assert alone.ctcs[0].rdevs == (0x6100, 0x7100)


def test_three_partitions_have_three_links(imports: Import) -> None:
    links = parse_collection(imports(*THREE_TOLD)[0]).links
    assert [link.nodes for link in links] == [("VMA", "VMB"), ("VMA", "VMC"), ("VMB", "VMC")]
    assert [len(link.ctcs) for link in links] == [8, 8, 8]


def test_statements_choose_devices_of_a_layout_and_of_a_deck(
    tmp_path: Path, imports: Import
) -> None:
    config, layout = tmp_path / "SYSTEM.CONFIG", tmp_path / "all.toml"
    config.write_text("ATLANTA: ACTIVATE ISLINK 4010-4012 4110, /* more */\n  4111 6000\n")
    page, told = imports(*BOTH, "--config", str(config))
    expected = ["4010", "4011", "4012", "4110", "4111"]
    assert rdevs(parse_collection(page)) == expected
    assert f"{config}:1:10: 6000 leads from ATLANTA to no other system here" in told
    imports(*BOTH, "-o", str(layout))
    words = ["config", str(config), "--layout", str(layout)]
    page, _ = imports(*words)
    assert page.startswith(f"# {layout}, as activated by SYSTEM.CONFIG.\n")
    assert rdevs(parse_collection(page)) == expected
    imports(*words, "-o", str(tmp_path))
    assert rdevs(given_collection(tmp_path / "ATLANTA-BOSTON.toml")) == expected
    (link,) = json.loads(imports(*words, "--json")[0])["links"]
    assert [ctc["rdevs"][0] for ctc in link["ctcs"]] == expected


def test_an_unknown_workload_is_told_before_any_note(
    tmp_path: Path, imports: Import, capsys: pytest.CaptureFixture[str]
) -> None:
    layout, config = tmp_path / "all.toml", tmp_path / "SYSTEM.CONFIG"
    imports(*BOTH, "-o", str(layout))
    config.write_text("ATLANTA: ACTIVATE ISLINK 4010 6000\n")
    words = ["config", str(config), "--layout", str(layout)]
    assert "6000 leads from ATLANTA" in imports(*words)[1]
    traffic = '[[traffic]]\nfrom = "ATLANTA"\nto = "BOSTON"\nworkload = "HX"\npairs = 1\n'
    layout.write_text(f"{layout.read_text()}\n{traffic}")
    assert run(["import", *words]) == ExitCode.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"isfc: {layout}: [[traffic]] #1 workload: ")


def test_a_link_of_which_statements_leave_nothing_is_left_out_and_said(
    tmp_path: Path, imports: Import
) -> None:
    config = tmp_path / "SYSTEM.CONFIG"
    config.write_text("VMA: ACT ISLINK 5020-5021 NODE VMB\nVMB: ACT ISLINK 6010-6011 NODE VMA\n")
    page, told = imports(*THREE_TOLD, "--config", str(config))
    (link,) = parse_collection(page).links
    assert (link.nodes, len(link.ctcs)) == (("VMA", "VMB"), 2)
    assert "VMB-VMC: the statements leave no CTC of it: left out" in told


def test_what_our_own_cp_shows_is_imported(
    tmp_path: Path, imports: Import, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = tmp_path / "commands"
    commands.write_text(
        "".join(
            f"at 10ms {node}: {command}\n"
            for node, chpids in (("ATLANTA", (40, 41)), ("BOSTON", (50, 51)))
            for command in ("QUERY ISLINK", *(f"QUERY CHPID {chpid}" for chpid in chpids))
        )
    )
    options = ["--workload", "HS", "--pairs", "1", "--seconds", "0.02", "--warmup", "0"]
    arguments = ["run", "atlanta-boston", *options, "--cp", str(commands), "--json"]
    assert run(arguments) == ExitCode.GOOD
    logs: dict[str, str] = {"ATLANTA": "", "BOSTON": ""}
    for entry in json.loads(capsys.readouterr().out)["cp"]:
        logs[entry["node"]] += "\n".join(entry["lines"]) + "\n"
    for node, text in logs.items():
        (tmp_path / node).write_text(text)
    files = [str(tmp_path / node) for node in logs]
    page, _ = imports("islink", *files, "--feature", "FICON Express2")
    assert parse_layout(page) == load_layout("atlanta-boston")


def test_what_iocp_makes_of_a_deck_is_told_with_all_lines_of_a_kind(
    imports: Import, tmp_path: Path
) -> None:
    deck = tmp_path / "cec.iocp"
    text = Path(ONE_CEC[1]).read_text("utf-8")
    said = text.replace("\n               ", "\n                ")
    deck.write_text(" CRYPTO DOMAIN=(1,2)\n" + said)
    assert said != text
    ports = "EAST:20=A0,EAST:21=A1,EAST:22=A2"
    _, said_of_it = imports("iocp", str(deck), *ONE_CEC[2:], "--ports", ports)
    told = " ".join(said_of_it.split())
    assert f"{deck}, line 1: CRYPTO is not known and is passed over" in told
    assert ": operands that continue a statement begin behind column 16: IOCP takes" in told


def test_reports_and_ports_that_a_display_shows_give_the_layout_of_the_deck(
    tmp_path: Path, imports: Import
) -> None:
    shown = tmp_path / "shown.txt"
    entries = ["2020 20 A1 A0", "2120 21 A0 A1", "2220 22 A3 A2"]
    shown.write_text(
        "".join(
            f"CONTROL UNIT {cu}\nCHP {chpid}\nDEST LINK ADDRESS {far}\nENTRY LINK ADDRESS {entry}\n"
            for cu, chpid, far, entry in map(str.split, entries)
        )
    )
    told = ["--ports", "EAST:20=A0,EAST:21=A1,EAST:22=A2"]
    page, said = imports(*ONE_CEC, *told)
    assert imports(*ONE_CEC, "--ports", f"EAST={shown}") == (page, said)
    listing = ["iocp", str(DECKS / "one-cec.listing"), *ONE_CEC[2:]]
    told += ["--feature", "FICON Express8S"]  # else that of the machine
    page, _ = imports(*ONE_CEC, *told)
    again, said = imports(*listing, *told)
    assert "one-cec.listing is no deck: the layout keeps none" in said
    machine = 'machine = "z14"\n'  # which reports of IOCP say, and this deck does not
    assert machine in again
    alike = parse_collection(again.replace(machine, ""))
    assert replace(parse_collection(page), decks=()) == alike


def test_ports_that_a_director_keeps_give_the_layout_that_they_give_when_said(
    tmp_path: Path, imports: Import
) -> None:
    table = tmp_path / "rnid.txt"
    table.write_text(RNID)
    page, _ = imports(*ONE_CEC, "--ports", "EAST:20=03A0,EAST:21=03A1,EAST:22=03A2,EAST:23=03A3")
    again, said = imports(*ONE_CEC, "--ports", f"EAST={table}:2C3A7")
    assert again == page
    assert "14 lines: 8 rows, 1 heading" in said
    assert "EAST is of CPC 00000002C3A7: EAST:20=03A0, EAST:21=03A1" in said
