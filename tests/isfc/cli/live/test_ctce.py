"""``isfc ctce``: configuration lines, a trace of two Hercules, and what is refused."""

import asyncio
import json
import re
from errno import ENOSPC
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from rich.console import Console

from ctc.adapter import Step
from ctc.order import Order
from ctc.state import State
from ctc.subchannel import Command
from isfc.cli.live import ctce_table
from isfc.cli.live.ctce_observe import STEPS, CtceTimeline, harmless, tracing
from isfc.cli.live.ctce_options import CtceOptions
from isfc.cli.live.ctce_table import CtceWatch
from isfc.cli.main import run
from isfc.cli.output.trace_events import Event
from isfc.engine.framed import CTCE_HEADER
from isfc.layout.catalogue import load_layout
from isfc.live.ctce.exchange import (
    CtcPlace,
    EndAttached,
    EndDetached,
    Exchange,
    ExchangeDefinition,
    Pulled,
    Restored,
    Said,
)
from isfc.live.ctce.ios import CommandIo, IoBook
from isfc.live.ctce.join import CtcEnd
from isfc.live.ctce.wire import CURRENT, OLDER
from isfc.live.ctce_box import CtceBox
from isfc.live.metrics import ctce_families
from tests.isfc.cli.conftest import Refusal
from tests.isfc.cli.test_every_option import LINK
from tests.isfc.live.ctce.partner import Partner
from tests.isfc.live.ctce.ports import free_ports, two_ends
from tests.refusals import NO_ROOM

TO_B = "0E20 CTCE 31880 10.0.0.2 31890\n0E21 CTCE 31882 10.0.0.2 31892\n"
TO_A = "0521 CTCE 31892 10.0.0.1 31882\n0520 CTCE 31890 10.0.0.1 31880\n"

HUB = """\
0520 CTCE 31890 10.0.0.1 31880
0600 CTCE 0700=10.0.0.3
0601 CTCE 0700=10.0.0.4
"""
TO_HUB = "0700 CTCE 0600=10.0.0.2"


def files(folder: Path, *texts: str) -> tuple[str, ...]:
    """A configuration file for each text: MVSA.cnf, MVSB.cnf and so on."""
    paths = [folder / f"MVS{letter}.cnf" for letter in "ABC"[: len(texts)]]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return tuple(map(str, paths))


def test_files_of_two_that_are_partners_get_lines_with_this_between(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each device has its mate by the ports; with the new lines the same CTCs are served.

    Also where both are on this machine, at ports above those that this one takes.
    """
    near = [text.replace("10.0.0.1", "h").replace("10.0.0.2", "h") for text in (TO_B, TO_A)]
    assert len(CtceOptions(listen="h:30000").join(files(tmp_path, *near))[0]) == 2
    listen = "10.0.0.9:32880"
    assert run(["ctce", *files(tmp_path, TO_B, TO_A), "--listen", listen, "--lines"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines() == [
        "# MVSA",
        "0E20 CTCE 31880 10.0.0.9 32880",
        "0E21 CTCE 31882 10.0.0.9 32884",
        "# MVSB",
        "0520 CTCE 31890 10.0.0.9 32882",
        "0521 CTCE 31892 10.0.0.9 32886",
    ]
    first = CtceOptions(listen=listen).join(files(tmp_path, TO_B, TO_A))
    at = ["MVSA=10.0.0.1:31880", "MVSB=10.0.0.2:31890"]
    halves = text.split("# MVSB\n")
    assert CtceOptions(listen=listen, at=at).join(files(tmp_path, *halves)) == first


def test_pasted_and_windows_files_are_read_as_any_other(tmp_path: Path) -> None:
    """UTF-16, quoted, and with hard blanks."""
    names = files(tmp_path, TO_B, TO_A)
    found = CtceOptions().join(names)
    Path(names[0]).write_text(TO_B, "utf-16")
    Path(names[1]).write_text("".join(f"> {line}\n" for line in TO_A.splitlines()))
    assert CtceOptions().join(names) == found
    Path(names[1]).write_text(TO_A.replace(" ", "\xa0"))
    assert CtceOptions().join(names) == found


def test_a_layout_is_made_of_the_devices_of_two_files(tmp_path: Path) -> None:
    """For --layout: its chpids are what Hercules shows its guests, the feature is assumed."""
    names, made = files(tmp_path, TO_B, TO_A), tmp_path / "made.toml"
    assert run(["ctce", *names, "--lines", "-o", str(made)]) == 0  # either way ended it alone
    assert "--feature" not in made.read_text("utf-8")  # which isfc ctce has not
    layout = load_layout(str(made))
    assert layout.nodes == ("MVSA", "MVSB")
    assert [ctc.rdevs for ctc in layout.ctcs] == [(0xE20, 0x520), (0xE21, 0x521)]
    assert [fibre.chpid_names for fibre in layout.fibres] == [("0E", "05")]
    assert run(["ctce", *names, "--layout", str(made), "--pace", "model", "--lines"]) == 0


def test_a_layout_gets_lines_from_the_first_port_of_each_upwards(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two ports for each end of a CTC."""
    places = ["--at", "CLIENT=127.0.0.1:31000", "--at", "SERVER=10.0.0.7:31000"]
    assert run(["ctce", "published-12", *places, "--lines"]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert printed.err == "isfc: note: 127.0.0.1:32880 is of this machine alone; see --listen\n"
    assert run(["ctce", "published-12", *places[:3], "SERVER=127.0.0.1:33000", "--lines"]) == 0
    assert capsys.readouterr().err == "", "here each Hercules is on this machine"
    assert len(lines) == 2 * 13
    assert lines[2] == "6001 CTCE 31002 127.0.0.1 32884"
    assert lines[-1] == "6043 CTCE 31022 127.0.0.1 32926"


@pytest.mark.parametrize(
    ("texts", "options", "reason"),
    [
        ((TO_B, ""), [], "{folder}/MVSA.cnf:1: MVSA: '0E20 CTCE 31880 10.0.0.2 31890': no other"),
        (("", ""), [], "there is no CTCE device"),
        (
            (TO_B, TO_A, TO_A),
            [],
            "{folder}/MVSA.cnf:1: MVSA: '0E20 CTCE 31880 10.0.0.2 31890': its partner may be",
        ),
        (
            (TO_B, TO_A),
            ["--at", "MVSB=10.0.0.3:1024"],
            "{folder}/MVSA.cnf:1: MVSA: '0E20 CTCE 31880 10.0.0.2 31890': no other file has its",
        ),
        ((TO_B, "INCLUDE none"), [], "{folder}/MVSB.cnf:1: INCLUDE: {folder}/none: cannot be"),
        (
            (TO_B[:31], HUB[:-25], TO_HUB),
            ["-o", "a.toml"],
            "-o: a link has two systems, and CTCs join",
        ),
        ((TO_B, TO_A), ["--listen", "nowhere"], "--listen 'nowhere': expected HOST:PORT"),
        ((TO_B, TO_A), ["--listen", "h:32881"], "MVSA 0E20: port h:32881: expected an even one"),
        ((TO_B, TO_A), ["--at", "C=h:1"], "--at C=h:1: expected MVSA=HOST:PORT or MVSB=HOST:PORT"),
        ((TO_B, TO_A), ["--link", "A-B"], "--link: names a link of a layout; expected a layout"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    tmp_path: Path, refusal: Refusal, texts: tuple[str, str], options: list[str], reason: str
) -> None:
    """With the device that has no mate, or the option."""
    said = refusal("ctce", *files(tmp_path, *texts), *options)
    assert said.startswith(reason.format(folder=tmp_path))


def test_a_hub_has_lines_for_each_partner_and_who_is_elsewhere_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, with its line; files that it includes are seen from its folder."""
    (tmp_path / "devices").write_text(HUB)
    names = files(tmp_path, TO_B, "INCLUDE devices\n", TO_HUB)
    assert run(["ctce", *names, "--listen", "10.0.0.9:32880", "--lines"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "# MVSA",
        "0E20 CTCE 31880 10.0.0.9 32880",
        "# MVSB",
        "0520 CTCE 31890 10.0.0.9 32882",
        "0600 CTCE 3088 0700=10.0.0.9 32884",
        "# MVSC",
        "0700 CTCE 3088 0600=10.0.0.9 32886",
    ]
    assert [line.partition(" MVS")[0] for line in err.splitlines()] == [
        f"isfc: {names[0]}:2:",
        "isfc: devices:3:",
    ]


async def write_and_read(first: CtcEnd, second: CtcEnd) -> None:
    """Two Hercules, one of each form; the one writes, the other reads."""
    one, other = Partner(first, OLDER), Partner(second, CURRENT)
    await one.start()
    await other.start()
    await one.hear()
    one.say(Order(Command.WRITE, State.WRITE, 20, bytes(range(20))))
    await other.hear()
    await other.hear()
    other.say(Order(Command.READ, State.AVAILABLE, 20))
    await one.hear()
    await one.close()
    await other.close()


def test_a_trace_has_a_line_for_each_command_and_a_table_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One Hercules of each form; the one writes, the other reads."""
    ports = free_ports(4)
    lines = [f"0500 CTCE {ports[i]} 127.0.0.1 {ports[1 - i]}\n" for i in (0, 1)]
    words = [*files(tmp_path, *lines), "--listen", f"127.0.0.1:{ports[2]}"]
    ((first, second),), _ = CtceOptions(listen=words[3]).join(words[:2])

    journal, timeline = str(tmp_path / "a.journal"), tmp_path / "a.json"
    keep = ["--journal", journal, "--timeline", str(timeline), "--metrics", "127.0.0.1:0"]
    thread = Thread(target=lambda: asyncio.run(write_and_read(first, second)))
    thread.start()
    assert run(["ctce", *words, "--trace", "--seconds", "2", *keep]) == 0
    thread.join(10)
    out, err = capsys.readouterr()
    kept = json.loads(timeline.read_text())["traceEvents"]
    again = ["--trace", "--timeline", str(timeline), "--force", "--interval", "60"]
    assert run(["ctce", journal, *again]) == 0
    replayed, said = capsys.readouterr()
    assert replayed.splitlines()[:4] == out.splitlines()[:4]
    assert "FCX108 DEVICE, MVSA, 0.0 to 2." in replayed
    assert replayed.splitlines()[-1].startswith("2 commands in 2.")
    assert "isfc: MVSB 0500: connected, current form" in said
    assert json.loads(timeline.read_text())["traceEvents"] == kept
    assert {event["name"] for event in kept if event["ph"] == "B"} == {"WRITE", "READ", "DISC"}
    came, also, write, read, *rest = (re.sub(r"^ *[\d.]+ +", "", line) for line in out.splitlines())
    ends, table = rest[:-3], rest[-2:]
    assert {line.split()[-1] for line in (came, also)} == {"attached"}
    assert {line.split()[-1] for line in ends} <= {"gone", "told"}
    assert re.split("  +", write) == [
        "MVSA 0500",
        "WRITE",
        "waits",
        "20",
        "attention to the mate",
        bytes(range(16)).hex() + "...",
    ]
    assert re.split("  +", read) == [
        "MVSB 0500",
        "READ",
        "ended",
        "20",
        "meets the mate's: both end",
    ]
    assert [row.split() for row in table] == [
        ["MVSA", "0500", *f"1 20 {table[0].split()[4]} 1 0 0 0".split()],
        ["MVSB", "0500", *"1 0 - 1 0 0 0".split()],
    ]
    assert 0 < float(table[0].split()[4]) < 60_000  # ms from the WRITE to its end
    assert "isfc: MVSA 0500: connected, older form" in err
    assert "isfc: MVSB 0500: connected, current form" in err


def test_a_watched_page_says_what_each_end_did_since_the_last_and_how_it_is_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A WRITE that waits, a partner that is not there, a CTC that is lost: whole at 80 columns."""
    box = CtceBox([two_ends("SYSTEMA", "SYSTEMB")] * 2)
    book = IoBook(box.exchange.adapters)
    monkeypatch.setattr(box, "now_ns", lambda: 0)
    watch = CtceWatch(box, book)
    box.apply(EndAttached(CtcPlace(0, 0), wins=False, holds=False, length_max=100))
    box.apply(Said(CtcPlace(0, 0), Order(Command.WRITE, State.WRITE, 20, bytes(20))))
    box.apply(Pulled((1,), "director:1"))
    for tally in book.tallies.values():  # 65,000 WRITEs a second, each of 20 ms, and 1,200 MB
        tally.codes[Command.WRITE] = tally.order_count = tally.io_count = tally.answer_count = (
            65_000
        )
        tally.collision_count = 65_000
        tally.written_length = 1_200 << 20
        tally.disc_ns = tally.answer_ns = 65_000 * 20_000_000
    monkeypatch.setattr(box, "now_ns", lambda: 1_000_000_000)
    console = Console(width=80)
    with console.capture() as capture:
        console.print(watch.page())
    text = capture.get()
    assert "…" not in text
    _, heading, *rows = (row.split() for row in text.splitlines())
    assert heading[-1] == "now"
    assert [row[2:] for row in rows[:2]] == [
        "65000 0 0 0 1200 0.00 20.00 0.00 65000 20.00 write".split(),
        "65000 0 0 0 1200 0.00 20.00 0.00 65000 20.00 absent".split(),
    ]
    assert text.count("lost:") == 2


def test_a_trace_has_a_timed_line_for_a_loss_for_each_reset_and_for_what_is_there_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exchange = Exchange(ExchangeDefinition(), lambda _at, _order: None)
    exchange.observers.append(tracing([two_ends("MVSA", "MVSB")]))
    for end in (0, 1):
        attached = EndAttached(CtcPlace(0, end), wins=False, holds=False, length_max=100)
        exchange.apply(attached, 1_000)
    exchange.apply(Pulled((0,), "director:1"), 2_000_000_000)
    exchange.apply(Pulled((0,), "MVSA:40"), 2_000_000_000)
    exchange.apply(Restored("director:1"), 3_000_000_000)
    exchange.apply(Restored("MVSA:40"), 4_000_000_000)
    exchange.apply(EndDetached(CtcPlace(0, 1)), 5_000_000_000)
    assert [re.split("  +", line.strip()) for line in capsys.readouterr().out.splitlines()] == [
        ["0.000001", "MVSA 0500", "attached"],
        ["0.000001", "MVSB 0500", "attached"],
        ["2.000000", "MVSA 0500", "lost: director:1"],
        ["2.000000", "MVSB 0500", "lost: director:1"],
        ["2.000000", "MVSA 0500", "RESET", "is told"],
        ["2.000000", "MVSB 0500", "RESET", "is told"],
        ["4.000000", "MVSA 0500", "restored"],
        ["4.000000", "MVSB 0500", "restored"],
        ["5.000000", "MVSB 0500", "gone"],
        ["5.000000", "MVSA 0500", "RESET", "is told"],
    ]


def test_what_is_said_while_a_page_is_watched_scrolls_by_above_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    refusal: Refusal,
) -> None:
    """FCX108 does; a trace, of thousands of lines a second, is refused."""
    console = Console(file=StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr(ctce_table, "open_console", lambda: console)
    lines = [f"0500 CTCE {30_000 + 10 * i} 127.0.0.1 {30_010 - 10 * i}\n" for i in (0, 1)]
    words = [*files(tmp_path, *lines), "--listen", f"127.0.0.1:{free_ports(4)[0]}", "--watch"]
    assert run(["ctce", *words, "--interval", "0.3", "--seconds", "1"]) == 0
    capsys.readouterr()
    assert isinstance(console.file, StringIO)
    shown = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "\n", console.file.getvalue())
    assert len(re.findall("^FCX108", shown, re.MULTILINE)) == shown.count("FCX108") >= 6
    assert refusal("ctce", *words, "--trace").startswith("--watch and --trace: expected one")


def test_a_timeline_whose_file_takes_no_more_ends_and_says_so_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    left = iter(range(10))

    def add(_event: Event) -> None:
        if next(left, None) is None:
            raise OSError(ENOSPC, "No space left on device")

    take = harmless("--timeline a.json", CtceTimeline([two_ends()], add).take)
    for _ in "1234":
        take(CommandIo(CtcPlace(0, 0), Order(Command.READ, State.AVAILABLE), 1))
    said = f"{NO_ROOM}: it ends here; the CTCs go on without"
    assert capsys.readouterr().err == f"isfc: --timeline a.json: {said}\n"


def test_a_journal_that_was_damaged_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: Refusal
) -> None:
    """And what only a box has that is served is refused."""
    path = tmp_path / "a.journal"
    path.write_bytes(CTCE_HEADER + b"12345678")
    assert run(["ctce", str(path)]) == 1
    assert capsys.readouterr().err.startswith(f"isfc: {path}: a damaged record")
    assert refusal("ctce", str(path), "--watch").startswith(f"{path}: a journal has no --watch")


def test_prometheus_is_told_what_each_end_has_done() -> None:
    box = CtceBox([two_ends()])
    book = IoBook(box.exchange.adapters)
    box.exchange.observers.append(book)
    box.apply(EndAttached(CtcPlace(0, 0), wins=False, holds=False, length_max=100))
    box.apply(Said(CtcPlace(0, 0), Order(Command.WRITE, State.WRITE, 20, bytes(20))))
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in ctce_families(box, book)
        for sample in family.samples
    }
    assert samples["isfc_ctce_commands_total", "A", "0500", "write"] == 1
    assert samples["isfc_ctce_written_bytes_total", "A", "0500"] == 20
    assert samples["isfc_ctce_attached", "A", "0500"] == 1
    assert samples["isfc_ctce_attached", "B", "0500"] == 0


def test_every_outcome_has_words_in_a_trace() -> None:
    assert set(STEPS) == set(Step)


BY_RDEVS = """
listen = "10.0.0.9:32880"
[ctce.MVSA]
at = "10.0.0.1:31880"
rdevs = "0E20-0E21"
[ctce.MVSB]
at = "10.0.0.2:31890"
rdevs = "0520,0522"
wire = "older"
"""
BY_LAYOUT = """
layout = "ab.toml"
pace = "model"
commands = "faults.txt"
[ctce.A]
at = "127.0.0.1:31880"
[ctce.B]
at = "127.0.0.1:31980"
"""
BY_FILES = """
listen = "10.0.0.9:32880"
[ctce.A]
configuration = "a.cnf"
[ctce.B]
configuration = "b.cnf"
"""


def write(folder: Path, text: str) -> str:
    """The file, and what it may name."""
    path = folder / "ctce.toml"
    path.write_text(text)
    (folder / "ab.toml").write_text(f'[[link]]\nnodes = ["A", "B"]\n{LINK}')
    (folder / "faults.txt").write_text("at 5s lose 40\n")
    (folder / "a.cnf").write_text("0E20 CTCE 31880 10.0.0.2 31890\n")
    (folder / "b.cnf").write_text("0520 CTCE 31890 10.0.0.1 31880\n")
    return str(path)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (BY_RDEVS, "0E20 CTCE 31880 10.0.0.9 32880", "0522 CTCE 31892 10.0.0.9 32886"),
        (BY_LAYOUT, "6000 CTCE 31880 127.0.0.1 32880", "7010 CTCE 31984 127.0.0.1 32890"),
        (BY_FILES, "0E20 CTCE 31880 10.0.0.9 32880", "0520 CTCE 31890 10.0.0.9 32882"),
    ],
)
def test_devices_come_from_the_file_a_layout_or_hercules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, first: str, last: str
) -> None:
    """Files are those beside it; an option takes precedence."""
    path = write(tmp_path, text)
    assert run(["ctce", path, "--lines"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[1], lines[-1]) == (first, last)
    assert run(["ctce", path, "--lines", "--listen", "10.0.0.8:40000"]) == 0
    assert "10.0.0.8 40000" in capsys.readouterr().out


def test_all_that_options_say_can_stand_in_it(tmp_path: Path) -> None:
    _, said = CtceOptions().join([write(tmp_path, BY_LAYOUT)])
    assert (said.pace, said.commands) == ("model", str(tmp_path / "faults.txt"))
    assert said.layout == str(tmp_path / "ab.toml")
    joined, _ = CtceOptions().join([write(tmp_path, BY_RDEVS)])
    assert [[end.wire for end in ctc] for ctc in joined] == [["", "older"]] * 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('pace = "model"', 'pace = "fast"', 'pace: out of range; expected "none" or "model"'),
        ("listen =", "listens =", "listens: no such key; expected one of listen, layout"),
        ('listen = "10.0.0.9:32880"', 'listen = "here"', "listen 'here': expected HOST:PORT"),
        ("[ctce.MVSB]", "[ctce.MVSB.at]", "[ctce.MVSB] at: got a table; expected HOST:PORT"),
        ("[ctce.B]", "[ctce.C]\n[ctce.B]", "ctce: A, C, B; expected a table [ctce.NAME] for each"),
        ('"b.cnf"', '"b.cnf"\n[ctce.C]', "[ctce.C] configuration: missing, as [ctce.A] has it"),
        (
            "[ctce.MVSB]",
            "[ctce.C]\n[ctce.MVSB]",
            "ctce: MVSA, C, MVSB; expected a table [ctce.NAME]",
        ),
        ('"older"', '"oldest"', '[ctce.MVSB] wire \'oldest\': expected "current" or "older"'),
        ('"0520,0522"', '"0520"', "[ctce.MVSB] rdevs: 1, [ctce.MVSA] has 2: expected as many"),
        ('"0520,0522"', '"05201"', "[ctce.MVSB] rdevs: '05201'"),
        ('rdevs = "0520,0522"', "", "[ctce.MVSB] rdevs: missing, as [ctce.MVSA] has it"),
        ('at = "10.0.0.2:31890"', "", "at: expected MVSB=HOST:PORT too"),
        ('layout = "ab.toml"', "", "says of no device: expected rdevs or configuration for each"),
        ("[ctce.B]", "[ctce.C]", "ctce A and C: the layout joins A and B"),
        ('"b.cnf"', '"c.cnf"', "{folder}/c.cnf: cannot be read (No such file or directory)"),
        ('"b.cnf"', '"b.cnf"\nrdevs = "1"', "[ctce.A] rdevs: missing, as [ctce.B] has it"),
    ],
)
def test_what_is_wrong_is_said_with_file_place_and_remedy(
    tmp_path: Path, refusal: Refusal, old: str, new: str, reason: str
) -> None:
    text = next(each for each in (BY_RDEVS, BY_LAYOUT, BY_FILES) if old in each)
    path = write(tmp_path, text.replace(old, new))
    said = refusal("ctce", path, "--lines")
    assert said.startswith(f"{path}: {reason.format(folder=tmp_path)}")
