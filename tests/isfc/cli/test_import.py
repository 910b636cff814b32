"""``isfc import``: from a deck to a layout that ``isfc plan`` takes."""

import io
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.output.exits import ExitCode
from isfc.cli.studio.tasks import Subject
from isfc.layout.catalogue import load_collection, load_layout
from isfc.layout.file import parse_collection, parse_layout
from tests.decks import DECKS, LOGS, mesh_decks
from tests.isfc.cli.conftest import Refusal

CEC_A, CEC_B = str(DECKS / "cec-a.iocp"), str(DECKS / "cec-b.iocp")
PORTS = "ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2"
BOTH = ["import", "iocp", CEC_A, CEC_B, "--partitions", "ATLANTA,BOSTON", "--ports", PORTS]


@pytest.mark.at_length
@pytest.mark.slow
def test_a_deck_becomes_a_layout_that_plan_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(BOTH) == ExitCode.GOOD
    page, told = capsys.readouterr()
    layout = parse_layout(page.encode(), "layout")
    assert layout.nodes == ("ATLANTA", "BOSTON")
    assert [ctc.rdevs for ctc in layout.ctcs] == [
        (0x4010 + chpid + n, 0x5010 + chpid + n)
        for chpid in (0, 0x100, 0x200, 0x300)
        for n in range(4)
    ]
    assert "assumed: --feature says otherwise" in page
    assert "inferred, since nothing else fits: --ports ATLANTA:53=C3,BOSTON:60=D0," in told

    assert run([*BOTH, "-o", str(tmp_path / "ab.toml")]) == ExitCode.GOOD
    assert (tmp_path / "ab.toml").read_text("utf-8") == page
    assert run(["plan", str(tmp_path / "ab.toml")]) == ExitCode.GOOD


def test_what_is_not_paired_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(BOTH) == ExitCode.GOOD
    told = capsys.readouterr().err
    assert told.startswith("Not paired: 32 devices\n  ATLANTA 4020-4023 (")
    assert "CUADD 2 names BUTTE" in " ".join(told.split())  # wherever the path breaks the line
    assert max(map(len, told.splitlines()[:-1])) <= 80


def test_devices_that_lead_to_their_own_partition_are_no_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["export", "two-cecs", "--as", "iocp", "-o", str(tmp_path)]) == ExitCode.GOOD
    capsys.readouterr()
    decks = [str(tmp_path / f"{name}.iocp") for name in ("EAST", "WEST")]
    words = ["import", "iocp", *decks, "--partitions", "ALPHA,BETA,DELTA,GAMMA"]
    assert run(words) == ExitCode.GOOD
    page, told = capsys.readouterr()
    assert told.startswith("isfc: note: 32 devices are the far ends that partitions on one channel")
    assert "Not paired" not in told
    again, known = parse_collection(page), load_collection("two-cecs")
    assert [link.nodes for link in again.links] == [link.nodes for link in known.links]
    assert [len(link.ctcs) for link in again.links] == [8] * 6
    assert run([*words, "--json"]) == ExitCode.GOOD
    links = json.loads(capsys.readouterr().out)["links"]
    assert any("as it should" in each["text"] for link in links for each in link["unpaired"])


@pytest.mark.at_length
@pytest.mark.slow
def test_one_partition_of_each_deck_is_judged_as_one_of_two_cecs_among_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # of two decks with two partitions each it was said that chpids may be one, and to cross them
    texts, ports = mesh_decks(("ZVMA", "ZVMC"), ("ZVMB", "ZVMD"))
    for name, text in zip(("ceca", "cecb"), texts, strict=True):
        (tmp_path / f"{name}.iocp").write_text(text)
    layout = str(tmp_path / "pair.toml")
    decks = [str(tmp_path / "ceca.iocp"), str(tmp_path / "cecb.iocp")]
    words = ["--partitions", "ZVMA,ZVMB", "--ports", ",".join(ports), "-o", layout]
    assert run(["import", "iocp", *decks, *words]) == ExitCode.GOOD
    text = Path(layout).read_text()
    assert "[cec.ceca]" in text
    assert "[cec.cecb]" in text
    others = "By the decks these chpids also carry 40 CTCs of 5 other links"
    capsys.readouterr()
    for command in (
        ["check", layout],
        ["plan", layout, "--rule", "--notes"],
        ["plan", layout, "--json"],
    ):
        run(command)
        page = " ".join(capsys.readouterr().out.split())
        assert f"{others}." in page
        assert "may be one of a CEC" not in page
        assert "Cross the connections" not in page
        assert ("with those busy" in page) == ("--json" in command)  # by the model alone
    (note,) = (each for each in json.loads(page)["notes"] if each["kind"] == "others")
    assert note["text"].startswith(f"{others}; with those busy it is about ")
    (plan,) = Subject(text).plans().values()
    assert f"{others}." in [each.text for each in plan.advice]


def test_decks_are_read_from_pipes_of_the_shell(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(BOTH) == ExitCode.GOOD
    layout = capfd.readouterr().out
    read, write = os.pipe()
    os.write(write, Path(BOTH[2]).read_bytes())
    os.close(write)
    try:
        assert run([*BOTH[:2], f"/dev/fd/{read}", *BOTH[3:]]) == ExitCode.GOOD
    finally:
        os.close(read)
    piped = capfd.readouterr().out
    for table in ("deck", "cec"):
        piped = piped.replace(f"[{table}.{read}]", f"[{table}.cec-a]")
    assert piped.partition("\n\n")[2] == layout.partition("\n\n")[2]


def test_json_and_an_output_file_give_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(BOTH) == ExitCode.GOOD
    layout = capsys.readouterr().out
    assert run([*BOTH, "--json", "-o", str(tmp_path / "link.toml")]) == ExitCode.GOOD
    assert "links" in json.loads(capsys.readouterr().out)
    assert (tmp_path / "link.toml").read_text() == layout


def test_json_names_pairs_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*BOTH, "--json"]) == ExitCode.GOOD
    (link,) = json.loads(capsys.readouterr().out)["links"]
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


def test_features_are_taken_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    said = ["--feature", "FICON Express4", "--feature", "BOSTON:61=FICON Express16S"]
    assert run([*BOTH, *said]) == ExitCode.GOOD
    layout = parse_layout(capsys.readouterr().out.encode(), "layout")
    assert [fibre.profile.feature for fibre in layout.fibres] == [
        "FICON Express4",
        "FICON Express16S",
        "FICON Express4",
        "FICON Express4",
    ]


def test_systems_may_have_other_names_than_their_partitions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [*BOTH]
    arguments[5] = "ZEBRA=1:ATLANTA,BOSTON"
    assert run(arguments) == ExitCode.GOOD
    assert parse_layout(capsys.readouterr().out.encode(), "x").nodes == ("BOSTON", "ZEBRA")


@pytest.mark.parametrize(
    ("partitions", "what"),
    [
        ("ATLANTA", "--partitions 'ATLANTA': expected two or more systems"),
        ("ATLANTA,DENVER",
         "--partitions 'DENVER': no RESOURCE statement names it; expected one of"),
        ("ATLANTA,3:BOSTON", "--partitions '3:BOSTON': there is no such deck; expected 1 to 2"),
        ("ATLANTA,A=ATLANTA,A=AUSTIN", "expected two or more systems, each with its own name"),
    ],
)  # fmt: skip
def test_bad_partitions_are_refused(partitions: str, what: str, refusal: Refusal) -> None:
    assert what in refusal(*BOTH[:4], "--partitions", partitions)


def test_partitions_to_choose_from_are_named_where_none_are_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # the parser said "Missing option '--partitions'", and not what the decks have
    assert run(BOTH[:4]) == ExitCode.BAD_INPUT
    told = " ".join(capsys.readouterr().err.split())
    assert "--partitions: missing; expected two or more, separated by commas, of ATLANTA," in told
    assert run(["import", "iocp", CEC_A, CEC_A]) == ExitCode.BAD_INPUT
    assert " of 1:ATLANTA, " in " ".join(capsys.readouterr().err.split())
    part = tmp_path / "part.iocp"
    part.write_text(" CHPID PATH=(CSS(0),50),SHARED,TYPE=FC\n")
    assert run(["import", "iocp", str(part)]) == ExitCode.BAD_INPUT
    assert "no RESOURCE statement; expected CSS and MIF image ids" in capsys.readouterr().err


def test_a_bad_deck_is_refused_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.iocp"
    path.write_bytes(b" CHPID PATH=5G\n")
    assert run(["import", "iocp", str(path), "--partitions", "A,B"]) == ExitCode.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"isfc: {path}:1:13: CHPID PATH '5G'; expected")
    path.write_bytes(b"\n \xc9\xd6\xc3\xd7\x40")
    assert run(["import", "iocp", str(path), "--partitions", "A,B"]) == ExitCode.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"isfc: {path}:2:2: is not text in UTF-8; expected")
    path.unlink()
    assert run(["import", "iocp", str(path), "--partitions", "A,B"]) == ExitCode.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"isfc: {path}: cannot be read ")


def test_a_console_log_becomes_a_layout(capsys: pytest.CaptureFixture[str]) -> None:
    logs = [str(LOGS / "atlanta.txt"), str(LOGS / "boston.txt")]
    chpids = ["--chpids", "BOSTON:50=7000-7001,51=7020-7021"]
    assert run(["import", "islink", *logs, *chpids]) == ExitCode.GOOD
    page, told = capsys.readouterr()
    assert told == ""
    layout = parse_layout(page.encode(), "layout")
    assert [fibre.chpids for fibre in layout.fibres] == [(0x40, 0x50), (0x41, 0x51)]
    assert [ctc.rdevs for ctc in layout.ctcs][-1] == (0x6021, 0x7021)

    assert run(["import", "islink", f"ATLANTA={logs[0]}"]) == ExitCode.GOOD
    page, told = capsys.readouterr()
    assert len(parse_layout(page.encode(), "layout").ctcs) == 3
    assert "ATLANTA-BOSTON: left out: ATLANTA 6021, whose remote link device is not known" in told


def test_several_links_are_one_layout_or_a_folder_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "".join(
        f"Link device: 6{n}00 Node: {node} Remote link device: 7{n}00\nPath 4{n} online to device "
        f"6{n}00\n"
        for n, node in enumerate(["BOSTON", "CHICAGO"])
    )
    (tmp_path / "log").write_text(text)
    arguments = ["import", "islink", f"ATLANTA={tmp_path / 'log'}"]
    assert run(arguments) == ExitCode.GOOD
    first, second = parse_collection(capsys.readouterr().out).links
    assert (first.nodes, second.nodes) == (("ATLANTA", "BOSTON"), ("ATLANTA", "CHICAGO"))
    assert [fibre.name for fibre in (*first.fibres, *second.fibres)] == ["1", "2"]

    assert run([*arguments, "-o", str(tmp_path)]) == ExitCode.GOOD
    assert parse_layout((tmp_path / "ATLANTA-BOSTON.toml").read_text()) == first
    assert parse_layout((tmp_path / "ATLANTA-CHICAGO.toml").read_text()).ctcs[0].rdevs == (
        0x6100,
        0x7100,
    )


def test_three_partitions_have_three_links(capsys: pytest.CaptureFixture[str]) -> None:
    deck = str(DECKS / "three-systems.iocp")
    partitions = ["--partitions", "VMA,VMB,VMC", "--ports", "VMA:50=01"]
    assert run(["import", "iocp", deck, *partitions]) == ExitCode.GOOD
    links = parse_collection(capsys.readouterr().out).links
    assert [link.nodes for link in links] == [("VMA", "VMB"), ("VMA", "VMC"), ("VMB", "VMC")]
    assert [len(link.ctcs) for link in links] == [8, 8, 8]


def test_statements_choose_devices_of_a_layout_and_of_a_deck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "SYSTEM.CONFIG"
    config.write_text("ATLANTA: ACTIVATE ISLINK 4010-4012 4110, /* more */\n  4111 6000\n")
    assert run([*BOTH, "--config", str(config)]) == ExitCode.GOOD
    page, told = capsys.readouterr()
    rdevs = [f"{ctc.rdevs[0]:04X}" for ctc in parse_layout(page.encode(), "layout").ctcs]
    assert rdevs == ["4010", "4011", "4012", "4110", "4111"]
    assert f"{config}:1:10: 6000 leads from ATLANTA to no other system here" in told

    assert run([*BOTH, "-o", str(tmp_path / "all.toml")]) == ExitCode.GOOD
    arguments = ["import", "config", str(config), "--layout", str(tmp_path / "all.toml")]
    assert run(arguments) == ExitCode.GOOD
    chosen = parse_layout(capsys.readouterr().out.encode(), "layout")
    assert [f"{ctc.rdevs[0]:04X}" for ctc in chosen.ctcs] == rdevs


def test_a_link_of_which_statements_leave_nothing_is_left_out_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "SYSTEM.CONFIG"
    config.write_text("VMA: ACT ISLINK 5020-5021 NODE VMB\nVMB: ACT ISLINK 6010-6011 NODE VMA\n")
    deck = str(DECKS / "three-systems.iocp")
    partitions = ["--partitions", "VMA,VMB,VMC", "--ports", "VMA:50=01"]
    assert run(["import", "iocp", deck, *partitions, "--config", str(config)]) == ExitCode.GOOD
    page, told = capsys.readouterr()
    (link,) = parse_collection(page).links
    assert (link.nodes, len(link.ctcs)) == (("VMA", "VMB"), 2)
    assert "VMB-VMC: the statements leave no CTC of it: left out" in told


def test_what_our_own_cp_shows_is_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
    assert run(["import", "islink", *files, "--feature", "FICON Express2"]) == ExitCode.GOOD
    assert parse_layout(capsys.readouterr().out) == load_layout("atlanta-boston")


def test_what_iocp_makes_of_a_deck_is_told_with_all_lines_of_a_kind(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    deck = tmp_path / "cec.iocp"
    text = (DECKS / "one-cec.iocp").read_text("utf-8")
    said = text.replace("\n               ", "\n                ")
    deck.write_text(" CRYPTO DOMAIN=(1,2)\n" + said)
    assert said != text
    run(["import", "iocp", str(deck), "--partitions", "EAST,WEST"])
    told = " ".join(capsys.readouterr().err.split())
    assert f"{deck}, line 1: CRYPTO is not known and is passed over" in told
    assert ": operands that continue a statement begin behind column 16: IOCP takes" in told


@pytest.mark.parametrize(
    "words", ["import islink VMA=-", "import config - --layout atlanta-boston"]
)
def test_a_report_of_iocp_is_named(
    words: str, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = b"1 19.29  24.042  IOCP VERSION 06  CHPID SUMMARY REPORT   PAGE 2\n 50 0140 FC   01\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(page)))
    assert "a report that IOCP printed (CHPID SUMMARY)" in refusal(*words.split())


def test_iocps_reports_give_the_layout_of_their_deck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layouts = []
    for name in ("one-cec.iocp", "one-cec.listing"):
        path = tmp_path / f"{name}.toml"
        words = ["import", "iocp", str(DECKS / name), "--partitions", "EAST,WEST"]
        run([*words, "--ports", "EAST:20=A0,EAST:21=A1,EAST:22=A2", "-o", str(path)])
        layouts.append(parse_collection(path.read_text("utf-8"), path.name))
    assert "one-cec.listing is no deck: the layout keeps none" in capsys.readouterr().err
    assert replace(layouts[0], decks=()) == layouts[1]


def test_ports_are_those_that_a_display_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = tmp_path / "shown.txt"
    shown.write_text(
        "".join(
            f"CONTROL UNIT {cu}\nCHP {chpid}\nDEST LINK ADDRESS {far}\nENTRY LINK ADDRESS {entry}\n"
            for cu, chpid, far, entry in (
                ("2020", "20", "A1", "A0"),
                ("2120", "21", "A0", "A1"),
                ("2220", "22", "A3", "A2"),
            )
        )
    )
    words = ["import", "iocp", str(DECKS / "one-cec.iocp"), "--partitions", "EAST,WEST", "--ports"]
    pages = []
    for ports in ("EAST:20=A0,EAST:21=A1,EAST:22=A2", f"EAST={shown}"):
        assert run([*words, ports]) == ExitCode.GOOD
        pages.append(capsys.readouterr())
    assert pages[0] == pages[1]
