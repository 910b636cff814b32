"""What an operator says to joined CTCs: pieces of the layout, times, and what is refused."""

import asyncio
import os
from pathlib import Path

import pytest

from ctc.address import Rdev
from isfc.cli.live.ctce import condition, parse_command, parse_commands
from isfc.cli.live.ctce_hardware import of_layout
from isfc.cli.live.loops import typed_lines
from isfc.errors import ConfigurationError
from isfc.layout.file import parse_layout
from isfc.live.ctce.join import CtcEnd, HostPort
from isfc.live.ctce_box import CtceBox
from tests.isfc.cli.conftest import Refusal
from tests.isfc.cli.test_every_option import LINK
from tests.waiting import wait_until

CTCS = [
    (
        CtcEnd("A", Rdev(a), HostPort("h", 31000), HostPort("h", 32000)),
        CtcEnd("B", Rdev(b), HostPort("h", 31002), HostPort("h", 32002)),
    )
    for a, b in ((0x6000, 0x7000), (0x6001, 0x7001), (0x6010, 0x7010))
]
HARDWARE = of_layout(CTCS, parse_layout(f'[[link]]\nnodes = ["A", "B"]\n{LINK}'), paced=True)


def lost(box: CtceBox) -> list[bool]:
    return [bool(each) for each in box.exchange.lost]


@pytest.mark.parametrize(
    ("piece", "ctcs"),
    [
        ("director:1", [0, 1]),
        ("vary:b:51", [2]),
        ("40", [0, 1]),
        ("B:7001", [1]),
        ("all", [0, 1, 2]),
    ],
)
def test_a_piece_takes_its_ctcs_along_and_brings_them_back(piece: str, ctcs: list[int]) -> None:
    box = CtceBox(CTCS, HARDWARE.definition)
    parse_command(f"lose {piece}", HARDWARE).do(box)
    assert lost(box) == [index in ctcs for index in range(3)]
    parse_command("LOSE system:A", HARDWARE).do(box)
    parse_command(f"restore {piece}", HARDWARE).do(box)
    assert lost(box) == [piece != "all"] * 3  # all is whatever was lost
    parse_command("restore all", HARDWARE).do(box)
    assert lost(box) == [False] * 3


def test_a_delay_and_a_stall_are_of_every_fibre_and_the_answer_says_what_is_wrong() -> None:
    box = CtceBox(CTCS, HARDWARE.definition)
    fibres = box.exchange.fibres
    for text, late_ns, stalled, answer in (
        ("delay 20ms", 20_000_000, False, "each command takes 20 ms longer"),
        (
            "stall",
            20_000_000,
            True,
            "each command takes 20 ms longer, nothing moves until 'resume'",
        ),
        ("delay 0ms", 0, True, "nothing moves until 'resume'"),
        ("lose 40", 0, True, "2 of 3 CTCs carry nothing, nothing moves until 'resume'"),
        ("resume", 0, False, "2 of 3 CTCs carry nothing"),
        ("restore 40", 0, False, "nothing is lost, delayed or stalled"),
    ):
        parse_command(text, HARDWARE).do(box)
        assert [(fibre.late_ns, fibre.stalled) for fibre in fibres] == [(late_ns, stalled)] * 2
        assert condition(box.exchange) == answer


def test_commands_of_a_file_come_in_the_order_of_their_times() -> None:
    lines = ["* first", "", "at 5s restore 40", "at 800ms  lose 40", "# last"]
    assert [(each.at_ns, each.text) for each in parse_commands(lines, HARDWARE)] == [
        (800_000_000, "lose 40"),
        (5_000_000_000, "restore 40"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("stall", "line 1: expected 'at TIME COMMAND', such as 'at 5s stall'"),
        ("at 5s los 40", "line 1: 'los 40': did you mean lose?"),
        ("at 5s lose director:3", "line 1: 'director:3': did you mean director:"),
        ("at 5s delay 20", "line 1: '20': expected a time, such as 20ms or 1.5s"),
        ("at noon stall", "line 1: 'noon': expected a time"),
        ("at 5s stall 40", "line 1: 'stall 40': expected 'stall' alone"),
    ],
)
def test_what_is_no_command_is_refused_with_what_was_expected(line: str, reason: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse_commands([line], HARDWARE)
    assert str(refused.value).startswith(reason)


def test_more_commands_than_a_thousand_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="line 1001: expected at most 1000 commands"):
        parse_commands(["at 1s stall"] * 1001, HARDWARE)


def test_pace_needs_a_layout_that_has_the_ctcs(tmp_path: Path, refusal: Refusal) -> None:
    names = [tmp_path / f"{letter}.cnf" for letter in "AB"]
    for path, rdev, own, far in zip(
        names, ("6000", "7777"), (31880, 31890), (31890, 31880), strict=True
    ):
        path.write_text(f"{rdev} CTCE {own} 127.0.0.1 {far}\n")
    files = [str(path) for path in names]
    assert refusal("ctce", *files, "--pace", "model").startswith("--pace model: expected --layout")
    layout = tmp_path / "ab.toml"
    layout.write_text(f'[[link]]\nnodes = ["A", "B"]\n{LINK}')
    assert refusal("ctce", *files, "--layout", str(layout)).startswith(
        f"{layout}: A 6000 = B 7777: the layout has no CTC with these RDEVs: expected one of 6000"
    )


def test_each_line_of_a_pipe_is_heard_once_however_it_comes() -> None:
    """The last one has no end of line; a blank one says nothing."""
    reader, writer = os.pipe()
    heard: list[str] = []

    async def type_lines() -> None:
        with typed_lines(heard.append, number=reader):
            for data in (b"lose 40\n\nres", b"tore 40\nst"):
                os.write(writer, data)
                await asyncio.sleep(0)
            await wait_until(lambda: len(heard) == 2)
            os.write(writer, b"all" + b"x" * 5000)
            os.close(writer)
            await wait_until(lambda: len(heard) == 4)

    asyncio.run(type_lines())
    os.close(reader)
    assert heard[:2] == ["lose 40", "restore 40"]
    assert "".join(heard[2:]) == "stall" + "x" * 5000


def test_a_file_that_is_no_pipe_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("stall\n")

    async def wait() -> None:
        with path.open("rb") as file, typed_lines(heard.append, number=file.fileno()):
            await asyncio.sleep(0.01)

    heard: list[str] = []
    asyncio.run(wait())
    assert heard == []
